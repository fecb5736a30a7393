// A kernel has its name and the line of its launch in every table and message, however it is launched.
// RUN => 0 \nplain +1 +32 +1 (.|\n)*\nscale<float> +1 +32 +1 (.|\n)*\nhidden::local +1 +32 +1
// RUN => 0 \nwaits +1 +32 +1 (.|\n)*\nplain +2 +32 +1 (.|\n)*\nplain +4 +32 +1
// RUN => 0 \nscale<float> +3 +32 +1 (.|\n)*\nscale<double> +3 +32 +1
// RUN => 0 \nfill\(float\*\) +5 +32 (.|\n)*\nfill\(int\*\) +5 +32
// RUN => 0 \neach<main::{lambda\(float\)#(\d+)}>\(float\*, main::.* +6 +32 .*\neach<main::{lambda\(float\)#(?!\1)
// RUN => 0 \nsome\(float\*, int, main::{lambda\(float\)#(\d+)}\) +7 .*\nsome\(float\*, int, main::{lambda\(float\)#(?!\1)
// RUN => 0 \nwith_policy\w+….*Policy\)0> +1 +32 .*\nwith_policy\w+….*Policy\)1> +1 +32
// RUN => 0 kernel_names\.cu:88: the launch of kernel scale<float> requests
#include <cooperative_groups.h>

__global__ void plain(float* x) { x[threadIdx.x] = 1; }

template<class T>
__global__ void scale(T* x)
{
    x[threadIdx.x] *= 2;
}

namespace {
namespace hidden {
__global__ void local(float* x) { x[threadIdx.x] += 1; }
} // namespace hidden
} // namespace

__global__ void waits(float* x)
{
    cooperative_groups::this_grid().sync();
    x[threadIdx.x] = 3;
}

__global__ void fill(float* x) { x[threadIdx.x] = 1; }
__global__ void fill(int* x) { x[threadIdx.x] = 1; }

template<class F>
__global__ void each(float* x, F f)
{
    x[threadIdx.x] = f(x[threadIdx.x]);
}

template<class F>
__global__ void some(float* x, size_t n, F f)
{
    if (threadIdx.x < n) x[threadIdx.x] = f(x[threadIdx.x]);
}

enum class Policy { add, multiply };

template<class T, Policy policy> // whose names differ behind what a column of the table has room for
__global__ void with_policy_of_update(T* x)
{
    x[threadIdx.x] = policy == Policy::add ? x[threadIdx.x] + 1 : 2 * x[threadIdx.x];
}

template<class T>
void scale_thrice(void* x)
{
    scale<T><<<3, 32>>>(static_cast<T*>(x));
}

int main()
{
    float* x;
    cudaMalloc(&x, 32 * sizeof(double));
    void* arguments[] = {&x};

    cudaLaunchKernel((void*)plain, 1, 32, arguments);
    cudaLaunchKernel(scale<float>, 1, 32, arguments);
    cudaLaunchKernel((const void*)&hidden::local, 1, 32, arguments);
    cudaLaunchCooperativeKernel((void*)waits, 1, 32, arguments);

    void (*kernel)(float*) = plain;
    kernel<<<2, 32>>>(x);
    void (*table[])(float*) = {plain};
    table[0]<<<4, 32>>>(x);
    scale_thrice<float>(x);
    scale_thrice<double>(x);

    fill<<<5, 32>>>(x);
    fill<<<5, 32>>>(reinterpret_cast<int*>(x));
    each<<<6, 32>>>(x, [](float a) { return a + 1; });
    each<<<6, 32>>>(x, [](float a) { return a * 2; });
    some<<<7, 32>>>(x, 32, [](float a) { return a + 1; }); // 32 is no size_t: only the call knows
    some<<<7, 32>>>(x, 32, [](float a) { return a * 2; });
    with_policy_of_update<float, Policy::add><<<1, 32>>>(x);
    with_policy_of_update<float, Policy::multiply><<<1, 32>>>(x);

    cudaLaunchKernel(scale<float>, 1, 2048, arguments); // too many threads
}
