#include "tests/cpu_device/core/coalescing.hpp"

#include "tests/cpu_device/core/managed.hpp"

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace {

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

__global__ void count_one_in_front_of_the_last(int* counters)
{
    __atomic_fetch_add(&counters[threadIdx.x % lanes == lanes - 1], 1, __ATOMIC_RELAXED);
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

/// So many requests of so many sectors each.
constexpr Accesses accesses(size_t requests, size_t sectors, size_t bytes)
{
    return {requests, requests * sectors, bytes};
}

/// `loads` loads and a store of `bytes` by each of n threads, with so many sectors per request.
constexpr Moved loads_and_store(size_t loads, size_t bytes, size_t load_sectors,
                                size_t store_sectors, size_t distinct)
{
    return {.load = accesses(loads * warps, load_sectors, loads * n * bytes),
            .store = accesses(warps, store_sectors, n * bytes),
            .distinct_sectors = distinct};
}

template<class T>
void expect_copy(const Expect& expect, const std::string& unit)
{
    const Managed<T> in(n), out(n);
    const size_t sectors = lanes * sizeof(T) / sector;
    expect(
        "a coalesced copy of " + unit + " moves each sector once",
        [&] { copy<T><<<grid, threads>>>(in.data(), out.data()); },
        loads_and_store(1, sizeof(T), sectors, sectors, 2 * warps * sectors));
}

void expect_units(const Expect& expect)
{
    expect_copy<unsigned char>(expect, "1-byte units");
    expect_copy<unsigned short>(expect, "2-byte units");
    expect_copy<float>(expect, "4-byte units");
    expect_copy<double>(expect, "8-byte units");
    expect_copy<uchar4>(expect, "uchar4");
    expect_copy<float2>(expect, "float2");
    expect_copy<int2>(expect, "int2");
    expect_copy<float4>(expect, "float4");
    expect_copy<uint4>(expect, "uint4");
    expect_copy<double2>(expect, "double2");

    const Managed<float4> a(n), b(n), c(n);
    expect(
        "a float4 load takes 16 sectors per request",
        [&] { add_float4<<<grid, threads>>>(a.data(), b.data(), c.data()); },
        loads_and_store(2, 16, 16, 16, 3 * warps * 16));
}

void expect_ragged_end(const Expect& expect)
{
    // 31 full warps, and one of which 11 lanes are left.
    constexpr size_t size = 1003;
    static_assert(size / lanes == 31 && size % lanes == 11);
    const Managed<float> a(size), b(size), c(size);
    const size_t sectors = 31 * 4 + sectors_of(0, 11 * 4);
    expect("the last warp asks only for what its lanes below the bound need",
           [&] { add<<<4, threads>>>(a.data(), b.data(), c.data(), size); },
           {.load = {2 * 32, 2 * sectors, 2 * size * 4},
            .store = {32, sectors, size * 4},
            .distinct_sectors = 3 * sectors,
            .divergent_warps = 1});
}

void expect_offsets(const Expect& expect)
{
    for (const size_t offset : {0, 1, 8, 11, 128}) {
        const Managed<float> aligned(n);
        const Managed<float> shifted(n + offset);
        const size_t sectors = sectors_of(offset * 4, lanes * 4);
        const size_t distinct = n * 4 / sector + sectors_of(offset * 4, n * 4);
        const std::string elements = std::to_string(offset) + " elements";
        expect(
            "reads at an offset of " + elements,
            [&] { read_at_offset<<<grid, threads>>>(shifted.data(), aligned.data(), offset); },
            loads_and_store(1, 4, sectors, 4, distinct));
        expect(
            "writes at an offset of " + elements,
            [&] { write_at_offset<<<grid, threads>>>(aligned.data(), shifted.data(), offset); },
            loads_and_store(1, 4, 4, sectors, distinct));
    }
}

void expect_strides(const Expect& expect)
{
    const Managed<float> packed(n);
    const Managed<double> packed_doubles(n);
    for (const size_t stride : {2, 3, 8, 32}) {
        const Managed<float> spread(n * stride);
        const Managed<double> doubles(n * stride);
        // Up to a stride of 8 floats (a sector) the lanes' sectors are without gaps.
        const size_t sectors = std::min(lanes, 4 * stride);
        const size_t double_sectors = std::min(lanes, 8 * stride);
        const std::string every = "a stride of " + std::to_string(stride);
        expect(
            "reads of floats with " + every,
            [&] { read_strided<<<grid, threads>>>(spread.data(), packed.data(), stride); },
            loads_and_store(1, 4, sectors, 4, warps * (sectors + 4)));
        expect(
            "writes of floats with " + every,
            [&] { write_strided<<<grid, threads>>>(packed.data(), spread.data(), stride); },
            loads_and_store(1, 4, 4, sectors, warps * (sectors + 4)));
        expect(
            "reads of doubles with " + every,
            [&] { read_strided<<<grid, threads>>>(doubles.data(), packed_doubles.data(), stride); },
            loads_and_store(1, 8, double_sectors, 8, warps * (double_sectors + 8)));
    }
}

void expect_patterns(const Expect& expect)
{
    const Managed<float> in(n), out(n);
    expect(
        "one element for all lanes is one sector",
        [&] { broadcast<<<grid, threads>>>(in.data(), out.data()); },
        loads_and_store(1, 4, 1, 4, 1 + warps * 4));
    expect(
        "one element for eight lanes each is four sectors",
        [&] { broadcast_by_quarters<<<grid, threads>>>(in.data(), out.data()); },
        loads_and_store(1, 4, 4, 4, 2 * warps * 4));
    expect(
        "the order of the lanes in a warp does not matter",
        [&] { reverse<<<grid, threads>>>(in.data(), out.data()); },
        loads_and_store(1, 4, 4, 4, 2 * warps * 4));

    const Managed<unsigned> indices(n);
    size_t gathered = 0;
    std::set<size_t> all;
    for (size_t warp = 0; warp < warps; ++warp) {
        std::set<size_t> sectors;
        for (size_t lane = 0; lane < lanes; ++lane) {
            const size_t i = warp * lanes + lane;
            indices[i] = static_cast<unsigned>(i * 2654435761u % n);
            sectors.insert(indices[i] * 4 / sector);
        }
        gathered += sectors.size();
        all.merge(sectors);
    }
    expect("a gather touches each sector of a warp once",
           [&] { gather<<<grid, threads>>>(indices.data(), in.data(), out.data()); },
           {.load = {2 * warps, warps * 4 + gathered, 2 * n * 4},
            .store = accesses(warps, 4, n * 4),
            .distinct_sectors = 2 * warps * 4 + all.size()});
}

template<int count>
void expect_coarsening(const Expect& expect)
{
    const Managed<float> a(count * n), b(count * n), c(count * n);
    const auto with_sectors = [](size_t sectors) {
        return Moved{.load = accesses(2 * count * warps, sectors, 2 * count * n * 4),
                     .store = accesses(count * warps, sectors, count * n * 4),
                     .distinct_sectors = 3 * count * n * 4 / sector};
    };
    const std::string times = " x" + std::to_string(count);
    expect(
        "coarsening by neighbours multiplies the sectors of a request," + times,
        [&] { neighbours<count><<<grid, threads>>>(a.data(), b.data(), c.data()); },
        with_sectors(4 * count));
    expect(
        "coarsening by the block's stride stays coalesced," + times,
        [&] { strided_by_block<count><<<grid, threads>>>(a.data(), b.data(), c.data()); },
        with_sectors(4));
}

void expect_several_a_thread(const Expect& expect)
{
    expect_coarsening<2>(expect);
    expect_coarsening<4>(expect);

    {
        const Managed<float> in(4 * n), out(4 * n);
        const Accesses each = accesses(4 * warps, 16, 4 * n * 4);
        expect("four neighbours stay four requests where pointers do not alias",
               [&] { neighbours_written_out<<<grid, threads>>>(in.data(), out.data()); },
               {.load = each, .store = each, .distinct_sectors = 2 * n * 4 * 4 / sector});
    }
    {
        // 1024 threads cover 5000 elements in 4 full rounds and one of 904 = 28 * 32 + 8.
        constexpr size_t size = 5000;
        const Managed<float> in(size), out(size);
        const Accesses each = {4 * 32 + 29, size * 4 / sector, size * 4};
        expect("a grid-stride loop stays coalesced",
               [&] { grid_stride<<<4, threads>>>(in.data(), out.data(), size); },
               {.load = each,
                .store = each,
                .distinct_sectors = 2 * size * 4 / sector,
                .divergent_warps = 1});
    }
    const auto loop = [](size_t rounds, size_t sectors) {
        return Moved{.load = accesses(rounds * warps, sectors, rounds * n * 4),
                     .store = accesses(warps, 4, n * 4),
                     .distinct_sectors = (rounds + 1) * warps * 4};
    };
    {
        // Far more accesses a thread than the tracer keeps at a time.
        constexpr size_t rounds = 1000;
        const Managed<float> in(rounds * n), out(n);
        expect(
            "a loop down the columns is coalesced in every iteration",
            [&] { sum_columns<<<grid, threads>>>(in.data(), out.data(), rounds); },
            loop(rounds, 4));
    }
    {
        constexpr size_t columns = 320;
        const Managed<float> in(columns * n), out(n);
        expect(
            "a loop along the rows takes a sector for each lane",
            [&] { sum_rows<<<grid, threads>>>(in.data(), out.data(), columns); },
            loop(columns, 32));
    }
    {
        constexpr unsigned size = 64; // one warp is half a row: one a, 32 neighbouring b
        const Managed<float> a(size * size), b(size * size), c(size * size);
        constexpr size_t matrix_warps = size * size / lanes;
        const dim3 blocks(2, 8), block(32, 8);
        expect("a naive matrix product broadcasts a and coalesces b",
               [&] { multiply_matrices<<<blocks, block>>>(a.data(), b.data(), c.data(), size); },
               {.load = {matrix_warps * size * 2, matrix_warps * size * (1 + 4),
                         matrix_warps * size * 2 * lanes * 4},
                .store = accesses(matrix_warps, 4, size * size * 4),
                .distinct_sectors = 3 * size * size * 4 / sector});
    }
}

template<int fields>
void expect_one_field(const Expect& expect)
{
    const Managed<Record<fields>> in(n);
    const Managed<float> out(n);
    expect(
        "one field of a record of " + std::to_string(fields) + " fetches the others' sectors too",
        [&] { read_one_field<fields><<<grid, threads>>>(in.data(), out.data()); },
        loads_and_store(1, 4, 4 * fields, 4, warps * 4 * (fields + 1)));
}

void expect_records(const Expect& expect)
{
    expect_one_field<2>(expect);
    expect_one_field<4>(expect);
    expect_one_field<8>(expect);

    const Managed<Record<2>> in(n);
    const Managed<float> out(n);
    expect(
        "both fields of a record fetch its sectors twice",
        [&] { add_two_fields<<<grid, threads>>>(in.data(), out.data()); },
        loads_and_store(2, 4, 8, 4, warps * 4 * 3));
}

void expect_dimensions(const Expect& expect)
{
    constexpr size_t side = 64;
    constexpr size_t elements = side * side;
    constexpr size_t matrix_warps = elements / lanes;
    const Managed<float> in(elements), out(elements);
    for (const unsigned width : {32u, 16u, 8u, 4u}) {
        // A warp is 32 / width rows of `width` elements.
        const unsigned height = 256 / width;
        const size_t rows = lanes / width;
        const dim3 block(width, height);
        const dim3 blocks(static_cast<unsigned>(side) / width,
                          static_cast<unsigned>(side) / height);
        const std::string shape = std::to_string(width) + " x " + std::to_string(height);
        const Accesses by_rows =
            accesses(matrix_warps, rows * sectors_of(0, width * 4), elements * 4);
        Moved moved = {
            .load = by_rows, .store = by_rows, .distinct_sectors = 2 * elements * 4 / sector};
        expect(
            "a matrix copy by blocks of " + shape,
            [&] { copy_matrix<<<blocks, block>>>(in.data(), out.data(), side); }, moved);
        // Down a column every element is a sector of its own, but `rows` neighbours share one.
        moved.store.sectors = matrix_warps * width * sectors_of(0, rows * 4);
        expect(
            "a naive transpose by blocks of " + shape,
            [&] { transpose_naively<<<blocks, block>>>(in.data(), out.data(), side); }, moved);
    }

    constexpr size_t edge = 16;
    constexpr size_t volume = edge * edge * edge;
    const Managed<float> from(volume), to(volume);
    const dim3 blocks(2, 8, 4), block(8, 2, 4);
    const Accesses each = accesses(volume / lanes, 4, volume * 4); // 4 rows of 8 floats
    expect("threads are numbered x first, then y, then z",
           [&] { copy_volume<<<blocks, block>>>(from.data(), to.data(), edge); },
           {.load = each, .store = each, .distinct_sectors = 2 * volume * 4 / sector});
}

/// One block of 1024 threads that copies 1024 floats through shared memory.
template<int padding>
void expect_tile(const Expect& expect, const std::string& what, size_t load_conflicts)
{
    const Managed<float> in(1024), out(1024);
    const Accesses each = accesses(32, 4, 1024 * 4);
    expect("a column of a tile of 32 x " + what,
           [&] { transpose_tile<padding><<<1, dim3(32, 32)>>>(in.data(), out.data()); },
           {.load = each,
            .store = each,
            .shared_load = {32, 32 * load_conflicts},
            .shared_store = {32, 0},
            .distinct_sectors = 2 * 32 * 4});
}

template<class T>
void expect_shared(const Expect& expect, const std::string& unit, unsigned stride, size_t conflicts)
{
    const Managed<T> out(lanes);
    const size_t sectors = sectors_of(0, lanes * sizeof(T));
    expect("shared " + unit + " with a stride of " + std::to_string(stride),
           [&] { shared_strided<T><<<1, 32, 32 * 1024>>>(out.data(), stride); },
           {.store = {1, sectors, lanes * sizeof(T)},
            .shared_load = {1, conflicts},
            .shared_store = {1, conflicts},
            .distinct_sectors = sectors});
}

/// Lane l uses the unit of the number number_of(l).
template<class T, class Number>
void expect_indexed(const Expect& expect, const std::string& what, Number number_of,
                    size_t load_conflicts, size_t store_conflicts)
{
    const Managed<T> out(lanes);
    const Managed<unsigned> index(lanes);
    for (unsigned lane = 0; lane < lanes; ++lane)
        index[lane] = number_of(lane);
    const size_t sectors = sectors_of(0, lanes * sizeof(T));
    expect(what, [&] { shared_indexed<T><<<1, 32, 4 * 1024>>>(out.data(), index.data()); },
           {.load = accesses(2, 4, 2 * lanes * sizeof(unsigned)),
            .store = {1, sectors, lanes * sizeof(T)},
            .shared_load = {1, load_conflicts},
            .shared_store = {1, store_conflicts},
            .distinct_sectors = sectors + 4});
}

void expect_shared_memory(const Expect& expect)
{
    expect_tile<0>(expect, "32 is one bank: 31 conflicts per request", 31);
    expect_tile<1>(expect, "33 is all banks: no conflict", 0);
    expect_tile<2>(expect, "34 is every other bank: one conflict", 1);

    // A stride of s words wants 32 / gcd(s, 32) banks.
    expect_shared<float>(expect, "floats", 1, 0);
    expect_shared<float>(expect, "floats", 2, 1);
    expect_shared<float>(expect, "floats", 3, 0);
    expect_shared<float>(expect, "floats", 8, 7);
    expect_shared<float>(expect, "floats", 32, 31);
    // Lanes that share a word share the wavefront.
    expect_shared<unsigned char>(expect, "bytes", 1, 0);
    expect_shared<unsigned short>(expect, "2-byte units", 1, 0);
    expect_shared<unsigned short>(expect, "2-byte units", 4, 1);
    // 8 bytes: two half-warps; with a stride of two each needs 16 banks twice.
    expect_shared<double>(expect, "doubles", 1, 0);
    expect_shared<double>(expect, "doubles", 2, 2 * 1);
    expect_shared<double>(expect, "doubles", 16, 2 * 15);
    // 16 bytes: four quarter-warps.
    expect_shared<float4>(expect, "float4", 1, 0);
    expect_shared<float4>(expect, "float4", 2, 4 * 1);
    expect_shared<float4>(expect, "float4", 8, 4 * 7);
    expect_shared<float4>(expect, "float4", 9, 0);
    // Parts of a load that merge take more than one wavefront where they want other words.
    expect_indexed<double>(
        expect, "a load of doubles by pairs i, i xor 1 merges its halves",
        [](unsigned lane) { return 2 * (lane / 2); }, 1, 0);
    expect_indexed<float4>(
        expect, "a load of float4s by pairs i, i xor 2 merges quarters",
        [](unsigned lane) { return 2 * (lane / 4 * 2 + lane % 2); }, 2, 0);
    expect_indexed<float4>(
        expect, "pairs in one half of the warp do not merge its quarters",
        [](unsigned lane) { return lane < 16 ? 2 * (lane / 2) : lane; }, 0, 0);

    const Managed<float> one(256);
    expect("a shared word for all lanes is one wavefront",
           [&] { shared_broadcast<<<1, 256>>>(one.data()); },
           {.store = accesses(8, 4, 256 * 4),
            .shared_load = {8, 0},
            .shared_store = {1, 0},
            .distinct_sectors = 8 * 4,
            .divergent_warps = 1});

    constexpr int rounds = 300;
    const Managed<float> rows(rounds * 256), sums(256);
    expect("a loop with barriers",
           [&] { shared_loop<<<1, 256>>>(rows.data(), sums.data(), rounds); },
           {.load = accesses(8 * rounds, 4, rounds * 256 * 4),
            .store = accesses(8, 4, 256 * 4),
            .shared_load = {8 * rounds, 0},
            .shared_store = {8 * rounds, 0},
            .distinct_sectors = (rounds + 1) * 8 * 4});
}

void expect_divergence(const Expect& expect)
{
    const Managed<float> a(n), b(n), out(n);
    expect("two halves of a warp on two paths are two requests", // of 16 lanes each
           [&] { halves_from_two_arrays<<<grid, threads>>>(a.data(), b.data(), out.data()); },
           {.load = accesses(2 * warps, 2, n * 4),
            .store = accesses(warps, 4, n * 4),
            .distinct_sectors = 2 * warps * 4,
            .divergent_warps = warps});

    const Accesses half = accesses(warps, 4, n * 2); // half the lanes: half the bytes
    expect(
        "every other lane still touches all sectors",
        [&] { every_other_lane<<<grid, threads>>>(a.data(), out.data()); },
        {.load = half, .store = half, .distinct_sectors = 2 * warps * 4, .divergent_warps = warps});

    // Far more accesses of one lane than the tracer keeps at a time.
    constexpr size_t rounds = 1000;
    constexpr size_t alone = grid * (rounds - 1);
    expect("a lane that loops alone makes requests of one sector",
           [&] { first_lane_loops<<<grid, threads>>>(a.data(), out.data(), rounds); },
           {.load = {warps + alone, warps * 4 + alone, n * 4 + alone * 4},
            .store = accesses(warps, 4, n * 4),
            .distinct_sectors = 2 * warps * 4,
            .divergent_warps = grid});

    // No request is ever made by all lanes, and there are more than the tracer keeps.
    constexpr size_t many = 40000;
    const Managed<float> in(64 * lanes);
    expect("two halves of a warp that loop on two paths never merge",
           [&] { halves_loop_on_two_paths<<<1, 32>>>(in.data(), out.data(), many); },
           {.load = accesses(2 * many, 2, many * lanes * 4),
            .store = {1, 4, lanes * 4},
            .distinct_sectors = 64 * 4 + 4,
            .divergent_warps = 1});
}

void expect_atomics_and_variables(const Expect& expect)
{
    const Managed<int> bins(64);
    expect("atomics on one counter are a sector for each lane",
           [&] { count_all<<<grid, threads>>>(bins.data()); },
           {.atomic = {warps, warps * 32}, .distinct_sectors = 1});
    expect("atomics on neighbouring counters are coalesced",
           [&] { count_by_bin<<<grid, threads>>>(bins.data()); },
           {.atomic = {warps, warps * 4}, .distinct_sectors = 64 * 4 / sector});
    expect("atomics on two counters of a sector take as long as those on the one that more lanes "
           "access",
           [&] { count_one_in_front_of_the_last<<<grid, threads>>>(bins.data()); },
           {.atomic = {warps, warps * 31}, .distinct_sectors = 1});

    const Managed<float> out(n);
    const auto first = reinterpret_cast<std::uintptr_t>(device_table);
    size_t sectors = 0;
    for (size_t warp = 0; warp < warps; ++warp)
        sectors += sectors_of(first + warp * lanes * 4, lanes * 4);
    expect("a __device__ variable is global memory, a __constant__ one is not",
           [&] { use_variables<<<grid, threads>>>(out.data()); },
           {.load = {warps, sectors, n * 4},
            .store = accesses(warps, 4, n * 4),
            .constant = {warps, warps * lanes},
            .distinct_sectors = sectors_of(first, n * 4) + warps * 4});
}

/// The stores of `out` in the cases below.
constexpr Moved one_store = {.store = accesses(warps, 4, n * 4), .distinct_sectors = warps * 4};

void expect_constants(const Expect& expect)
{
    const Managed<float> out(n);
    const float zeros[lanes] = {};
    cudaMemcpyToSymbol(constant_table, zeros, sizeof constant_table);
    cudaMemcpyToSymbol(constant_doubles, zeros, sizeof zeros);
    cudaMemcpyToSymbol(constant_bytes, zeros, sizeof constant_bytes);
    const auto passes = [](size_t each) {
        Moved moved = one_store;
        moved.constant = {warps, warps * each};
        return moved;
    };
    for (const size_t words : {1, 2, 8, 32})
        expect(
            "a pass for each of the constants that a warp accesses: " + std::to_string(words),
            [&] { read_constant_floats<<<grid, threads>>>(out.data(), words - 1); }, passes(words));
    expect(
        "a constant of eight bytes is one pass",
        [&] { read_constant_doubles<<<grid, threads>>>(out.data()); }, passes(2));
    expect(
        "constants of one byte share the pass of their word",
        [&] { read_constant_bytes<<<grid, threads>>>(out.data()); }, passes(lanes / 4));
}

void expect_local_memory(const Expect& expect)
{
    const Managed<float> out(n);
    const auto local = [](size_t loads, size_t load_sectors, size_t stores, size_t store_sectors) {
        Moved moved = one_store;
        moved.local_load = {warps * loads, warps * loads * load_sectors};
        moved.local_store = {warps * stores, warps * stores * store_sectors};
        return moved;
    };
    expect( // a lane's load is a sector of its own, a store one word of 32 lanes
        "an index of the lane's own puts an array into local memory",
        [&] { array_by_lane<<<grid, threads>>>(out.data()); },
        local(array_size, lanes, array_size, 4));
    expect( // two words of each of two doubles, 4 sectors each; two words of 32 lanes
        "arrays on stacks of their own are interleaved all the same",
        [&] { array_by_lane_with_barrier<<<grid, threads>>>(out.data()); }, local(1, 16, 2, 8));
    expect( // two sectors of each half's word
        "two halves of a warp with an index each take two sectors each",
        [&] { array_by_halves<<<grid, threads>>>(out.data()); }, local(1, 4, array_size * 2, 4));
    expect(
        "an array whose indexes are known after unrolling is not in memory",
        [&] { array_unrolled<<<grid, threads>>>(out.data()); }, one_store);
    expect(
        "an index that no compiler knows does so, too, where it is the same in all lanes",
        [&] { array_by_argument<<<grid, threads>>>(out.data(), 3); }, local(1, 4, array_size, 4));
}

} // namespace

void run_coalescing_cases(const Expect& expect)
{
    expect_units(expect);
    expect_ragged_end(expect);
    expect_offsets(expect);
    expect_strides(expect);
    expect_patterns(expect);
    expect_several_a_thread(expect);
    expect_records(expect);
    expect_dimensions(expect);
    expect_shared_memory(expect);
    expect_divergence(expect);
    expect_atomics_and_variables(expect);
    expect_constants(expect);
    expect_local_memory(expect);
}
