// What the text of a file shows is told when it compiles: of each mistake the line, and nothing of the function below that does it right.
// COMPILE => 0 (?s)\A[^\n]*notes\.cu:@overlaps: a and b overlap: both begin the dynamic shared memory[^\n]*\n[^\n]*notes\.cu:@counts_unfenced: the block that counts last may not see [^\n]*\n[^\n]*notes\.cu:@doubled: 0\.5 is a double[^\n]*\n[^\n]*notes\.cu:@parted: the lanes of each warp take both branches[^\n]*\n[^\n]*notes\.cu:@halves: this halves blockDim\.x, which is no power of two[^\n]*\n[^\n]*notes\.cu:@locked: each lane waits for this lock, which another lane of its warp may hold[^\n]*\(book/25_contention\.md\)\.\n[^\n]*notes\.cu:@counts_in_float: hits is a float, which counts to 16777216[^\n]*\n[^\n]*notes\.cu:@signed: this is right for floats from 0 on only[^\n]*\n[^\n]*notes\.cu:@clock_too_early: this clock is read before the kernel ends[^\n]*\n[^\n]*notes\.cu:@address_on_host: the host takes the address of square\(\)[^\n]*\n[^\n]*notes\.cu:@of_the_host: on the host factors is another variable than on a GPU[^\n]*\n[^\n]*notes\.cu:@sets_bytes: cudaMemset\(\) sets each byte of x to the lowest 8 bits of 1: no word becomes 1\.[^\n]*\n[^\n]*notes\.cu:@sets_far: [^\n]*lowest 8 bits of far:[^\n]*\n[^\n]*notes\.cu:@lost: x is a copy of the caller's pointer[^\n]*\n[^\n]*notes\.cu:@elements: cudaMemcpy\(\) copies n bytes[^\n]*\n[^\n]*notes\.cu:@contracted: a GPU may differ from the host in the last bit[^\n]*\n[^\n]*notes\.cu:@first_call: what this clock times includes the first call of CUDA[^\n]*\n\Z
#include <chrono>
#include <cstdio>

__global__ void overlapping(float* x)
{
    extern __shared__ float a[];
    extern __shared__ float b[]; // @overlaps
    a[threadIdx.x] = b[threadIdx.x] = x[threadIdx.x];
}
__global__ void side_by_side(float* x)
{
    extern __shared__ float a[];
    float* const b = a + blockDim.x;
    a[threadIdx.x] = b[threadIdx.x] = x[threadIdx.x];
}

__device__ unsigned done;
__global__ void counted(float* partial)
{
    partial[blockIdx.x] = 1;
    if (atomicAdd(&done, 1u) == gridDim.x - 1) // @counts_unfenced
        partial[0] += partial[1];
}
__global__ void fenced(float* partial)
{
    partial[blockIdx.x] = 1;
    __threadfence();
    if (atomicAdd(&done, 1u) == gridDim.x - 1)
        partial[0] += partial[1];
}

__global__ void halves(float* x)
{
    x[threadIdx.x] = 0.5 * x[threadIdx.x]; // @doubled
}
__global__ void halves_as_float(float* x)
{
    x[threadIdx.x] = 0.5f * x[threadIdx.x];
}

__global__ void by_lane(float* x)
{
    if (threadIdx.x % 2 == 0) // @parted
        for (int k = 0; k < 100; ++k)
            x[threadIdx.x] *= 0.5f;
    else
        x[threadIdx.x] += 0.5f;
}
__global__ void by_warp(float* x)
{
    if (threadIdx.x / 32 % 2 == 0)
        for (int k = 0; k < 100; ++k)
            x[threadIdx.x] *= 0.5f;
    else
        x[threadIdx.x] += 0.5f;
}

__global__ void tree_of_96(float* x)
{
    for (unsigned half = blockDim.x / 2; half > 0; half >>= 1) { // @halves
        if (threadIdx.x < half) x[threadIdx.x] += x[threadIdx.x + half];
        __syncthreads();
    }
}
__global__ void tree_of_64(float* x)
{
    for (unsigned half = blockDim.x / 2; half > 0; half >>= 1) {
        if (threadIdx.x < half) x[threadIdx.x] += x[threadIdx.x + half];
        __syncthreads();
    }
}
void trees(float* x)
{
    tree_of_96<<<1, 96>>>(x);
    tree_of_64<<<1, 64>>>(x);
}

__device__ int lock;
__global__ void by_each_lane(int* total)
{
    while (atomicCAS(&lock, 0, 1) != 0); // @locked
    *total += 1;
    atomicExch(&lock, 0);
}
__global__ void by_one_thread(int* total)
{
    if (threadIdx.x == 0) {
        while (atomicCAS(&lock, 0, 1) != 0);
        *total += 1;
        atomicExch(&lock, 0);
    }
}

__device__ float hits;
__device__ unsigned hits_in_int;
__global__ void counts_in_float() { atomicAdd(&hits, 1.0f); } // @counts_in_float
__global__ void counts_in_int() { atomicAdd(&hits_in_int, 1u); }

__global__ void largest(float* x) { atomicMax((int*)x, __float_as_int(x[1])); } // @signed
__global__ void largest_of_all(float* x) { x[1] < 0 ? atomicMin((unsigned*)x, __float_as_uint(x[1])) : atomicMax((int*)x, __float_as_int(x[1])); }

void times_the_launch(float* x)
{
    const auto start = std::chrono::steady_clock::now();
    fenced<<<2, 1>>>(x);
    printf("%f for the launch\n", std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()); // @clock_too_early
}
void times_the_kernel(float* x)
{
    const auto start = std::chrono::steady_clock::now();
    fenced<<<2, 1>>>(x);
    cudaDeviceSynchronize();
    const auto end = std::chrono::steady_clock::now();
    printf("%f for the kernel\n", std::chrono::duration<double>(end - start).count());
}

using Function = float (*)(float);
__device__ float square(float x) { return x * x; }
__device__ Function on_device = square;
__global__ void apply(float* x, Function f) { x[threadIdx.x] = f(x[threadIdx.x]); }
void applies_the_hosts(float* x)
{
    Function f = square; // @address_on_host
    apply<<<1, 32>>>(x, f);
}
void applies_the_devices(float* x)
{
    Function f;
    cudaMemcpyFromSymbol(&f, on_device, sizeof f);
    apply<<<1, 32>>>(x, f);
}

__constant__ float factors[2];
__device__ __managed__ float both[2];
__global__ void scales(float* x, const float* by) { x[threadIdx.x] *= by[threadIdx.x % 2]; }
void scales_by_the_hosts(float* x)
{
    scales<<<1, 32>>>(x, factors); // @of_the_host
}
void scales_by_the_devices(float* x)
{
    void* by;
    cudaGetSymbolAddress(&by, factors);
    scales<<<1, 32>>>(x, static_cast<float*>(by));
    scales<<<1, 32>>>(x, both);
}

void sets(int* x, unsigned char* bytes)
{
    const int far = 1000000000;
    cudaMemset(x, 1, 32 * sizeof(int)); // @sets_bytes
    cudaMemset(x, far, 32 * sizeof(int)); // @sets_far
    cudaMemset(x, 0x7f, 32 * sizeof(int));
    cudaMemset(bytes, 1, 32);
}

void allocates(float* x) { cudaMalloc(&x, 4); } // @lost
void allocates_for(float*& x) { cudaMalloc(&x, 4); }

void copies(const float* host, int n)
{
    float* x;
    cudaMalloc(&x, n * sizeof(float));
    cudaMemcpy(x, host, n, cudaMemcpyHostToDevice); // @elements
    cudaMemcpy(x, host, n * sizeof(float), cudaMemcpyHostToDevice);
}

bool differ(const float* x, const float* y, int i)
{
    const float doubled = 2 * x[i];
    if (y[i] != doubled) return true;
    const float expected = 2 * x[i] + 1;
    if (y[i] != expected) return true; // @contracted
    return y[i] - expected > 1e-5f;
}

int main()
{
    float* x;
    auto start = std::chrono::steady_clock::now(); // @first_call
    cudaMalloc(&x, 64 * sizeof(float));
    auto end = std::chrono::steady_clock::now();
    start = std::chrono::steady_clock::now();
    cudaMalloc(&x, 64 * sizeof(float));
    printf("%f, then %f\n", std::chrono::duration<double>(end - start).count(), std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
}
