// claim_hints: Do streaming hints lose only after a flush that reads?
//
// The addition of chapter 27 with each hint apart, behind three kinds of work that leave other
// lines in the L2: reads (the measurement's own flush), a memset, and a kernel that has just
// written both inputs. That work is part of the launch; the rows `alone` have its time, which is to
// be subtracted.
//
// All of it runs behind that flush, which also makes lines ordinary that an access policy holds. So
// further rows, timed on the host, have before them what is not timed: the reset of those lines or
// none, and reads without a hint, with it, or none, all of that with and without a set-aside. If
// only the flush's ordinary lines cost the hint its time, it loses nothing behind the others; if
// the reset does, it loses behind each that has one.
//
// And what do lines that L2 evicts last cost the next kernel? It reads a table that fits into L2
// sixteen times, behind an addition without the hint and with it.

#include "common/chapter.hpp"

#include <algorithm>

constexpr unsigned threads = 256;

enum class Hint
{
    none,
    both,            // __ldcs and __stcs
    loads,           // __ldcs
    stores,          // __stcs
    past_l1,         // loads by ld.global.L1::no_allocate
    evict_first,     // loads and stores by a policy of the L2: evict_first
    evict_loads,     // loads alone
    evict_unchanged, // loads by the policy evict_unchanged
    evict_last       // loads by the policy evict_last
};

// The CPU device has no such instructions: their rows say "GPU only".
__device__ float4 load_past_l1(const float4* at)
{
#if __CUDA_ARCH__ >= 800
    float4 v;
    asm volatile("ld.global.L1::no_allocate.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                 : "l"(at));
    return v;
#else
    return *at;
#endif
}

// What an access says to the L2 of its line.
enum class Policy
{
    evict_first,
    evict_unchanged,
    evict_last
};

template<Policy policy>
__device__ std::uint64_t made()
{
    std::uint64_t bits = 0;
#if __CUDA_ARCH__ >= 800
    if constexpr (policy == Policy::evict_first) {
        asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(bits));
    } else if constexpr (policy == Policy::evict_last) {
        asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(bits));
    } else {
        asm("createpolicy.fractional.L2::evict_unchanged.b64 %0, 1.0;" : "=l"(bits));
    }
#endif
    return bits;
}

__device__ float4 load(const float4* at, [[maybe_unused]] std::uint64_t policy)
{
#if __CUDA_ARCH__ >= 800
    float4 v;
    asm volatile("ld.global.L2::cache_hint.v4.f32 {%0, %1, %2, %3}, [%4], %5;"
                 : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                 : "l"(at), "l"(policy));
    return v;
#else
    return *at;
#endif
}

__device__ void store(float4* at, float4 v, [[maybe_unused]] std::uint64_t policy)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("st.global.L2::cache_hint.v4.f32 [%0], {%1, %2, %3, %4}, %5;" ::"l"(at), "f"(v.x),
                 "f"(v.y), "f"(v.z), "f"(v.w), "l"(policy)
                 : "memory");
#else
    *at = v;
#endif
}

template<Hint hint>
__device__ float4 hinted(const float4* at)
{
    if constexpr (hint == Hint::both || hint == Hint::loads) {
        return __ldcs(at);
    } else if constexpr (hint == Hint::past_l1) {
        return load_past_l1(at);
    } else if constexpr (hint == Hint::evict_first || hint == Hint::evict_loads) {
        return load(at, made<Policy::evict_first>());
    } else if constexpr (hint == Hint::evict_unchanged) {
        return load(at, made<Policy::evict_unchanged>());
    } else if constexpr (hint == Hint::evict_last) {
        return load(at, made<Policy::evict_last>());
    } else {
        return *at;
    }
}

template<Hint hint>
__global__ void add(const float4* a, const float4* b, float4* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        const float4 x = hinted<hint>(&a[i]);
        const float4 y = hinted<hint>(&b[i]);
        const float4 sum = make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
        if constexpr (hint == Hint::both || hint == Hint::stores) {
            __stcs(&c[i], sum);
        } else if constexpr (hint == Hint::evict_first) {
            store(&c[i], sum, made<Policy::evict_first>());
        } else {
            c[i] = sum;
        }
    }
}

// Reads zeros: the store is never executed, which the compiler does not know.
template<bool marked>
__global__ void read_all(uint4* other, std::size_t n)
{
    unsigned seen = 0;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n;
         i += std::size_t{gridDim.x} * blockDim.x) {
        const uint4 v = marked ? __ldcs(&other[i]) : other[i];
        seen |= v.x | v.y | v.z | v.w;
    }
    if (seen != 0) {
        other[threadIdx.x].x = seen;
    }
}

// Reads `n` vectors of a table `passes` times, from L2 if they stay there.
__global__ void read_table(uint4* table, std::size_t n, unsigned passes)
{
    unsigned seen = 0;
    for (unsigned pass = 0; pass < passes; ++pass) {
        for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n;
             i += std::size_t{gridDim.x} * blockDim.x) {
            const uint4 v = __ldcg(&table[i]);
            seen |= v.x | v.y | v.z | v.w;
        }
    }
    if (seen != 0) { // the table holds zeros
        table[threadIdx.x].x = seen;
    }
}

// Writes both inputs, with what they hold.
__global__ void produce(float4* a, float4* b, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        const float4 x = a[i], y = b[i];
        a[i] = make_float4(x.x + 0.0f, x.y + 0.0f, x.z + 0.0f, x.w + 0.0f);
        b[i] = make_float4(y.x + 0.0f, y.y + 0.0f, y.z + 0.0f, y.w + 0.0f);
    }
}

enum class Before
{
    read,
    memset,
    producer
};

constexpr const char* names[] = {"read", "memset", "producer"};

// What the L2 is flushed by.
enum class Flush
{
    none,
    plain,
    marked
};

constexpr const char* flush_names[] = {"none", "plain", "marked"};

struct State
{
    bool reset; // cudaCtxResetPersistingL2Cache
    Flush flush;
    std::size_t set_aside; // bytes
};

// What a row of the addition shares with that of the work before it.
class Experiment
{
  public:
    Experiment(common::Chapter& chapter, std::size_t n) : chapter_(chapter), p_(chapter, {.n = n})
    {}

    void run_alone(Before before)
    {
        common::Words nothing(chapter_, "before", p_.n);
        nothing.expect_words(1, [](std::size_t) { return 0xffffffff; }); // the poison
        chapter_.run({.name = "alone",
                      .columns = {{"before", names[static_cast<unsigned>(before)]}},
                      .setup = [this] { prepare(); }},
                     nothing, [&](cudaStream_t stream) { queue(before, stream); });
    }

    template<Hint hint>
    void run(const char* name, Before before)
    {
        const bool instructions = hint > Hint::stores;
        chapter_.run({.name = name,
                      .threads = threads,
                      .columns = {{"before", names[static_cast<unsigned>(before)]}},
                      .unavailable = instructions ? common::needs_compute_capability(8) : "",
                      .setup = [this] { prepare(); }},
                     p_, [&](cudaStream_t stream) {
                         queue(before, stream);
                         add_hinted<hint>(stream);
                     });
    }

    template<Hint hint>
    void run_after(const char* name, const State& state)
    {
        chapter_.run_transfer(
            {.name = name,
             .threads = threads,
             .columns = {{"reset", state.reset ? "yes" : "no"},
                         {"flush", flush_names[static_cast<unsigned>(state.flush)]},
                         {"set_aside", state.set_aside},
                         {"set_aside_set", [] { return set_aside_now(); }}},
             .unavailable = [state]() -> std::string {
                 const cudaError_t status =
                     cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, state.set_aside);
                 static_cast<void>(cudaGetLastError()); // it is told, and no later launch's
                 return status == cudaSuccess ? "" : cudaGetErrorString(status);
             },
             .setup = [this] { prepare(); },
             .before =
                 [this, state](cudaStream_t stream) {
                     if (state.reset) {
                         CHECK_CUDA(cudaCtxResetPersistingL2Cache());
                     }
                     if (state.flush != Flush::none) {
                         auto* kernel =
                             state.flush == Flush::marked ? read_all<true> : read_all<false>;
                         kernel<<<1024, threads, 0, stream>>>(other_.data(), other_.size());
                     }
                 }},
            p_, [this](cudaStream_t stream) { add_hinted<hint>(stream); });
    }

    // What the addition's hint costs the next kernel, which reads a table that fits into L2.
    template<Hint hint>
    void run_next(const char* name, std::size_t table_bytes, bool reset)
    {
        chapter_.run_transfer(
            {.name = name,
             .threads = threads,
             .columns = {{"table", table_bytes}, {"reset", reset ? "yes" : "no"}},
             .setup = [this] { prepare(); },
             .before =
                 [this, reset](cudaStream_t stream) {
                     add_hinted<hint>(stream);
                     if (reset) {
                         CHECK_CUDA(cudaStreamSynchronize(stream));
                         CHECK_CUDA(cudaCtxResetPersistingL2Cache());
                     }
                 }},
            p_, [this, table_bytes](cudaStream_t stream) {
                const std::size_t vectors = std::min(table_bytes / sizeof(uint4), other_.size());
                read_table<<<1024, threads, 0, stream>>>(other_.data(), vectors, 16);
            });
    }

  private:
    static std::size_t set_aside_now()
    {
        std::size_t bytes = 0;
        CHECK_CUDA(cudaDeviceGetLimit(&bytes, cudaLimitPersistingL2CacheSize));
        return bytes;
    }

    template<Hint hint>
    void add_hinted(cudaStream_t stream)
    {
        add<hint><<<common::blocks(p_.n / 4, threads), threads, 0, stream>>>(
            vectors(p_.a), vectors(p_.b), vectors(p_.c), p_.n / 4);
    }

    static float4* vectors(const float* of)
    {
        return reinterpret_cast<float4*>(const_cast<float*>(of));
    }

    void prepare()
    {
        p_.allocate();
        if (other_.size() == 0) {
            const std::size_t bytes =
                common::backend() == common::Backend::cpu
                    ? std::size_t{1} << 16
                    : 4 * std::size_t{common::attribute(cudaDevAttrL2CacheSize)};
            other_ = common::Buffer<uint4>(bytes / sizeof(uint4));
            CHECK_CUDA(cudaMemset(other_.data(), 0, other_.bytes()));
        }
    }

    void queue(Before before, cudaStream_t stream)
    {
        if (before == Before::memset) {
            CHECK_CUDA(cudaMemsetAsync(other_.data(), 0, other_.bytes(), stream));
        } else if (before == Before::producer) {
            produce<<<common::blocks(p_.n / 4, threads), threads, 0, stream>>>(
                vectors(p_.a), vectors(p_.b), p_.n / 4);
        }
    }

    common::Chapter& chapter_;
    common::VectorAdd p_;
    common::Buffer<uint4> other_;
};

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    const common::Sizes sizes{.gpu = {1u << 28}, .cpu = {1u << 16}, .bytes_per_element = 12};
    for (std::size_t all : chapter.sizes(sizes)) {
        Experiment of(chapter, std::max(all / 4 * 4, std::size_t{4})); // whole vectors
        for (Before before : {Before::read, Before::memset, Before::producer}) {
            if (before != Before::read) {
                of.run_alone(before);
            }
            of.run<Hint::none>("plain", before);
            of.run<Hint::both>("streaming", before);
            of.run<Hint::loads>("streaming_loads", before);
            of.run<Hint::stores>("streaming_stores", before);
            of.run<Hint::past_l1>("no_allocate", before);
            of.run<Hint::evict_first>("evict_first", before);
            of.run<Hint::evict_loads>("evict_first_loads", before);
            of.run<Hint::evict_unchanged>("evict_unchanged_loads", before);
            of.run<Hint::evict_last>("evict_last_loads", before);
        }
        for (std::size_t set_aside : {std::size_t{0}, std::size_t{45} << 18}) { // 11.25 MiB
            for (Flush flush : {Flush::none, Flush::plain, Flush::marked}) {
                for (bool reset : {false, true}) {
                    of.run_after<Hint::none>("plain_after", {reset, flush, set_aside});
                    of.run_after<Hint::loads>("streaming_loads_after", {reset, flush, set_aside});
                    of.run_after<Hint::evict_last>("evict_last_after", {reset, flush, set_aside});
                }
            }
        }
        for (std::size_t table : {std::size_t{16} << 20, std::size_t{28} << 20}) {
            for (bool reset : {false, true}) {
                of.run_next<Hint::none>("next_after_plain", table, reset);
                of.run_next<Hint::evict_last>("next_after_evict_last", table, reset);
            }
        }
    }
    return chapter.finish();
}
