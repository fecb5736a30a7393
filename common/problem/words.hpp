/// \file
/// Words of 32 bits, with an output that has a size of its own.
#pragma once

#include "common/problem/arrays.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

namespace common {

/// Random input words, and an output that is as long as a variant wants it. What is moved or done
/// is for the variant to say, too.
class Words : public Problem
{
  public:
    using Word = std::function<std::uint32_t(std::size_t)>; ///< of the output, by its index

    /// A problem of that task, with so many input words. The table calls it one of `size` elements.
    Words(const Setting& setting, std::string task, std::size_t size, std::size_t inputs = 0)
        : Problem(std::move(task)), n(size), seed_(setting.seed), inputs_(inputs)
    {}

    /// The variants from here on write `outputs` words, these.
    void expect(std::size_t outputs, Expected expected)
    {
        outputs_ = outputs;
        expected_ = std::move(expected);
        output_.forget_expected();
    }
    /// The same, word by word.
    void expect_words(std::size_t outputs, Word word)
    {
        expect(outputs, [word = std::move(word)](std::size_t first, std::size_t count, void* out) {
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
    [[nodiscard]] Verdict verify() override
    {
        return launches == 0 ? output_.verify_again(expected_) : output_.verify(expected_);
    }
    [[nodiscard]] std::uint64_t bytes() const override { return moved; }
    [[nodiscard]] std::uint64_t operations() const override { return done; }
    [[nodiscard]] std::size_t size() const override { return n; }

    const unsigned* a = nullptr;            ///< the input
    unsigned* c = nullptr;                  ///< the output
    std::size_t n;                          ///< size()
    std::uint64_t moved = 0;                ///< bytes()
    std::uint64_t done = 0;                 ///< operations()
    unsigned char background = poison_byte; ///< what the output holds before a kernel runs
    unsigned launches = 0;                  ///< since then: what adds up is expected so many times

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
    Expected expected_;
    Array input_;
    Array output_;
};

} // namespace common
