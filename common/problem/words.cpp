#include "common/problem/words.hpp"

#include <utility>

namespace common {

Words::Words(const Setting& setting, std::string task, std::size_t size, std::size_t inputs)
    : Problem(std::move(task)), n(size), seed_(setting.seed), inputs_(inputs)
{}

void Words::expect(std::size_t outputs, Expected expected)
{
    outputs_ = outputs;
    expected_ = std::move(expected);
    output_.forget_expected();
}

void Words::expect_words(std::size_t outputs, Word word)
{
    expect(outputs, [word = std::move(word)](std::size_t first, std::size_t count, void* out) {
        for (std::size_t k = 0; k < count; ++k)
            static_cast<std::uint32_t*>(out)[k] = word(first + k);
    });
}

void Words::poison()
{
    if (output_.size() != outputs_) {
        output_ = Array(); // two of them need not fit
        output_ = Array(Element::u32, outputs_);
    }
    c = static_cast<unsigned*>(output_.data());
    output_.poison(background);
    launches = 0;
}

Verdict Words::verify()
{
    return launches == 0 ? output_.verify_again(expected_) : output_.verify(expected_);
}

void Words::make_arrays()
{
    if (inputs_ == 0)
        return;
    input_ = Array(Element::u32, inputs_, {.guarded = false});
    input_.write_input(seed_, 0);
    a = static_cast<const unsigned*>(input_.data());
}

} // namespace common
