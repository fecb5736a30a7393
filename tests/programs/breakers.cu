// Eight kernels that were made to break the time model, each by one mechanism that it lacked.
// breakers LOG2N: as ./run tests/programs/breakers.cu -- 26 models them, with 2^26 floats; on a GPU,
// breakers LOG2N time: the median of eleven launches after a flush of the L2. What an H200 took is in
// book/results/at_first_sight/breakers.json. Of 2^24 floats:
// RUN => 0 few_blocks +0\.06\d+ +\d+ +l2[^$]*restrict_x8 +0\.03\d+ +\d+ +dram[^$]*one_long_row +4\.\d+ +\d+ +straggler[^$]*stencil_z +0\.049\d+[^$]*one_long_row is limited by straggler[^$]*chained has no modelled time: its blocks read what other blocks of the launch write
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>
using u = unsigned;
struct Node
{
    Node* next;
    float v;
    char pad[20];
}; // a sector

// 1. Few multiprocessors with plenty in flight: an SM's port to the L2 is 64 B a clock.
__global__ void __launch_bounds__(512) few_blocks(const float4* a, float* c, size_t n)
{
    float s = 0;
    for (size_t i = blockIdx.x * 8192 + threadIdx.x; i < n; i += gridDim.x * 8192) {
        float4 v[16];
#pragma unroll
        for (u k = 0; k < 16; ++k)
            v[k] = __ldcg(a + i + k * 512);
#pragma unroll
        for (u k = 0; k < 16; ++k)
            s += v[k].x + v[k].y + v[k].z + v[k].w;
    }
    c[blockIdx.x * 512 + threadIdx.x] = s;
}
// 2. __restrict__: loads pass stores, 8 in flight instead of 1.
__global__ void restrict_x8(const float* __restrict__ a, float* __restrict__ c)
{
    const size_t i = size_t(blockIdx.x) * 2048 + threadIdx.x;
#pragma unroll
    for (u k = 0; k < 8; ++k)
        c[i + k * 256] = a[i + k * 256];
}
// 3. Lists: every hop waits for the one before, by pointers and not by indices.
__global__ void lists(Node* const* heads, float* c)
{
    const size_t i = size_t(blockIdx.x) * 256 + threadIdx.x;
    const Node* p = heads[i];
    float s = 0;
    for (u k = 0; k < 16; ++k) {
        s += p->v;
        p = p->next;
    }
    c[i] = s;
}
// 4. A chained scan: a block waits in global memory for the sum of the blocks before it.
__global__ void chained(const float4* a, volatile float* sums, volatile u* done, float* c)
{
    __shared__ float before;
    const float4 v = a[size_t(blockIdx.x) * 256 + threadIdx.x];
    if (threadIdx.x == 0) {
        while (blockIdx.x > 0 && done[blockIdx.x - 1] == 0) {
        }
        __threadfence();
        before = blockIdx.x > 0 ? sums[blockIdx.x - 1] : 0;
        sums[blockIdx.x] = before + v.x;
        __threadfence();
        done[blockIdx.x] = 1;
    }
    __syncthreads();
    c[size_t(blockIdx.x) * 256 + threadIdx.x] = before + v.x + v.y + v.z + v.w;
}
// 5. Rows of unequal length, as in a graph: one block has a quarter of all elements.
__global__ void one_long_row(const float* a, const u* start, float* c)
{
    const size_t end = start[blockIdx.x + 1];
    float s = 0;
    for (size_t j = start[blockIdx.x] + threadIdx.x; j < end; j += blockDim.x)
        s += a[j];
    c[size_t(blockIdx.x) * blockDim.x + threadIdx.x] = s;
}
// 6. A 3D stencil along z. Planes of 4 MiB: z + 1 and z - 1 come back within 16 MiB of traffic.
__global__ void stencil_z(const float* a, float* c, size_t plane, size_t planes)
{
    const size_t i = size_t(blockIdx.x) * 256 + threadIdx.x, z = blockIdx.y, at = z * plane + i;
    const float up = z > 0 ? a[at - plane] : 0, down = z + 1 < planes ? a[at + plane] : 0;
    c[at] = up + a[at] + down;
}
// 7. Loads four rounds ahead in registers, as every software pipeline has them.
__global__ void prefetch4(const float* a, float* c, size_t n)
{
    const size_t step = gridDim.x * size_t(256);
    size_t i = blockIdx.x * size_t(256) + threadIdx.x;
    float v0 = a[i], v1 = a[i + step], v2 = a[i + 2 * step], v3 = a[i + 3 * step];
#pragma unroll 4
    for (; i < n; i += step) {
        const float now = v0;
        v0 = v1;
        v1 = v2;
        v2 = v3;
        v3 = i + 4 * step < n ? a[i + 4 * step] : 0;
        c[i] = now;
    }
}
// 8. A producer and its consumer: what the second reads is in the L2.
__global__ void produce(float4* b)
{
    b[size_t(blockIdx.x) * 256 + threadIdx.x] = make_float4(1, 2, 3, 4);
}
__global__ void consume(const float4* b, float4* c)
{
    const size_t i = size_t(blockIdx.x) * 256 + threadIdx.x;
    float4 v = b[i];
    v.x += 1;
    c[i] = v;
}
__global__ void flush(const float4* a, float* c, size_t n)
{
    float s = 0;
    for (size_t i = blockIdx.x * size_t(256) + threadIdx.x; i < n; i += gridDim.x * size_t(256))
        s += a[i].x;
    if (s == 1234567)
        *c = s;
}
template<class F>
void timed(bool on, const char* name, float* big, float* out, F launch)
{
    if (!on) {
        launch();
        return;
    }
    cudaEvent_t e[2];
    cudaEventCreate(&e[0]);
    cudaEventCreate(&e[1]);
    std::vector<float> t;
    for (int r = 0; r < 11; ++r) {
        flush<<<1056, 256>>>((const float4*)big, out, size_t(1) << 24);
        cudaEventRecord(e[0]);
        launch();
        cudaEventRecord(e[1]);
        cudaEventSynchronize(e[1]);
        t.push_back(0);
        cudaEventElapsedTime(&t.back(), e[0], e[1]);
    }
    std::sort(t.begin(), t.end());
    std::printf("%-14s %8.4f ms\n", name, t[5]);
}
int main(int argc, char** argv)
{
    const size_t n = size_t(1) << (argc > 1 ? std::atoi(argv[1]) : 24);
    const bool on = argc > 2;
    float *a, *c, *big = nullptr, *sums;
    u *start, *done;
    Node* nodes;
    Node** heads;
    cudaMalloc(&a, n * 4);
    cudaMalloc(&c, n * 4);
    cudaMemset(a, 0, n * 4);
    if (on) {
        cudaMalloc(&big, size_t(1) << 28);
        cudaMemset(big, 0, size_t(1) << 28);
    }
    timed(on, "few_blocks", big, c, [&] { few_blocks<<<16, 512>>>((float4*)a, c, n / 4); });
    timed(on, "restrict_x8", big, c, [&] { restrict_x8<<<n / 2048, 256>>>(a, c); });
    const size_t lists_n = n / 32; // as many nodes; a list of 16 hops from each of half of them
    cudaMalloc(&nodes, lists_n * sizeof(Node));
    cudaMalloc(&heads, lists_n / 2 * sizeof(Node*));
    {
        std::vector<Node> h(lists_n);
        std::vector<Node*> hh(lists_n / 2);
        for (size_t i = 0; i < lists_n; ++i)
            h[i] = {nodes + (1664525u * i + 1013904223u) % lists_n, 1.0f, {}};
        for (size_t i = 0; i < lists_n / 2; ++i)
            hh[i] = nodes + 2 * i;
        cudaMemcpy(nodes, h.data(), lists_n * sizeof(Node), cudaMemcpyHostToDevice);
        cudaMemcpy(heads, hh.data(), lists_n / 2 * sizeof(Node*), cudaMemcpyHostToDevice);
    }
    timed(on, "lists", big, c, [&] { lists<<<lists_n / 512, 256>>>(heads, c); });
    const size_t blocks = n / 1024;
    cudaMalloc(&sums, blocks * 4);
    cudaMalloc(&done, blocks * 4);
    timed(on, "chained", big, c, [&] {
        cudaMemsetAsync(done, 0, blocks * 4);
        chained<<<blocks, 256>>>((float4*)a, sums, done, c);
    });
    {
        std::vector<u> s(1);
        s.push_back(n / 4); // row 0 is long, the others share the rest
        while (s.size() <= 4096)
            s.push_back(n / 4 + (n - n / 4) * (s.size() - 1) / 4095);
        cudaMalloc(&start, s.size() * 4);
        cudaMemcpy(start, s.data(), s.size() * 4, cudaMemcpyHostToDevice);
    }
    timed(on, "one_long_row", big, c, [&] { one_long_row<<<4096, 256>>>(a, start, c); });
    const size_t plane = std::min<size_t>(size_t(1) << 20, n / 4);
    timed(on, "stencil_z", big, c,
          [&] { stencil_z<<<dim3(plane / 256, n / plane), 256>>>(a, c, plane, n / plane); });
    timed(on, "prefetch4", big, c, [&] { prefetch4<<<1024, 256>>>(a, c, n); });
    const size_t kept = std::min<size_t>(size_t(1) << 22, n); // 16 MiB, which stay in the L2
    produce<<<kept / 1024, 256>>>((float4*)a);
    if (on)
        timed(on, "produce+consume", big, c, [&] {
            produce<<<kept / 1024, 256>>>((float4*)a);
            consume<<<kept / 1024, 256>>>((float4*)a, (float4*)c);
        });
    else
        consume<<<kept / 1024, 256>>>((float4*)a, (float4*)c);
    return cudaDeviceSynchronize() != cudaSuccess;
}
// SLOW
