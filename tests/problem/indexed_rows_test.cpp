// What moved rows, and sums of rows, must result in.
#include "chapters/35_indexed_rows/indexed_rows.hpp"

#include "tests/catch.hpp"
#include "tests/problem/written.hpp"

#include <cstdint>
#include <cstring>
#include <vector>

namespace {

constexpr std::size_t elements = 77 * 32; // 77 rows of 64 bytes: the last page has 13
constexpr std::size_t width = 64;

std::vector<std::uint32_t> words(const void* device, std::size_t count)
{
    return read(static_cast<const std::uint32_t*>(device), count);
}

bool accepted(IndexedRows& problem, const std::vector<std::uint32_t>& output)
{
    problem.poison();
    write(problem.c<std::uint32_t>(), output);
    return problem.verify().ok;
}

std::size_t place(const std::vector<std::uint32_t>& page, std::size_t r)
{
    return page[r / 16] * std::size_t{16} + r % 16;
}

} // namespace

TEST_CASE("rows are moved to where the index or the page says")
{
    const RowTask task = GENERATE(RowTask::look_up, RowTask::read, RowTask::append);
    const RowOrder order = GENERATE(RowOrder::random, RowOrder::sorted, RowOrder::hot);
    CAPTURE(task, order);
    IndexedRows p({1, 7}, task, elements, width, order);
    p.expect_rows([&](std::size_t r) {
        return task == RowTask::look_up ? p.index(r)
               : task == RowTask::read  ? p.place(r)
                                        : p.row_at(r);
    });
    p.allocate();
    REQUIRE(p.rows == 77);
    const std::size_t row = width / 4;
    const std::vector<std::uint32_t> a = words(p.a<void>(), 80 * row);
    const std::vector<std::uint32_t> where = words(p.where, task == RowTask::look_up ? 77 : 5);
    std::vector<std::uint32_t> output((task == RowTask::append ? 80 : 77) * row);
    for (std::size_t r = 0; r < 77; ++r) {
        const std::size_t from = task == RowTask::look_up ? where[r]
                                 : task == RowTask::read  ? place(where, r)
                                                          : r;
        const std::size_t to = task == RowTask::append ? place(where, r) : r;
        for (std::size_t k = 0; k < row; ++k)
            output[to * row + k] = a[from * row + k];
    }
    CHECK(accepted(p, output));
    output[5] ^= 1;
    CHECK_FALSE(accepted(p, output));
}

TEST_CASE("rows are added up by their index, exactly")
{
    const RowOrder order = GENERATE(RowOrder::random, RowOrder::sorted, RowOrder::hot);
    IndexedRows p({1, 7}, RowTask::add_up, elements, width, order);
    p.expect_sums([&](std::size_t v, std::size_t k) {
        float sum = 0;
        for (const std::size_t r : p.members_of(v))
            sum += p.element(r * p.of<float>() + k);
        return sum;
    });
    p.allocate();
    const std::size_t row = width / 4;
    const std::vector<float> a = read(p.a<float>(), 77 * row);
    const std::vector<std::uint32_t> index = words(p.where, 77);
    std::vector<float> sums(77 * row);
    for (std::size_t r = 77; r-- > 0;)
        for (std::size_t k = 0; k < row; ++k)
            sums[index[r] * row + k] += a[r * row + k];
    std::vector<std::uint32_t> output(sums.size());
    std::memcpy(output.data(), sums.data(), 4 * sums.size());
    CHECK(accepted(p, output));
    output[5] ^= 1;
    CHECK_FALSE(accepted(p, output));

    const std::vector<std::uint32_t> begin = words(p.begin, 78);
    const std::vector<std::uint32_t> members = words(p.members, 77);
    for (std::size_t v = 0; v < 77; ++v)
        for (std::size_t j = begin[v]; j < begin[v + 1]; ++j)
            CHECK(index[members[j]] == v);
    CHECK(begin[77] == 77);
}
