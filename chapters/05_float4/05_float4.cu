// 05_float4: What do 16-byte accesses gain, and what do they require?
//
// A thread still adds four neighbours, but moves them as one float4: a warp loads 512 bytes with
// one request and uses every byte of every sector.
//
// float4.cuh   kernels for aligned pointers
// guarded.cuh  a kernel for pointers of any alignment

#include "float4.cuh"
#include "guarded.cuh"

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    const auto run = [&]<class T>(const char* name, common::VectorAdd& problem,
                                  void (*kernel)(const T*, const T*, T*, std::size_t)) {
        for (unsigned threads : {128u, 256u, 512u, 1024u}) {
            const common::Variant row{
                .name = name, .threads = threads, .full_only = threads != 256};
            chapter.run(row, problem, [&](cudaStream_t stream) {
                kernel<<<common::blocks(problem.n, 4 * threads), threads, 0, stream>>>(
                    reinterpret_cast<const T*>(problem.a), reinterpret_cast<const T*>(problem.b),
                    reinterpret_cast<T*>(problem.c), problem.n);
            });
        }
    };
    common::VectorAdd problem(chapter);
    run("float4", problem, add_float4);
    run("float4_float2_tail", problem, add_float4_float2);
    run("float4_parameters", problem, add_float4_parameters);
    run("guarded", problem, add_float4_guarded);
    common::run_add_libraries(chapter, problem);
    common::VectorAdd misaligned(chapter, {.input_offset = 1, .output_offset = 1});
    run("guarded_off_by_one", misaligned, add_float4_guarded);
    return chapter.finish();
}
