// What limits a kernel, the access that shows it, and the page with the remedy: one kernel for each kind, chosen by KIND.
// CASE advice
// RUN KIND=stream => 0 stream is limited by dram: memory bandwidth is saturated\.\n  It moves only the bytes that it uses, each once, at \d+ % of the peak bandwidth of H200\.\n  Move fewer bytes[^$]*\(book/24_streams\.md\): other access patterns gain nothing\.\n
// RUN KIND=columns => 0 copy_columns is limited by l2: [^$]*  Each request of the load at advice\.cu:@load_of_column, by 32 lanes, touches 32 sectors; 4\.0 would be enough\.\n  Transpose it through a tile [^$]*\(book/20_transpose_tiles\.md\): up to
// RUN KIND=sums => 0 sum_rows is limited by \w+: [^$]*  Each request of the load at advice\.cu:@load_of_row, by 32 lanes, touches 32 sectors; 4\.0 would be enough\.\n  Let threadIdx\.x run over adjacent elements [^$]*\(book/03_coarsening\.md\): up to
// RUN KIND=conflicts => 0 conflicts is limited by shared: [^$]*  Each request of the shared load at advice\.cu:@load_of_tile has 31 bank conflicts\.\n[^$]*\(book/07_shared_memory\.md\): up to [\d.]+ times as fast
// RUN KIND=atomics => 0 histogram is limited by atomics: [^$]*  Each request of the atomic at advice\.cu:@atomic touches 1\.0 sectors; at most\s+32\s+of\s+its\s+32\s+lanes\s+access\s+the\s+same\s+address\.\n[^$]*\(book/25_contention\.md\): up to [\d.]+ times as fast
// RUN KIND=updates => 0 updates is limited by atomics: [^$]*  Each request of the atomic at advice\.cu:@update touches 32 sectors; at most 1\.0 of its 32 lanes access[^$]*Reduce within each warp and block first, or sort scattered updates [^$]*\(book/25_contention\.md\): up to [\d.]+ times as fast
// RUN KIND=latency => 0 waits is limited by latency: [^$]*  Each block waits [\d.]+ times for loads; the load at advice\.cu:@load_in_turn makes 1[56] requests per warp, 4\.0 sectors each\.\n[^$]*\(book/22_bytes_in_flight\.md\): up to
// RUN KIND=columns MOVING_BYTES_CARD=none => 0 CPU device: 1 kernel launch
// CASE advice_of_all
// The kinds that take longer, another card's, and by KIND=all of thirteen the three that take longest.
// SLOW
// RUN KIND=rows => 0 copy_rows is limited by blocks: [^$]*  16,384 blocks of 256 threads [^$]*\(book/23_block_launch\.md\): up to [\d.]+ times as fast \(model within [\d.]+x\)\.\n
// RUN KIND=field => 0 one_field is limited by dram: [^$]*  The load at advice\.cu:@load_of_field uses 4\.0 of the 32 bytes per sector; 22 % of all moved bytes are used\.\n  Store each field in an array of its own \(book/16_data_layout\.md\): up to [\d.]+ times
// RUN KIND=gather => 0 gather is limited by l2: [^$]*  Each request of the load at advice\.cu:@gather, by 32 lanes, touches 32 sectors at irregular addresses; 4\.0 would be enough\.\n[^$]*\(book/17_gather\.md\): up to
// RUN KIND=kinds => 0 many_kinds is limited by atomics: [^$]*  Each request of the atomic at advice\.cu:@many_atomics touches 1\.0 sectors; at most\s+32\s+of
// RUN KIND=all => 0 \nhistogram is limited [^$]*\nmany_kinds is limited [^$]*\nconflicts is limited [^$]*\n10 more kernels take \d+ % of the modelled time\.\n
// RUN KIND=stream MOVING_BYTES_CARD=t4 => 0 is limited by dram: [^$]* at \d+ % of the peak bandwidth of T4\.
// RUN KIND=columns MOVING_BYTES_CARD=t4 => 0 Transpose it through a tile in shared memory \(book/20_transpose_tiles\.md\): up to [\d.]+ times as fast\.\n
#include <cstdio>
#include <cstdlib>
#include <cstring>

constexpr int side = 2048, n = side * side;

__global__ void copy_rows(const float* a, float* b)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    b[i] = a[i];
}

__global__ void stream(const float4* a, float4* b)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    b[i] = a[i];
}

__global__ void copy_columns(const float* a, float* b)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    b[i] = a[i % side * side + i / side]; // @load_of_column
}

__global__ void sum_rows(const float* a, float* b)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < 16; ++k)
        sum += a[16 * i + k]; // @load_of_row
    b[i] = sum;
}

__global__ void one_field(const float4* a, float* b)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    b[i] = a[2 * i].x; // @load_of_field
}

__global__ void gather(const float* a, const int* index, float* b)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int from = index[i];
    b[i] = a[from]; // @gather
}

__global__ void conflicts(const float* a, float* b)
{
    __shared__ float tile[32][32];
    const int i = blockIdx.x * 1024 + threadIdx.x;
    for (int row = 0; row < 32; row += 8)
        tile[row + threadIdx.x / 32][threadIdx.x % 32] = a[i + 32 * row];
    __syncthreads();
    float sum = 0;
    for (int row = 0; row < 32; ++row)
        sum += tile[threadIdx.x % 32][(row + threadIdx.x / 32) % 32]; // @load_of_tile
    b[i / 4] = sum;
}

__global__ void histogram(const float* a, int* bins)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&bins[a[i] > 0 ? 1 : 0], 1); // @atomic
}

__global__ void updates(const int* index, int* counts)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&counts[index[i]], 1); // @update
}

__global__ void waits(const float* a, float* b)
{
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += a[i]; // @load_in_turn
    b[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

template<int N>
__global__ void few(float* b)
{
    b[blockIdx.x * blockDim.x + threadIdx.x] *= N;
}

/// Columns, conflicts and atomics in one: of these the atomics limit it.
__global__ void many_kinds(const float* a, float* b, int* bins)
{
    __shared__ float tile[32][32];
    const int i = blockIdx.x * 1024 + threadIdx.x;
    tile[threadIdx.x % 32][threadIdx.x / 32] = a[i % side * side + i / side];
    __syncthreads();
    atomicAdd(&bins[0], int(tile[threadIdx.x / 32][threadIdx.x % 32])); // @many_atomics
    b[i] = tile[0][threadIdx.x % 32];
}

int main()
{
    const char* const asked = std::getenv("KIND");
    const auto wants = [asked](const char* kind) {
        return asked != nullptr && (std::strcmp(asked, kind) == 0 || std::strcmp(asked, "all") == 0);
    };
    float *a, *b, *c;
    int *index, *bins;
    cudaMalloc(&a, 8 * n * sizeof(float));
    cudaMalloc(&b, n * sizeof(float));
    cudaMalloc(&c, 8 * n * sizeof(float));
    cudaMalloc(&index, n * sizeof(int));
    cudaMalloc(&bins, 64 * sizeof(int));
    cudaMemset(a, 0, (wants("stream") ? 8 : wants("field") ? 4 : 1) * n * sizeof(float));
    cudaMemset(bins, 0, 64 * sizeof(int));
    cudaMemset(c, 0, n * sizeof(int));
    if (wants("gather") || wants("updates")) {
        int* const indices = static_cast<int*>(std::malloc(n * sizeof(int)));
        for (unsigned i = 0, random = 1; i < n; ++i)
            indices[i] = int((random = random * 1664525u + 1013904223u) >> 10);
        cudaMemcpy(index, indices, n * sizeof(int), cudaMemcpyHostToDevice);
        std::free(indices);
    }
    if (wants("rows"))
        copy_rows<<<n / 256, 256>>>(a, b);
    if (wants("stream"))
        stream<<<2 * n / 256, 256>>>(reinterpret_cast<const float4*>(a), reinterpret_cast<float4*>(c));
    if (wants("columns"))
        copy_columns<<<n / 256, 256>>>(a, b);
    if (wants("sums"))
        sum_rows<<<n / 16 / 256, 256>>>(a, b);
    if (wants("field"))
        one_field<<<n / 256, 256>>>(reinterpret_cast<float4*>(a), b);
    if (wants("gather"))
        gather<<<n / 256, 256>>>(a, index, b);
    if (wants("conflicts"))
        conflicts<<<n / 1024, 256>>>(a, b);
    if (wants("atomics"))
        histogram<<<n / 256, 256>>>(a, bins);
    if (wants("updates"))
        updates<<<n / 256, 256>>>(index, reinterpret_cast<int*>(c));
    if (wants("latency"))
        waits<<<1056, 256>>>(a, b);
    if (wants("kinds"))
        many_kinds<<<n / 4096, 1024>>>(a, b, bins);
    if (wants("few")) {
        few<1><<<4096, 256>>>(b);
        few<2><<<4096, 256>>>(b);
    }
    return cudaDeviceSynchronize();
}
