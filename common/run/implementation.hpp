/// \file
/// The implementation of Chapter, for those who start one: a process with a command line
/// (process.cpp), and the page of a chapter (browser/whole).
#pragma once

#include "common/run/chapter.hpp"
#include "common/run/runner.hpp"

#include <memory>
#include <string>
#include <vector>

namespace common {

/// The rows of a chapter in flight to its runner. Who starts a chapter defines the constructor,
/// which chooses the runner, and finish().
class Chapter::Implementation
{
  public:
    /// Chapter::Chapter().
    Implementation(int argc, char** argv, int devices);

    /// Chapter::wants().
    [[nodiscard]] bool wants(const Variant& variant) const;
    /// Hands a row that was requested to the runner.
    void run(const RowSpec& row);
    /// The first variant that was requested and that no row has; null if there is none.
    [[nodiscard]] const std::string* missing_variant() const;
    /// Whether the verification of a row has failed.
    [[nodiscard]] bool failed() const;
    /// Chapter::finish().
    [[nodiscard]] int finish();

    Context context;                ///< what was requested, and what came of it
    std::vector<int> devices;       ///< Chapter::devices()
    std::unique_ptr<Runner> runner; ///< that of the mode
    std::vector<std::string> known; ///< names of the variants so far
};

} // namespace common
