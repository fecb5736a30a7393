// claim_power: What does a byte cost in energy, by whom it is moved?
//
// Each row is launched back to back for ten seconds. The columns have the time of a launch in the
// first 100 ms and in the last second, with the clocks then, and what the GPU says of the energy
// that all but the first second took. If a kernel that lasts is slower, the two times differ, and
// the time of the row, of single launches, is the first one. The row `spin` moves nothing: what it
// takes is not the bytes'.

#include "../../chapters/24_streams/stream.cuh"
#include "../../chapters/26_bulk_copy/add_float4.cuh"
#include "../../chapters/26_bulk_copy/copy_bulk.cuh"
#include "common/device/environment.hpp"
#include "common/device/statistics.hpp"

#include <algorithm>
#include <chrono>
#include <vector>

constexpr unsigned threads = 256;

__global__ void copy_words(const unsigned* a, unsigned* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i];
    }
}

// The same number of steps in every thread, of a generator that never comes to 0.
__global__ void spin(unsigned* c, unsigned steps)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    unsigned x = static_cast<unsigned>(i) + 1;
    for (unsigned step = 0; step < steps; ++step) {
        x = x * 1664525 + 1013904223;
    }
    c[i] = x;
}

unsigned spun(std::size_t i, unsigned steps)
{
    unsigned x = static_cast<unsigned>(i) + 1;
    for (unsigned step = 0; step < steps; ++step) {
        x = x * 1664525 + 1013904223;
    }
    return x;
}

struct Reading
{
    double first_ms = 0; // of a launch, in the first 100 ms
    double last_ms = 0;  // in the last second
    double watts = 0;    // of all but the first second, as is the energy
    double joules = 0;   // of a launch
    common::Clocks first;
    common::Clocks last;
};

double median(std::vector<double> of)
{
    std::sort(of.begin(), of.end());
    return of.empty() ? 0.0 : common::quantile(of, 0.5);
}

// Of `work`, launched back to back in turns of some 20 ms; zeros where the driver does not tell.
Reading read_meter(const common::Launch& work)
{
    constexpr double seconds = 10;
    const common::Stream stream;
    const common::Event start, stop;
    common::Clocks clocks;
    const auto turn = [&](int launches, bool asks) { // milliseconds of a launch
        start.record(stream);
        for (int i = 0; i < launches; ++i) {
            work(stream);
        }
        stop.record(stream);
        if (asks) { // while the GPU is busy; seldom, because it may wait for the answer
            clocks = common::current_clocks().value_or(common::Clocks{});
        }
        stream.synchronize();
        return stop.milliseconds_since(start) / launches;
    };
    turn(1, true);
    const int launches = std::clamp(static_cast<int>(20 / turn(1, false)), 1, 256);
    const auto begin = std::chrono::steady_clock::now();
    const auto elapsed = [begin] {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    };
    Reading reading;
    std::vector<double> first, last;
    std::size_t turns = 0; // behind the first second
    double warm = 0, joules = 0;
    for (double at = 0; at < seconds; at = elapsed()) {
        if (warm == 0 && at >= 1) {
            joules = common::energy_so_far().value_or(0);
            warm = elapsed();
        }
        const double ms = turn(launches, first.empty() || at > seconds - 0.1);
        turns += warm > 0 ? 1 : 0;
        if (at < 0.1) {
            first.push_back(ms);
            reading.first = clocks;
        } else if (at > seconds - 1) {
            last.push_back(ms);
        }
    }
    const double end = elapsed();
    joules = common::energy_so_far().value_or(joules) - joules;
    reading.watts = joules / (end - warm);
    reading.joules = joules / static_cast<double>(turns) / launches;
    reading.first_ms = median(first);
    reading.last_ms = median(last);
    reading.last = clocks;
    return reading;
}

void run(common::Chapter& chapter, common::Problem& p, common::Variant row, const char* from,
         const common::Launch& work)
{
    Reading reading;
    row.columns = {{"memory", from},
                   {"watts", [&] { return reading.watts; }},
                   {"pj_per_byte",
                    [&] {
                        return p.bytes() == 0
                                   ? 0.0
                                   : reading.joules * 1e12 / static_cast<double>(p.bytes());
                    }},
                   {"first_ms", [&] { return reading.first_ms; }},
                   {"last_ms", [&] { return reading.last_ms; }},
                   {"first_sm_mhz", [&] { return reading.first.sm_mhz; }},
                   {"sm_mhz", [&] { return reading.last.sm_mhz; }},
                   {"memory_mhz", [&] { return reading.last.memory_mhz; }}};
    row.setup = [&] {
        if (common::backend() == common::Backend::gpu) {
            p.poison();
            reading = read_meter(work);
        }
    };
    row.threads() > 0 ? chapter.run(row, p, work) : chapter.run_library(row, p, work);
}

// The streams of chapter 24, of arrays of n words.
template<unsigned reads, unsigned writes>
void stream_of(const unsigned* a, unsigned* c, std::size_t n, unsigned passes, cudaStream_t queue)
{
    const dim3 grid(common::blocks(n / 4, threads), passes);
    stream<reads, writes><<<grid, threads, 0, queue>>>(reinterpret_cast<const uint4*>(a), c, n / 4);
}

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    const common::Sizes sizes{
        .gpu = {1u << 28}, .cpu = {1u << 16}, .bytes_per_element = 2 * sizeof(unsigned)};
    for (std::size_t all : chapter.sizes(sizes)) {
        const std::size_t n = std::max(all / 4 * 4, std::size_t{4}); // whole vectors
        {
            common::Copy<unsigned> p(chapter, {.n = n});
            run(chapter, p, {.name = "copy_words", .threads = threads}, "DRAM",
                [&](cudaStream_t stream) {
                    copy_words<<<common::blocks(n, threads), threads, 0, stream>>>(p.a, p.c, n);
                });
            run(chapter, p, {.name = "copy_vectors", .threads = threads}, "DRAM",
                [&](cudaStream_t stream) { stream_of<1, 1>(p.a, p.c, n, 1, stream); });
            run(chapter, p,
                {.name = "copy_bulk",
                 .threads = threads,
                 .unavailable = common::needs_compute_capability(9)},
                "DRAM", [&](cudaStream_t stream) {
                    copy_bulk<<<common::blocks(n, 4 * threads), threads, threads * sizeof(float4),
                                stream>>>(p.a, p.c, n, threads);
                });
            run(chapter, p, {.name = "cudaMemcpyAsync"}, "DRAM", [&](cudaStream_t stream) {
                CHECK_CUDA(cudaMemcpyAsync(p.c, p.a, n * sizeof(unsigned), cudaMemcpyDeviceToDevice,
                                           stream));
            });
        }
        {
            common::VectorAdd p(chapter, {.n = n});
            run(chapter, p, {.name = "add_float4", .threads = threads}, "DRAM",
                [&](cudaStream_t stream) {
                    add_float4<<<common::blocks(n, 4 * threads), threads, 0, stream>>>(p.a, p.b,
                                                                                       p.c, n);
                });
        }
        common::Words p(chapter, "move", n, 4 * n);
        p.moved = n * sizeof(unsigned);
        p.expect(common::blocks(n / 4, 32), words_of_warps(p, 1, n));
        run(chapter, p, {.name = "read", .threads = threads}, "DRAM",
            [&](cudaStream_t stream) { stream_of<1, 0>(p.a, p.c, n, 1, stream); });
        p.moved = 4 * n * sizeof(unsigned);
        p.expect(common::blocks(n / 4, 32), words_of_warps(p, 4, n));
        run(chapter, p, {.name = "read_4_arrays", .threads = threads}, "DRAM",
            [&](cudaStream_t stream) { stream_of<4, 0>(p.a, p.c, n, 1, stream); });
        p.moved = n * sizeof(unsigned);
        p.expect(n, words_written(p, 0, n));
        run(chapter, p, {.name = "fill", .threads = threads}, "DRAM",
            [&](cudaStream_t stream) { stream_of<0, 1>(p.a, p.c, n, 1, stream); });
        // As many bytes from the L2: passes over arrays of at most 8 MiB.
        const std::size_t few = std::min(n, std::size_t{1} << 21);
        const auto passes = static_cast<unsigned>(std::min(n / few, std::size_t{1} << 15));
        common::Copy<unsigned> small(chapter,
                                     {.n = few, .bytes = 2 * passes * few * sizeof(unsigned)});
        run(chapter, small, {.name = "copy_vectors", .threads = threads}, "L2",
            [&](cudaStream_t stream) { stream_of<1, 1>(small.a, small.c, few, passes, stream); });
        // Nothing but arithmetic: as many threads as fit, about as long as a copy.
        const unsigned steps = common::backend() == common::Backend::cpu ? 16 : 1u << 15;
        const unsigned blocks = common::backend() == common::Backend::cpu ? 4 : 8 * 132;
        common::Words idle(chapter, "spin", std::size_t{blocks} * threads);
        idle.expect_words(std::size_t{blocks} * threads,
                          [steps](std::size_t i) { return spun(i, steps); });
        run(chapter, idle, {.name = "spin", .threads = threads}, "none",
            [&](cudaStream_t stream) { spin<<<blocks, threads, 0, stream>>>(idle.c, steps); });
    }
    return chapter.finish();
}
