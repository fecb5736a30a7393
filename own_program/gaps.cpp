#include "own_program/messages.hpp"

// clang-format off
namespace own_program {

const std::vector<Gap>& gaps()
{
    static const std::vector<Gap> all = {
        {R"(tex[123]D.*|texCubemap.*|surf[123]D.*|surfCubemap.*|texture|surface|textureReference|cuda(Texture|Surface|Array|Mipmapped|ResourceDesc|Channel).*|cuda.*(Texture|Surface|Array).*)",
         R"(NAME belongs to textures, surfaces and arrays, which the CPU device does not have: keep the data in linear memory and read it by a pointer, with __ldg() or as const __restrict__.)"},
        {R"(nvcuda|wmma|mma_sync|mma\.h|fragment|load_matrix_sync|store_matrix_sync|fill_fragment)",
         R"(NAME belongs to the tensor cores (wmma), which the CPU device does not have: multiply with fma() in a loop, which moves the same bytes.)"},
        {R"(__(shfl|shfl_up|shfl_down|shfl_xor|ballot|any|all))",
         R"(NAME() has left CUDA: write NAME_sync() and pass the mask of the lanes that take part, 0xffffffff where all do.)"},
        {R"(cub|cub/.*|Cub.*)",
         R"(CUB runs on a GPU only: write the loop as a kernel, or the collective with __shfl_down_sync() and shared memory.)"},
        {R"(thrust|thrust/.*)",
         R"(Thrust runs on a GPU only: use cudaMalloc() and a kernel of your own, or <algorithm> on the host.)"},
        {R"(cublas.*|CUBLAS.*)",
         R"(NAME belongs to cuBLAS, which runs on a GPU only: put a kernel of your own in its place.)"},
        {R"(cufft.*|CUFFT.*|cufftXt\.h|cufftw\.h)",
         R"(NAME belongs to cuFFT, which runs on a GPU only: put a kernel of your own in its place.)"},
        {R"(curand.*|CURAND.*|curand_kernel\.h|curandState.*)",
         R"(NAME belongs to cuRAND, which runs on a GPU only: fill the input on the host, or write the generator (a few multiplications and shifts) as a __device__ function.)"},
        {R"(cusparse.*|CUSPARSE.*)",
         R"(NAME belongs to cuSPARSE, which runs on a GPU only: put a kernel of your own in its place.)"},
        {R"(cusolver.*|CUSOLVER.*)",
         R"(NAME belongs to cuSOLVER, which runs on a GPU only: leave the call out.)"},
        {R"(cudnn.*|CUDNN.*)",
         R"(NAME belongs to cuDNN, which runs on a GPU only: put a kernel of your own in its place.)"},
        {R"(npp.*|Npp.*|nvjpeg.*|nvgraph.*)",
         R"(NAME belongs to a library that runs on a GPU only: put a kernel of your own in its place.)"},
        {R"(nccl.*)",
         R"(NAME belongs to NCCL, which runs on GPUs only: leave the exchange out.)"},
        {R"(nvrtc.*|NVRTC.*|nvJitLink.*|nvPTX.*)",
         R"(NAME belongs to the run-time compiler NVRTC, which runs on a GPU only: write the kernel into the file.)"},
        {R"(nvml.*)",
         R"(NAME belongs to NVML, which asks a GPU's driver: leave the call out.)"},
        {R"(cupti.*|CUPTI.*|Cupti.*)",
         R"(NAME belongs to CUPTI, which measures on a GPU only; the CPU device prints its counts by itself.)"},
        {R"(cu[A-Z].*|CU[a-z].*|CU_.*|cudaTypedefs\.h|cuda_occupancy\.h|helper_cuda_drvapi\.h)",
         R"(NAME belongs to the driver API, which the CPU device does not have: use the runtime API, cudaMalloc() and <<<...>>>.)"},
        {R"(GL/.*|GLFW/.*|EGL/.*|GLES.*|vulkan/.*|cuda_.*_interop\.h|cudaGraphicsResource.*|cudaGraphics.*|cuda.*(GL|EGL|VDPAU|D3D).*|helper_gl\.h|rendercheck_gl\.h|freeglut.*)",
         R"(NAME belongs to graphics, which the CPU device cannot share memory with: keep the kernel, and print or save what it computes.)"},
        {R"(cuda_fp6\.h|cuda_fp4\.h|__nv_fp[46].*|.*e8m0.*)",
         R"(NAME is a format of fewer than 8 bits, or of scales, which the CPU device does not have: use __nv_fp8_e4m3.)"},
        {R"(cooperative_groups/.*|thread_group|(in|ex)clusive_scan)",
         R"(NAME is a part of cooperative groups that the CPU device does not have: use a tile of thread_block_tile and its shuffles.)"},
        {R"(h2?(sqrt|rsqrt|rcp|exp|exp2|exp10|log|log2|log10|sin|cos|tanh|floor|ceil|trunc|rint))",
         R"(NAME() of 16 bits is not on the CPU device: compute in float, as __float2half(expf(__half2float(x))) does.)"},
        {R"(cuda/ptx|ptx|cuda/std/.*|cuda/.*|nv/.*)",
         R"(NAME is a part of libcu++ that the CPU device does not have; it has cuda::atomic, and cuda::std is the host's library; <cuda_pipeline.h> copies asynchronously.)"},
        {R"(cudaGraphConditional.*|cudaGraphAddNode|cudaGraphSetConditional|cudaDeviceGraph.*|cudaGraphKernelNodeUpdates.*)",
         R"(NAME() changes a graph from a kernel, which runs on a GPU only: launch what the condition requests from the host.)"},
        {R"(cudaGraph.*)",
         R"(NAME() makes, changes or asks after the nodes of a graph one by one, which the CPU device does not: capture the work between cudaStreamBeginCapture() and cudaStreamEndCapture(), and launch that graph.)"},
        {R"(cudaMemPool.*|cudaMallocFromPoolAsync|cuda\w+MemPool)",
         R"(NAME belongs to memory pools, which the CPU device does not have: cudaMallocAsync() takes memory without one.)"},
        {R"(cudaIpc.*|cudaImport.*|cudaExternal.*|cudaSignalExternal.*|cudaWaitExternal.*)",
         R"(NAME() shares memory with another process or API, which the CPU device cannot: keep the memory in one program.)"},
        {R"(cluster_group|this_cluster|map_shared_rank|cluster_.*|cudaOccupancyMaxPotentialClusterSize|cudaOccupancyMaxActiveClusters)",
         R"(NAME belongs to thread block clusters, which run on a GPU only: exchange through global memory.)"},
        {R"(cuda[A-Z].*)",
         R"(The CPU device has no NAME; what it has of the runtime API stands in cpu_device/cuda/cpu_device/detail/runtime_api.hpp.)"},
    };
    return all;
}

} // namespace own_program
