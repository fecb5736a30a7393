// What the host's calls cost, and what the host does before a GPU is done: for each a program, and how it should be.
#include <cstdlib>
#include "cases.hpp"

constexpr int n = 1 << 22, bytes = n * sizeof(float);

/// n floats of managed memory that nobody has touched.
float* untouched()
{
    float* x;
    cudaMallocManaged(&x, bytes);
    return x;
}
/// n floats of pinned memory.
float* pinned_floats()
{
    float* x;
    cudaMallocHost(&x, bytes);
    return x;
}
cudaStream_t made(unsigned flags = cudaStreamDefault)
{
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, flags);
    return stream;
}
cudaEvent_t made_event()
{
    cudaEvent_t event;
    cudaEventCreate(&event);
    return event;
}

__global__ void twice(float* x)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    x[i] = 2 * x[i] + 1;
}
__global__ void add(const float* a, float* b)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    b[i] += a[i];
}
void launch(float* x, cudaStream_t stream = nullptr)
{
    twice<<<n / 256, 256, 0, stream>>>(x); // @launch
}

// CASE shared_with_kernel
// Host and kernel may use the same memory at the same time by atomics.
// RUN => 0 (?s)\A(?!.*the\s+host\s+uses).*shared 512
__global__ void add_ones(int* x) { atomicAdd_system(x, 1); }
CASE(shared_with_kernel)
{
    int* const x = managed_array<int>(1);
    add_ones<<<1, 256>>>(x);
    for (int i = 0; i < 256; ++i) __atomic_fetch_add(x, 1, __ATOMIC_SEQ_CST);
    cudaDeviceSynchronize();
    printf("shared %d\n", *x);
}

// CASE managed
// Pages that the host touched last, and a kernel faults in.
// RUN => 0 (?s)twice\s+at\s+host_part\.cu:@launch\s+waits\s+for\s+page\s+faults:\s+16\.0\s+MiB\s+of\s+managed.*book/13_prefetch
CASE(managed)
{
    float* x = untouched();
    for (int i = 0; i < n; ++i) x[i] = 1;
    launch(x);
    cudaDeviceSynchronize();
    printf("%f\n", x[n - 1]);
}

// CASE managed_halves
// The same of two arrays, of one of which the host has filled a half.
// RUN => 0 (?s)add\s+at\s+host_part\.cu:@managed_halves\s+waits\s+for\s+page\s+faults:\s+2[4-6]\.\d\s+MiB\s+of\s+managed
CASE(managed_halves)
{
    float *a = untouched(), *b = untouched();
    memset(a, 0, bytes / 2);
    memset(b, 0, bytes);
    add<<<n / 256, 256>>>(a, b); // @managed_halves
}

// CASE managed_prefetched
// RUN => 0 (?s)\A(?!.*page\s+faults)(?!.*Warning).*twice
CASE(managed_prefetched)
{
    float* x = untouched();
    for (int i = 0; i < n; ++i) x[i] = 1;
    cudaMemPrefetchAsync(x, bytes, cudaMemLocation{cudaMemLocationTypeDevice, 0}, 0, nullptr);
    launch(x);
    launch(x);
    cudaDeviceSynchronize();
    printf("%f\n", x[n - 1]);
}

// CASE managed_by_kernels
// What kernels alone have touched is with the device.
// RUN => 0 (?s)\A(?!.*page\s+faults)(?!.*Warning).*twice
CASE(managed_by_kernels)
{
    float* x = untouched();
    cudaMemset(x, 0, bytes);
    for (int k = 0; k < 3; ++k) launch(x);
}

// CASE read_at_once
// The host reads what a kernel has been launched to write.
// RUN => 0 (?s)Warning:\s+the\s+host\s+uses\s+byte\s+4\s+of\s+allocation\s+1\s+at\s+host_part\.cu:@read_at_once,\s+which\s+kernel\s+twice\s+\(launched\s+at\s+host_part\.cu:@launch\)\s+writes
CASE(read_at_once)
{
    float* x = untouched();
    launch(x);
    printf("%f\n", x[1]); // @read_at_once
}

// CASE overwritten_at_once
// The host prepares the next input before the kernel has read this one.
// RUN => 0 (?s)Warning:\s+the\s+host\s+overwrites\s+byte\s+0\s+of\s+allocation\s+1\s+at\s+host_part\.cu:@overwritten_at_once,\s+which\s+kernel\s+add\s.*reads
CASE(overwritten_at_once)
{
    float *a = untouched(), *b = array<float>(n);
    for (int i = 0; i < n; ++i) a[i] = 1;
    add<<<n / 256, 256>>>(a, b);
    float sum = a[0]; // both read it
    for (int i = 0; i < n; ++i) a[i] = 2; // @overwritten_at_once
    cudaDeviceSynchronize();
    printf("%f\n", sum);
}

// CASE copied_and_read
// The result of an asynchronous copy, read before it has come.
// RUN => 0 (?s)Warning:\s+the\s+host\s+uses\s+byte\s+8\s+of\s+allocation\s+1\s+at\s+host_part\.cu:@copied_and_read,\s+which\s+the\s+copy\s+queued\s+at\s+host_part\.cu:@copied\s+writes
CASE(copied_and_read)
{
    float *host = pinned_floats(), *x = array<float>(n);
    cudaMemcpyAsync(host, x, bytes, cudaMemcpyDeviceToHost); // @copied
    printf("%f\n", host[2]); // @copied_and_read
}

// CASE refilled_at_once
// A buffer that is filled again while it is copied.
// RUN => 0 (?s)Warning:\s+the\s+host\s+overwrites\s+byte\s+0\s+of\s+allocation\s+1\s+at\s+host_part\.cu:@refilled,\s+which\s+the\s+copy\s+queued\s+at\s+host_part\.cu:@copied_in\s+reads
CASE(refilled_at_once)
{
    float *host = pinned_floats(), *x = uninitialized<float>(n);
    for (int part = 0; part < 2; ++part) {
        for (int i = 0; i < n; ++i) host[i] = part; // @refilled
        cudaMemcpyAsync(x, host, bytes, cudaMemcpyHostToDevice); // @copied_in
        launch(x);
    }
}

// CASE waited_for
// All ways to wait are good, and so is what the work does not use.
// RUN => 0 (?s)\A(?!.*Warning)(?!.*pageable\s+memory)(?!.*measures\s+nothing)(?!.*is\s+called\s+before).*twice
void say(void* x) { printf("%f\n", *static_cast<float*>(x)); }
CASE(waited_for)
{
    float *m = untouched(), *other = untouched(), *host = pinned_floats(), *x = array<float>(n);
    const cudaStream_t stream = made();
    const cudaEvent_t begin = made_event(), end = made_event();
    launch(m);
    other[0] = 1;
    cudaDeviceSynchronize();
    printf("%f\n", m[0]);
    launch(m, stream);
    cudaStreamSynchronize(stream);
    printf("%f\n", m[0]);
    cudaEventRecord(begin, stream);
    launch(m, stream);
    cudaEventRecord(end, stream);
    while (cudaEventQuery(end) != cudaSuccess) {}
    float ms;
    cudaEventElapsedTime(&ms, begin, end);
    printf("%f\n", m[0]);
    launch(m, stream);
    cudaLaunchHostFunc(stream, say, m);
    cudaStreamSynchronize(stream);
    cudaMemcpy(host, x, bytes, cudaMemcpyDeviceToHost);
    printf("%f\n", host[0]);
    cudaMemcpyAsync(host, x, 4, cudaMemcpyDeviceToHost, stream);
    printf("%f\n", host[1]);
    cudaMemcpyAsync(host, x, bytes, cudaMemcpyDeviceToHost, stream);
    cudaFree(x);
    printf("%f\n", host[0]);
}

// CASE pageable
// Asynchronous copies from memory that is not pinned.
// RUN => 0 (?s)cudaMemcpyAsync\(\)\s+at\s+host_part\.cu:@pageable\s+copies\s+16\.0\s+MiB\s+of\s+pageable\s+memory.*\(and\s+so\s+do\s+3\s+others\).*book/10_pinned
void in_two_streams(float* host, bool in_turn = false)
{
    float* const x[] = {uninitialized<float>(n), uninitialized<float>(n)};
    const cudaStream_t stream[] = {made(), made()};
    for (int p = 0; p < 2; ++p) {
        cudaMemcpyAsync(x[p], host + p * n, bytes, cudaMemcpyHostToDevice, stream[p]); // @pageable
        launch(x[p], stream[p]);
        cudaMemcpyAsync(host + p * n, x[p], bytes, cudaMemcpyDeviceToHost, stream[p]);
        if (in_turn) cudaDeviceSynchronize(); // @in_turn
    }
    cudaDeviceSynchronize();
    printf("%f\n", host[n]);
}
CASE(pageable)
{
    std::vector<float> host(2 * n, 1);
    in_two_streams(host.data());
}

// CASE pinned
// RUN => 0 (?s)\A(?!.*pageable\s+memory)(?!.*Warning)(?!.*for\s+each\s+stream).*Copies\s+take\s+longer\s+than\s+the\s+kernels:\s+64\.0\s+MiB
// RUN IN_TURN=1 => 0 (?s)The\s+host\s+waits\s+at\s+host_part\.cu:@in_turn\s+for\s+each\s+stream\s+before.*book/04_async_memcpy
CASE(pinned)
{
    float* host;
    cudaMallocHost(&host, 2 * bytes);
    for (int i = 0; i < 2 * n; ++i) host[i] = 1;
    in_two_streams(host, std::getenv("IN_TURN") != nullptr);
}

// CASE registered
// RUN => 0 (?s)\A(?!.*pageable\s+memory)(?!.*Warning).*Copies\s+take\s+longer
CASE(registered)
{
    std::vector<float> host(2 * n, 1);
    cudaHostRegister(host.data(), 2 * bytes, 0);
    in_two_streams(host.data());
    cudaHostUnregister(host.data());
}

// CASE row_by_row
// A copy for each row.
// RUN => 0 (?s)256\s+copies\s+of\s+1\.0\s+KiB\s+each\s+on\s+average\s+at\s+host_part\.cu:@row_by_row\s+take.*book/14_pitched
CASE(row_by_row)
{
    std::vector<float> host(256 * 256, 1);
    float* x = array<float>(n);
    for (int row = 0; row < 256; ++row)
        cudaMemcpy(x + row * 512, &host[row * 256], 1024, cudaMemcpyHostToDevice); // @row_by_row
    launch(x);
}

// CASE rows_at_once
// RUN => 0 (?s)\A(?!.*copies\s+of).*twice
CASE(rows_at_once)
{
    std::vector<float> host(256 * 256, 1);
    float* x = array<float>(n);
    cudaMemcpy2D(x, 2048, host.data(), 1024, 1024, 256, cudaMemcpyHostToDevice);
    launch(x);
}

// CASE result_of_each_kernel
// Copies of which each brings what another kernel has computed.
// RUN => 0 (?s)\A(?!.*pack\s+the\s+data).*waits\s+for\s+a\s+kernel\s+100\s+times,\s+as\s+at\s+host_part\.cu:@each_result.*book/37_small_kernels
CASE(result_of_each_kernel)
{
    float *x = array<float>(256), first;
    for (int i = 0; i < 100; ++i) {
        twice<<<1, 256>>>(x);
        cudaMemcpy(&first, x, sizeof first, cudaMemcpyDeviceToHost); // @each_result
    }
}

// CASE waits_for_each_kernel
// The same by a call that synchronizes, and by one that frees memory.
// RUN => 0 (?s)waits\s+for\s+a\s+kernel\s+1[0-4]\d\s+times,\s+as\s+at\s+host_part\.cu:@each_free,.*cudaFree\(\)\s+at\s+host_part\.cu:@each_free\s+frees\s+memory\s+70\s+times.*unlocking\s+pages\s+takes\s+\d
CASE(waits_for_each_kernel)
{
    float* x = array<float>(256);
    for (int i = 0; i < 70; ++i) {
        twice<<<1, 256>>>(x);
        cudaDeviceSynchronize();
        float *y = uninitialized<float>(256), *host = pinned_floats();
        add<<<1, 256>>>(x, y);
        cudaFree(y); // @each_free
        cudaFreeHost(host);
    }
}

// CASE waits_for_all_kernels
// RUN => 0 (?s)\A(?!.*waits\s+for\s+a\s+kernel)(?!.*frees\s+memory).*twice
CASE(waits_for_all_kernels)
{
    float *x = array<float>(256), *y = array<float>(256);
    for (int i = 0; i < 70; ++i) {
        twice<<<1, 256>>>(x);
        add<<<1, 256>>>(x, y);
    }
    cudaDeviceSynchronize();
    cudaFree(y);
}

// CASE never_fetched
// What kernels have written stays on the device, or all of it but the first of their results.
// RUN FAULT=1 => 6 (?s)\A(?!.*No\s+call\s+copies).*twice
// RUN => 0 (?s)No\s+call\s+copies\s+what.*the\s+last\s+of\s+them\s+twice\s+at\s+host_part\.cu:@launch:.*book/00_introduction
CASE(never_fetched)
{
    launch(uploaded(std::vector<float>(n, 1)));
    if (std::getenv("FAULT")) launch(nullptr);
}

// CASE first_of_results
// RUN => 0 (?s)firsts\s+at\s+host_part\.cu:@firsts\s+writes\s+64\s+results,\s+one\s+per\s+block,\s+and\s+the\s+host\s+copies\s+only\s+the\s+first\s+at\s+
// RUN ALL=1 => 0 (?s)\A(?!.*one\s+per\s+block)(?!.*No\s+call\s+copies).*firsts
__global__ void firsts(const float* x, float* first)
{
    if (threadIdx.x == 0) first[blockIdx.x] = x[blockIdx.x * blockDim.x];
}
CASE(first_of_results)
{
    float* first = uninitialized<float>(64);
    firsts<<<64, 256>>>(uploaded(std::vector<float>(64 * 256, 1)), first); // @firsts
    printf("%f\n", downloaded(first, std::getenv("ALL") ? 64 : 1)[0]);
}

// CASE copy_in_another_stream
// A kernel that does not wait for the copy of its input, and a copy that does not wait for the kernel.
// RUN => 0 twice\s+at\s+host_part\.cu:@launch\s+does\s+not\s+wait\s+for\s+the\s+copy\s+to\s+the\s+device\s+at\s+host_part\.cu:@feed
// RUN WAITS=1 => 0 (?s)the\s+copy\s+to\s+the\s+host\s+at\s+host_part\.cu:@fetch\s+does\s+not\s+wait\s+for\s+twice\s+at
// RUN WAITS=2 => 0 (?s)\A(?!.*does\s+not\s+wait).*twice
CASE(copy_in_another_stream)
{
    const int waits = std::getenv("WAITS") ? std::atoi(std::getenv("WAITS")) : 0;
    const cudaStream_t copies = made(), kernels = made();
    const cudaEvent_t event = made_event();
    float *host = pinned_floats(), *x = uninitialized<float>(n);
    memset(host, 0, bytes);
    const auto follows = [&](cudaStream_t from, cudaStream_t to, bool wanted) {
        cudaEventRecord(event, from);
        if (wanted) cudaStreamWaitEvent(to, event, 0);
    };
    cudaMemcpyAsync(x, host, bytes, cudaMemcpyHostToDevice, copies); // @feed
    follows(copies, kernels, waits > 0);
    launch(x, kernels);
    follows(kernels, copies, waits > 1);
    cudaMemcpyAsync(host, x, bytes, cudaMemcpyDeviceToHost, copies); // @fetch
    cudaDeviceSynchronize();
}

// CASE default_stream
// The legacy default stream between two others.
// RUN => 0 (?s)twice\s+at\s+host_part\.cu:@in_between\s+is\s+in\s+the\s+default\s+stream.*book/04_async_memcpy
void between(unsigned flags, cudaStream_t middle = nullptr)
{
    const cudaStream_t one = made(flags), other = made(flags);
    float *x = array<float>(n), *y = array<float>(n), *z = array<float>(n);
    cudaDeviceSynchronize();
    launch(x, one);
    twice<<<n / 256, 256, 0, middle>>>(y); // @in_between
    launch(z, other);
}
CASE(default_stream) { between(cudaStreamDefault); }

// CASE default_in_chains
// The same where each stream has work before and behind it.
// RUN => 0 (?s)twice\s+at\s+host_part\.cu:@in_chain\s+is\s+in\s+the\s+default\s+stream
CASE(default_in_chains)
{
    for (int k = 0; k < 2; ++k) {
        const cudaStream_t stream = made();
        float* x = array<float>(n);
        launch(x, stream);
        twice<<<n / 256, 256>>>(x); // @in_chain
        launch(x, stream);
    }
}

// CASE independent_streams
// RUN => 0 (?s)\A(?!.*default\s+stream).*twice
CASE(independent_streams) { between(cudaStreamNonBlocking); }

// CASE own_stream
// RUN => 0 (?s)\A(?!.*default\s+stream).*twice
CASE(own_stream) { between(cudaStreamDefault, made()); }

// CASE events_elsewhere
// Events in another stream than the work.
// RUN => 0 (?s)cudaEventElapsedTime\(\)\s+at\s+host_part\.cu:@elapsed\s+measures\s+nothing.*twice\s+at\s+host_part\.cu:@launch\s+runs\s+in\s+another
void time_launch(cudaStream_t work, cudaStream_t clock, bool waits = true)
{
    const cudaEvent_t begin = made_event(), end = made_event();
    float *x = array<float>(n), ms = 0;
    cudaDeviceSynchronize();
    cudaEventRecord(begin, clock);
    launch(x, work);
    cudaEventRecord(end, clock);
    if (waits) cudaEventSynchronize(end);
    cudaEventElapsedTime(&ms, begin, end); // @elapsed
}
CASE(events_elsewhere) { time_launch(made(cudaStreamNonBlocking), nullptr); }

// CASE events_of_another
// RUN => 0 (?s)cudaEventElapsedTime\(\)\s+at\s+host_part\.cu:@elapsed\s+measures\s+nothing
CASE(events_of_another) { time_launch(made(), made()); }

// CASE events_not_waited_for
// RUN => 0 (?s)cudaEventElapsedTime\(\)\s+at\s+host_part\.cu:@elapsed\s+is\s+called\s+before.*cudaErrorNotReady
CASE(events_not_waited_for) { time_launch(nullptr, nullptr, false); }

// CASE events_of_default
// The default stream waits for the others that are not independent, and its events with it.
// RUN => 0 (?s)\A(?!.*measures\s+nothing)(?!.*is\s+called\s+before).*twice
CASE(events_of_default)
{
    time_launch(made(), nullptr);
    const cudaStream_t own = made(cudaStreamNonBlocking);
    time_launch(own, own);
}
