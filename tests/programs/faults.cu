// What ends a program: faults of its kernels and of its host, kernels that wait for ever, assertions.
#include <cassert>
#include <cooperative_groups.h>
#include <cstdio>
#include <cstdlib>
#include <cublas_v2.h>
#include <map>
#include <string>
#include <sys/resource.h>
#include <unistd.h>

// CASE host_uses_freed
// What the host may use, it may not use any longer: not the advice that device memory gets.
// RUN => 6 Host code reads from memory inside freed allocation 1 \(400 bytes\)\.\n
namespace host_uses_freed {
int run()
{
    int* x;
    cudaMallocHost(&x, 400);
    cudaFreeHost(x);
    return x[3];
}
} // namespace host_uses_freed

// CASE mask_without_self
// A lane that passes a mask in which it is not.
// RUN => 6 thread \(16, 0, 0\): passes the mask 0x0000ffff to the warp-wide operation of faults\.cu:@mask_without_self, but is lane 16 and not in it
namespace mask_without_self {
__global__ void k(int* x) { x[threadIdx.x] = __shfl_xor_sync(0xffff, x[threadIdx.x], 1); } // @mask_without_self
int run()
{
    int* x;
    cudaMalloc(&x, 128);
    k<<<1, 32>>>(x);
    return 0;
}
} // namespace mask_without_self

// CASE past_an_array
// The array that an access is meant for is the one that its instruction used before, and the lines of both are told.
// RUN => 6 reads 8 bytes at 0x[0-9a-f]+, \d+ bytes past the end of allocation 1 \(400000 bytes\)\. That is the access of faults\.cu:@past_an_array; allocation 1 is the one of faults\.cu:@the_array\.\n
namespace past_an_array {
__global__ void get(float** v, float* o, int s) {
    o[threadIdx.x] = v[threadIdx.x * s] != nullptr; // @past_an_array
}
int run()
{
    float **v, *o, *other;
    cudaMalloc(&v, 400000); cudaMalloc(&other, 8192); cudaMalloc(&o, 4096); // @the_array
    cudaMemset(v, 0, 400000);
    get<<<1, 256>>>(v, o, 1 << 19);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
} // namespace past_an_array

// CASE host_overrun
// SLOW
// A copy that is larger than the host's array: the host's own fault is told, and ends the program as it does elsewhere.
// RUN => -11 Host code (reads from|uses) 0x[0-9a-f]+, where the program has no memory
namespace host_overrun {
int run()
{
    char* device;
    const size_t bytes = size_t{1} << 30;
    cudaMalloc(&device, bytes);
    cudaMemcpy(device, malloc(1), bytes, cudaMemcpyHostToDevice);
    return 0;
}
} // namespace host_overrun

// CASE host_stack_overflow
// A local array of the host that its stack cannot hold.
// RUN => -11 Host code (writes to|reads from|uses) 0x[0-9a-f]+, where the program has no memory: .* local array that is larger than its stack
namespace host_stack_overflow {
__global__ void first(const int* x) { printf("%d\n", x[0]); }
__attribute__((noinline)) int sum_of(volatile int* x, int n)
{
    int sum = 0;
    for (int i = 0; i < n; ++i) sum += x[i] = i;
    return sum;
}
int run()
{
    constexpr int n = 1 << 26; // 256 MiB
    int numbers[n];
    printf("%d\n", sum_of(numbers, n));
    first<<<1, 1>>>(numbers);
    return 0;
}
} // namespace host_stack_overflow

// CASE device_heap_host
// What a kernel allocated is out of the host's reach, as other device memory is.
// RUN => 6 value 5[^$]*Host code reads from device memory, inside allocation \d+ \(4 bytes\); the host cannot reach it
namespace device_heap_host {
__global__ void create(int** kept) { *kept = new int(5); }
int run()
{
    int **kept, value = 0;
    cudaMallocManaged(&kept, sizeof *kept);
    create<<<1, 1>>>(kept);
    cudaDeviceSynchronize();
    cudaMemcpy(&value, *kept, sizeof value, cudaMemcpyDeviceToHost);
    printf("value %d\n", value);
    return **kept;
}
} // namespace device_heap_host

// CASE device_heap_overrun
// An index past what a kernel allocated.
// RUN => 6 kernel overrun .*writes 4 bytes at .*past the end of allocation 1 \(16 bytes\)
namespace device_heap_overrun {
__device__ int* kept;
__global__ void overrun(int n) { kept = new int[4]; for (int i = 0; i <= n; ++i) kept[i] = i; }
int run()
{
    overrun<<<1, 1>>>(4); cudaDeviceSynchronize();
    return 0;
}
} // namespace device_heap_overrun

// CASE device_heap_twice
// What is freed twice, and what the host frees for a kernel.
// RUN => 6 kernel drop .*frees inside freed allocation 1 \(8 bytes\)
namespace device_heap_twice {
__global__ void drop() { void* x = malloc(8); free(x); free(x); }
int run()
{
    drop<<<1, 1>>>(); cudaDeviceSynchronize();
    return 0;
}
} // namespace device_heap_twice

// CASE waits_for_host
// A kernel that waits for what the host writes after the launch.
// RUN MOVING_BYTES_PATIENCE=0.1 => 6 kernel wait_for .*at faults\.cu:@waits_for_host: .*waits for the host
namespace waits_for_host {
__global__ void wait_for(volatile unsigned* flag) { while (flag[0] < 1) {} } // @waits_for_host
int run()
{
    unsigned* flag;
    cudaMallocHost(&flag, sizeof *flag);
    *flag = 0;
    wait_for<<<1, 1>>>(flag);
    *flag = 1;
    cudaDeviceSynchronize();
    return 0;
}
} // namespace waits_for_host

// CASE waits_for_later_block
// SLOW
// A block that spins until a later one has written, in a launch that is not cooperative.
// RUN MOVING_BYTES_PATIENCE=0.1 => 6 kernel wait_for .*at faults\.cu:@waits_for_later_block: .*waits for another block
namespace waits_for_later_block {
__global__ void wait_for(int* flag)
{
    if (blockIdx.x + 1 < gridDim.x)
        while (atomicAdd(flag, 0) == 0) {} // @waits_for_later_block
    else
        atomicExch(flag, 1);
}
int run()
{
    int* flag;
    cudaMalloc(&flag, sizeof *flag);
    cudaMemset(flag, 0, sizeof *flag);
    wait_for<<<1000, 32>>>(flag);
    cudaDeviceSynchronize();
    return 0;
}
} // namespace waits_for_later_block

// CASE waits_for_peer
// A kernel that waits for what a kernel of another device writes.
// RUN MOVING_BYTES_DEVICES=2 MOVING_BYTES_PATIENCE=0.1 => 6 kernel wait_for .*on device 0, .*at faults\.cu:@waits_for_peer: .*kernels of several devices, too, run here one after the other.*an event of the other device
namespace waits_for_peer {
__global__ void wait_for(volatile int* flag)
{
    while (*flag == 0) // @waits_for_peer
        ;
}

__global__ void set(int* flag) { *flag = 1; }

int run()
{
    int* flag;
    cudaMalloc(&flag, sizeof(int));
    cudaMemset(flag, 0, sizeof(int));
    wait_for<<<1, 1>>>(flag);
    cudaSetDevice(1);
    cudaDeviceEnablePeerAccess(0, 0);
    set<<<1, 1>>>(flag);
    return cudaDeviceSynchronize();
}
} // namespace waits_for_peer

// CASE grid_without_threads
// A cooperative launch for whose blocks the host has no threads, or no memory, ends with a sentence.
// RUN => 6 kernel grid_without_threads::wait .*each of the 132 needs a thread of the host, which has not enough for more than \d+ \(.*\)\. Launch fewer
namespace grid_without_threads {
__global__ void wait() { cooperative_groups::this_grid().sync(); }
int run()
{
    cudaFree(0);
    long pages = 0;
    FILE* const sizes = fopen("/proc/self/statm", "r");
    if (sizes == nullptr || fscanf(sizes, "%ld", &pages) != 1) return 1;
    rlimit limit{};
    getrlimit(RLIMIT_AS, &limit);
    limit.rlim_cur = pages * sysconf(_SC_PAGESIZE) + (rlim_t{1} << 30); // 1 GiB more than now
    if (setrlimit(RLIMIT_AS, &limit) != 0) return 1;
    cudaLaunchCooperativeKernel((void*)wait, dim3(132), dim3(32), nullptr, 0, 0);
    cudaDeviceSynchronize();
    return 0;
}
} // namespace grid_without_threads

// CASE partial_barrier
// Barriers that only some threads of a block reach: where the others have returned, a GPU lets it pass.
// RUN => 0 Warning:\s+kernel\s+some\s+\(launched\s+at\s+faults\.cu:@partial_launch\),\s+block\s+\(0,\s+0,\s+0\):\s+thread\s+\(0,\s+0,\s+0\)\s+and\s+6\s+others\s+wait\s+at\s+the\s+barrier\s+of\s+faults\.cu:@partial_barrier,\s+but\s+thread\s+\(7,\s+0,\s+0\)\s+and\s+248\s+others\s+have\s+returned
// RUN WITHOUT=return => 0 (?s)\A(?!.*Warning)
// RUN BOTH=1 => 6 divergent barrier: thread \(0, 0, 0\) and 127 others wait at the barrier of faults\.cu:@first_half, but thread \(128, 0, 0\) and 127 others wait at the barrier of faults\.cu:@second_half
namespace partial_barrier {
__global__ void some(unsigned n)
{
    if (threadIdx.x < n) __syncthreads(); // @partial_barrier
}
__global__ void both()
{
    if (threadIdx.x < 128)
        __syncthreads(); // @first_half
    else __syncthreads(); // @second_half
}
int run()
{
    if (std::getenv("BOTH"))
        both<<<1, 256>>>();
    else
        some<<<1, 256>>>(std::getenv("WITHOUT") ? 256 : 7); // @partial_launch
    return cudaDeviceSynchronize();
}
} // namespace partial_barrier

// CASE assert_returns
// A failed assertion that is left to the program: an error of the call that waits, as on a GPU.
// RUN MOVING_BYTES_ASSERT=return => 0 device-side assert triggered, then device-side assert triggered[^$]*block: \[1,0,0\], thread: \[28,0,0\] Assertion `i < n` failed
// RUN => 6 kernel check .*thread \(28, 0, 0\).*assertion `i < n` failed
// RUN MOVING_BYTES_ASSERT=retrun => 2 MOVING_BYTES_ASSERT is 'retrun'; it must be return, or not set\.
namespace assert_returns {
__global__ void check(int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    assert(i < n);
    __syncthreads();
}
int run()
{
    check<<<2, 32>>>(60);
    const cudaError_t first = cudaDeviceSynchronize();
    check<<<1, 32>>>(60);
    printf("%s, then %s\n", cudaGetErrorString(first), cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
} // namespace assert_returns

// CASE assert_returns_grid
// A failed assertion in a cooperative launch that is left to the program.
// RUN MOVING_BYTES_ASSERT=return => 0 device-side assert triggered[^$]*block: \[3,0,0\], thread: \[4,0,0\] Assertion `i < n` failed
namespace assert_returns_grid {
__global__ void check(int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    assert(i < n);
    cooperative_groups::this_grid().sync();
}
int run()
{
    int n = 100;
    void* arguments[] = {&n};
    cudaLaunchCooperativeKernel((void*)check, dim3(4), dim3(32), arguments, 0, 0);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
} // namespace assert_returns_grid

// CASE repeats_clock
// What a kernel with barriers does when it reads the clock often, or an assertion fails, it also does uncounted.
// RUN MOVING_BYTES_COUNT=1 => 0 0 wrong, no error[^$]* of them counted
// RUN MOVING_BYTES_COUNT=1 MOVING_BYTES_ASSERT=return => 0 0 wrong, device-side assert triggered[^$]*thread: \[60,0,0\]
namespace repeats_clock {
constexpr int threads = 64, repeats = 20;
__global__ void reverse(int* values, long long* elapsed)
{
    __shared__ int buffer[threads];
    const long long begin = clock64();
    buffer[threadIdx.x] = values[threadIdx.x];
    __syncthreads();
    for (int i = 0; i < 100; ++i) elapsed[threadIdx.x] = clock64() - begin;
    values[threadIdx.x] = buffer[threads - 1 - threadIdx.x];
}
__global__ void check(int limit)
{
    __syncthreads();
    assert(threadIdx.x < limit);
    __syncthreads();
}
int run()
{
    int* values;
    long long* elapsed;
    cudaMallocManaged(&values, threads * sizeof *values);
    cudaMallocManaged(&elapsed, threads * sizeof *elapsed);
    for (int i = 0; i < threads; ++i) values[i] = i;
    for (int i = 0; i < repeats; ++i) reverse<<<1, threads>>>(values, elapsed);
    cudaDeviceSynchronize();
    int wrong = 0;
    for (int i = 0; i < threads; ++i) wrong += values[i] != i || elapsed[i] <= 0;
    for (int i = 0; i < repeats && std::getenv("MOVING_BYTES_ASSERT"); ++i) check<<<1, threads>>>(i < 10 ? threads : 60);
    printf("%d wrong, %s\n", wrong, cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
} // namespace repeats_clock

// CASE library_call
// The first call of a library that would compute ends the program with a sentence.
// RUN => 4 before[^$]*faults\.cu:@library_call: cublasSgemm\(\) computes on a GPU only
namespace library_call {
#define CHECK(call) do { if ((call) != CUBLAS_STATUS_SUCCESS) { puts("error"); return 1; } } while (0)
int run()
{
    cublasHandle_t handle;
    CHECK(cublasCreate(&handle));
    float *a, one = 1;
    cudaMalloc(&a, 4 * sizeof(float));
    puts("before");
    fflush(stdout);
    CHECK(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, a, 2, a, 2, &one, a, 2)); // @library_call
    return 0;
}
} // namespace library_call

int main(int, char** argv)
{
    const std::map<std::string, int (*)()> cases{
        {"host_uses_freed", host_uses_freed::run},
        {"mask_without_self", mask_without_self::run},
        {"past_an_array", past_an_array::run},
        {"host_overrun", host_overrun::run},
        {"host_stack_overflow", host_stack_overflow::run},
        {"device_heap_host", device_heap_host::run},
        {"device_heap_overrun", device_heap_overrun::run},
        {"device_heap_twice", device_heap_twice::run},
        {"waits_for_host", waits_for_host::run},
        {"waits_for_later_block", waits_for_later_block::run},
        {"waits_for_peer", waits_for_peer::run},
        {"grid_without_threads", grid_without_threads::run},
        {"partial_barrier", partial_barrier::run},
        {"assert_returns", assert_returns::run},
        {"assert_returns_grid", assert_returns_grid::run},
        {"repeats_clock", repeats_clock::run},
        {"library_call", library_call::run},
    };
    return cases.at(argv[1])();
}
