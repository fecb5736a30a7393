#include "tests/cpu_device/engine/coalescing.hpp"

#include "cpu_device/detail/engine.hpp"
#include "cpu_device/launches.hpp"
#include "tests/cpu_device/engine/managed.hpp"

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace {

using cpu_device::Counts;
using std::size_t;

constexpr size_t lanes = 32;
constexpr size_t sector = 32; // bytes
constexpr unsigned threads = 256;
constexpr size_t n = 8192; // threads of most kernels
constexpr size_t warps = n / lanes;
constexpr unsigned grid = n / threads;

/// Sectors of the bytes [first, first + bytes).
constexpr size_t sectors_of(size_t first, size_t bytes)
{
    return (first + bytes - 1) / sector - first / sector + 1;
}

__device__ size_t global_index()
{
    return size_t{blockIdx.x} * blockDim.x + threadIdx.x;
}

// --- one unit a thread ----------------------------------------------------------------------

template<class T>
__global__ void copy(const T* in, T* out)
{
    const size_t i = global_index();
    out[i] = in[i];
}

__global__ void add(const float* a, const float* b, float* c, size_t size)
{
    const size_t i = global_index();
    if (i < size)
        c[i] = a[i] + b[i];
}

__global__ void add_float4(const float4* a, const float4* b, float4* c)
{
    const size_t i = global_index();
    const float4 x = a[i];
    const float4 y = b[i];
    c[i] = make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
}

__global__ void read_at_offset(const float* in, float* out, size_t offset)
{
    const size_t i = global_index();
    out[i] = in[i + offset];
}

__global__ void write_at_offset(const float* in, float* out, size_t offset)
{
    const size_t i = global_index();
    out[i + offset] = in[i];
}

template<class T>
__global__ void read_strided(const T* in, T* out, size_t stride)
{
    const size_t i = global_index();
    out[i] = in[i * stride];
}

__global__ void write_strided(const float* in, float* out, size_t stride)
{
    const size_t i = global_index();
    out[i * stride] = in[i];
}

__global__ void broadcast(const float* in, float* out)
{
    out[global_index()] = in[0];
}

__global__ void broadcast_by_quarters(const float* in, float* out)
{
    const size_t i = global_index();
    out[i] = in[i / 8 * 8];
}

__global__ void reverse(const float* in, float* out)
{
    const size_t i = global_index();
    out[i] = in[n - 1 - i];
}

__global__ void gather(const unsigned* indices, const float* in, float* out)
{
    const size_t i = global_index();
    out[i] = in[indices[i]];
}

// --- several units a thread -----------------------------------------------------------------

template<int count>
__global__ void neighbours(const float* a, const float* b, float* c)
{
    const size_t first = count * global_index();
#pragma unroll
    for (int k = 0; k < count; ++k)
        c[first + k] = a[first + k] + b[first + k];
}

__global__ void neighbours_written_out(const float* __restrict__ in, float* __restrict__ out)
{
    const size_t i = 4 * global_index();
    out[i] = in[i];
    out[i + 1] = in[i + 1];
    out[i + 2] = in[i + 2];
    out[i + 3] = in[i + 3];
}

template<int count>
__global__ void strided_by_block(const float* a, const float* b, float* c)
{
    const size_t first = size_t{count} * blockDim.x * blockIdx.x + threadIdx.x;
#pragma unroll
    for (int k = 0; k < count; ++k) {
        const size_t i = first + k * blockDim.x;
        c[i] = a[i] + b[i];
    }
}

__global__ void grid_stride(const float* in, float* out, size_t size)
{
    for (size_t i = global_index(); i < size; i += size_t{gridDim.x} * blockDim.x)
        out[i] = in[i];
}

__global__ void sum_rows(const float* in, float* out, size_t columns)
{
    const size_t row = global_index();
    float sum = 0;
    for (size_t column = 0; column < columns; ++column)
        sum += in[row * columns + column];
    out[row] = sum;
}

__global__ void sum_columns(const float* in, float* out, size_t rows)
{
    const size_t column = global_index();
    float sum = 0;
    for (size_t row = 0; row < rows; ++row)
        sum += in[row * n + column];
    out[column] = sum;
}

__global__ void multiply_matrices(const float* a, const float* b, float* c, unsigned size)
{
    const unsigned column = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned row = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
    for (unsigned k = 0; k < size; ++k)
        sum += a[row * size + k] * b[k * size + column];
    c[row * size + column] = sum;
}

// --- records --------------------------------------------------------------------------------

template<int fields>
struct Record
{
    float field[fields];
};

template<int fields>
__global__ void read_one_field(const Record<fields>* in, float* out)
{
    const size_t i = global_index();
    out[i] = in[i].field[0];
}

__global__ void add_two_fields(const Record<2>* in, float* out)
{
    const size_t i = global_index();
    out[i] = in[i].field[0] + in[i].field[1];
}

// --- two and three dimensions ---------------------------------------------------------------

__global__ void copy_matrix(const float* in, float* out, size_t columns)
{
    const size_t column = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const size_t row = size_t{blockIdx.y} * blockDim.y + threadIdx.y;
    out[row * columns + column] = in[row * columns + column];
}

__global__ void transpose_naively(const float* in, float* out, size_t size)
{
    const size_t column = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const size_t row = size_t{blockIdx.y} * blockDim.y + threadIdx.y;
    out[column * size + row] = in[row * size + column];
}

__global__ void copy_volume(const float* in, float* out, size_t side)
{
    const size_t x = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const size_t y = size_t{blockIdx.y} * blockDim.y + threadIdx.y;
    const size_t z = size_t{blockIdx.z} * blockDim.z + threadIdx.z;
    const size_t i = (z * side + y) * side + x;
    out[i] = in[i];
}

// --- shared memory --------------------------------------------------------------------------

template<int padding>
__global__ void transpose_tile(const float* in, float* out)
{
    __shared__ float tile[32][32 + padding];
    tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
    __syncthreads();
    out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

/// Each lane reads and writes the unit `stride` times its number.
template<class T>
__global__ void shared_strided(T* out, unsigned stride)
{
    extern __shared__ double buffer[];
    T* units = reinterpret_cast<T*>(buffer);
    units[threadIdx.x * stride] = T{};
    __syncthreads();
    out[threadIdx.x] = units[threadIdx.x * stride];
}

/// Each lane does so with the unit of a number of its own.
template<class T>
__global__ void shared_indexed(T* out, const unsigned* index)
{
    extern __shared__ double buffer[];
    T* units = reinterpret_cast<T*>(buffer);
    units[index[threadIdx.x]] = T{};
    __syncthreads();
    out[threadIdx.x] = units[index[threadIdx.x]];
}

__global__ void shared_broadcast(float* out)
{
    __shared__ float value[2];
    if (threadIdx.x == 0)
        value[1] = 1;
    __syncthreads();
    out[threadIdx.x] = value[1];
}

__global__ void shared_loop(const float* in, float* out, int rounds)
{
    __shared__ float buffer[256];
    float sum = 0;
    for (int round = 0; round < rounds; ++round) {
        buffer[threadIdx.x] = in[round * 256 + threadIdx.x];
        __syncthreads();
        sum += buffer[255 - threadIdx.x];
        __syncthreads();
    }
    out[threadIdx.x] = sum;
}

// --- divergence -----------------------------------------------------------------------------

__global__ void halves_from_two_arrays(const float* a, const float* b, float* out)
{
    const size_t i = global_index();
    float value;
    if (threadIdx.x % 32 < 16)
        value = a[i] + 1;
    else
        value = b[i] * 2;
    out[i] = value;
}

__global__ void every_other_lane(const float* in, float* out)
{
    const size_t i = global_index();
    if (i % 2 == 0)
        out[i] = in[i];
}

__global__ void first_lane_loops(const float* in, float* out, size_t rounds)
{
    const size_t i = global_index();
    float sum = in[i];
    if (threadIdx.x == 0)
        for (size_t round = 1; round < rounds; ++round)
            sum += in[round * 8];
    out[i] = sum;
}

__global__ void halves_loop_on_two_paths(const float* in, float* out, size_t rounds)
{
    const size_t i = global_index();
    float sum = 0;
    if (i < 16)
        for (size_t round = 0; round < rounds; ++round)
            sum += in[(round % 64) * lanes + i];
    else
        for (size_t round = 0; round < rounds; ++round)
            sum -= in[(round % 64) * lanes + i];
    out[i] = sum;
}

// --- atomics and variables ------------------------------------------------------------------

__global__ void count_all(int* counter)
{
    __atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}

__global__ void count_by_bin(int* bins)
{
    __atomic_fetch_add(&bins[global_index() % 64], 1, __ATOMIC_RELAXED);
}

__device__ float device_table[n];
__constant__ float constant_table[lanes];

__global__ void use_variables(float* out)
{
    const size_t i = global_index();
    out[i] = device_table[i] + constant_table[i % lanes];
}

// --- constant and local memory --------------------------------------------------------------

__constant__ double constant_doubles[lanes];
__constant__ unsigned char constant_bytes[lanes];

__global__ void read_constant_floats(float* out, size_t mask)
{
    out[global_index()] = constant_table[global_index() & mask];
}

__global__ void read_constant_doubles(float* out)
{
    out[global_index()] = static_cast<float>(constant_doubles[threadIdx.x % 2]);
}

__global__ void read_constant_bytes(float* out)
{
    out[global_index()] = static_cast<float>(constant_bytes[threadIdx.x % lanes]);
}

constexpr unsigned array_size = 8;

__global__ void array_by_lane(float* out)
{
    float x[array_size];
    for (unsigned k = 0; k < array_size; ++k)
        x[k] = static_cast<float>(k);
    float sum = 0;
    for (unsigned k = 0; k < array_size; ++k)
        sum += x[(k + threadIdx.x) % array_size];
    out[global_index()] = sum;
}

// Every thread has a stack of its own, and its array is somewhere else.
__global__ void array_by_lane_with_barrier(float* out)
{
    double x[2];
    x[0] = threadIdx.x;
    x[1] = 1;
    __syncthreads();
    out[global_index()] = static_cast<float>(x[threadIdx.x % 2]);
}

__global__ void array_by_halves(float* out)
{
    const unsigned half = threadIdx.x % lanes / 16;
    int x[array_size][2];
    for (unsigned k = 0; k < array_size; ++k) {
        x[k][0] = static_cast<int>(k);
        x[k][1] = 1;
    }
    out[global_index()] = static_cast<float>(x[array_size / 2][half]);
}

__global__ void array_unrolled(float* out)
{
    float x[array_size];
#pragma unroll
    for (unsigned k = 0; k < array_size; ++k)
        x[k] = static_cast<float>(k);
    float sum = 0;
#pragma unroll
    for (unsigned k = 0; k < array_size; ++k)
        sum += x[array_size - 1 - k];
    out[global_index()] = sum;
}

__global__ void array_by_argument(float* out, unsigned index)
{
    float x[array_size];
    for (unsigned k = 0; k < array_size; ++k)
        x[k] = static_cast<float>(k);
    out[global_index()] = x[index];
}

// --- the cases ------------------------------------------------------------------------------

class Cases
{
  public:
    explicit Cases(std::uint64_t seed) { cpu_device::set_lane_order(seed); }
    ~Cases() { cpu_device::set_lane_order(0); }

    void expect(const std::string& claim, const std::function<void()>& launch,
                const Counts& expected)
    {
        cpu_device::forget_launches();
        launch();
        done.push_back({claim, cpu_device::launches().at(0).counts, expected});
    }

    std::vector<CoalescingCase> done;
};

/// A load and a store of one unit by each of n threads, with so many sectors a request.
Counts one_load_one_store(size_t bytes, size_t load_sectors, size_t store_sectors)
{
    Counts counts;
    counts.load_requests = warps;
    counts.load_sectors = warps * load_sectors;
    counts.load_bytes = n * bytes;
    counts.store_requests = warps;
    counts.store_sectors = warps * store_sectors;
    counts.store_bytes = n * bytes;
    return counts;
}

Counts with_distinct(Counts counts, size_t sectors)
{
    counts.distinct_sectors = sectors;
    return counts;
}

template<class T>
void expect_copy(Cases& cases, const std::string& unit)
{
    const Managed<T> in(n);
    const Managed<T> out(n);
    const size_t sectors = lanes * sizeof(T) / sector;
    cases.expect(
        "a coalesced copy of " + unit + " moves each sector once",
        [&] { copy<T><<<grid, threads>>>(in.data(), out.data()); },
        with_distinct(one_load_one_store(sizeof(T), sectors, sectors), 2 * warps * sectors));
}

void expect_units(Cases& cases)
{
    expect_copy<unsigned char>(cases, "1-byte units");
    expect_copy<unsigned short>(cases, "2-byte units");
    expect_copy<float>(cases, "4-byte units");
    expect_copy<double>(cases, "8-byte units");
    expect_copy<uchar4>(cases, "uchar4");
    expect_copy<float2>(cases, "float2");
    expect_copy<int2>(cases, "int2");
    expect_copy<float4>(cases, "float4");
    expect_copy<uint4>(cases, "uint4");
    expect_copy<double2>(cases, "double2");

    const Managed<float4> a(n), b(n), c(n);
    Counts expected = one_load_one_store(16, 16, 16);
    expected.load_requests *= 2;
    expected.load_sectors *= 2;
    expected.load_bytes *= 2;
    cases.expect(
        "a float4 load takes 16 sectors a request",
        [&] { add_float4<<<grid, threads>>>(a.data(), b.data(), c.data()); },
        with_distinct(expected, 3 * warps * 16));
}

void expect_ragged_end(Cases& cases)
{
    // 31 full warps, and one of which 11 lanes are left.
    constexpr size_t size = 1003;
    static_assert(size / lanes == 31 && size % lanes == 11);
    const Managed<float> a(size), b(size), c(size);
    Counts expected;
    expected.load_requests = 2 * 32;
    expected.load_sectors = 2 * (31 * 4 + sectors_of(0, 11 * 4));
    expected.load_bytes = 2 * size * 4;
    expected.store_requests = 32;
    expected.store_sectors = expected.load_sectors / 2;
    expected.store_bytes = size * 4;
    expected.distinct_sectors = 3 * expected.store_sectors;
    expected.divergent_warps = 1;
    cases.expect(
        "the last warp asks only for what its lanes below the bound need",
        [&] { add<<<4, threads>>>(a.data(), b.data(), c.data(), size); }, expected);
}

void expect_offsets(Cases& cases)
{
    for (const size_t offset : {0, 1, 8, 11, 128}) {
        const Managed<float> aligned(n);
        const Managed<float> shifted(n + offset);
        const size_t sectors = sectors_of(offset * 4, lanes * 4);
        const size_t distinct = n * 4 / sector + sectors_of(offset * 4, n * 4);
        const std::string elements = std::to_string(offset) + " elements";
        cases.expect(
            "reads at an offset of " + elements,
            [&] { read_at_offset<<<grid, threads>>>(shifted.data(), aligned.data(), offset); },
            with_distinct(one_load_one_store(4, sectors, 4), distinct));
        cases.expect(
            "writes at an offset of " + elements,
            [&] { write_at_offset<<<grid, threads>>>(aligned.data(), shifted.data(), offset); },
            with_distinct(one_load_one_store(4, 4, sectors), distinct));
    }
}

void expect_strides(Cases& cases)
{
    const Managed<float> packed(n);
    const Managed<double> packed_doubles(n);
    for (const size_t stride : {2, 3, 8, 32}) {
        const Managed<float> spread(n * stride);
        const Managed<double> spread_doubles(n * stride);
        // Up to a stride of 8 floats (a sector) the lanes' sectors are without gaps.
        const size_t sectors = std::min(lanes, 4 * stride);
        const size_t double_sectors = std::min(lanes, 8 * stride);
        const std::string every = "a stride of " + std::to_string(stride);
        cases.expect(
            "reads of floats with " + every,
            [&] { read_strided<<<grid, threads>>>(spread.data(), packed.data(), stride); },
            with_distinct(one_load_one_store(4, sectors, 4), warps * (sectors + 4)));
        cases.expect(
            "writes of floats with " + every,
            [&] { write_strided<<<grid, threads>>>(packed.data(), spread.data(), stride); },
            with_distinct(one_load_one_store(4, 4, sectors), warps * (sectors + 4)));
        cases.expect(
            "reads of doubles with " + every,
            [&] {
                read_strided<<<grid, threads>>>(spread_doubles.data(), packed_doubles.data(),
                                                stride);
            },
            with_distinct(one_load_one_store(8, double_sectors, 8), warps * (double_sectors + 8)));
    }
}

void expect_patterns(Cases& cases)
{
    const Managed<float> in(n), out(n);
    cases.expect(
        "one element for all lanes is one sector",
        [&] { broadcast<<<grid, threads>>>(in.data(), out.data()); },
        with_distinct(one_load_one_store(4, 1, 4), 1 + warps * 4));
    cases.expect(
        "one element for eight lanes each is four sectors",
        [&] { broadcast_by_quarters<<<grid, threads>>>(in.data(), out.data()); },
        with_distinct(one_load_one_store(4, 4, 4), 2 * warps * 4));
    cases.expect(
        "the order of the lanes in a warp does not matter",
        [&] { reverse<<<grid, threads>>>(in.data(), out.data()); },
        with_distinct(one_load_one_store(4, 4, 4), 2 * warps * 4));

    const Managed<unsigned> indices(n);
    Counts expected = one_load_one_store(4, 4, 4);
    expected.load_requests *= 2;
    expected.load_bytes *= 2;
    std::set<size_t> all;
    for (size_t warp = 0; warp < warps; ++warp) {
        std::set<size_t> sectors;
        for (size_t lane = 0; lane < lanes; ++lane) {
            const size_t i = warp * lanes + lane;
            indices[i] = static_cast<unsigned>(i * 2654435761u % n);
            sectors.insert(indices[i] * 4 / sector);
        }
        expected.load_sectors += sectors.size();
        all.merge(sectors);
    }
    expected.distinct_sectors = 2 * warps * 4 + all.size();
    cases.expect(
        "a gather touches each sector of a warp once",
        [&] { gather<<<grid, threads>>>(indices.data(), in.data(), out.data()); }, expected);
}

template<int count>
void expect_coarsening(Cases& cases)
{
    const Managed<float> a(count * n), b(count * n), c(count * n);
    Counts expected;
    expected.load_requests = 2 * count * warps;
    expected.store_requests = count * warps;
    expected.load_bytes = 2 * count * n * 4;
    expected.store_bytes = count * n * 4;
    expected.distinct_sectors = 3 * count * n * 4 / sector;
    const std::string times = " x" + std::to_string(count);

    expected.load_sectors = expected.load_requests * 4 * count;
    expected.store_sectors = expected.store_requests * 4 * count;
    cases.expect(
        "coarsening by neighbours multiplies the sectors of a request," + times,
        [&] { neighbours<count><<<grid, threads>>>(a.data(), b.data(), c.data()); }, expected);

    expected.load_sectors = expected.load_requests * 4;
    expected.store_sectors = expected.store_requests * 4;
    cases.expect(
        "coarsening by the block's stride stays coalesced," + times,
        [&] { strided_by_block<count><<<grid, threads>>>(a.data(), b.data(), c.data()); },
        expected);
}

void expect_several_a_thread(Cases& cases)
{
    expect_coarsening<2>(cases);
    expect_coarsening<4>(cases);

    {
        const Managed<float> in(4 * n), out(4 * n);
        Counts expected = one_load_one_store(4, 16, 16);
        for (std::uint64_t* count :
             {&expected.load_requests, &expected.load_sectors, &expected.load_bytes,
              &expected.store_requests, &expected.store_sectors, &expected.store_bytes})
            *count *= 4;
        cases.expect(
            "four neighbours stay four requests where pointers do not alias",
            [&] { neighbours_written_out<<<grid, threads>>>(in.data(), out.data()); },
            with_distinct(expected, 2 * n * 4 * 4 / sector));
    }
    {
        // 1024 threads cover 5000 elements in 4 full rounds and one of 904 = 28 * 32 + 8.
        constexpr size_t size = 5000;
        const Managed<float> in(size), out(size);
        Counts expected;
        expected.load_requests = expected.store_requests = 4 * 32 + 29;
        expected.load_sectors = expected.store_sectors = size * 4 / sector;
        expected.load_bytes = expected.store_bytes = size * 4;
        expected.distinct_sectors = 2 * size * 4 / sector;
        expected.divergent_warps = 1;
        cases.expect(
            "a grid-stride loop stays coalesced",
            [&] { grid_stride<<<4, threads>>>(in.data(), out.data(), size); }, expected);
    }
    {
        // Far more accesses a thread than the tracer keeps at a time.
        constexpr size_t rounds = 1000;
        const Managed<float> in(rounds * n), out(n);
        Counts expected = one_load_one_store(4, 4, 4);
        expected.load_requests *= rounds;
        expected.load_sectors *= rounds;
        expected.load_bytes *= rounds;
        cases.expect(
            "a loop down the columns is coalesced in every iteration",
            [&] { sum_columns<<<grid, threads>>>(in.data(), out.data(), rounds); },
            with_distinct(expected, (rounds + 1) * warps * 4));
    }
    {
        constexpr size_t columns = 320;
        const Managed<float> in(columns * n), out(n);
        Counts expected = one_load_one_store(4, 32, 4);
        expected.load_requests *= columns;
        expected.load_sectors *= columns;
        expected.load_bytes *= columns;
        cases.expect(
            "a loop along the rows takes a sector for each lane",
            [&] { sum_rows<<<grid, threads>>>(in.data(), out.data(), columns); },
            with_distinct(expected, (columns + 1) * warps * 4));
    }
    {
        constexpr unsigned size = 64; // one warp is half a row: one a, 32 neighbouring b
        const Managed<float> a(size * size), b(size * size), c(size * size);
        constexpr size_t matrix_warps = size * size / lanes;
        Counts expected;
        expected.load_requests = matrix_warps * size * 2;
        expected.load_sectors = matrix_warps * size * (1 + 4);
        expected.load_bytes = matrix_warps * size * 2 * lanes * 4;
        expected.store_requests = matrix_warps;
        expected.store_sectors = matrix_warps * 4;
        expected.store_bytes = size * size * 4;
        expected.distinct_sectors = 3 * size * size * 4 / sector;
        cases.expect(
            "a naive matrix product broadcasts a and coalesces b",
            [&] {
                multiply_matrices<<<dim3(2, 8), dim3(32, 8)>>>(a.data(), b.data(), c.data(), size);
            },
            expected);
    }
}

template<int fields>
void expect_one_field(Cases& cases)
{
    const Managed<Record<fields>> in(n);
    const Managed<float> out(n);
    cases.expect(
        "one field of a record of " + std::to_string(fields) + " fetches the others' sectors too",
        [&] { read_one_field<fields><<<grid, threads>>>(in.data(), out.data()); },
        with_distinct(one_load_one_store(4, 4 * fields, 4), warps * 4 * (fields + 1)));
}

void expect_records(Cases& cases)
{
    expect_one_field<2>(cases);
    expect_one_field<4>(cases);
    expect_one_field<8>(cases);

    const Managed<Record<2>> in(n);
    const Managed<float> out(n);
    Counts expected = one_load_one_store(4, 8, 4);
    expected.load_requests *= 2;
    expected.load_sectors *= 2;
    expected.load_bytes *= 2;
    cases.expect(
        "both fields of a record fetch its sectors twice",
        [&] { add_two_fields<<<grid, threads>>>(in.data(), out.data()); },
        with_distinct(expected, warps * 4 * 3));
}

void expect_dimensions(Cases& cases)
{
    constexpr size_t side = 64;
    constexpr size_t elements = side * side;
    constexpr size_t matrix_warps = elements / lanes;
    const Managed<float> in(elements), out(elements);
    for (const unsigned width : {32u, 16u, 8u, 4u}) {
        // A warp is 32 / width rows of `width` elements.
        const unsigned height = 256 / width;
        const size_t rows = lanes / width;
        const size_t row_sectors = sectors_of(0, width * 4);
        Counts expected;
        expected.load_requests = expected.store_requests = matrix_warps;
        expected.load_sectors = matrix_warps * rows * row_sectors;
        expected.load_bytes = expected.store_bytes = elements * 4;
        expected.distinct_sectors = 2 * elements * 4 / sector;
        expected.store_sectors = expected.load_sectors;
        const dim3 block(width, height);
        const dim3 blocks(static_cast<unsigned>(side) / width,
                          static_cast<unsigned>(side) / height);
        const std::string shape = std::to_string(width) + " x " + std::to_string(height);
        cases.expect(
            "a matrix copy by blocks of " + shape,
            [&] { copy_matrix<<<blocks, block>>>(in.data(), out.data(), side); }, expected);
        // Down a column every element is a sector of its own, but `rows` neighbours share one.
        expected.store_sectors = matrix_warps * width * sectors_of(0, rows * 4);
        cases.expect(
            "a naive transpose by blocks of " + shape,
            [&] { transpose_naively<<<blocks, block>>>(in.data(), out.data(), side); }, expected);
    }

    constexpr size_t edge = 16;
    const Managed<float> volume_in(edge * edge * edge), volume_out(edge * edge * edge);
    constexpr size_t volume_warps = edge * edge * edge / lanes;
    Counts expected;
    expected.load_requests = expected.store_requests = volume_warps;
    expected.load_sectors = expected.store_sectors = volume_warps * 4; // 4 rows of 8 floats
    expected.load_bytes = expected.store_bytes = edge * edge * edge * 4;
    expected.distinct_sectors = 2 * volume_warps * 4;
    cases.expect(
        "threads are numbered x first, then y, then z",
        [&] {
            copy_volume<<<dim3(2, 8, 4), dim3(8, 2, 4)>>>(volume_in.data(), volume_out.data(),
                                                          edge);
        },
        expected);
}

/// One block of 1024 threads that copies 1024 floats through shared memory.
Counts staged_tile(size_t load_conflicts)
{
    Counts counts;
    counts.load_requests = counts.store_requests = 32;
    counts.load_sectors = counts.store_sectors = 32 * 4;
    counts.load_bytes = counts.store_bytes = 1024 * 4;
    counts.distinct_sectors = 2 * 32 * 4;
    counts.shared_load_requests = counts.shared_store_requests = 32;
    counts.shared_load_conflicts = 32 * load_conflicts;
    return counts;
}

template<class T>
void expect_shared(Cases& cases, const std::string& unit, unsigned stride, size_t conflicts)
{
    const Managed<T> out(32);
    Counts expected;
    expected.store_requests = 1;
    expected.store_sectors = sectors_of(0, lanes * sizeof(T));
    expected.store_bytes = lanes * sizeof(T);
    expected.distinct_sectors = expected.store_sectors;
    expected.shared_load_requests = expected.shared_store_requests = 1;
    expected.shared_load_conflicts = expected.shared_store_conflicts = conflicts;
    cases.expect(
        "shared " + unit + " with a stride of " + std::to_string(stride),
        [&] { shared_strided<T><<<1, 32, 32 * 1024>>>(out.data(), stride); }, expected);
}

/// Lane l uses the unit of the number number_of(l).
template<class T, class Number>
void expect_indexed(Cases& cases, const std::string& what, Number number_of, size_t load_conflicts,
                    size_t store_conflicts)
{
    const Managed<T> out(lanes);
    const Managed<unsigned> index(lanes);
    for (unsigned lane = 0; lane < lanes; ++lane)
        index[lane] = number_of(lane);
    Counts expected;
    expected.load_requests = 2;
    expected.load_sectors = 2 * 4;
    expected.load_bytes = 2 * lanes * sizeof(unsigned);
    expected.store_requests = 1;
    expected.store_sectors = sectors_of(0, lanes * sizeof(T));
    expected.store_bytes = lanes * sizeof(T);
    expected.distinct_sectors = expected.store_sectors + 4;
    expected.shared_load_requests = expected.shared_store_requests = 1;
    expected.shared_load_conflicts = load_conflicts;
    expected.shared_store_conflicts = store_conflicts;
    cases.expect(
        what, [&] { shared_indexed<T><<<1, 32, 4 * 1024>>>(out.data(), index.data()); }, expected);
}

void expect_shared_memory(Cases& cases)
{
    const Managed<float> in(1024), out(1024);
    cases.expect(
        "a column of a tile of 32 x 32 is one bank: 31 conflicts a request",
        [&] { transpose_tile<0><<<1, dim3(32, 32)>>>(in.data(), out.data()); }, staged_tile(31));
    cases.expect(
        "a column of a tile of 32 x 33 is all banks: no conflict",
        [&] { transpose_tile<1><<<1, dim3(32, 32)>>>(in.data(), out.data()); }, staged_tile(0));
    cases.expect(
        "a column of a tile of 32 x 34 is every other bank: one conflict",
        [&] { transpose_tile<2><<<1, dim3(32, 32)>>>(in.data(), out.data()); }, staged_tile(1));

    // A stride of s words wants 32 / gcd(s, 32) banks.
    expect_shared<float>(cases, "floats", 1, 0);
    expect_shared<float>(cases, "floats", 2, 1);
    expect_shared<float>(cases, "floats", 3, 0);
    expect_shared<float>(cases, "floats", 8, 7);
    expect_shared<float>(cases, "floats", 32, 31);
    // Lanes that share a word share the wavefront.
    expect_shared<unsigned char>(cases, "bytes", 1, 0);
    expect_shared<unsigned short>(cases, "2-byte units", 1, 0);
    expect_shared<unsigned short>(cases, "2-byte units", 4, 1);
    // 8 bytes: two half-warps; with a stride of two each wants 16 banks twice.
    expect_shared<double>(cases, "doubles", 1, 0);
    expect_shared<double>(cases, "doubles", 2, 2 * 1);
    expect_shared<double>(cases, "doubles", 16, 2 * 15);
    // 16 bytes: four quarter-warps.
    expect_shared<float4>(cases, "float4", 1, 0);
    expect_shared<float4>(cases, "float4", 2, 4 * 1);
    expect_shared<float4>(cases, "float4", 8, 4 * 7);
    expect_shared<float4>(cases, "float4", 9, 0);
    // Parts of a load that merge take more than one wavefront where they want other words.
    expect_indexed<double>(
        cases, "a load of doubles by pairs i, i xor 1 merges its halves",
        [](unsigned lane) { return 2 * (lane / 2); }, 1, 0);
    expect_indexed<float4>(
        cases, "a load of float4s by pairs i, i xor 2 merges quarters",
        [](unsigned lane) { return 2 * (lane / 4 * 2 + lane % 2); }, 2, 0);
    expect_indexed<float4>(
        cases, "pairs in one half of the warp do not merge its quarters",
        [](unsigned lane) { return lane < 16 ? 2 * (lane / 2) : lane; }, 0, 0);

    {
        const Managed<float> one(256);
        Counts expected;
        expected.store_requests = 8;
        expected.store_sectors = expected.distinct_sectors = 8 * 4;
        expected.store_bytes = 256 * 4;
        expected.shared_store_requests = 1;
        expected.shared_load_requests = 8;
        expected.divergent_warps = 1;
        cases.expect(
            "a shared word for all lanes is one wavefront",
            [&] { shared_broadcast<<<1, 256>>>(one.data()); }, expected);
    }
    {
        constexpr int rounds = 300;
        const Managed<float> rows(rounds * 256), sums(256);
        Counts expected;
        expected.load_requests = expected.shared_store_requests = expected.shared_load_requests =
            8 * rounds;
        expected.load_sectors = 8 * rounds * 4;
        expected.load_bytes = rounds * 256 * 4;
        expected.store_requests = 8;
        expected.store_sectors = 8 * 4;
        expected.store_bytes = 256 * 4;
        expected.distinct_sectors = expected.load_sectors + expected.store_sectors;
        cases.expect(
            "a loop with barriers",
            [&] { shared_loop<<<1, 256>>>(rows.data(), sums.data(), rounds); }, expected);
    }
}

void expect_divergence(Cases& cases)
{
    const Managed<float> a(n), b(n), out(n);
    {
        Counts expected = one_load_one_store(4, 0, 4);
        expected.load_requests = 2 * warps; // two instructions of 16 lanes each
        expected.load_sectors = 2 * warps * 2;
        expected.distinct_sectors = 2 * warps * 4;
        expected.divergent_warps = warps;
        cases.expect(
            "two halves of a warp on two paths are two requests",
            [&] { halves_from_two_arrays<<<grid, threads>>>(a.data(), b.data(), out.data()); },
            expected);
    }
    {
        Counts expected = one_load_one_store(2, 4, 4); // half the lanes: half the bytes
        expected.distinct_sectors = 2 * warps * 4;
        expected.divergent_warps = warps;
        cases.expect(
            "every other lane still touches all sectors",
            [&] { every_other_lane<<<grid, threads>>>(a.data(), out.data()); }, expected);
    }
    {
        // Far more accesses of one lane than the tracer keeps at a time.
        constexpr size_t rounds = 1000;
        Counts expected = one_load_one_store(4, 4, 4);
        expected.load_requests += grid * (rounds - 1);
        expected.load_sectors += grid * (rounds - 1);
        expected.load_bytes += grid * (rounds - 1) * 4;
        expected.distinct_sectors = 2 * warps * 4;
        expected.divergent_warps = grid;
        cases.expect(
            "a lane that loops alone makes requests of one sector",
            [&] { first_lane_loops<<<grid, threads>>>(a.data(), out.data(), rounds); }, expected);
    }
}

void expect_long_divergence(Cases& cases)
{
    // No request is ever made by all lanes, and there are more than the tracer keeps.
    constexpr size_t rounds = 40000;
    const Managed<float> in(64 * lanes), out(lanes);
    Counts expected;
    expected.load_requests = 2 * rounds;
    expected.load_sectors = 2 * rounds * 2;
    expected.load_bytes = rounds * lanes * 4;
    expected.store_requests = 1;
    expected.store_sectors = 4;
    expected.store_bytes = lanes * 4;
    expected.distinct_sectors = 64 * 4 + 4;
    expected.divergent_warps = 1;
    cases.expect(
        "two halves of a warp that loop on two paths never merge",
        [&] { halves_loop_on_two_paths<<<1, 32>>>(in.data(), out.data(), rounds); }, expected);
}

void expect_atomics_and_variables(Cases& cases)
{
    const Managed<int> bins(64);
    Counts expected;
    expected.atomic_requests = warps;
    expected.atomic_sectors = warps;
    expected.distinct_sectors = 1;
    cases.expect(
        "atomics on one counter are a sector a request",
        [&] { count_all<<<grid, threads>>>(bins.data()); }, expected);
    expected.atomic_sectors = warps * 4;
    expected.distinct_sectors = 64 * 4 / sector;
    cases.expect(
        "atomics on neighbouring counters are coalesced",
        [&] { count_by_bin<<<grid, threads>>>(bins.data()); }, expected);

    const Managed<float> out(n);
    const auto first = reinterpret_cast<std::uintptr_t>(device_table);
    Counts variables = one_load_one_store(4, 0, 4);
    for (size_t warp = 0; warp < warps; ++warp)
        variables.load_sectors += sectors_of(first + warp * lanes * 4, lanes * 4);
    variables.distinct_sectors = sectors_of(first, n * 4) + warps * 4;
    variables.constant_requests = warps;
    variables.constant_wavefronts = warps * lanes;
    cases.expect(
        "a __device__ variable is global memory, a __constant__ one is not",
        [&] { use_variables<<<grid, threads>>>(out.data()); }, variables);
}

/// The stores of `out` in the cases below.
Counts one_store()
{
    Counts counts = one_load_one_store(4, 0, 4);
    counts.load_requests = counts.load_bytes = 0;
    counts.distinct_sectors = warps * 4;
    return counts;
}

void expect_constants(Cases& cases)
{
    const Managed<float> out(n);
    const float zeros[lanes] = {};
    cudaMemcpyToSymbol(constant_table, zeros, sizeof constant_table);
    cudaMemcpyToSymbol(constant_doubles, zeros, sizeof zeros);
    cudaMemcpyToSymbol(constant_bytes, zeros, sizeof constant_bytes);
    Counts expected = one_store();
    expected.constant_requests = warps;
    for (const size_t words : {1, 2, 8, 32}) {
        expected.constant_wavefronts = warps * words;
        cases.expect(
            "a pass for each of the constants that a warp wants: " + std::to_string(words),
            [&] { read_constant_floats<<<grid, threads>>>(out.data(), words - 1); }, expected);
    }
    expected.constant_wavefronts = warps * 2;
    cases.expect(
        "a constant of eight bytes is one pass",
        [&] { read_constant_doubles<<<grid, threads>>>(out.data()); }, expected);
    expected.constant_wavefronts = warps * lanes / 4;
    cases.expect(
        "constants of one byte share the pass of their word",
        [&] { read_constant_bytes<<<grid, threads>>>(out.data()); }, expected);
}

void expect_local_memory(Cases& cases)
{
    const Managed<float> out(n);
    {
        Counts expected = one_store();
        expected.local_store_requests = warps * array_size;
        expected.local_store_sectors = warps * array_size * 4; // one word of 32 lanes
        expected.local_load_requests = warps * array_size;
        expected.local_load_sectors = warps * array_size * lanes; // each lane's is another sector
        cases.expect(
            "an index of the lane's own puts an array into local memory",
            [&] { array_by_lane<<<grid, threads>>>(out.data()); }, expected);
    }
    {
        Counts expected = one_store();
        expected.local_store_requests = warps * 2;
        expected.local_store_sectors = warps * 2 * 8; // two words of 32 lanes
        expected.local_load_requests = warps;
        expected.local_load_sectors =
            warps * 16; // two words of each of two doubles, 4 sectors each
        cases.expect(
            "arrays on stacks of their own are interleaved all the same",
            [&] { array_by_lane_with_barrier<<<grid, threads>>>(out.data()); }, expected);
    }
    {
        Counts expected = one_store();
        expected.local_store_requests = warps * array_size * 2;
        expected.local_store_sectors = warps * array_size * 2 * 4;
        expected.local_load_requests = warps;
        expected.local_load_sectors = warps * 4; // two of each half's word
        cases.expect(
            "two halves of a warp with an index each take two sectors each",
            [&] { array_by_halves<<<grid, threads>>>(out.data()); }, expected);
    }
    cases.expect(
        "an array whose indexes are known after unrolling is not in memory",
        [&] { array_unrolled<<<grid, threads>>>(out.data()); }, one_store());
    cases.expect(
        "an index that is the same in all lanes goes unnoticed",
        [&] { array_by_argument<<<grid, threads>>>(out.data(), 3); }, one_store());
}

} // namespace

std::vector<CoalescingCase> run_coalescing_cases(std::uint64_t seed)
{
    Cases cases(seed);
    expect_units(cases);
    expect_ragged_end(cases);
    expect_offsets(cases);
    expect_strides(cases);
    expect_patterns(cases);
    expect_several_a_thread(cases);
    expect_records(cases);
    expect_dimensions(cases);
    expect_shared_memory(cases);
    expect_divergence(cases);
    expect_long_divergence(cases);
    expect_atomics_and_variables(cases);
    expect_constants(cases);
    expect_local_memory(cases);
    return cases.done;
}
