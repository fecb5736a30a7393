// claim_slices: Do slices of the L2 make many counters fast, and what does an answer cost?
//
// The counters of chapter 25, 2 or 64 of them so far apart that they lie in one slice of the L2, in
// a few or in many: if slices are the reason, a serialized access gets many times shorter, and if
// it is a limit of the SMs or of the network, it does not. Then additions whose answers a thread
// waits for one by one, or all at its end: if the wait is what an answer costs, the second take as
// long as additions without an answer, and if it is the way back, as long as the first.

#include "common/chapter.hpp"

#include <vector>

constexpr unsigned threads = 256;
constexpr unsigned additions = 8; // of a thread

// As in chapter 25.
__host__ __device__ unsigned counter_of(unsigned i, unsigned counters, bool random)
{
    if (random) {
        i = (i ^ i >> 16) * 0x7feb352du;
        i = (i ^ i >> 15) * 0x846ca68bu;
        i ^= i >> 16;
    }
    return i % counters;
}

enum class Answers
{
    none,
    each,    // awaited before the next addition
    together // when all additions of a thread are in flight
};

// From one counter to the next there are `apart` words. They count in twos, and that no answer is
// odd the compiler does not know.
template<Answers answers>
__global__ void count(unsigned* c, std::size_t n, unsigned counters, unsigned apart, bool random,
                      unsigned odd)
{
    const std::size_t first = std::size_t{blockIdx.x} * blockDim.x * additions + threadIdx.x;
    unsigned before[additions] = {};
    for (unsigned k = 0; k < additions; ++k) {
        const std::size_t i = first + std::size_t{k} * blockDim.x;
        if (i >= n) {
            break;
        }
        unsigned* counter = &c[counter_of(static_cast<unsigned>(i), counters, random) * apart];
        before[k] = atomicAdd(counter, 2);
        if (answers == Answers::each && before[k] == odd) {
            *counter = 0;
        }
    }
    if constexpr (answers == Answers::together) {
        bool seen = false;
        for (unsigned k = 0; k < additions; ++k) {
            seen = seen || before[k] == odd;
        }
        if (seen) {
            c[0] = 0;
        }
    }
}

// What rows of as many counters, in the same order, share.
class Counters
{
  public:
    Counters(common::Chapter& chapter, std::size_t n, unsigned counters, bool random)
        : chapter_(chapter), p_(chapter, "count", n), counters_(counters), random_(random)
    {
        p_.background = 0;
        p_.done = n;
    }

    template<Answers answers = Answers::none>
    void run(unsigned apart = 1)
    {
        constexpr const char* names[] = {"atomic", "atomic_returns", "atomic_returns_together"};
        const common::Variant row{.name = names[static_cast<unsigned>(answers)],
                                  .threads = threads,
                                  .columns = {{"counters", counters_},
                                              {"stride_bytes", apart * sizeof(unsigned)},
                                              {"order", random_ ? "random" : "ascending"}},
                                  .setup = [this, apart] { expect(apart); }};
        chapter_.run(row, p_, [&](cudaStream_t stream) {
            ++p_.launches;
            count<answers><<<common::blocks(p_.n, threads * additions), threads, 0, stream>>>(
                p_.c, p_.n, counters_, apart, random_, 1);
        });
    }

  private:
    // What lies between the counters stays as it was.
    void expect(unsigned apart)
    {
        if (hits_.empty()) {
            hits_.resize(counters_);
            for (std::size_t i = 0; i < p_.n; ++i) {
                ++hits_[counter_of(static_cast<unsigned>(i), counters_, random_)];
            }
        }
        p_.expect_words(std::size_t{counters_} * apart, [this, apart](std::size_t k) {
            return k % apart == 0 ? 2 * hits_[k / apart] * p_.launches : 0;
        });
    }

    common::Chapter& chapter_;
    common::Words p_;
    unsigned counters_;
    bool random_;
    std::vector<unsigned> hits_;
};

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    for (std::size_t n : chapter.sizes({.gpu = {1u << 25}, .cpu = {1u << 14}})) {
        Counters(chapter, n, 1, false).run();
        for (bool random : {false, true}) {
            Counters few(chapter, n, 64, random);
            for (unsigned apart : {1u, 8u, 16u, 32u, 64u, 256u, 1024u}) { // words
                few.run(apart);
            }
        }
        Counters two(chapter, n, 2, true);
        for (unsigned apart : {1u, 8u, 16u, 32u, 64u, 128u, 256u, 1024u, 1u << 14, 1u << 18}) {
            two.run(apart);
        }
        for (unsigned counters : {4096u, 1u << 20}) {
            for (bool random : {false, true}) {
                Counters many(chapter, n, counters, random);
                many.run<Answers::none>();
                many.run<Answers::each>();
                many.run<Answers::together>();
            }
        }
    }
    return chapter.finish();
}
