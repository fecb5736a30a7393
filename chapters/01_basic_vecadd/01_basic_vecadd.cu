// 01_basic_vecadd: What fraction of peak bandwidth does the simplest kernel reach?
//
// One thread adds one element. Nothing about it is clever: it is the measure for all that follows.

#include "common/chapter.hpp"

#include <cstdio>
#include <cstdlib>

//! [basic]
__global__ void add(const float* a, const float* b, float* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i] + b[i];
    }
}
//! [basic]

//! [check]
// Every call of the runtime API returns a status. Ignore one and the error shows up somewhere else.
void check(cudaError_t status, const char* doing)
{
    if (status != cudaSuccess) {
        std::fprintf(stderr, "%s: %s\n", doing, cudaGetErrorString(status));
        std::exit(5);
    }
}
//! [check]

//! [life]
// The whole life of device memory, written out once. From the next chapter on `common` does this.
void add_by_hand(const float* host_a, const float* host_b, float* host_c, std::size_t n)
{
    const std::size_t bytes = n * sizeof(float);
    float* a = nullptr;
    float* b = nullptr;
    float* c = nullptr;
    check(cudaMalloc(&a, bytes), "allocating a");
    check(cudaMalloc(&b, bytes), "allocating b");
    check(cudaMalloc(&c, bytes), "allocating c");
    check(cudaMemcpy(a, host_a, bytes, cudaMemcpyHostToDevice), "copying a to the device");
    check(cudaMemcpy(b, host_b, bytes, cudaMemcpyHostToDevice), "copying b to the device");

    const unsigned threads = 256;
    add<<<common::blocks(n, threads), threads>>>(a, b, c, n);
    check(cudaGetLastError(), "launching the kernel");    // was the launch accepted?
    check(cudaDeviceSynchronize(), "running the kernel"); // wait for it, and report its errors

    check(cudaMemcpy(host_c, c, bytes, cudaMemcpyDeviceToHost), "copying c to the host");
    check(cudaFree(a), "freeing a");
    check(cudaFree(b), "freeing b");
    check(cudaFree(c), "freeing c");
}
//! [life]

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    // From host to host. The rows below start with the data on the device already.
    common::HostVectorAdd host(chapter, common::MemoryKind::pageable);
    chapter.run_transfer({.name = "by_hand", .threads = 256}, host, [&](cudaStream_t) {
        add_by_hand(host.host_a, host.host_b, host.host_c, host.n);
    });
    common::VectorAdd problem(chapter);
    for (unsigned threads : {256u}) {
        chapter.run({.name = "basic", .threads = threads}, problem, [&](cudaStream_t stream) {
            add<<<common::blocks(problem.n, threads), threads, 0, stream>>>(problem.a, problem.b,
                                                                            problem.c, problem.n);
        });
    }
    common::run_add_libraries(chapter, problem);
    return chapter.finish();
}
