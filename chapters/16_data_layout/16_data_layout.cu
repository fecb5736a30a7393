// 16_data_layout: Which data layout is faster, and when?
//
// Records of 2, 4 or 8 floats. Where their fields lie decides how many sectors a warp touches: when
// every field is used, and when one of them is. The arithmetic is the same in every kernel.
//
// aos.cuh      array of structures
// soa.cuh      structure of arrays
// aosoa.cuh    tiles of 32 records, each a structure of arrays
// aligned.cuh  array of structures whose alignment is promised
// records.hpp  what must be added to which float

#include "aligned.cuh"
#include "aos.cuh"
#include "aosoa.cuh"
#include "records.hpp"
#include "soa.cuh"

//! [layouts]
template<unsigned fields, unsigned used>
void run_layouts(common::Chapter& chapter, std::size_t n)
{
    common::Arrays<float> problem(chapter, records(n, fields, used));
    const auto run = [&]<class T>(const char* name, RecordLayout layout,
                                  void (*kernel)(const T*, T*, std::size_t)) {
        const unsigned threads = 256;
        problem.expect(AddToRecords{n, fields, used, layout});
        const common::Variant row{.name = name,
                                  .threads = threads,
                                  .columns = {{"fields", fields}, {"used", used}},
                                  .full_only = fields < 8};
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
