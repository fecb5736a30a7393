// Elements of a vector that change between two copies of it: the second copy has to see them, in a
// launch that is counted and in one that is not, behind a barrier and without one.
// RUN MOVING_BYTES_COUNT=1 => 0 all right
#include <cstdio>
#include <vector>

constexpr unsigned threads = 64;

template<class Vector>
__global__ void change(const Vector* in, const int* more, Vector* out)
{
    Vector v = in[threadIdx.x];
    v.y += more[threadIdx.x];
    v.x += 2;
    out[threadIdx.x] = v;
}

template<class Vector>
__global__ void change_behind_a_barrier(const Vector* in, const int* more, Vector* out)
{
    __shared__ int staged[threads];
    staged[threadIdx.x] = more[threadIdx.x];
    __syncthreads();
    Vector v = in[threadIdx.x];
    v.y += staged[threads - 1 - threadIdx.x];
    v.x += 2;
    out[threadIdx.x] = v;
}

int wrong = 0;

template<class Vector, class Kernel>
void try_kernel(const char* name, Kernel kernel)
{
    std::vector<Vector> in(threads), out(threads);
    std::vector<int> more(threads, 3);
    for (unsigned i = 0; i < threads; ++i) {
        in[i].x = i;
        in[i].y = i + 50;
    }
    Vector *from, *to;
    int* added;
    cudaMalloc(&from, sizeof(Vector) * threads);
    cudaMalloc(&to, sizeof(Vector) * threads);
    cudaMalloc(&added, sizeof(int) * threads);
    cudaMemcpy(from, in.data(), sizeof(Vector) * threads, cudaMemcpyHostToDevice);
    cudaMemcpy(added, more.data(), sizeof(int) * threads, cudaMemcpyHostToDevice);
    for (int launch = 0; launch < 2; ++launch) {
        cudaMemset(to, 0, sizeof(Vector) * threads);
        kernel<<<1, threads>>>(from, added, to);
        cudaMemcpy(out.data(), to, sizeof(Vector) * threads, cudaMemcpyDeviceToHost);
        for (unsigned i = 0; i < threads; ++i)
            if (out[i].x != in[i].x + 2 || out[i].y != in[i].y + 3) {
                std::printf("%s, launch %d, thread %u: wrong\n", name, launch, i);
                ++wrong;
                break;
            }
    }
    cudaFree(from);
    cudaFree(to);
    cudaFree(added);
}

template<class Vector>
void try_type(const char* name)
{
    try_kernel<Vector>(name, change<Vector>);
    try_kernel<Vector>(name, change_behind_a_barrier<Vector>);
}

int main()
{
    try_type<char2>("char2");
    try_type<uchar4>("uchar4");
    try_type<short2>("short2");
    try_type<ushort4>("ushort4");
    try_type<int2>("int2");
    try_type<int3>("int3");
    try_type<uint4>("uint4");
    try_type<longlong2>("longlong2");
    try_type<ulonglong4_16a>("ulonglong4_16a");
    try_type<float2>("float2");
    try_type<float4>("float4");
    try_type<double2>("double2");
    try_type<double4_16a>("double4_16a");
    if (wrong == 0)
        std::puts("all right");
    return wrong != 0;
}
