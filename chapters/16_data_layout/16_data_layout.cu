// 16_data_layout: Array of structures or structure of arrays?
//
// Records of 2, 4 or 8 floats. Where their fields lie decides how many sectors a warp touches: when
// every field is used, and when one of them is. The arithmetic is the same in every kernel.

#include "common/chapter.hpp"

#include <type_traits>

//! [aos]
template<unsigned fields>
struct Record
{
    float field[fields];
};

// Array of structures: the fields of a record are neighbours, those of the next record follow.
template<class Structure, unsigned used>
__global__ void add_aos(const Structure* a, Structure* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        float value[used];
        for (unsigned k = 0; k < used; ++k) {
            value[k] = a[i].field[k] + static_cast<float>(k + 1);
        }
        for (unsigned k = 0; k < used; ++k) {
            c[i].field[k] = value[k];
        }
    }
}
//! [aos]

//! [soa]
// Structure of arrays: an array for each field. Those of both sides have n elements.
template<unsigned fields, unsigned used>
__global__ void add_soa(const float* a, float* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        float value[used];
        for (unsigned k = 0; k < used; ++k) {
            value[k] = a[k * n + i] + static_cast<float>(k + 1);
        }
        for (unsigned k = 0; k < used; ++k) {
            c[k * n + i] = value[k];
        }
    }
}
//! [soa]

//! [aosoa]
// The hybrid: an array of tiles, each a structure of arrays of 32 records, one for each lane.
constexpr std::size_t tile = 32;

template<unsigned fields, unsigned used>
__global__ void add_aosoa(const float* a, float* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        const std::size_t first = i / tile * tile * fields + i % tile; // field 0 of record i
        float value[used];
        for (unsigned k = 0; k < used; ++k) {
            value[k] = a[first + k * tile] + static_cast<float>(k + 1);
        }
        for (unsigned k = 0; k < used; ++k) {
            c[first + k * tile] = value[k];
        }
    }
}
//! [aosoa]

//! [aligned]
// The layout of add_aos, and a promise: a record starts at a multiple of its size. So it can be
// moved whole: by one access of 8 or of 16 bytes, or by two of 16.
template<unsigned fields>
struct alignas(4 * fields) AlignedRecord
{
    float field[fields];
};

__device__ float2 plus(float2 v, float k)
{
    return make_float2(v.x + k + 1, v.y + k + 2);
}

__device__ float4 plus(float4 v, float k)
{
    return make_float4(v.x + k + 1, v.y + k + 2, v.z + k + 3, v.w + k + 4);
}

template<unsigned fields>
__global__ void add_aligned(const AlignedRecord<fields>* a, AlignedRecord<fields>* c, std::size_t n)
{
    using Part = std::conditional_t<fields == 2, float2, float4>;
    constexpr unsigned parts = sizeof(a[0]) / sizeof(Part);
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        Part value[parts];
        for (unsigned p = 0; p < parts; ++p) {
            const Part part = reinterpret_cast<const Part*>(&a[i])[p];
            value[p] = plus(part, static_cast<float>(4 * p));
        }
        for (unsigned p = 0; p < parts; ++p) {
            reinterpret_cast<Part*>(&c[i])[p] = value[p];
        }
    }
}
//! [aligned]

//! [layouts]
template<unsigned fields, unsigned used>
void run_layouts(common::Chapter& chapter, std::size_t n)
{
    using common::RecordLayout;
    common::Arrays<float> problem(chapter, common::records(n, fields, used));
    const auto run = [&]<class T>(const char* name, RecordLayout layout,
                                  void (*kernel)(const T*, T*, std::size_t)) {
        const unsigned threads = 256;
        problem.expect(common::AddToRecords{n, fields, used, layout});
        const common::Variant row{.name = name,
                                  .threads = threads,
                                  .columns = {{"fields", fields}, {"used", used}},
                                  .full = fields < 8};
        chapter.run(row, problem, [&](cudaStream_t stream) {
            kernel<<<common::blocks(n, threads), threads, 0, stream>>>(
                reinterpret_cast<const T*>(problem.a), reinterpret_cast<T*>(problem.c), n);
        });
    };
    run("aos", RecordLayout::array_of_structures, add_aos<Record<fields>, used>);
    if constexpr (used == fields) {
        run("aligned", RecordLayout::array_of_structures, add_aligned<fields>);
    } else { // one field is a float like any other, however its record is aligned
        run("aligned", RecordLayout::array_of_structures, add_aos<AlignedRecord<fields>, used>);
    }
    run("soa", RecordLayout::structure_of_arrays, add_soa<fields, used>);
    run("aosoa", RecordLayout::tiles, add_aosoa<fields, used>);
}
//! [layouts]

template<unsigned fields>
void run_fields(common::Chapter& chapter)
{
    const common::Sizes sizes{.gpu = {(1 << 28) / fields},
                              .cpu = {(1 << 20) / fields},
                              .bytes_per_element = 2 * fields * sizeof(float)};
    for (std::size_t n : chapter.sizes(sizes)) {
        run_layouts<fields, fields>(chapter, n);
        run_layouts<fields, 1>(chapter, n);
    }
}

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    run_fields<2>(chapter);
    run_fields<4>(chapter);
    run_fields<8>(chapter);
    return chapter.finish();
}
