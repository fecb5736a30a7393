// What the kernels of chapter 17 work on: words of 32 bits, an output with a size of its own, and
// the questions to the device that decide how many blocks a launch has.
#pragma once

#include "common/chapter.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

namespace common {

/// Random input words, and an output that is as long as a variant wants it. `n` is what the table
/// calls n.
class Words : public Problem
{
  public:
    /// A problem of that task with so many input words.
    Words(const Setting& setting, std::string task, std::size_t n_, std::size_t inputs = 0)
        : Problem(std::move(task)), n(n_), seed_(setting.seed), inputs_(inputs)
    {}

    /// What the variants from here on write: `outputs` words. `bytes` is what they must move; 0
    /// where that is not what is measured.
    void expect(std::size_t outputs, std::uint64_t bytes, Expected expected)
    {
        outputs_ = outputs;
        bytes_ = bytes;
        expected_ = std::move(expected);
    }
    /// The same, word by word.
    void expect_words(std::size_t outputs, std::uint64_t bytes,
                      std::function<std::uint32_t(std::size_t)> word)
    {
        expect(outputs, bytes,
               [word = std::move(word)](std::size_t first, std::size_t count, void* out) {
                   for (std::size_t k = 0; k < count; ++k)
                       static_cast<std::uint32_t*>(out)[k] = word(first + k);
               });
    }
    /// Input words `first` to `first + count`, as the host knows them.
    void input(std::size_t first, std::size_t count, std::uint32_t* out) const
    {
        generate(Element::u32, seed_, 0, first, count, out);
    }

    void poison() override
    {
        if (output_.size() != outputs_) {
            output_ = Array(); // two of them need not fit
            output_ = Array(Element::u32, outputs_);
        }
        c = static_cast<unsigned*>(output_.data());
        output_.poison(background);
        launches = 0;
    }
    [[nodiscard]] Verdict verify() override { return output_.verify(expected_); }
    [[nodiscard]] std::uint64_t bytes() const override { return bytes_; }
    [[nodiscard]] std::size_t size() const override { return n; }

    const unsigned* a = nullptr;            ///< the input
    unsigned* c = nullptr;                  ///< the output
    std::size_t n;                          ///< size()
    unsigned char background = poison_byte; ///< what the output holds before a kernel runs
    unsigned launches = 0; ///< since then, where a variant counts its own because they add up

  private:
    void make_arrays() override
    {
        if (inputs_ == 0)
            return;
        input_ = Array(Element::u32, inputs_, {.guarded = false});
        input_.write_input(seed_, 0);
        a = static_cast<const unsigned*>(input_.data());
    }

    std::uint64_t seed_;
    std::size_t inputs_;
    std::size_t outputs_ = 0;
    std::uint64_t bytes_ = 0;
    Expected expected_;
    Array input_;
    Array output_;
};

/// An attribute of the device in use. Throws CudaError.
inline unsigned attribute(cudaDeviceAttr which)
{
    int device = 0;
    int value = 0;
    CHECK_CUDA(cudaGetDevice(&device));
    CHECK_CUDA(cudaDeviceGetAttribute(&value, which, device));
    return static_cast<unsigned>(value);
}

/// Blocks of `threads` threads and `shared` bytes that a multiprocessor can hold of a kernel.
template<class Kernel>
unsigned resident_blocks(Kernel kernel, unsigned threads, std::size_t shared = 0)
{
    int blocks = 0;
    CHECK_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel,
                                                             static_cast<int>(threads), shared));
    return static_cast<unsigned>(blocks);
}

} // namespace common
