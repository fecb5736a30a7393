/// \file
/// What the C++ library for WebAssembly may lack, and the engine uses: it has no threads, so a
/// mutex is nothing; libc++ 14 has no algorithms of std::ranges. Included before every source here,
/// and before chapters.
#pragma once

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <mutex>
#include <utility>

#ifdef _LIBCPP_HAS_NO_THREADS
namespace std {
struct mutex
{};
using recursive_mutex = mutex;
template<class Mutex>
struct lock_guard
{
    explicit lock_guard(Mutex&) {}
};
template<class Mutex>
struct unique_lock
{
    explicit unique_lock(Mutex&) {}
    void lock() {}
    void unlock() {}
};
} // namespace std
#endif

#if _LIBCPP_VERSION < 15000
namespace std {
inline from_chars_result from_chars(const char* begin, const char*, double& number)
{
    char* end = nullptr;
    number = strtod(begin, &end);
    return {end, end == begin ? errc::invalid_argument : errc()};
}
template<class T>
class atomic_ref
{
  public:
    explicit atomic_ref(T& value) : value_(&value) {}
    T load(memory_order) const { return *value_; }
    bool compare_exchange_weak(T&, T fresh) const
    {
        *value_ = fresh;
        return true;
    }

  private:
    T* value_;
};
namespace ranges {
#define FOR_A_RANGE(name)                                                                          \
    template<class Range, class What, class Projection = identity>                                 \
    auto name(Range&& range, const What& what, Projection = {})                                    \
    {                                                                                              \
        return std::name(std::begin(range), std::end(range), what);                                \
    }
FOR_A_RANGE(find_if)
FOR_A_RANGE(any_of)
FOR_A_RANGE(all_of)
FOR_A_RANGE(none_of)
FOR_A_RANGE(count_if)
FOR_A_RANGE(fill)
#undef FOR_A_RANGE
template<class Range, class Value, class Projection = identity>
auto count(Range&& range, const Value& value, Projection projection = {})
{
    return std::count_if(std::begin(range), std::end(range), [&](const auto& element) {
        return std::invoke(projection, element) == value;
    });
}
template<class Range, class Output>
auto copy(Range&& range, Output to)
{
    return std::copy(std::begin(range), std::end(range), to);
}
template<class Range, class Value, class Projection = identity>
auto find(Range&& range, const Value& value, Projection projection = {})
{
    return std::find_if(std::begin(range), std::end(range), [&](const auto& element) {
        return std::invoke(projection, element) == value;
    });
}
template<class Range, class Compare = std::less<>, class Projection = identity>
void sort(Range&& range, Compare compare = {}, Projection projection = {})
{
    std::sort(std::begin(range), std::end(range), [&](const auto& one, const auto& other) {
        return compare(std::invoke(projection, one), std::invoke(projection, other));
    });
}
} // namespace ranges
} // namespace std
#endif
