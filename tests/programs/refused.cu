// What does not compile is said in a sentence or two, at the line of the program.

// CASE header_missing
// COMPILE => 1 ^[^\n]*refused\.cu:@header_missing: there is no 'not_here.h': give its folder with -I DIR
#ifdef header_missing
#include "not_here.h" // @header_missing
int main() {}
#endif

// CASE old_shuffle
// COMPILE => 1 ^[^\n]*refused\.cu:@old_shuffle: __shfl_down\(\) was removed from CUDA: call __shfl_down_sync\(\)
#ifdef old_shuffle
__global__ void k(int* x) { *x = __shfl_down(*x, 1); } // @old_shuffle
int main() { k<<<1, 32>>>(nullptr); }
#endif

// CASE texture_refused
// COMPILE => 1 ^[^\n]*refused\.cu:@texture_refused: cudaTextureObject_t belongs to textures
#ifdef texture_refused
__global__ void k(cudaTextureObject_t t, float* x) { x[0] = tex2D<float>(t, 0, 0); } // @texture_refused
int main() {}
#endif

// CASE thrust_refused
// COMPILE => 1 ^[^\n]*refused\.cu:@thrust_refused: thrust/[a-z_.]+ runs on a GPU only
#ifdef thrust_refused
#include <thrust/device_vector.h> // @thrust_refused
int main() { thrust::device_vector<int> v(3); }
#endif

// CASE driver_refused
// COMPILE => 1 ^[^\n]*refused\.cu:@driver_refused: cuInit belongs to the driver API
#ifdef driver_refused
#include <cuda.h> 
int main() {
 cuInit(0); } // @driver_refused
#endif

// CASE template_error
// COMPILE => 1 ^[^\n]*refused\.cu:@template_error: error: 
#ifdef template_error
template <typename T> __global__ void k(T x) {}

int main() { k<<<1, 32>>>(); } // @template_error
#endif

// CASE first_error
// COMPILE => 1 ^[^\n]*refused\.cu:@first_error: error: 'undeclared' was not declared in this scope\n +@first_error \| .*\n[^\n]*\n\(and \d more error
#ifdef first_error
__global__ void k(int* x) { *x = undeclared; } // @first_error
int main() { k<<<1, 32>>>(nullptr); also; }
#endif

// CASE launches_from_kernel
// COMPILE => 1 refused\.cu:@launches_from_kernel: a kernel launched by a kernel
#ifdef launches_from_kernel
__global__ void child() {}
__global__ void parent()
{
    child<<<1, 1>>>(); // @launches_from_kernel
}

int main() { parent<<<1, 1>>>(); }
#endif

// CASE ptx_refused
// PTX beyond the reading of a register and an access with a cache hint.
// COMPILE => 1 refused\.cu:@ptx_refused: inline PTX cannot run on the CPU device
#ifdef ptx_refused
__global__ void vote(unsigned* x)
{
    unsigned lanes;
    asm volatile("vote.sync.ballot.b32 %0, 1, 0xffffffff;" : "=r"(lanes)); // @ptx_refused
    x[threadIdx.x] = lanes;
}

int main() { vote<<<1, 32>>>(nullptr); }
#endif

// CASE pool_refused
// COMPILE => 1 ^[^\n]*refused\.cu:@pool_refused: cudaMemPool_t belongs to memory pools[^\n]*cudaMallocAsync
#ifdef pool_refused
#include <cuda_runtime.h>
cudaMemPool_t pool; // @pool_refused
int main() { cudaDeviceGetDefaultMemPool(&pool, 0); }
#endif

// CASE graph_node_refused
// COMPILE => 1 ^[^\n]*refused\.cu:@graph_node_refused: cudaGraphCreate\(\) creates, changes or queries single graph nodes
#ifdef graph_node_refused
#include <cuda_runtime.h>
cudaGraph_t graph;
int main() { cudaGraphCreate(&graph, 0); } // @graph_node_refused
#endif

// CASE library_refused
// COMPILE => 1 ^[^\n]*refused\.cu:@library_refused: cufft\.h belongs to a library that runs on a GPU only
#ifdef library_refused
#include <cufft.h> // @library_refused
int main() {}
#endif

// CASE tensor_cores
// What the CPU device does not have is refused in one sentence, whatever else does not compile then.
// COMPILE => 1 ^[^\n]*refused\.cu:@tensor_cores: mma\.h belongs to the tensor cores[^\n]*\n$
#ifdef tensor_cores
#include <cstdio>
#include <mma.h> // @tensor_cores

using namespace nvcuda;

__global__ void multiply(float* c)
{
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(sum, 0.0f);
    wmma::store_matrix_sync(c, sum, 16, wmma::mem_row_major);
}

int main()
{
    float* c;
    cudaMalloc(&c, 256 * sizeof(float));
    multiply<<<1, 32>>>(c);
}
#endif
