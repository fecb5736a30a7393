// What ends a program: faults of its kernels and of its host, kernels that wait for ever, assertions.
#include <cassert>
#include <cooperative_groups.h>
#include <cstdlib>
#include <cublas_v2.h>
#include <sys/resource.h>
#include <unistd.h>
#include "cases.hpp"

// CASE host_uses_freed
// What the host may use, it may not use any longer: not the advice that device memory gets.
// RUN => 6 Host code at faults\.cu:@host_uses_freed reads from memory inside freed allocation 1 \(400 bytes\)\.\n
CASE(host_uses_freed)
{
    int* x;
    cudaMallocHost(&x, 400);
    cudaFreeHost(x);
    std::printf("%d\n", x[3]); // @host_uses_freed
}

// CASE mask_without_self
// A lane that passes a mask in which it is not.
// RUN => 6 thread \(16, 0, 0\): passes the mask 0x0000ffff to the warp-wide operation at faults\.cu:@mask_without_self, but is lane 16, which is not in it
__global__ void k(int* x) { x[threadIdx.x] = __shfl_xor_sync(0xffff, x[threadIdx.x], 1); } // @mask_without_self
CASE(mask_without_self)
{
    k<<<1, 32>>>(uninitialized<int>(32));
}

// CASE past_an_array
// The array that an access is meant for is the one that its instruction used before, and the lines of both are told.
// RUN => 6 reads 8 bytes at 0x[0-9a-f]+, \d+ bytes past the end of allocation 1 \(400000 bytes\)\. The access is at faults\.cu:@past_an_array; allocation 1 was made at faults\.cu:@the_array\.\n
__global__ void get(float** v, float* o, int s) {
    o[threadIdx.x] = v[threadIdx.x * s] != nullptr; // @past_an_array
}
CASE(past_an_array)
{
    float **v, *o, *other;
    cudaMalloc(&v, 400000); cudaMalloc(&other, 8192); cudaMalloc(&o, 4096); // @the_array
    cudaMemset(v, 0, 400000);
    get<<<1, 256>>>(v, o, 1 << 19);
}

// CASE host_overrun
// SLOW
// A copy that is larger than the host's array: the host's own fault is told, and ends the program as it does elsewhere.
// RUN => -11 Host code (reads from|uses) 0x[0-9a-f]+, where the program has no memory
CASE(host_overrun)
{
    const size_t bytes = size_t{1} << 30;
    cudaMemcpy(uninitialized<char>(bytes), malloc(1), bytes, cudaMemcpyHostToDevice);
}

// CASE host_stack_overflow
// A local array of the host that its stack cannot hold.
// RUN => -11 Host code (writes to|reads from|uses) 0x[0-9a-f]+, where the program has no memory: .* local array larger than the stack
__global__ void first(const int* x) { printf("%d\n", x[0]); }
__attribute__((noinline)) int sum_of(volatile int* x, int n)
{
    int sum = 0;
    for (int i = 0; i < n; ++i) sum += x[i] = i;
    return sum;
}
CASE(host_stack_overflow)
{
    constexpr int n = 1 << 26; // 256 MiB
    int numbers[n];
    printf("%d\n", sum_of(numbers, n));
    first<<<1, 1>>>(numbers);
}

// CASE fault_last
// What ran before is told first, and the fault where the eye is: at the end.
// RUN 2>&1 => 6 kernel +grid[^$]*\nfirst +1 +1 [^$]*\nkernel get [^$]*made at cases\.hpp:\d+\.\n$
CASE(fault_last)
{
    first<<<1, 1>>>(array<int>(1));
    get<<<1, 32>>>(array<float*>(32), array<float>(32), 1 << 19);
}

// CASE device_heap_host
// What a kernel allocated is out of the host's reach, as other device memory is.
// RUN => 6 value 5[^$]*Host code at faults\.cu:@device_heap_host reads from device memory, inside allocation \d+ \(4 bytes\); the host cannot reach it
__global__ void create(int** kept) { *kept = new int(5); }
CASE(device_heap_host)
{
    int** kept = managed_array<int*>(1);
    create<<<1, 1>>>(kept);
    cudaDeviceSynchronize();
    printf("value %d\n", downloaded(*kept, 1)[0]);
    printf("%d\n", **kept); // @device_heap_host
}

// CASE device_heap_overrun
// An index past what a kernel allocated.
// RUN => 6 kernel overrun .*writes 4 bytes at .*past the end of allocation 1 \(16 bytes\)
__device__ int* kept;
__global__ void overrun(int n) { kept = new int[4]; for (int i = 0; i <= n; ++i) kept[i] = i; }
CASE(device_heap_overrun)
{
    overrun<<<1, 1>>>(4); cudaDeviceSynchronize();
}

// CASE device_heap_twice
// What is freed twice, and what the host frees for a kernel.
// RUN => 6 kernel drop .*frees inside freed allocation 1 \(8 bytes\)
__global__ void drop() { void* x = malloc(8); free(x); free(x); }
CASE(device_heap_twice)
{
    drop<<<1, 1>>>(); cudaDeviceSynchronize();
}

// CASE waits_for_host
// A kernel that waits for what the host writes after the launch.
// RUN MOVING_BYTES_PATIENCE=0.1 => 6 kernel wait_for .*at faults\.cu:@waits_for_host: .*waits for the host
namespace waits_for_host {
__global__ void wait_for(volatile unsigned* flag) { while (flag[0] < 1) {} } // @waits_for_host
CASE(waits_for_host)
{
    unsigned* flag;
    cudaMallocHost(&flag, sizeof *flag);
    *flag = 0;
    wait_for<<<1, 1>>>(flag);
    *flag = 1;
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
CASE(waits_for_later_block)
{
    wait_for<<<1000, 32>>>(array<int>(1));
}
} // namespace waits_for_later_block

// CASE waits_for_peer
// A kernel that waits for what a kernel of another device writes.
// RUN MOVING_BYTES_DEVICES=2 MOVING_BYTES_PATIENCE=0.1 => 6 kernel wait_for .*on device 0, .*at faults\.cu:@waits_for_peer: .*Kernels of several devices also run here one after the other.*an event of the other device
namespace waits_for_peer {
__global__ void wait_for(volatile int* flag)
{
    while (*flag == 0) // @waits_for_peer
        ;
}

__global__ void set(int* flag) { *flag = 1; }

CASE(waits_for_peer)
{
    int* flag = array<int>(1);
    wait_for<<<1, 1>>>(flag);
    cudaSetDevice(1);
    cudaDeviceEnablePeerAccess(0, 0);
    set<<<1, 1>>>(flag);
}
} // namespace waits_for_peer

// CASE grid_without_threads
// A cooperative launch for whose blocks the host has no threads, or no memory, ends with a sentence.
// RUN => 6 kernel wait .*each of the 132 needs a host thread, but the host has only \d+ \(.*\)\. Launch fewer
__global__ void wait() { cooperative_groups::this_grid().sync(); }
CASE(grid_without_threads)
{
    cudaFree(0);
    long pages = 0;
    FILE* const sizes = fopen("/proc/self/statm", "r");
    if (sizes == nullptr || fscanf(sizes, "%ld", &pages) != 1) return;
    rlimit limit{};
    getrlimit(RLIMIT_AS, &limit);
    limit.rlim_cur = pages * sysconf(_SC_PAGESIZE) + (rlim_t{1} << 30); // 1 GiB more than now
    if (setrlimit(RLIMIT_AS, &limit) != 0) return;
    cudaLaunchCooperativeKernel((void*)wait, dim3(132), dim3(32), nullptr, 0, 0);
}

// CASE partial_barrier
// Barriers that only some threads of a block reach: where the others have returned, a GPU lets it pass.
// RUN => 0 Warning:\s+kernel\s+some\s+\(launched\s+at\s+faults\.cu:@partial_launch\),\s+block\s+\(0,\s+0,\s+0\):[^.]*\sfaults\.cu:@partial_barrier,
// RUN WITHOUT=return => 0 (?s)\A(?!.*Warning)
// RUN BOTH=1 => 6 kernel both .*block \(0, 0, 0\).* faults\.cu:@first_half, .* faults\.cu:@second_half
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
CASE(partial_barrier)
{
    if (std::getenv("BOTH"))
        both<<<1, 256>>>();
    else
        some<<<1, 256>>>(std::getenv("WITHOUT") ? 256 : 7); // @partial_launch
}

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
CASE(assert_returns)
{
    check<<<2, 32>>>(60);
    const cudaError_t first = cudaDeviceSynchronize();
    check<<<1, 32>>>(60);
    printf("%s, then %s\n", cudaGetErrorString(first), cudaGetErrorString(cudaDeviceSynchronize()));
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
CASE(assert_returns_grid)
{
    int n = 100;
    void* arguments[] = {&n};
    cudaLaunchCooperativeKernel((void*)check, dim3(4), dim3(32), arguments, 0, 0);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
} // namespace assert_returns_grid

// CASE repeats_clock
// What a kernel with barriers does when it reads the clock often, or an assertion fails, it also does uncounted.
// RUN MOVING_BYTES_COUNT=1 => 0 \A0 wrong, no error[^$]* of them counted
// RUN MOVING_BYTES_COUNT=1 MOVING_BYTES_ASSERT=return => 0 \A0 wrong, device-side assert triggered[^$]*thread: \[60,0,0\]
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
CASE(repeats_clock)
{
    int* values = managed_array<int>(threads);
    long long* elapsed = managed_array<long long>(threads);
    for (int i = 0; i < threads; ++i) values[i] = i;
    for (int i = 0; i < repeats; ++i) reverse<<<1, threads>>>(values, elapsed);
    cudaDeviceSynchronize();
    int wrong = 0;
    for (int i = 0; i < threads; ++i) wrong += values[i] != i || elapsed[i] <= 0;
    for (int i = 0; i < repeats && std::getenv("MOVING_BYTES_ASSERT"); ++i) check<<<1, threads>>>(i < 10 ? threads : 60);
    printf("%d wrong, %s\n", wrong, cudaGetErrorString(cudaDeviceSynchronize()));
}
} // namespace repeats_clock

// CASE library_call
// The first call of a library that would compute ends the program with a sentence.
// RUN => 4 before[^$]*faults\.cu:@library_call: cublasSgemm\(\) runs on a GPU only
#define CHECK(call) do { if ((call) != CUBLAS_STATUS_SUCCESS) { puts("error"); return; } } while (0)
CASE(library_call)
{
    cublasHandle_t handle;
    CHECK(cublasCreate(&handle));
    float *a = uninitialized<float>(4), one = 1;
    puts("before");
    fflush(stdout);
    CHECK(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, a, 2, a, 2, &one, a, 2)); // @library_call
}

// CASE pointer_never_written
// A table of pointers that nobody has filled, read by a kernel.
// RUN => 6 writes 4 bytes at 0xfffa5a5afffa5a5a, an uninitialized pointer: unwritten memory holds 0xfffa5a5a in each word\. The access is at faults\.cu:@pointer_never_written\.\n
__global__ void through_table(float** pointers) { *pointers[threadIdx.x] = 1; } // @pointer_never_written
CASE(pointer_never_written)
{
    through_table<<<1, 32>>>(uninitialized<float*>(32));
}

// CASE member_never_written
// The same of a pointer in a structure, with an index.
// RUN => 6 reads 8 bytes at 0xfffa5a5afffa5c5a, an uninitialized pointer: [^$]* access is at faults\.cu:@member_never_written\.\n
namespace member_never_written {
struct List { int n; double* values; };
__global__ void sum(const List* list, double* out) { *out = list->values[64]; } // @member_never_written
CASE(member_never_written)
{
    List* list = uninitialized<List>(1);
    cudaMemset(list, 0, sizeof(int));
    sum<<<1, 1>>>(list, uninitialized<double>(1));
}
} // namespace member_never_written

// CASE failed_allocation
// A call fails, nobody looks, and a kernel faults because of it: the call is told with its line.
// RUN => 6 writes 4 bytes at 0x[0-9a-f]+, (\d+ bytes after )?a null pointer\. The access is at [^$]* Before that, the call at faults\.cu:@failed_allocation returned cudaErrorMemoryAllocation \(out of memory\), which the program did not check\.\n
__global__ void fill_ones(float* x) { x[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
CASE(failed_allocation)
{
    float* x = nullptr;
    cudaMalloc(&x, size_t{1} << 50); // @failed_allocation
    fill_ones<<<4, 256>>>(x);
}

// CASE failed_copy
// The same of a copy in the wrong direction, whose pointers the kernel then follows.
// RUN => 6 an uninitialized pointer: [^$]* Before that, the call at faults\.cu:@failed_copy returned cudaErrorInvalidValue \(invalid argument: the copy's direction
CASE(failed_copy)
{
    float **pointers = uninitialized<float*>(32), *x = uninitialized<float>(32), *host[32];
    for (int i = 0; i < 32; ++i) host[i] = x + i;
    cudaMemcpy(pointers, host, sizeof host, cudaMemcpyDeviceToHost); // @failed_copy
    through_table<<<1, 32>>>(pointers);
}

// CASE error_that_was_read
// An error that the program has asked for is no news.
// RUN => 6 (?s)\A(?!.*Before that).*a null pointer
CASE(error_that_was_read)
{
    float* x = nullptr;
    cudaMalloc(&x, size_t{1} << 50);
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    fill_ones<<<4, 256>>>(x);
}

// CASE misaligned_word
// RUN => 6 thread \(1, 0, 0\): reads 4 bytes at 0x[0-9a-f]+3, a misaligned address: it must be a multiple of 4\. The access is at faults\.cu:@misaligned_word\.\n
__global__ void words(const char* text, unsigned* out) { out[threadIdx.x] = *(const unsigned*)(text + 3 * threadIdx.x); } // @misaligned_word
CASE(misaligned_word)
{
    words<<<1, 32>>>(array<char>(128), uninitialized<unsigned>(32));
}

// CASE dynamic_overrun
// RUN => 6 thread \(32, 0, 0\): writes 4 bytes at 0x[0-9a-f]+, just past the end of the block's dynamic shared memory \(128 bytes, the third launch parameter\)\. The access is at faults\.cu:@dynamic_overrun\.\n
__global__ void fill_tile(int* out)
{
    extern __shared__ int tile[];
    tile[threadIdx.x] = threadIdx.x; // @dynamic_overrun
    __syncthreads();
    out[threadIdx.x] = tile[63 - threadIdx.x];
}
CASE(dynamic_overrun)
{
    fill_tile<<<1, 64, 32 * sizeof(int)>>>(uninitialized<int>(64));
}

// CASE wrapped_before
// A product of 32 bits that wraps around lies far before the array,
// RUN => 6 bytes before the start of allocation 1 \(\d+ bytes\): did a 32-bit index wrap around\? The access is at faults\.cu:@wrapped
__global__ void at_product(float* x, int row, int columns) { x[row * columns] = 1; } // @wrapped
CASE(wrapped_before)
{
    at_product<<<1, 1>>>(uninitialized<float>(1 << 18), 40'000, 60'000);
}

// CASE wrapped_past
// and a difference below zero far behind it.
// RUN => 6 bytes past the end of allocation 1 \(\d+ bytes\): did a 32-bit index wrap around\? The access is at faults\.cu:@left_of
__global__ void left_of(float* x, unsigned i) { x[i - 1] = 1; } // @left_of
CASE(wrapped_past)
{
    left_of<<<1, 1>>>(uninitialized<float>(1 << 18), 0);
}

// CASE local_array_for_long
// SLOW
// A thread that uses only its own array for seconds computes: it waits for nobody.
// RUN MOVING_BYTES_PATIENCE=1 => 0 (?s)\A(?!.*same addresses).*no error
__global__ void polynomial(const float* x, float* y, int n)
{
    float c[8], sum = 0;
    for (int k = 0; k < 8; ++k) c[k] = x[k];
    for (int i = 0; i < n; ++i) sum = sum * c[i & 7] + c[(i + 1) & 7];
    *y = sum;
}
CASE(local_array_for_long) { polynomial<<<1, 1>>>(array<float>(8), uninitialized<float>(1), 20'000'000); }

// CASE polls_many_addresses
// Threads that go round many cells until others have written them.
// RUN MOVING_BYTES_PATIENCE=0.5 => 6 kernel settle .* only the same addresses .*at faults\.cu:(@polls_many|@polls_next).*waits for another block
__global__ void settle(volatile int* state, int n)
{
    const int threads = gridDim.x * blockDim.x;
    bool again;
    do {
        again = false;
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads)
            if (state[i] == 0) { // @polls_many
                if (i + 1 == n || state[i + 1] != 0) state[i] = 1; // @polls_next
                else again = true;
            }
    } while (again);
}
CASE(polls_many_addresses)
{
    const int n = 13 * 64 * 32;
    settle<<<64, 32>>>(array<int>(n), n);
}

// CASE assertion_of_host
// What was found is told where the program ends by abort().
// RUN => -6 (?s)CPU device: 1 kernel launch.*Warning:\s+kernel\s+add_up\s.*which\s+has\s+not\s+been\s+written
__global__ void add_up(const int* x, int n, int* out)
{
    int s = 0;
    for (int i = 0; i < n; ++i) s += x[i];
    *out = s;
}
CASE(assertion_of_host)
{
    int* out = uninitialized<int>(1);
    add_up<<<1, 1>>>(uninitialized<int>(128), 128, out);
    assert(downloaded(out, 1)[0] == 64);
}

// CASE uncaught_exception
// The same of an exception that nobody catches.
// RUN => -6 (?s)CPU device: 1 kernel launch.*Warning: a runtime call at faults\.cu:@uncaught returned cudaErrorInvalidValue
CASE(uncaught_exception)
{
    float* x = uninitialized<float>(4 * 256);
    fill_ones<<<4, 256>>>(x);
    if (cudaMemcpy(x, nullptr, 4, cudaMemcpyHostToDevice) != cudaSuccess) // @uncaught
        throw 1;
}

// CASE read_past_the_end
// Thread 232 of block 3 is the first past 1000 floats. What the host has printed before is not lost.
// RUN => 6 (?s)\Abefore\n.*block \(3, 0, 0\), thread \(232, 0, 0\): reads 4 bytes at 0x[0-9a-f]+, just past the end of allocation 2 \(4000 bytes\)\.
__global__ void read_float(const float* in, float* out, unsigned bound)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < bound) *out = in[i];
}
CASE(read_past_the_end)
{
    float* out = uninitialized<float>(1);
    puts("before");
    read_float<<<4, 256>>>(uninitialized<float>(1000), out, 1001);
}

// CASE fault_behind_a_race
// What an earlier kernel did may be why a later one has a fault: the table and the warnings of those before are printed.
// RUN => 6 just past the end of allocation 1
// RUN => 6 (?s)clear_late +1 +64 .*Warning: kernel clear_late .*no\s+__syncthreads
__global__ void clear_late(float* out)
{
    __shared__ float values[64];
    values[threadIdx.x] = 1;
    out[threadIdx.x] = values[63 - threadIdx.x];
}
CASE(fault_behind_a_race)
{
    float* out = uninitialized<float>(64);
    clear_late<<<1, 64>>>(out);
    read_float<<<1, 128>>>(out, out, 65);
}

// CASE read_before_the_start
// RUN => 6 thread \(0, 0, 0\): reads 4 bytes at 0x[0-9a-f]+, 4 bytes before the start of allocation 2 \(4000 bytes\)\.
CASE(read_before_the_start)
{
    float* out = uninitialized<float>(1);
    read_float<<<1, 1>>>(uninitialized<float>(1000) - 1, out, 1);
}

// CASE one_byte_past_the_end
// RUN => 6 thread \(0, 0, 0\): writes 1 byte at 0x[0-9a-f]+, just past the end of allocation 1 \(100 bytes\)\.
__global__ void write_byte(char* out, int at) { out[at] = 1; }
CASE(one_byte_past_the_end) { write_byte<<<1, 1>>>(uninitialized<char>(100), 100); }

// CASE far_past_shared
// Row 100 is 12800 bytes into an array of 512.
// RUN => 6 thread \(0, 0, 0\): writes 4 bytes at 0x[0-9a-f]+, 12288 bytes past the end of __shared__ rows \(512 bytes\)\.
__global__ void write_far_past_shared(float* out, size_t row)
{
    __shared__ float rows[4][32];
    rows[row][threadIdx.x] = 1;
    out[threadIdx.x] = rows[0][threadIdx.x];
}
CASE(far_past_shared) { write_far_past_shared<<<1, 32>>>(uninitialized<float>(32), 100); }

// CASE constant_write
// RUN => 6 in a __constant__ variable: kernels can only read those; set them from the host with cudaMemcpyToSymbol\(\)\.
__constant__ char constants[16];
CASE(constant_write)
{
    void* address;
    cudaGetSymbolAddress(&address, constants);
    write_byte<<<1, 1>>>(static_cast<char*>(address), 0);
}

// CASE host_stack
// RUN => 6 writes 1 byte at 0x[0-9a-f]+, host memory that is neither pinned nor managed\.
CASE(host_stack)
{
    char local[4];
    write_byte<<<1, 1>>>(local, 0);
    printf("%d\n", local[0]);
}

// CASE misaligned_vector
// RUN => 6 thread \(0, 0, 0\): reads 16 bytes at 0x[0-9a-f]+, a misaligned address: it must be a multiple of 16\.
__global__ void copy_vectors(const float4* in, float4* out) { out[threadIdx.x] = in[threadIdx.x]; }
CASE(misaligned_vector)
{
    float* x = uninitialized<float>(1000);
    copy_vectors<<<1, 32>>>(reinterpret_cast<float4*>(x + 1), reinterpret_cast<float4*>(x + 512));
}

// CASE peer_in_the_other_direction
// RUN MOVING_BYTES_DEVICES=2 => 6 inside allocation 1 \(100 bytes\) of device 1\. The kernel runs on device 0, which has no access to that memory
char* memory_of_device_1()
{
    cudaSetDevice(1);
    char* const memory = uninitialized<char>(100);
    cudaDeviceEnablePeerAccess(0, 0);
    cudaSetDevice(0);
    return memory;
}
CASE(peer_in_the_other_direction) { write_byte<<<1, 1>>>(memory_of_device_1(), 0); }

// CASE peer_access_that_ended
// RUN MOVING_BYTES_DEVICES=2 => 6 launched at faults\.cu:@access_ended\) .* of device 1\. The kernel runs on device 0, which has no access to that memory
CASE(peer_access_that_ended)
{
    char* const memory = memory_of_device_1();
    cudaDeviceEnablePeerAccess(1, 0);
    write_byte<<<1, 1>>>(memory, 0);
    cudaDeviceDisablePeerAccess(1);
    write_byte<<<1, 1>>>(memory, 0); // @access_ended
}

// CASE peer_past_the_end
// RUN MOVING_BYTES_DEVICES=2 => 6 just past the end of allocation 1 \(100 bytes\)
CASE(peer_past_the_end)
{
    char* const memory = memory_of_device_1();
    cudaDeviceEnablePeerAccess(1, 0);
    write_byte<<<1, 1>>>(memory, 100);
}

// CASE warp_at_a_barrier
// RUN => 6 thread \(0, 0, 0\) and 30 others wait in the warp-wide operation at faults\.cu:@shuffles with the mask 0xffffffff, but thread \(5, 0, 0\) waits at the barrier at faults\.cu:@thread_5
__global__ void barrier_of_thread_5(int* out)
{
    if (threadIdx.x == 5)
        __syncthreads(); // @thread_5
    else
        out[threadIdx.x] = __shfl_sync(0xffffffff, 1, 0); // @shuffles
}
CASE(warp_at_a_barrier) { barrier_of_thread_5<<<1, 32>>>(uninitialized<int>(32)); }

// CASE stack_overflow
// RUN => 6 kernel recurse_deeply .*stack overflow: a thread has 256 KiB of local memory
__attribute__((noinline)) __device__ int recurse(volatile int* above, int depth)
{
    volatile int here[256];
    here[depth % 256] = *above;
    return depth == 0 ? 0 : recurse(here, depth - 1) + here[depth % 256];
}
__global__ void recurse_deeply(int* out, int depth)
{
    volatile int first = 1;
    *out = recurse(&first, depth);
}
CASE(stack_overflow) { recurse_deeply<<<1, 1>>>(uninitialized<int>(1), 1000); }

// CASE division_by_zero
// RUN => 6 kernel divide .*divides an integer by zero\.
__global__ void divide(int* out, int by) { *out = 100 / by; }
CASE(division_by_zero) { divide<<<1, 1>>>(uninitialized<int>(1), 0); }

// CASE limits_of_a_block
// A launch that no GPU accepts is an error of CUDA, and the limit is told.
// RUN => 0 \A(cudaErrorInvalid\w+\n){3}cudaSuccess\n
// RUN => 0 the launch of kernel write_byte requests 1025 threads per block; the limit is 1024\.
// RUN => 0 has 49664 bytes of static shared memory; the limit is 49152, and nvcc does not compile more\.
// RUN => 0 requests 49153 bytes of static and dynamic shared memory together; the limit is 49152\.
template<int floats>
__global__ void fill_static_shared(float* out)
{
    __shared__ float most[floats];
    __shared__ float rest[128];
    most[threadIdx.x] = rest[threadIdx.x] = 1;
    __syncthreads();
    out[threadIdx.x] = most[floats - 1 - threadIdx.x] + rest[127 - threadIdx.x];
}
__global__ void fill_both_shared(float* out)
{
    extern __shared__ float dynamic[];
    __shared__ float fixed[256];
    dynamic[threadIdx.x] = fixed[threadIdx.x] = 1;
    __syncthreads();
    out[threadIdx.x] = dynamic[31 - threadIdx.x] + fixed[31 - threadIdx.x];
}
CASE(limits_of_a_block)
{
    const auto tell = [] { puts(cudaGetErrorName(cudaGetLastError())); };
    float* out = uninitialized<float>(32);
    write_byte<<<1, 1025>>>(nullptr, 0), tell();
    fill_static_shared<12 * 1024><<<1, 32>>>(out), tell();
    fill_both_shared<<<1, 32, 48 * 1024 - 1023>>>(out), tell();
    fill_both_shared<<<1, 32, 48 * 1024 - 1024>>>(out), tell();
}

// CASE pitch_in_elements
// A pitch is in bytes. Added to a pointer to elements it steps too far, which a thread's own row shows: of its place in
// the grid, or of its block;
// RUN => past the end of allocation 1 \(307200 bytes\)\. Rows of that allocation are 1536 bytes apart, and this would be row \d+ if they were that many elements of 4 bytes apart: a pitch is in bytes\.[^$]*\(book/14_pitched_memory\.md\)\. The access is at faults\.cu:@own_row; allocation 1 was made at faults\.cu:@pitched\.
// RUN BLOCKS=200 => and this would be row \d+ if they were that many elements of 8 bytes apart[^$]* faults\.cu:@row_of_block;
// but not where a row too many is used, or the host copies rows that are wider than their pitch.
// RUN ROWS=201 => (?s)\A(?!.*a pitch is in bytes).* just past the end of allocation 1 .* faults\.cu:@right_row
// RUN WIDTH=1200 => 0 cudaErrorInvalidPitchValue \(invalid pitch argument: [^)]*width and pitches are in bytes, not in elements\)
__global__ void own_rows(float* m, std::size_t pitch)
{
    const unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    m[y * pitch + x] = 1; // @own_row
}
__global__ void rows_of_blocks(double* m, std::size_t pitch)
{
    double* row = m + blockIdx.x * pitch;
    row[threadIdx.x] = 1; // @row_of_block
}
__global__ void right_rows(float* m, std::size_t pitch)
{
    float* row = (float*)((char*)m + blockIdx.x * pitch);
    row[threadIdx.x] = 1; // @right_row
}
CASE(pitch_in_elements)
{
    void* m;
    std::size_t pitch;
    cudaMallocPitch(&m, &pitch, 1200, 200); // @pitched
    static char rows[1200 * 200];
    if (const char* width = std::getenv("WIDTH"))
        cudaMemcpy2D(m, pitch, rows, 300, std::atoi(width), 200, cudaMemcpyHostToDevice);
    else if (const char* blocks = std::getenv("BLOCKS"))
        rows_of_blocks<<<std::atoi(blocks), 150>>>((double*)m, pitch);
    else if (const char* too_many = std::getenv("ROWS"))
        right_rows<<<std::atoi(too_many), 300>>>((float*)m, pitch);
    else
        own_rows<<<dim3(10, 25), dim3(30, 8)>>>((float*)m, pitch);
}

// CASE host_frees_device
// free() looks at what is before the memory that it is given.
// RUN => 6 Host code at faults\.cu:@host_frees_device reads from memory \d+ bytes before the start of allocation 1 \(128 bytes\)\. Does it free\(\) that\? cudaFree\(\) frees
CASE(host_frees_device)
{
    std::free(uninitialized<int>(32)); // @host_frees_device
    std::puts("freed");
}

// CASE table_of_rows
// cudaMalloc() writes to where the host cannot: the rows of a table in device memory.
// RUN => 6 Host code at faults\.cu:@table_of_rows writes to device memory, inside allocation 1 \(128 bytes\)
CASE(table_of_rows)
{
    float** rows = uninitialized<float*>(16);
    for (int i = 0; i < 16; ++i) cudaMalloc(&rows[i], 64); // @table_of_rows
}

// CASE grid_barrier_in_plain_launch
// RUN => 6 kernel two_phases .*: grid\.sync\(\) at faults\.cu:@plain_grid_barrier in a launch that is not cooperative: .*Launch the kernel by cudaLaunchCooperativeKernel\(\)\.\n
__global__ void two_phases(int* x)
{
    x[blockIdx.x] = 1;
    cooperative_groups::this_grid().sync(); // @plain_grid_barrier
    x[blockIdx.x] += x[(blockIdx.x + 1) % gridDim.x];
}
CASE(grid_barrier_in_plain_launch)
{
    two_phases<<<4, 32>>>(uninitialized<int>(4));
}

// CASE launch_bounds
// Blocks as large as __launch_bounds__ allow, wherever that stands, and then larger ones.
// RUN => 6 \(launched at faults\.cu:@too_large\), .*: the kernel is launched in blocks of 96 threads, but its __launch_bounds__ allow 64: a GPU does not run it
namespace bounds {
template<int threads>
__global__ void __launch_bounds__(threads < 64 ? 64
                                               : threads, 2) of_template(int* x) { x[threadIdx.x] = 1; }
__global__ __launch_bounds__(64) void in_front(int* x) { x[threadIdx.x] = 1; }
CASE(launch_bounds)
{
    int* x = array<int>(1024);
    of_template<32><<<1, 64>>>(x);
    of_template<96><<<1, 96>>>(x);
    in_front<<<1, dim3(8, 8)>>>(x);
    in_front<<<1, dim3(8, 12)>>>(x); // @too_large
}
} // namespace bounds

// CASE waits_at_variable
// RUN MOVING_BYTES_PATIENCE=0.1 => 6 kernel until_all_came .*at faults\.cu:@waits_at_variable: the last is a __device__ variable\. It probably waits for another block
__device__ int arrived;
__global__ void until_all_came()
{
    atomicAdd(&arrived, 1);
    while (atomicAdd(&arrived, 0) < gridDim.x) {} // @waits_at_variable
}
CASE(waits_at_variable)
{
    until_all_came<<<1000, 1>>>();
}
