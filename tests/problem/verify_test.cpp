// The verifier accepts what is right and rejects every way of being wrong that we could think of.
#include "chapters/42_all_reduce/collectives.cuh"
#include "common/device/check.hpp"
#include "common/problem/element.hpp"
#include "common/problem/extent.hpp"
#include "common/problem/verify.hpp"
#include "tests/catch.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <set>
#include <stdexcept>
#include <vector>

using namespace common;

namespace {

constexpr std::size_t size = 100'003; // no multiple of anything, and several threads' worth

/// Right and wrong answers to "copy array 0", in host memory, where no device is needed.
class Answer
{
  public:
    explicit Answer(Element element = Element::f32)
        : element_(element), output_(element, size, {MemoryKind::pageable})
    {
        output_.poison();
    }

    float* floats() { return static_cast<float*>(output_.data()); }
    std::byte* bytes() { return static_cast<std::byte*>(output_.data()); }

    Answer& write(std::size_t first, std::size_t count)
    {
        generate(element_, 1, 0, first, count, bytes() + first * element_bytes(element_));
        return *this;
    }
    Verdict verify()
    {
        return output_.verify([this](std::size_t first, std::size_t count, void* out) {
            generate(element_, 1, 0, first, count, out);
        });
    }

  private:
    Element element_;
    Array output_;
};

/// Array 0 of floats.
void first_input(std::size_t first, std::size_t count, void* out)
{
    generate(Element::f32, 1, 0, first, count, out);
}

const auto every_element = {Element::f32, Element::f64, Element::u8,  Element::u16,
                            Element::u32, Element::u64, Element::u128};

} // namespace

TEST_CASE("the right answer passes, for every type of element")
{
    for (const Element element : every_element) {
        const Verdict verdict = Answer(element).write(0, size).verify();
        CHECK(verdict.ok);
        CHECK(verdict.size == size);
        CHECK(verdict.message().empty());
    }
}

TEST_CASE("an output that nobody wrote is wrong in every element")
{
    for (const Element element : every_element) {
        const Verdict verdict = Answer(element).verify();
        CHECK_FALSE(verdict.ok);
        CHECK(verdict.mismatches == size);
        CHECK(verdict.first.front().untouched);
    }
}

TEST_CASE("an output shifted by one is wrong in every element that was shifted")
{
    for (const Element element : every_element) {
        Answer answer(element);
        answer.write(0, size);
        const std::size_t unit = element_bytes(element);
        std::memmove(answer.bytes() + unit, answer.bytes(), (size - 1) * unit);
        CHECK(answer.verify().mismatches == size - 1);
    }
}

TEST_CASE("the result of another input is wrong")
{
    Answer answer;
    generate(Element::f32, 1, 1, 0, size, answer.floats());
    CHECK(answer.verify().mismatches > size * 9 / 10);
    generate(Element::f32, 2, 0, 0, size, answer.floats());
    CHECK(answer.verify().mismatches > size * 9 / 10);
}

TEST_CASE("a stale output does not pass, because it is poisoned first")
{
    Array output(Element::f32, size, {MemoryKind::pageable});
    output.poison();
    first_input(0, size, output.data());
    REQUIRE(output.verify(first_input).ok);
    output.poison(); // the next variant writes nothing
    CHECK(output.verify(first_input).mismatches == size);
}

TEST_CASE("one flipped bit is found wherever it is")
{
    for (const std::size_t index : {std::size_t{0}, size / 2, size - 1}) {
        Answer answer;
        answer.write(0, size);
        answer.bytes()[index * sizeof(float)] ^= std::byte{1};
        const Verdict verdict = answer.verify();
        REQUIRE(verdict.mismatches == 1);
        CHECK(verdict.first.front().index == index);
        CHECK_FALSE(verdict.first.front().untouched);
        CHECK(verdict.message().find("1 of 100,003 elements is wrong.") != std::string::npos);
    }
}

TEST_CASE("a skipped tail is named as never written")
{
    const Verdict verdict = Answer().write(0, size - 3).verify();
    REQUIRE(verdict.mismatches == 3);
    CHECK(verdict.first.front().index == size - 3);
    CHECK(verdict.message().find("[100000] was never written") != std::string::npos);
}

TEST_CASE("the first mismatches are shown, in order, and no more")
{
    Answer answer;
    answer.write(0, size);
    for (const std::size_t index : {70'000U, 9U, 50'000U, 90'001U, 4U, 20'000U})
        answer.floats()[index] += 1;
    const Verdict verdict = answer.verify();
    CHECK(verdict.mismatches == 6);
    REQUIRE(verdict.first.size() == Verdict::kept);
    CHECK(verdict.first[0].index == 4);
    CHECK(verdict.first[1].index == 9);
    CHECK(verdict.first[2].index == 20'000);
    CHECK(verdict.first[3].index == 50'000);
}

TEST_CASE("a NaN never passes")
{
    const float nan = std::numeric_limits<float>::quiet_NaN();
    SECTION("where a number is expected")
    {
        Answer answer;
        answer.write(0, size);
        answer.floats()[77] = nan;
        const Verdict verdict = answer.verify();
        REQUIRE(verdict.mismatches == 1);
        CHECK(verdict.first.front().got.find("nan") == 0);
    }
    SECTION("not even where the same NaN is expected")
    {
        Array output(Element::f32, size, {MemoryKind::pageable});
        output.poison();
        const Expected all_nan = [nan](std::size_t, std::size_t count, void* out) {
            std::fill_n(static_cast<float*>(out), count, nan);
        };
        all_nan(0, size, output.data());
        CHECK(output.verify(all_nan).mismatches == size);
    }
}

TEST_CASE("minus zero is not zero: a copy is exact to the bit")
{
    Array output(Element::f32, 1, {MemoryKind::pageable});
    output.poison();
    *static_cast<float*>(output.data()) = -0.0F;
    CHECK_FALSE(
        output.verify([](std::size_t, std::size_t, void* out) { *static_cast<float*>(out) = 0.0F; })
            .ok);
}

TEST_CASE("a write past the end is found, and where")
{
    for (const std::size_t distance : {std::size_t{0}, std::size_t{200}, Array::canary_bytes - 1}) {
        Answer answer;
        answer.write(0, size);
        answer.bytes()[size * sizeof(float) + distance] = std::byte{0};
        const Verdict verdict = answer.verify();
        CHECK_FALSE(verdict.ok);
        CHECK(verdict.mismatches == 0);
        CHECK_FALSE(verdict.damage_before);
        CHECK(verdict.damage_after == distance);
        CHECK(verdict.message().find("past the end") != std::string::npos);
    }
}

TEST_CASE("a write before the start is found, and where")
{
    for (const std::size_t distance : {std::size_t{1}, std::size_t{4}, Array::canary_bytes}) {
        Answer answer;
        answer.write(0, size);
        *(answer.bytes() - distance) = std::byte{0};
        const Verdict verdict = answer.verify();
        CHECK_FALSE(verdict.ok);
        CHECK_FALSE(verdict.damage_after);
        CHECK(verdict.damage_before == distance);
        CHECK(verdict.message().find("before the start") != std::string::npos);
    }
}

TEST_CASE("an output that starts at an odd element is compared from there")
{
    Array output(Element::f32, size, {MemoryKind::pageable, 1});
    output.poison();
    first_input(0, size, output.data());
    CHECK(output.verify(first_input).ok);
    static_cast<float*>(output.data())[-1] = 0;
    CHECK(output.verify(first_input).damage_before == 1);
    static_cast<float*>(output.data())[size] = 0;
    CHECK(output.verify(first_input).damage_after == 0);
}

TEST_CASE("a matrix is compared row by row, and its padding belongs to nobody")
{
    constexpr std::size_t columns = 13;
    constexpr std::size_t count = 5'003;
    constexpr std::size_t pitch = 64; // 16 floats: three of padding
    const Rows rows{columns, count, pitch};
    Array output(Element::f32, rows, {MemoryKind::pageable});
    const Expected expected = first_input;
    const auto row = [&](std::size_t y) {
        return static_cast<float*>(output.data()) + y * pitch / sizeof(float);
    };
    output.poison();
    for (std::size_t y = 0; y < count; ++y)
        expected(y * columns, columns, row(y));
    REQUIRE(output.verify(expected).ok);
    CHECK(output.size() == columns * count);
    SECTION("a wrong element is named by its number in the matrix")
    {
        row(4'000)[7] += 1;
        const Verdict verdict = output.verify(expected);
        REQUIRE(verdict.mismatches == 1);
        CHECK(verdict.first.front().index == 4'000 * columns + 7);
        CHECK_FALSE(verdict.damaged_padding);
    }
    SECTION("a write behind a row is found, and the first such row is named")
    {
        row(3'001)[columns] = 0;
        row(count - 1)[columns + 2] = 0;
        const Verdict verdict = output.verify(expected);
        CHECK_FALSE(verdict.ok);
        CHECK(verdict.mismatches == 0);
        CHECK(verdict.damaged_padding == 3'001);
        CHECK(verdict.message().find("the padding behind row 3001") != std::string::npos);
    }
    SECTION("a write past the last row's padding is past the end")
    {
        row(count)[0] = 0;
        const Verdict verdict = output.verify(expected);
        CHECK_FALSE(verdict.damaged_padding);
        CHECK(verdict.damage_after == 0);
    }
}

TEST_CASE("a box takes as many whole rows and slices as its elements fill")
{
    for (const std::size_t n : {std::size_t{1}, std::size_t{3}, std::size_t{4'099}, size}) {
        const Extent box = box_of(n, 1'023, 31);
        CHECK(box.size() >= 1);
        CHECK(box.size() <= n);
        CHECK(n - box.size() < box.columns * box.rows); // not a slice more
        CHECK(box.columns == std::min<std::size_t>(n, 1'023));
        const Extent matrix = matrix_of(n, 1'023);
        CHECK(matrix.slices == 1);
        CHECK(matrix.rows == n / matrix.columns);
    }
    CHECK_THROWS_AS(box_of(0, 1, 1), std::invalid_argument);
    CHECK_THROWS_AS(matrix_of(1, 0), std::invalid_argument);
}

TEST_CASE("inputs make a check mean something")
{
    for (const Element element : every_element) {
        const std::size_t unit = element_bytes(element);
        std::vector<std::byte> a(size * unit);
        std::vector<std::byte> b(size * unit);
        generate(element, 1, 0, 0, size, a.data());
        generate(element, 1, 1, 0, size, b.data());

        CHECK(a != b);
        std::size_t poisoned = 0;
        std::size_t equal_neighbours = 0;
        std::set<std::string> different;
        for (std::size_t i = 0; i < size; ++i) {
            const std::byte* value = a.data() + i * unit;
            poisoned += is_poison(element, value) ? 1U : 0U;
            if (i > 0)
                equal_neighbours += std::memcmp(value, value - unit, unit) == 0 ? 1U : 0U;
            different.insert(format_element(element, value));
        }
        CHECK(poisoned == 0);
        CHECK(equal_neighbours == 0);
        CHECK(different.size() > 250);
    }
}

TEST_CASE("a sum of two inputs differs from both and from its neighbours")
{
    std::vector<float> a(size);
    std::vector<float> b(size);
    generate(Element::f32, 7, 0, 0, size, a.data());
    generate(Element::f32, 7, 1, 0, size, b.data());
    std::size_t zero_b = 0;
    std::size_t equal_neighbours = 0;
    for (std::size_t i = 0; i < size; ++i) {
        zero_b += b[i] == 0.0F ? 1U : 0U;
        equal_neighbours += i > 0 && a[i] + b[i] == a[i - 1] + b[i - 1] ? 1U : 0U;
    }
    CHECK(zero_b == 0);
    CHECK(equal_neighbours == 0);
}

TEST_CASE("a single element of an input is the one that stands in the array")
{
    for (const unsigned array : {0U, 1U}) {
        std::vector<float> floats(size);
        std::vector<double> doubles(size);
        generate(Element::f32, 7, array, 0, size, floats.data());
        generate(Element::f64, 7, array, 0, size, doubles.data());
        const Input<float> one(7, array);
        const Input<double> wide(7, array);
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < size; ++i)
            wrong += one[i] != floats[i] || wide[i] != doubles[i] ? 1U : 0U;
        CHECK(wrong == 0);
    }
}

TEST_CASE("an input lies in any memory, with nothing of an element around it")
{
    constexpr std::size_t columns = 13;
    constexpr std::size_t count = 503;
    for (const MemoryKind space :
         {MemoryKind::device, MemoryKind::pageable, MemoryKind::registered, MemoryKind::pinned,
          MemoryKind::portable, MemoryKind::write_combined, MemoryKind::mapped,
          MemoryKind::managed}) {
        Array array(Element::f32, Rows{columns, count, 64}, {space, 1, false});
        array.write_input(3, 1);
        std::vector<float> host(count * 16);
        CHECK_CUDA(cudaMemcpy(host.data(), array.data(), (host.size() - 3) * sizeof(float),
                              cudaMemcpyDefault));
        const Input<float> expected(3, 1);
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < columns * count; ++i)
            wrong += host[i / columns * 16 + i % columns] != expected[i] ? 1U : 0U;
        CHECK(wrong == 0);
        CHECK(host[columns] > 1e38F); // padding
    }
}

TEST_CASE("any part of an input can be made again")
{
    std::vector<float> whole(size);
    std::vector<float> part(100);
    generate(Element::f32, 3, 0, 0, size, whole.data());
    generate(Element::f32, 3, 0, 54'321, 100, part.data());
    CHECK(std::equal(part.begin(), part.end(), whole.begin() + 54'321));
    // Past 2^32 elements indices are 64 bits wide.
    std::vector<float> far(100);
    generate(Element::f32, 3, 0, (std::size_t{1} << 32U) + 54'321, 100, far.data());
    CHECK(far != part);
}

TEST_CASE("what is expected is made once, and an output that is wrong is still told from it")
{
    const MemoryKind kind = GENERATE(MemoryKind::device, MemoryKind::pageable);
    for (const std::size_t offset : {0u, 1u}) {
        Array output(Element::f32, size, {kind, offset});
        const auto put = [&](std::size_t element, unsigned char byte) {
            CHECK_CUDA(cudaMemcpy(static_cast<float*>(output.data()) + element, &byte, 1,
                                  cudaMemcpyDefault));
        };
        std::atomic<std::size_t> made{0};
        std::uint64_t seed = 1;
        const Expected expected = [&](std::size_t first, std::size_t count, void* out) {
            made += count;
            generate(Element::f32, seed, 0, first, count, out);
        };
        std::vector<float> right(size);
        const auto write = [&] {
            generate(Element::f32, seed, 0, 0, size, right.data());
            CHECK_CUDA(
                cudaMemcpy(output.data(), right.data(), size * sizeof(float), cudaMemcpyDefault));
        };
        output.poison();
        CHECK(output.verify_again(expected).mismatches == size);
        write();
        made = 0;
        CHECK(output.verify_again(expected).ok);
        CHECK(made == 0);
        for (const std::size_t wrong : {std::size_t{0}, size / 2, size - 1}) {
            write();
            put(wrong, 0x11);
            const Verdict verdict = output.verify_again(expected);
            CHECK(verdict.mismatches == 1);
            CHECK(verdict.first.at(0).index == wrong);
        }
        write();
        put(size, 0);
        CHECK(output.verify_again(expected).damage_after == 0);
        output.poison();
        seed = 2;
        output.forget_expected();
        write();
        CHECK(output.verify_again(expected).ok);
    }
}

TEST_CASE("a NaN is wrong, however often it is expected")
{
    Array output(Element::f32, size, {MemoryKind::device});
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const Expected all_nan = [&](std::size_t, std::size_t count, void* out) {
        std::fill_n(static_cast<float*>(out), count, nan);
    };
    const std::vector<float> nans(size, nan);
    output.poison();
    CHECK_CUDA(
        cudaMemcpy(output.data(), nans.data(), size * sizeof(float), cudaMemcpyHostToDevice));
    for (int time = 0; time < 2; ++time)
        CHECK(output.verify_again(all_nan).mismatches == size);
}

TEST_CASE("shares are whole float4s, cover every element once, and are as equal as that allows")
{
    for (const std::size_t n : {0, 1, 3, 4, 31, 32, 33, 4099, 65537}) {
        for (const unsigned devices : {1U, 2U, 3U, 4U, 16U}) {
            std::size_t next = 0;
            for (unsigned k = 0; k < devices; ++k) {
                const Share part = share(n, devices, k);
                INFO(n << " elements, device " << k << " of " << devices);
                CHECK(part.first == next);
                CHECK((part.first % 4 == 0 || part.count == 0));
                CHECK(part.count <= (n / 4 / devices + 1) * 4);
                next += part.count;
            }
            CHECK(next == n);
        }
    }
}
