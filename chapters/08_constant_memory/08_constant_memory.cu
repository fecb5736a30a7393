// 08_constant_memory: Where should a read-only table be stored?
//
// Every kernel reads an array, adds a number and writes an array. The number comes from a device
// variable, from a table in constant memory, or from a table in global memory.
//
// variables.cuh  the variables, and two ways to set one from the host
// tables.cuh     kernels that read a table

#include "tables.cuh"
#include "variables.cuh"

constexpr unsigned threads = 256;

//! [fill]
// Entry k of every table.
constexpr float entry(std::size_t k)
{
    return static_cast<float>(2 * k + 1);
}

void fill_tables(common::Buffer<float>& elsewhere)
{
    float entries[words];
    for (unsigned k = 0; k < words; ++k) {
        entries[k] = entry(k);
    }
    elsewhere = common::Buffer<float>(words);
    const float* address = elsewhere.data();
    CHECK_CUDA(cudaMemcpy(elsewhere.data(), entries, sizeof entries, cudaMemcpyHostToDevice));
    CHECK_CUDA(cudaMemcpyToSymbol(table, &address, sizeof address));
    CHECK_CUDA(cudaMemcpyToSymbol(global_table, entries, sizeof entries));
    CHECK_CUDA(cudaMemcpyToSymbol(constant_table, entries, sizeof entries));
}
//! [fill]

//! [additions]
void run_additions(common::Chapter& chapter)
{
    common::Arrays<float> problem(chapter, {.task = "add constant"});
    const unsigned grid = common::blocks(problem.n, threads);
    const auto run_variable = [&](const char* name, void (*set)(float), float value) {
        problem.expect([value](auto& in, std::size_t i) { return in.a[i] + value; });
        const common::Variant row{.name = name,
                                  .threads = threads,
                                  .columns = common::resources(add_variable, threads),
                                  .setup = [&] { set(value); }};
        chapter.run(row, problem, [&](cudaStream_t stream) {
            add_variable<<<grid, threads, 0, stream>>>(problem.a, problem.c, problem.n);
        });
    };
    run_variable("set_by_name", set_by_name, 3);
    run_variable("set_by_address", set_by_address, 5);

    common::Buffer<float> elsewhere;
    using Kernel = void (*)(const float*, float*, std::size_t, unsigned);
    const auto run_table = [&](const char* name, Kernel kernel, unsigned wanted) {
        problem.expect([wanted](auto& in, std::size_t i) { return in.a[i] + entry(i % wanted); });
        const common::Variant row{.name = name,
                                  .threads = threads,
                                  .columns =
                                      common::resources(kernel, threads, {{"wanted", wanted}}),
                                  .full_only = wanted > 1 && wanted < words,
                                  .setup = [&] { fill_tables(elsewhere); }};
        chapter.run(row, problem, [&](cudaStream_t stream) {
            kernel<<<grid, threads, 0, stream>>>(problem.a, problem.c, problem.n, wanted - 1);
        });
    };
    for (unsigned wanted : {1u, 2u, 4u, 8u, 16u, words}) {
        run_table("constant", add_constant, wanted);
        run_table("global", add_global, wanted);
    }
    run_table("through_pointer", add_through_pointer, words);
}
//! [additions]

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    run_additions(chapter);
    return chapter.finish();
}
