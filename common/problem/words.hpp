/// \file
/// Words of 32 bits, with an output that has a size of its own.
#pragma once

#include "common/problem/arrays.hpp"

#include <cstdint>
#include <functional>
#include <string>

namespace common {

/// Random input words, and an output that is as long as a variant wants it. What is moved or done
/// is for the variant to say, too.
class Words : public Problem
{
  public:
    using Word = std::function<std::uint32_t(std::size_t)>; ///< of the output, by its index

    /// A problem of that task, with so many input words. The table calls it one of `size` elements.
    Words(const Setting& setting, std::string task, std::size_t size, std::size_t inputs = 0);

    /// The variants from here on write `outputs` words, these.
    void expect(std::size_t outputs, Expected expected);
    /// The same, word by word.
    void expect_words(std::size_t outputs, Word word);
    /// Input words `first` to `first + count`, as the host knows them.
    void input(std::size_t first, std::size_t count, std::uint32_t* out) const
    {
        generate(Element::u32, seed_, 0, first, count, out);
    }

    void poison() override;
    [[nodiscard]] Verdict verify() override;
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
    void make_arrays() override;

    std::uint64_t seed_;
    std::size_t inputs_;
    std::size_t outputs_ = 0;
    Expected expected_;
    Array input_;
    Array output_;
};

} // namespace common
