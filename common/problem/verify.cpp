#include "common/problem/verify.hpp"

#include "common/device/check.hpp"
#include "common/problem/parallel.hpp"
#include "common/text/format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>

namespace common {

namespace {

/// Copied back at a time: large enough for the link's full rate, small beside any output.
constexpr std::size_t staging_bytes = std::size_t{32} << 20U;
/// Elements that one thread compares at a time.
constexpr std::size_t compare_grain = std::size_t{1} << 14U;

bool damaged(std::byte value)
{
    return value != std::byte{poison_byte};
}

} // namespace

/// Compares parts of an output and gathers what is wrong, from several threads.
class GuardedOutput::Comparison
{
  public:
    Comparison(Element element, const Expected& expected) : element_(element), expected_(expected)
    {}

    /// Compares `count` elements at `got`, the first of which is number `first`.
    void compare(const std::byte* got, std::size_t first, std::size_t count)
    {
        const std::size_t unit = element_bytes(element_);
        std::vector<std::byte> wanted(count * unit);
        expected_(first, count, wanted.data());
        if (std::memcmp(got, wanted.data(), wanted.size()) == 0 &&
            !has_nan(element_, wanted.data(), count))
            return; // nearly always: element by element is for finding out which are wrong
        for (std::size_t i = 0; i < count; ++i) {
            const std::byte* expected = wanted.data() + i * unit;
            const std::byte* actual = got + i * unit;
            if (std::memcmp(actual, expected, unit) != 0 || is_nan(element_, expected))
                add(first + i, actual, expected);
        }
    }

    /// Moves the findings into `verdict`.
    void report(Verdict& verdict)
    {
        verdict.mismatches = count_;
        verdict.first = std::move(first_);
    }

  private:
    void add(std::size_t index, const void* got, const void* expected)
    {
        const std::lock_guard lock(mutex_);
        ++count_;
        const auto place =
            std::upper_bound(first_.begin(), first_.end(), index,
                             [](std::size_t i, const auto& entry) { return i < entry.index; });
        if (place == first_.end() && first_.size() == Verdict::kept)
            return;
        first_.insert(place, {index, format_element(element_, got),
                              format_element(element_, expected), is_poison(element_, got)});
        if (first_.size() > Verdict::kept)
            first_.pop_back();
    }

    Element element_;
    const Expected& expected_;
    std::mutex mutex_;
    std::size_t count_ = 0;
    std::vector<Verdict::Mismatch> first_;
};

GuardedOutput::GuardedOutput(Element element, std::size_t size, OutputSpace space,
                             std::size_t offset)
    : element_(element), size_(size), space_(space),
      start_(canary_bytes + offset * element_bytes(element)), rows_{size, 1,
                                                                    size * element_bytes(element)}
{
    allocate_storage();
}

GuardedOutput::GuardedOutput(Element element, const Rows& rows, OutputSpace space)
    : element_(element), size_(rows.columns * rows.count), space_(space), start_(canary_bytes),
      rows_(rows)
{
    allocate_storage();
}

void GuardedOutput::allocate_storage()
{
    const std::size_t bytes = storage_bytes();
    switch (space_) {
    case OutputSpace::device:
        device_ = DeviceBuffer<std::byte>(bytes);
        // Room for a row at least: rows are compared whole.
        staging_ = PinnedBuffer<std::byte>(
            std::min(bytes, std::max(staging_bytes, rows_.pitch > row_bytes() ? rows_.pitch : 0)));
        break;
    case OutputSpace::pinned_host:
        pinned_ = PinnedBuffer<std::byte>(bytes);
        break;
    case OutputSpace::mapped_host:
        mapped_ = MappedBuffer<std::byte>(bytes);
        break;
    case OutputSpace::managed:
        managed_ = ManagedBuffer<std::byte>(bytes);
        break;
    case OutputSpace::pageable_host:
        pageable_.resize(bytes);
        break;
    }
}

std::byte* GuardedOutput::storage() const
{
    switch (space_) {
    case OutputSpace::device:
        return device_.data();
    case OutputSpace::pinned_host:
        return pinned_.data();
    case OutputSpace::mapped_host:
        return mapped_.data();
    case OutputSpace::managed:
        return managed_.data();
    case OutputSpace::pageable_host:
        return const_cast<std::byte*>(pageable_.data());
    }
    return nullptr;
}

std::size_t GuardedOutput::storage_bytes() const
{
    return start_ + rows_.count * rows_.pitch + canary_bytes;
}

void* GuardedOutput::data() const
{
    return size_ == 0 ? nullptr : storage() + start_;
}

void GuardedOutput::poison()
{
    if (space_ == OutputSpace::device) {
        CHECK_CUDA(cudaMemset(storage(), poison_byte, storage_bytes()));
        // A memset of device memory returns early; a stream of the caller's own would not wait.
        CHECK_CUDA(cudaDeviceSynchronize());
    } else {
        std::memset(storage(), poison_byte, storage_bytes());
    }
}

const std::byte* GuardedOutput::fetch(std::size_t offset, std::size_t bytes)
{
    if (space_ != OutputSpace::device)
        return storage() + offset;
    CHECK_CUDA(cudaMemcpy(staging_.data(), storage() + offset, bytes, cudaMemcpyDeviceToHost));
    return staging_.data();
}

void GuardedOutput::check_canaries(Verdict& verdict)
{
    const std::byte* before = fetch(0, start_);
    const auto last = std::find_if(std::make_reverse_iterator(before + start_),
                                   std::make_reverse_iterator(before), damaged);
    if (last.base() != before)
        verdict.damage_before = static_cast<std::size_t>(before + start_ - last.base()) + 1;

    const std::byte* after = fetch(storage_bytes() - canary_bytes, canary_bytes);
    const std::byte* first = std::find_if(after, after + canary_bytes, damaged);
    if (first != after + canary_bytes)
        verdict.damage_after = static_cast<std::size_t>(first - after);
}

void GuardedOutput::compare_array(Comparison& comparison)
{
    const std::size_t unit = element_bytes(element_);
    const std::size_t chunk =
        space_ == OutputSpace::device ? std::min(size_, staging_.size() / unit) : size_;
    for (std::size_t start = 0; start < size_; start += chunk) {
        const std::size_t count = std::min(chunk, size_ - start);
        const std::byte* got = fetch(start_ + start * unit, count * unit);
        parallel_for(count, compare_grain, [&](std::size_t first, std::size_t last) {
            comparison.compare(got + first * unit, start + first, last - first);
        });
    }
}

std::optional<std::size_t> GuardedOutput::compare_rows(Comparison& comparison)
{
    std::atomic<std::size_t> damaged_row{rows_.count};
    const std::size_t chunk =
        space_ == OutputSpace::device ? staging_.size() / rows_.pitch : rows_.count;
    for (std::size_t start = 0; start < rows_.count; start += chunk) {
        const std::size_t count = std::min(chunk, rows_.count - start);
        const std::byte* got = fetch(start_ + start * rows_.pitch, count * rows_.pitch);
        const auto check = [&](std::size_t row) {
            const std::byte* elements = got + row * rows_.pitch;
            comparison.compare(elements, (start + row) * rows_.columns, rows_.columns);
            if (!std::any_of(elements + row_bytes(), elements + rows_.pitch, damaged))
                return;
            std::size_t earliest = damaged_row;
            while (start + row < earliest &&
                   !damaged_row.compare_exchange_weak(earliest, start + row)) {
            }
        };
        parallel_for(count, compare_grain / rows_.columns + 1,
                     [&](std::size_t first, std::size_t last) {
                         for (std::size_t row = first; row < last; ++row)
                             check(row);
                     });
    }
    if (damaged_row == rows_.count)
        return std::nullopt;
    return damaged_row.load();
}

Verdict GuardedOutput::verify(const Expected& expected)
{
    Verdict verdict;
    verdict.size = size_;
    Comparison comparison(element_, expected);
    if (rows_.pitch > row_bytes())
        verdict.damaged_padding = compare_rows(comparison);
    else
        compare_array(comparison);
    comparison.report(verdict);
    check_canaries(verdict);
    verdict.ok = verdict.mismatches == 0 && !verdict.damage_before && !verdict.damage_after &&
                 !verdict.damaged_padding;
    return verdict;
}

std::string Verdict::message() const
{
    std::vector<std::string> sentences;
    if (mismatches > 0) {
        sentences.push_back(fmt::format("{} of {} elements {} wrong.", format_count(mismatches),
                                        format_count(size), mismatches == 1 ? "is" : "are"));
        for (const Mismatch& mismatch : first)
            sentences.push_back(mismatch.untouched
                                    ? fmt::format("[{}] was never written, expected {}.",
                                                  mismatch.index, mismatch.expected)
                                    : fmt::format("[{}] is {}, expected {}.", mismatch.index,
                                                  mismatch.got, mismatch.expected));
        if (mismatches > first.size())
            sentences.emplace_back("...");
    }
    if (damage_before)
        sentences.push_back(fmt::format("A write landed {} {} before the start of the output.",
                                        *damage_before, *damage_before == 1 ? "byte" : "bytes"));
    if (damage_after)
        sentences.push_back(fmt::format(
            "A write landed past the end of the output, at byte {} beyond it.", *damage_after));
    if (damaged_padding)
        sentences.push_back(
            fmt::format("A write landed in the padding behind row {}.", *damaged_padding));
    return fmt::format("{}", fmt::join(sentences, " "));
}

} // namespace common
