#include "common/problem/verify.hpp"

#include "common/device/check.hpp"
#include "common/device/device.hpp"
#include "common/problem/parallel.hpp"
#include "common/text/format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <mutex>

namespace common {

namespace {

/// Moved between host and device at a time: large enough for the link's full rate, small next to
/// any output.
constexpr std::size_t staging_bytes = std::size_t{32} << 20U;
/// Elements that one thread makes or compares at a time, of `count`: fewer where all are few,
/// because one of few may be computed from many inputs. Whole blocks of the usual sizes, in any
/// case.
std::size_t grain(std::size_t count)
{
    constexpr std::size_t most = std::size_t{1} << 14U;
    constexpr std::size_t unit = 1024;
    constexpr std::size_t ranges = 256; // many more than there are cores
    return std::min(most, (count / ranges + unit) / unit * unit);
}

/// Every byte around an input: as floats 3.4e38, which no input holds; and not the poison, or a
/// copy of padding onto padding would not show.
constexpr unsigned char surrounding_byte = 0x7F;

bool damaged(std::byte value)
{
    return value != std::byte{poison_byte};
}

bool without_initialization = false;

} // namespace

void skip_initialization()
{
    without_initialization = true;
}

bool skips_initialization()
{
    return without_initialization;
}

/// Compares parts of an output and gathers what is wrong, from several threads.
class Array::Comparison
{
  public:
    /// Bit for bit.
    Comparison(Element element, const Expected& expected) : element_(element), expected_(&expected)
    {}
    /// Within tolerances.
    Comparison(Element element, const Tolerances& tolerances)
        : element_(element), tolerances_(&tolerances)
    {}

    /// Compares `count` elements at `got`, the first of which is number `first`.
    void compare(const std::byte* got, std::size_t first, std::size_t count)
    {
        if (tolerances_ != nullptr)
            compare_within(got, first, count);
        else
            compare_bits(got, first, count);
    }

    /// Moves the findings into `verdict`.
    void report(Verdict& verdict)
    {
        verdict.mismatches = count_;
        verdict.first = std::move(first_);
    }

  private:
    void compare_bits(const std::byte* got, std::size_t first, std::size_t count)
    {
        const std::size_t unit = element_bytes(element_);
        std::vector<std::byte> wanted(count * unit);
        (*expected_)(first, count, wanted.data());
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
    void compare_within(const std::byte* got, std::size_t first, std::size_t count)
    {
        for (std::size_t i = first; i < first + count; ++i, got += element_bytes(element_)) {
            const Tolerance tolerance = (*tolerances_)(i);
            if (accepts(tolerance, element_, got))
                continue;
            std::array<std::byte, sizeof(double)> expected{};
            store_number(element_, tolerance.value, expected.data());
            add(i, got, expected.data());
        }
    }
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
    const Expected* expected_ = nullptr; ///< one of these two
    const Tolerances* tolerances_ = nullptr;
    std::mutex mutex_;
    std::size_t count_ = 0;
    std::vector<Verdict::Mismatch> first_;
};

Array::Array(Element element, std::size_t size, const Place& place)
    : Array(element, Rows{size, 1, size * element_bytes(element)}, place)
{}

Array::Array(Element element, const Rows& rows, const Place& place)
    : element_(element), rows_(rows),
      start_((place.guarded ? canary_bytes : 0) + place.offset * element_bytes(element)),
      behind_(place.guarded ? canary_bytes : 0),
      storage_(start_ + rows.count * rows.pitch + behind_, place.kind)
{}

const Buffer<std::byte>& Array::staging()
{
    // Room for a row at least: rows are moved whole.
    if (staging_.size() == 0)
        staging_ = Buffer<std::byte>(
            std::min(storage_.size(), std::max(staging_bytes, padded() ? rows_.pitch : 0)),
            MemoryKind::pinned);
    return staging_;
}

void* Array::data() const
{
    return size() == 0 ? nullptr : storage_.data() + start_;
}

void Array::fill(std::size_t offset, unsigned char byte, std::size_t bytes)
{
    if (bytes == 0)
        return;
    if (on_device())
        CHECK_CUDA(cudaMemset(storage_.data() + offset, byte, bytes));
    else
        std::memset(storage_.data() + offset, byte, bytes);
}

void Array::write_input(std::uint64_t seed, unsigned number)
{
    if (without_initialization)
        return;
    const std::size_t unit = element_bytes(element_);
    const std::size_t whole = rows_.count * rows_.pitch;
    fill(0, surrounding_byte, start_);
    fill(start_ + whole, surrounding_byte, behind_);
    if (padded())
        fill(start_, surrounding_byte, whole);
    const auto make = [&](std::size_t first, std::size_t count, std::byte* out) {
        parallel_for(count, grain(count), [&](std::size_t begin, std::size_t end) {
            generate(element_, seed, number, first + begin, end - begin, out + begin * unit);
        });
    };
    std::byte* const to = storage_.data() + start_;
    if (!on_device()) {
        if (!padded())
            return make(0, size(), to);
        for (std::size_t row = 0; row < rows_.count; ++row)
            make(row * rows_.columns, rows_.columns, to + row * rows_.pitch);
        return;
    }
    // Whole rows, or, where they have no padding, any elements as if each were a row.
    const std::size_t width = padded() ? row_bytes() : unit;
    const std::size_t pitch = padded() ? rows_.pitch : unit;
    const std::size_t count = padded() ? rows_.count : size();
    const std::size_t chunk = staging().size() / width;
    for (std::size_t first = 0; first < count; first += chunk) {
        const std::size_t some = std::min(chunk, count - first);
        make(first * (width / unit), some * (width / unit), staging().data());
        if (padded())
            CHECK_CUDA(cudaMemcpy2D(to + first * pitch, pitch, staging().data(), width, width, some,
                                    cudaMemcpyHostToDevice));
        else
            CHECK_CUDA(cudaMemcpy(to + first * unit, staging().data(), some * unit,
                                  cudaMemcpyHostToDevice));
    }
    staging_ = {}; // an input is written once
}

void Array::poison(unsigned char background)
{
    if (without_initialization)
        return;
    fill(0, poison_byte, storage_.size());
    if (background != poison_byte)
        fill(start_, background, rows_.count * rows_.pitch);
    // A memset of device memory returns early; a stream of the caller's own would not wait.
    if (on_device())
        CHECK_CUDA(cudaDeviceSynchronize());
}

const std::byte* Array::fetch(std::size_t offset, std::size_t bytes)
{
    if (!on_device())
        return storage_.data() + offset;
    CHECK_CUDA(
        cudaMemcpy(staging().data(), storage_.data() + offset, bytes, cudaMemcpyDeviceToHost));
    return staging_.data();
}

void Array::check_canaries(Verdict& verdict)
{
    const std::byte* before = fetch(0, start_);
    const auto last = std::find_if(std::make_reverse_iterator(before + start_),
                                   std::make_reverse_iterator(before), damaged);
    if (last.base() != before)
        verdict.damage_before = static_cast<std::size_t>(before + start_ - last.base()) + 1;

    const std::byte* after = fetch(storage_.size() - behind_, behind_);
    const std::byte* first = std::find_if(after, after + behind_, damaged);
    if (first != after + behind_)
        verdict.damage_after = static_cast<std::size_t>(first - after);
}

void Array::compare_array(Comparison& comparison)
{
    const std::size_t unit = element_bytes(element_);
    const std::size_t chunk = on_device() ? std::min(size(), staging().size() / unit) : size();
    for (std::size_t start = 0; start < size(); start += chunk) {
        const std::size_t count = std::min(chunk, size() - start);
        const std::byte* got = fetch(start_ + start * unit, count * unit);
        parallel_for(count, grain(count), [&](std::size_t first, std::size_t last) {
            comparison.compare(got + first * unit, start + first, last - first);
        });
    }
}

std::optional<std::size_t> Array::compare_rows(Comparison& comparison)
{
    std::atomic<std::size_t> damaged_row{rows_.count};
    const std::size_t chunk = on_device() ? staging().size() / rows_.pitch : rows_.count;
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
        parallel_for(count, grain(size()) / rows_.columns + 1,
                     [&](std::size_t first, std::size_t last) {
                         for (std::size_t row = first; row < last; ++row)
                             check(row);
                     });
    }
    if (damaged_row == rows_.count)
        return std::nullopt;
    return damaged_row.load();
}

bool Array::equals_cache() const
{
    const std::byte* const wanted = cache_.data() + start_ % 256;
    const std::size_t bytes = size() * element_bytes(element_);
    if (on_device())
        return same_bits(data(), wanted, bytes);
    std::atomic<bool> same{true};
    parallel_for(bytes, std::size_t{1} << 20U, [&](std::size_t first, std::size_t last) {
        if (std::memcmp(static_cast<const std::byte*>(data()) + first, wanted + first,
                        last - first) != 0)
            same = false;
    });
    return same;
}

void Array::fill_cache(const Expected& expected)
{
    const std::size_t unit = element_bytes(element_);
    // As far past a multiple of 256 bytes as the output: so the widest words fit both.
    const std::size_t lead = start_ % 256;
    cache_state_ = ReferenceCache::unavailable;
    if (cache_.size() == 0) {
        std::size_t most = std::size_t{1} << 30U; // on a host: an array of the usual size
        if (on_device()) {
            std::size_t total = 0;
            CHECK_CUDA(cudaMemGetInfo(&most, &total));
            most /= 4; // the arrays of the next problem want room, too
        }
        if (size() * unit > most)
            return;
        cache_ = Buffer<std::byte>(lead + size() * unit,
                                   on_device() ? MemoryKind::device : MemoryKind::pageable);
    }
    std::atomic<bool> nan{false};
    const auto make = [&](std::size_t first, std::size_t count, std::byte* to) {
        parallel_for(count, grain(count), [&](std::size_t begin, std::size_t end) {
            expected(first + begin, end - begin, to + begin * unit);
            if (has_nan(element_, to + begin * unit, end - begin))
                nan = true;
        });
    };
    if (!on_device())
        make(0, size(), cache_.data() + lead);
    const std::size_t chunk = on_device() ? staging().size() / unit : size();
    for (std::size_t first = 0; on_device() && first < size() && !nan; first += chunk) {
        const std::size_t count = std::min(chunk, size() - first);
        make(first, count, staging_.data());
        CHECK_CUDA(cudaMemcpy(cache_.data() + lead + first * unit, staging_.data(), count * unit,
                              cudaMemcpyHostToDevice));
    }
    if (!nan)
        cache_state_ = ReferenceCache::filled;
}

Verdict Array::verify_again(const Expected& expected)
{
    if (!padded() && size() > 0 && cache_state_ == ReferenceCache::empty)
        fill_cache(expected);
    return verdict(Comparison(element_, expected),
                   cache_state_ == ReferenceCache::filled && equals_cache());
}

Verdict Array::verify(const Expected& expected)
{
    return verdict(Comparison(element_, expected), false);
}

Verdict Array::verify(const Tolerances& tolerances)
{
    return verdict(Comparison(element_, tolerances), false);
}

Verdict Array::verdict(Comparison&& comparison, bool known)
{
    Verdict verdict;
    verdict.size = size();
    if (!known && padded())
        verdict.damaged_padding = compare_rows(comparison);
    else if (!known)
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
    return fmt::format("{}{}", output, fmt::join(sentences, " "));
}

} // namespace common
