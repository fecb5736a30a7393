/// \file
/// The central class: one chapter from its command line to its table.
#pragma once

#include "common/backend.hpp"
#include "common/measure.hpp"
#include "common/problem.hpp"

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace common {

/// A property of a variant shown as a column of its own: {"occupancy", 0.75}.
struct Parameter
{
    std::string name;
    std::variant<std::int64_t, double, std::string> value;
};

/// One row of a chapter's table.
struct Variant
{
    std::string name;                       ///< what `--variant` selects; several rows may share it
    unsigned threads = 0;                   ///< threads a block; 0 where that says nothing
    std::vector<Parameter> parameters = {}; ///< further columns
};

/// Blocks of `per_block` elements that cover `n` elements: the quotient rounded up.
[[nodiscard]] constexpr unsigned blocks(std::size_t n, std::size_t per_block)
{
    return static_cast<unsigned>((n + per_block - 1) / per_block);
}

/// Runs the variants of one chapter: verifies each, measures it (GPU) or counts its transactions
/// (CPU device), verifies it again, and reports.
class Chapter
{
  public:
    /// Parses the options that all chapters share. Ends the program with the status of README's
    /// list on --help, a usage error or a missing GPU.
    Chapter(std::string_view name, int argc, char** argv);

    /// Elements of an array: --n, or the device's default.
    [[nodiscard]] std::size_t n() const;
    /// The sizes of a chapter that sweeps them: --n alone if it was given, else `gpu` or `cpu`,
    /// whichever device this is.
    [[nodiscard]] std::vector<std::size_t> sizes(std::initializer_list<std::size_t> gpu,
                                                 std::initializer_list<std::size_t> cpu) const;
    [[nodiscard]] std::uint64_t seed() const;
    /// True under --list: nothing may be allocated or launched.
    [[nodiscard]] bool listing() const;

    /// A variant that is a kernel launch (or several) on the stream it is given.
    void run(const Variant& variant, Problem& problem, const Launch& launch);
    /// A variant timed on the host, from the call to the end of all it queued: transfers.
    void run_transfer(const Variant& variant, Problem& problem, const Launch& work);
    /// A library's own solution, measured the same way, as a row marked `peer`. On the CPU device
    /// `launch` is not called and the row says "GPU only".
    void run_peer(const Variant& variant, Problem& problem, const Launch& launch);
    /// A visible row for something the CPU device cannot run.
    void gpu_only(const Variant& variant);

    /// Prints the table, writes --json and --csv, and returns the exit status.
    [[nodiscard]] int finish();
};

} // namespace common
