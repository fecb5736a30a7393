// Why a kernel is slow, where its launch is the reason and not its accesses: the cause is told before any other advice.
// Launches that differ in an argument have rows of their own.
// CASE stride_sweep
// RUN => 0 (?s)strided +stride 1 +16384 +256 +1 .* 4\.00 .*strided +stride 2 .* 8\.00 .*strided +stride 4 .* 16\.00 .*strided +stride 8 .* 32\.00 .*strided +stride 16 .*\nstrided \(stride \d+\) is limited by
// CASE offset_sweep
// RUN => 0 (?s)shifted +offset 0/8 +1024 .* 4\.00 .*shifted +offset 1 to 15 +1024 .* 5\.00 
// CASE many_steps
// RUN => 0 (?s)triangle +step 1 to 20 +1 +256 +20 (?!.*triangle +step \d+ +1 +256)
// CASE few_blocks
// RUN => 0 sum is limited by too few threads\.\n  16 blocks of 256 threads: 116 of 132 SMs are idle; the\s+load\s+at\s+[^$]*\s+requests\s+per\s+warp,\s+16\s+sectors\s+each\.\n  Launch more threads, in more blocks[^$]*\(book/23_block_launch\.md\): up to [3-9]\.\d\s+times\s+as\s+fast
// RUN BLOCKS=1056 => 0 (?s)sum is limited by dram(?!.*too few)
// CASE one_block
// RUN THREADS=1 => 0 squares is limited by too few threads\.\n  1 block of 1 thread: 131 of 132 SMs are idle, and 31 of the 32 lanes of each warp;
// RUN => 0 squares is limited by too few threads\.\n  1 block of 256 threads: 131 of 132 SMs are idle;
// CASE blocks_of_eight
// RUN => 0 twice is limited by small blocks\.\n  In blocks of 8 threads, 24 of the 32 lanes of each warp are idle\.\n  Launch blocks of 256 threads with the same work[^$]*\(book/02_threads_per_block\.md\): up to \d
// RUN THREADS=32 => 0 twice is limited by small blocks\.\n  An SM holds at most 32 blocks; with 32 threads each, they leave warp slots empty\.\n  Launch blocks of 256 threads
// RUN THREADS=33 => 0 twice is limited by small blocks\.\n  In blocks of 33 threads, 31 of the 64 lanes of their warps are idle\.\n
// CASE conflicts_of_a_life
// No unit is saturated, but each block lives as long as its bank conflicts take.
// RUN => 0 turned is limited by latency: [^\n]*\n  Each request of the shared load at causes\.cu:@turned has 31 bank conflicts\.\n  Pad the tile's rows[^$]*: up to 1\.[3-9] times
// CASE fields_of_a_structure
// The sectors that stores touch come and go whole, too.
// RUN => 0 drift is limited by dram: [^$]*uses 4\.0 of the 32 bytes per sector[^$]*Store each field in an array of its own[^$]*: up to [3-5]\.\d times
// CASE blocks_of_six
// RUN => 0 stencil is limited by lsu: [^$]*by \d+ lanes, touches \d+\.\d sectors; [^$]*; its\s+lanes\s+are\s+in\s+several\s+rows\s+of\s+the\s+block\.\n  Launch blocks with a blockDim\.x of 32 or a multiple[^$]*: up to
// CASE shared_memory_of_an_sm
// RUN => 0 reversed is limited by occupancy\.\n  Each block of 64 threads takes 100\.0 KiB of shared memory, so an SM holds only 2\.\n  Use less shared memory
// RUN BLOCKS=264 => 0 reversed is limited by occupancy\.\n  Each block of 64 threads takes 100\.0 KiB
// CASE idle_but_contended
// Most blocks are idle, but the model says that they cost nothing next to the atomics.
// RUN => 0 (?s)contended is limited by atomics(?!.*blocks without work)
// CASE one_small_launch
// RUN => 0 (?s)filter takes [\d.]+ us, 3\.3 us of it launch overhead: unless\s+it\s+computes\s+for\s+long,\s+more\s+work
// CASE repeated_stores
// RUN => 0 highest is limited by repeated stores\.\n  The store at causes\.cu:@highest makes 16 requests per warp, again and\s+again\s+to\s+the\s+same\s+addresses\.\n  Accumulate in a register
// RUN REGISTER=1 => 0 (?s)highest is limited by(?!.*repeated)
// CASE fences_only
// RUN => 0 fences has no modelled time: it spends a long time on arithmetic or fences, which are not modelled\.\n
// CASE grid_of_bytes
// RUN => 0 guarded is limited by blocks without work\.\n  196,6\d\d of 262,145 blocks make no memory request\.\n  Compute the grid from the number of elements
// CASE barriers_only
// RUN => 0 relax is limited by barriers\.\n  Each block waits 2,001 times at barriers, most often at causes\.cu:(@before|@behind);\s+each\s+warp\s+makes\s+2\.0\s+memory\s+requests\.\n  Use fewer barriers[^$]*\(book/28_reduction\.md\):\s+the\s+modelled\s+time\s+excludes
// CASE barriers_in_a_tree
// RUN => 0 maxima is limited by barriers\.\n  Each block waits \d+ times at barriers, most often at causes\.cu:@tree
// CASE lanes_far_apart
// A tree of which the working lanes are ever farther apart, and one of which they are the first.
// RUN => 0 sums is limited by divergent warps\.\n  The shared load at causes\.cu:@sums makes [\d.]+ requests per warp, each by [1-7]\.\d of 32 lanes\.\n  Let consecutive threads work
// RUN SIDE_BY_SIDE=1 => 0 (?s)sums is limited by(?!.*divergent warps\.)
// CASE loops_of_uneven_length
// RUN => 0 lists is limited by loops of uneven length\.\n  The load at causes\.cu:@list makes 6\d requests per warp, each by [2-4]\.\d of 32 lanes\.\n  Sort the work by length
// RUN LONGEST=20000 => 0 (?s)lists has no modelled time: one of its blocks.*\nlists is limited by loops of uneven length\.\n  The load at causes\.cu:@list makes
// RUN EVEN=1 => 0 (?s)lists is limited by(?!.*uneven)
// CASE memory_of_a_kernel
// RUN => 0 medians is limited by malloc\(\) in the kernel\.\n  16,384 calls of malloc\(\) or new, which a GPU serves one by one\.\n  Allocate once
// RUN BY_HOST=1 => 0 (?s)medians (?!.*malloc)
// CASE heap_of_all_threads
// Of a heap of 8 MiB, where few threads hold memory at a time, and a GPU runs all of them.
// RUN => 0 (?s)Warning: kernel buffered \(launched at causes\.cu:@buffered\)\s+allocates\s+with.*may\s+hold\s+39\.1\s+MiB,\s+but\s+its\s+heap\s+has\s+8\.0\s+MiB
// RUN RAISED=1 => 0 (?s)\A(?!.*its\s+heap\s+has).*buffered
// CASE tail_left_out
// RUN => 0 Warning: kernel raised \(launched at causes\.cu:@tail\)\s+has\s+n\s+=\s+100000,\s+but\s+97\s+blocks\s+of\s+1024\s+threads\s+end\s+at\s+99328:[^$]*launch\s+\(n\s+\+\s+1023\)\s+/\s+1024\s+blocks
// RUN BLOCKS=98 => 0 (?s)\A(?!.*left\s+out).*raised
// CASE turned_grid
// RUN => 0 has\s+width\s+=\s+256,\s+height\s+=\s+64,\s+but\s+4x16\s+blocks\s+of\s+16x16\s+threads\s+end\s+at\s+64x256:\s+the\s+rest\s+is\s+left\s+out\.\s+Let\s+x\s+of\s+the\s+grid\s+cover\s+width
// RUN BLOCKS=16 => 0 (?s)\A(?!.*left\s+out).*brightened
// CASE index_misses_thread
// RUN => 0 row_sums is limited by redundant work\.\n  1[0-2]\d threads write each element by the store at causes\.cu:@row_sum, and load the same data\.
// CASE index_misses_block
// RUN => 0 polynomial is limited by redundant work\.\n  [\d,]+ threads write each element by the store at causes\.cu:@polynomial
// CASE swapped_indices
// RUN => 0 product is limited by \w+: [^$]*touches 16 sectors; 2\.0 would be enough\.\n  Let threadIdx\.x run over adjacent elements[^$]*: up to
// CASE swapped_pixels
// RUN => 0 gray is limited by \w+: [^$]*touches 2\d sectors;[^$]*Let threadIdx\.x run over adjacent elements[^$]*: up to
// RUN ORDER=right => 0 (?s)gray is limited by(?!.*(threadIdx|Transpose))
// CASE fields_of_two_dimensions
// RUN => 0 (?s)one_field is limited by(?!.*threadIdx\.y)
// CASE indexed_array
// RUN => 0 (?s)vote is limited by local memory\.\n  Each warp makes 1\d\d requests to\s+its\s+local\s+array\s+at\s+causes\.cu:@votes,\s+whose\s+index[^$]*, and\s+6\d\s+to\s+global\s+memory\.\n  Make each index a constant(?!.*Issue more independent loads)(?!.*has its array)
// CASE nine_microseconds
// RUN => 0 every_eighth is limited by dram: [^$]*Store each field in an array of its own
// CASE blur
// RUN => 0 blur is limited by lsu: [^$]*Compute several outputs per thread from registers
// CASE pairs
// RUN => 0 pairs is limited by \w+: [^$]*  Each request of the load at causes\.cu:@pair, by 32 lanes, touches 8\.0 sectors; 4\.0 would be enough\.\n  Load float2 or float4, or an array per field \(book/16_data_layout\.md\): up to
// CASE types_of_templates
// RUN => 0 (?s)gather\(double\*, double\*, int\) .* 8\.00 .*gather\(float\*, float\*, int\) .* 4\.00 .*gather\(short\*, short\*, int\) .* 2\.00 .*gather\(double\*, double\*, int\) is limited by \w+: [^$]*of H200; a\s+double\s+has\s+8,\s+a\s+float\s+4\.\n(?!.*a\s+double)
// CASE one_screen
// Three kernels: the report is read without scrolling.
// RUN COLUMNS=120 => 0 (?s)^no error\n(?:[^\n]*\n){20,40}$
#include <cstdlib>
#include "cases.hpp"

namespace {

/// A number of the environment.
int given(const char* name, int otherwise = 0) { return std::getenv(name) ? std::atoi(std::getenv(name)) : otherwise; }

__global__ void sums(const int* in, int* out, bool far_apart)
{
    __shared__ int s[256];
    s[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
    __syncthreads();
    for (unsigned k = 1; k < 256; k *= 2) {
        const unsigned d = far_apart ? k : 128 / k;
        if (far_apart ? threadIdx.x % (2 * d) == 0 : threadIdx.x < d)
            s[threadIdx.x] += s[threadIdx.x + d]; // @sums
        __syncthreads();
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = s[0];
}

__global__ void lists(const int* length, const int* x, int* out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = 0;
    for (int k = 0; k < length[i]; ++k)
        sum += x[(k * gridDim.x * blockDim.x + i) % (64 << 16)]; // @list
    out[i] = sum;
}

__global__ void medians(const int* in, int* out, int* memory)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int* const w = memory == nullptr ? static_cast<int*>(malloc(3 * sizeof(int))) : memory + 3 * i;
    for (int k = 0; k < 3; ++k)
        w[k] = in[i + k];
    out[i] = max(min(w[0], w[1]), min(max(w[0], w[1]), w[2]));
    if (memory == nullptr)
        free(w);
}

__global__ void strided(const float* in, float* out, int n, int stride)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[(long long)i * stride % n];
}

__global__ void shifted(const float* in, float* out, int offset)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i + offset];
}

__global__ void triangle(float* x, int step)
{
    for (int k = 0; k < step * step; ++k)
        x[256 * k + threadIdx.x] += 1;
}

__global__ void sum(const float4* x, float* out, int n)
{
    float s = 0;
    const int step = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i + 3 * step < n; i += 4 * step) {
        const float4 a = x[i], b = x[i + step], c = x[i + 2 * step], d = x[i + 3 * step];
        s += a.x + a.y + b.z + b.w + c.x + c.y + d.z + d.w;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = s;
}

__global__ void squares(float* x, int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        x[i] *= x[i];
}

__global__ void twice(float* x) { x[blockIdx.x * blockDim.x + threadIdx.x] *= 2; }

__global__ void guarded(const float* a, float* c, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i];
}

__global__ void relax(float* x)
{
    __shared__ float row[1026];
    const int at = threadIdx.x + 1;
    row[at] = x[threadIdx.x];
    if (threadIdx.x == 0)
        row[0] = row[1025] = 0;
    __syncthreads();
    for (int round = 0; round < 1000; ++round) {
        const float next = 0.5f * (row[at - 1] + row[at + 1]);
        __syncthreads(); // @before
        row[at] = next;
        __syncthreads(); // @behind
    }
    x[threadIdx.x] = row[at];
}

/// The largest of each 32 neighbours of a line, by a tree for each of them.
__global__ void maxima(const float* x, float* out)
{
    __shared__ float tile[256], tree[256];
    tile[threadIdx.x] = x[blockIdx.x * 256 + threadIdx.x];
    float all = 0;
    for (int shift = 0; shift < 32; ++shift) {
        __syncthreads();
        tree[threadIdx.x] = tile[(threadIdx.x + shift) % 256];
        for (int half = 128; half > 0; half /= 2) {
            __syncthreads(); // @tree
            if (threadIdx.x < half)
                tree[threadIdx.x] = fmaxf(tree[threadIdx.x], tree[threadIdx.x + half]);
        }
        __syncthreads();
        all += tree[0];
    }
    out[blockIdx.x * 256 + threadIdx.x] = all;
}

__global__ void row_sums(const float* x, float* out, int n)
{
    float s = 0;
    for (int i = 0; i < n; ++i)
        s += x[blockIdx.x * n + i];
    out[blockIdx.x] = s; // @row_sum
}

__global__ void polynomial(const float* x, float* out)
{
    for (int i = threadIdx.x; i < 8192; i += blockDim.x)
        out[i] = 1 + x[i] * (2 + x[i] * 3); // @polynomial
}

__global__ void product(const float* a, const float* b, float* c, int n)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y * blockDim.y + threadIdx.y;
    float s = 0;
    for (int k = 0; k < n; ++k)
        s += a[row * n + k] * b[k * n + column];
    c[row * n + column] = s;
}

__global__ void one_field(const float4* a, float* b, int n)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    b[row * n + column] = a[2 * (row * n + column)].x;
}

__global__ void every_eighth(const float* a, float* b)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    b[i] = a[i * 8];
}

__global__ void blur(const float* a, float* b, int n)
{
    const int x = blockIdx.x * 32 + threadIdx.x + 2, y = blockIdx.y * 8 + threadIdx.y + 2;
    float s = 0;
#pragma unroll
    for (int dy = -2; dy <= 2; ++dy)
#pragma unroll
        for (int dx = -2; dx <= 2; ++dx)
            s += a[(y + dy) * n + x + dx];
    b[y * n + x] = s;
}

__global__ void gray(const float3* pixels, float* out, bool right)
{
    const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y, i = right ? y * 2048 + x : x * 2048 + y;
    out[i] = pixels[i].x + pixels[i].y + pixels[i].z;
}

__global__ void pairs(const int* in, int* out)
{
    const int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
    out[i] = in[i]; // @pair
    out[i + 1] = in[i + 1];
}

template<class T>
__global__ void gather(const T* a, T* b, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    b[i] = a[i] + a[(i + 1) % n];
}

} // namespace

__global__ void vote(const unsigned char* marks, int* winner, int n)
{
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    int count[32] = {}; // @votes
    for (int k = 0; k < 64; ++k)
        ++count[marks[k * n + i] % 32];
    int best = 0;
    for (int k = 1; k < 32; ++k)
        best = count[k] > count[best] ? k : best;
    winner[i] = best;
}
CASE(stride_sweep)
{
    const int n = 1 << 22;
    float *in = array<float>(n), *out = array<float>(n);
    for (int stride = 1; stride <= 16; stride *= 2)
        strided<<<n / 256, 256>>>(in, out, n, stride);
}
CASE(offset_sweep)
{
    const int n = 1 << 18;
    float *in = array<float>(n + 16), *out = array<float>(n);
    for (int offset = 0; offset < 16; ++offset)
        shifted<<<n / 256, 256>>>(in, out, offset);
}
CASE(many_steps)
{
    float* x = array<float>(256 * 20 * 20);
    for (int step = 1; step <= 20; ++step)
        triangle<<<1, 256>>>(x, step);
}
CASE(few_blocks)
{
    const int n = 1 << 22, blocks = given("BLOCKS", 16);
    sum<<<blocks, 256>>>(array<float4>(n), array<float>(blocks * 256), n);
}
CASE(one_block)
{
    squares<<<1, given("THREADS", 256)>>>(array<float>(1 << 16), 1 << 16);
}
CASE(blocks_of_eight)
{
    const int n = 1 << 23, threads = given("THREADS", 8);
    twice<<<n / threads, threads>>>(array<float>(n));
}
__global__ void turned(const float* in, float* out, int n)
{
    __shared__ float tile[32][32];
    const unsigned x = threadIdx.x, y = threadIdx.y;
    tile[y][x] = in[(blockIdx.y * 32 + y) * n + blockIdx.x * 32 + x];
    __syncthreads();
    out[(blockIdx.x * 32 + y) * n + blockIdx.y * 32 + x] = tile[x][y]; // @turned
}
CASE(conflicts_of_a_life)
{
    const int n = 2048;
    turned<<<dim3(n / 32, n / 32), dim3(32, 32)>>>(array<float>(n * n), array<float>(n * n), n);
}
struct Particle { float x, y, z, vx, vy, vz, mass, charge; };
__global__ void drift(Particle* p) { p[blockIdx.x * blockDim.x + threadIdx.x].x += 1; }
CASE(fields_of_a_structure)
{
    drift<<<1 << 14, 256>>>(array<Particle>(1 << 22));
}
__global__ void stencil(const float* a, float* b, int n)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
              z = blockIdx.z * blockDim.z + threadIdx.z, i = (z * n + y) * n + x;
    if (x > 0 && y > 0 && z > 0 && x < n - 1 && y < n - 1 && z < n - 1)
        b[i] = a[i] + a[i - 1] + a[i + 1] + a[i - n] + a[i + n] + a[i - n * n] + a[i + n * n];
}
CASE(blocks_of_six)
{
    const int n = 126;
    stencil<<<dim3(n / 6, n / 6, n / 6), dim3(6, 6, 6)>>>(array<float>(n * n * n), array<float>(n * n * n), n);
}
__global__ void reversed(const float* a, float* b, int n)
{
    extern __shared__ float tile[];
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        tile[threadIdx.x] = a[i];
        __syncthreads();
        b[i] = tile[blockDim.x - 1 - threadIdx.x];
        __syncthreads();
    }
}
CASE(shared_memory_of_an_sm)
{
    const int n = 1 << 20, bytes = 100 * 1024;
    cudaFuncSetAttribute(reversed, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    reversed<<<given("BLOCKS", 2048), 64, bytes>>>(array<float>(n), array<float>(n), n);
}
__global__ void contended(const int* in, int* sum, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(sum, in[i]);
}
CASE(idle_but_contended)
{
    const int n = 1 << 14;
    contended<<<128, 1024>>>(array<int>(n), array<int>(1), n);
}
__global__ void filter(const float* in, float* out)
{
    float y = 0;
    for (int i = 0; i < 16; ++i) {
        y = 0.9f * y + in[32 * threadIdx.x + i];
        out[32 * threadIdx.x + i] = y;
    }
}
CASE(one_small_launch)
{
    filter<<<1, 64>>>(array<float>(2048), array<float>(2048));
}
__global__ void highest(const float* x, float* top, int n, bool in_register)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float own = 0;
    for (int k = 0; k < 16; ++k)
        if (in_register) own = fmaxf(own, x[k * n + i]);
        else top[i] = fmaxf(top[i], x[k * n + i]); // @highest
    if (in_register) top[i] = own;
}
CASE(repeated_stores)
{
    highest<<<4096, 256>>>(array<float>(1 << 24), array<float>(1 << 20), 1 << 20, given("REGISTER"));
}
__global__ void fences(int* x)
{
    for (int i = 0; i < 400; ++i) __threadfence();
    x[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}
CASE(fences_only)
{
    fences<<<64, 256>>>(array<int>(1 << 14));
}
CASE(grid_of_bytes)
{
    const int n = 1 << 24, bytes = n * sizeof(float);
    guarded<<<bytes / 256 + 1, 256>>>(array<float>(n), array<float>(n), n);
}
CASE(barriers_only)
{
    relax<<<1, 1024>>>(array<float>(1024));
}
CASE(barriers_in_a_tree)
{
    maxima<<<264, 256>>>(array<float>(264 * 256), array<float>(264 * 256));
}
CASE(lanes_far_apart)
{
    sums<<<1 << 14, 256>>>(array<int>(1 << 22), array<int>(1 << 14), given("SIDE_BY_SIDE") == 0);
}
CASE(loops_of_uneven_length)
{
    const int longest = given("LONGEST");
    std::vector<int> length(1 << 16, given("EVEN") ? 64 : 2);
    for (std::size_t i = 0; i < length.size(); i += longest ? length.size() : 32)
        length[i] = longest ? longest : 64;
    lists<<<256, 256>>>(uploaded(length), array<int>(64 << 16), array<int>(1 << 16));
}
CASE(memory_of_a_kernel)
{
    medians<<<64, 256>>>(array<int>(1 << 15), array<int>(1 << 14), given("BY_HOST") ? array<int>(3 << 14) : nullptr);
}
__global__ void buffered(float* x)
{
    float* const own = static_cast<float*>(malloc(1000 * sizeof(float)));
    own[0] = x[threadIdx.x];
    free(own);
}
CASE(heap_of_all_threads)
{
    if (given("RAISED")) cudaDeviceSetLimit(cudaLimitMallocHeapSize, 64 << 20);
    buffered<<<40, 256>>>(array<float>(256)); // @buffered
}
__global__ void raised(float* x, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] += 1;
}
CASE(tail_left_out)
{
    raised<<<given("BLOCKS", 97), 1024>>>(array<float>(100000), 100000); // @tail
}
__global__ void brightened(float* x, int width, int height)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column < width && row < height) x[row * width + column] += 1;
}
CASE(turned_grid)
{
    const int across = given("BLOCKS", 4);
    brightened<<<dim3(across, 64 / across), dim3(16, 16)>>>(array<float>(256 * 64), 256, 64);
}
CASE(index_misses_thread)
{
    const int rows = 2048, n = 2048;
    row_sums<<<rows, 128>>>(array<float>(rows * n), array<float>(rows), n);
}
CASE(index_misses_block)
{
    polynomial<<<2112, 256>>>(array<float>(8192), array<float>(8192));
}
CASE(swapped_indices)
{
    const int n = 512;
    product<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(array<float>(n * n), array<float>(n * n), array<float>(n * n), n);
}
CASE(fields_of_two_dimensions)
{
    const int n = 2048;
    one_field<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(array<float4>(2 * n * n), array<float>(n * n), n);
}
CASE(indexed_array)
{
    const int n = 1 << 18;
    vote<<<n / 128, 128>>>(array<unsigned char>(64 * n), array<int>(n), n);
}
CASE(nine_microseconds)
{
    const int n = 1 << 20;
    every_eighth<<<n / 256, 256>>>(array<float>(8 * n), array<float>(n));
}
CASE(blur)
{
    const int n = 2048;
    blur<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(array<float>((n + 4) * (n + 4)), array<float>((n + 4) * (n + 4)), n + 4);
}
CASE(swapped_pixels)
{
    gray<<<dim3(128, 128), dim3(16, 16)>>>(array<float3>(1 << 22), array<float>(1 << 22), std::getenv("ORDER") != nullptr);
}
CASE(pairs)
{
    const int n = 1 << 24;
    pairs<<<n / 512, 256>>>(array<int>(n), array<int>(n));
}
CASE(types_of_templates)
{
    const int n = 1 << 16, many = 1 << 22;
    gather<<<many / 256, 256>>>(array<double>(many), array<double>(many), many);
    gather<<<n / 256, 256>>>(array<float>(n), array<float>(n), n);
    gather<<<n / 256, 256>>>(array<short>(n), array<short>(n), n);
}
CASE(one_screen)
{
    const int n = 1 << 22;
    sum<<<16, 256>>>(array<float4>(n), array<float>(16 * 256), n);
    twice<<<n / 8, 8>>>(array<float>(n));
    pairs<<<n / 512, 256>>>(array<int>(n), array<int>(n));
}
