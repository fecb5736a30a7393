// claim_loaded_latency: How long does a dependent load take while other SMs move bytes?
//
// One thread walks through the table of chapter 21, and a block on every other SM reads, or reads
// and writes, with more warps from row to row. If loads wait in the memory, the walk takes longer
// the more is injected, and as long as Little's law says of the other SMs; if they wait in their
// own SM, it takes as long as on an idle GPU, unless its own SM moves bytes as well.

#include "../../chapters/21_latency/lines.cuh"
#include "common/chapter.hpp"

#include <algorithm>
#include <vector>

constexpr unsigned lanes = 32;
constexpr unsigned threads = 1024;
constexpr unsigned loads = 4; // of 16 bytes, in flight together, of a thread

// What a warp has seen: `steps` are hops of the walk, or rounds of loads.
struct Seen
{
    unsigned sm;
    unsigned steps;
    unsigned long long ns;
    long long cycles;
};

#ifdef __CUDACC__
__device__ Seen now()
{
    Seen seen{};
    asm volatile("mov.u32 %0, %%smid;" : "=r"(seen.sm));
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(seen.ns));
    seen.cycles = clock64();
    return seen;
}
#else
__device__ Seen now()
{
    return {};
}
#endif

__device__ Seen since(const Seen& start, unsigned steps)
{
    const Seen end = now();
    return {end.sm, steps, end.ns - start.ns, end.cycles - start.cycles};
}

// From the L2, past L1.
__device__ const Line* follow(const Line* line, unsigned hops)
{
    for (unsigned hop = 0; hop < hops; ++hop) {
        line = reinterpret_cast<const Line*>(
            __ldcg(reinterpret_cast<const unsigned long long*>(&line->next)));
    }
    return line;
}

// Moves vectors until `done`, n at most before it begins again: a power of two. All are zeros,
// which the compiler does not know. Lane 0 of one warp polls on behalf of the block, and seldom.
template<unsigned stores>
__device__ unsigned inject(const uint4* a, uint4* b, unsigned n, unsigned warp, unsigned warps,
                           bool polls, const volatile unsigned* done, volatile unsigned* stop)
{
    const unsigned step = gridDim.x * warps * lanes * loads;
    unsigned i = (blockIdx.x * warps + warp) * lanes * loads + threadIdx.x % lanes;
    unsigned rounds = 0;
    unsigned x = 0;
    do {
        uint4 v[loads];
        for (unsigned k = 0; k < loads; ++k) {
            v[k] = __ldcg(&a[(i + k * lanes) & (n - 1)]);
        }
        for (unsigned k = 0; k < loads; ++k) {
            x |= v[k].x | v[k].y | v[k].z | v[k].w;
        }
        for (unsigned k = 0; k != stores; ++k) {
            b[(i + k * lanes) & (n - 1)] = v[k];
        }
        if (polls && rounds % 64 == 0 && threadIdx.x % lanes == 0) {
            *stop = *done;
        }
        ++rounds;
        i += step;
    } while (*stop == 0);
    if (x != 0) {
        b[0].x = x;
    }
    return rounds;
}

// Block 0 walks twice as many hops, of which the second half is timed: by then the others inject,
// and the L2 has the lines of a small table. With `busy` its other warps inject, too.
template<unsigned stores>
__global__ void __launch_bounds__(threads, 1)
    walk(const Line* table, unsigned* c, unsigned hops, const uint4* a, uint4* b, unsigned n,
         unsigned warps, bool busy, volatile unsigned* done, Seen* seen)
{
    __shared__ volatile unsigned stop;
    if (threadIdx.x == 0) {
        stop = *done; // where blocks run one by one, the others have a round each
    }
    __syncthreads();
    const unsigned warp = threadIdx.x / lanes;
    const unsigned first = blockIdx.x == 0 ? 1 : 0;
    Seen found{};
    if (warp < first) {
        if (threadIdx.x == 0) {
            const Line* line = follow(table, hops);
            const Seen start = now();
            line = follow(line, hops);
            found = since(start, hops);
            c[0] = static_cast<unsigned>(line - table);
            *done = 1;
        }
    } else if (warp < warps && (blockIdx.x > 0 || busy)) {
        const Seen start = now();
        const unsigned rounds = inject<stores>(a, b, n, warp, warps, warp == first, done, &stop);
        found = since(start, rounds);
    }
    if (threadIdx.x % lanes == 0) {
        seen[blockIdx.x * (threads / lanes) + warp] = found;
    }
}

struct Mix
{
    const char* name;
    unsigned stores;
    void (*kernel)(const Line*, unsigned*, unsigned, const uint4*, uint4*, unsigned, unsigned, bool,
                   volatile unsigned*, Seen*);
};

const Mix mixes[] = {{"1:0", 0, walk<0>}, {"2:1", 2, walk<2>}, {"1:1", 4, walk<4>}};

// Arrays of one place, and the table there.
class Loaded
{
  public:
    Loaded(common::Chapter& chapter, const char* memory, std::size_t words, unsigned lines)
        : chapter_(chapter), memory_(memory), p_(chapter, "walk", words), lines_(lines)
    {
        p_.done = 2 * hops_;
    }

    void run(const Mix& mix, unsigned warps, bool busy)
    {
        std::vector<Seen> seen;
        const common::Variant row{
            .name = busy ? "busy_sm" : "idle_sm",
            .threads = threads,
            .columns = {{"memory", memory_},
                        {"mix", mix.name},
                        {"warps", warps},
                        {"bytes_per_sm", warps * lanes * loads * sizeof(uint4)},
                        {"probe_ns", [&] { return probe(seen, &Seen::ns); }},
                        {"probe_cycles", [&] { return probe(seen, &Seen::cycles); }},
                        {"injected_gb_per_s", [&] { return injected(seen, mix.stores); }},
                        {"sm_alone", [&] { return alone(seen) ? "yes" : "no"; }}},
            .unavailable = busy ? common::needs_compute_capability(7) : "",
            .model_excluded_reason = "it lasts as long as the walk",
            .sequential_blocks = true,
            .setup = [&] {
                prepare();
                if (common::backend() == common::Backend::gpu) {
                    p_.poison();
                    for (int warm = 0; warm < 2; ++warm) {
                        launch(mix, warps, busy, nullptr);
                    }
                    seen.resize(seen_.size());
                    CHECK_CUDA(cudaMemcpy(seen.data(), seen_.data(), seen_.bytes(),
                                          cudaMemcpyDeviceToHost));
                }
            }};
        chapter_.run(row, p_, [&](cudaStream_t stream) { launch(mix, warps, busy, stream); });
    }

  private:
    void prepare()
    {
        if (table_.size() > 0) {
            return;
        }
        table_ = common::Buffer<Line>(lines_);
        link<<<common::blocks(lines_, 256), 256>>>(table_.data(), lines_, true);
        a_ = common::Buffer<uint4>(p_.n / 4);
        b_ = common::Buffer<uint4>(p_.n / 4);
        CHECK_CUDA(cudaMemset(a_.data(), 0, a_.bytes()));
        done_ = common::Buffer<unsigned>(1);
        grid_ = common::backend() == common::Backend::cpu
                    ? 2
                    : common::attribute(cudaDevAttrMultiProcessorCount);
        seen_ = common::Buffer<Seen>(std::size_t{grid_} * (threads / lanes));
        p_.expect_words(1, [lines = lines_, hops = hops_](std::size_t) {
            unsigned at = 0;
            for (unsigned hop = 0; hop < 2 * hops; ++hop) {
                at = next_line(at, lines, true);
            }
            return at;
        });
    }

    void launch(const Mix& mix, unsigned warps, bool busy, cudaStream_t stream)
    {
        CHECK_CUDA(cudaMemsetAsync(done_.data(), 0, done_.bytes(), stream));
        mix.kernel<<<grid_, threads, 0, stream>>>(table_.data(), p_.c, hops_, a_.data(), b_.data(),
                                                  static_cast<unsigned>(a_.size()), warps, busy,
                                                  done_.data(), seen_.data());
    }

    template<class Time>
    static double probe(const std::vector<Seen>& seen, Time Seen::*time)
    {
        return seen.empty() ? 0.0 : static_cast<double>(seen[0].*time) / seen[0].steps;
    }

    // Each warp by its own time; bytes in a nanosecond are GB/s.
    static double injected(const std::vector<Seen>& seen, unsigned stores)
    {
        double sum = 0;
        for (std::size_t warp = 1; warp < seen.size(); ++warp) {
            if (seen[warp].ns > 0) {
                sum += static_cast<double>(seen[warp].steps) * lanes * sizeof(uint4) *
                       (loads + stores) / static_cast<double>(seen[warp].ns);
            }
        }
        return sum;
    }

    // Whether no other block was on the SM of the walk.
    static bool alone(const std::vector<Seen>& seen)
    {
        return std::none_of(
            seen.begin() + std::min<std::ptrdiff_t>(threads / lanes, std::ssize(seen)), seen.end(),
            [&](const Seen& other) { return other.ns > 0 && other.sm == seen[0].sm; });
    }

    common::Chapter& chapter_;
    const char* memory_;
    common::Words p_;
    unsigned lines_;
    unsigned hops_ = common::backend() == common::Backend::cpu ? 1u << 6 : 1u << 11;
    unsigned grid_ = 0;
    common::Buffer<Line> table_;
    common::Buffer<uint4> a_, b_;
    common::Buffer<unsigned> done_;
    common::Buffer<Seen> seen_;
};

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    const bool cpu = common::backend() == common::Backend::cpu;
    const auto run = [&](const char* memory, std::size_t words, unsigned lines) {
        Loaded of(chapter, memory, words, lines);
        for (const Mix& mix : mixes) {
            for (unsigned warps : {0u, 1u, 2u, 4u, 6u, 8u, 10u, 12u, 14u, 16u, 20u, 24u, 32u}) {
                of.run(mix, warps, false);
            }
        }
        for (unsigned warps : {4u, 8u, 12u, 16u, 32u}) {
            of.run(mixes[0], warps, true);
        }
    };
    run("L2", cpu ? 1u << 12 : 1u << 21, cpu ? 1u << 6 : 1u << 11);
    run("DRAM", cpu ? 1u << 14 : 1u << 28, cpu ? 1u << 8 : 1u << 23);
    return chapter.finish();
}
