#include "common/run/progress.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace common {

RowProgress::RowProgress()
{
    if (const char* told = std::getenv("MOVING_BYTES_PROGRESS"))
        static_cast<void>(
            std::sscanf(told, "%u %u %u %u", &chapter_, &chapters_, &rows_, &seconds_left_));
}

void RowProgress::next(const std::string& row, const std::string& chapter)
{
    ++row_;
    std::string at;
    if (chapters_ > 1)
        at = fmt::format("chapter {} of {}, ", chapter_, chapters_);
    at += rows_ >= row_ ? fmt::format("row {} of {}", row_, rows_) : fmt::format("row {}", row_);
    using Seconds = std::chrono::duration<double>;
    const double left = seconds_left_ - Seconds(Clock::now() - start_).count();
    if (left > 0)
        at += fmt::format(", about {:.0f} s left", std::ceil(left));
    line_.show(fmt::format("{}: {}, {}", chapter, at, row));
}

} // namespace common
