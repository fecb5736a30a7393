/// \file
/// The central class: one chapter from its command line to its table.
#pragma once

#include "common/device/check.hpp"
#include "common/device/device.hpp"
#include "common/device/measure.hpp"
#include "common/problem/problem.hpp"
#include "common/report/parameter.hpp"

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace common {

/// One row of a chapter's table.
struct Variant
{
    std::string name;                       ///< what `--variant` selects; several rows may share it
    unsigned threads = 0;                   ///< threads a block; 0 where that says nothing
    std::vector<Parameter> parameters = {}; ///< further columns
    std::string task = {};                  ///< that it solves, where that is not its problem's
};

/// Most blocks in the first dimension of a grid, 2^31 - 1.
inline constexpr std::size_t max_blocks = 0x7fff'ffff;

/// Throws std::length_error: a grid of `count` blocks is too large.
[[noreturn]] void throw_too_many_blocks(std::size_t count);

/// Blocks of `per_block` elements that cover `n` elements: the quotient rounded up. Throws
/// std::length_error where that is more than max_blocks.
[[nodiscard]] constexpr unsigned blocks(std::size_t n, std::size_t per_block)
{
    const std::size_t count = n / per_block + (n % per_block == 0 ? 0 : 1);
    if (count > max_blocks)
        throw_too_many_blocks(count);
    return static_cast<unsigned>(count);
}

/// Most blocks in the second dimension of a grid, 2^16 - 1.
inline constexpr std::size_t max_blocks_y = 0xffff;

/// Blocks of `across` x `down` elements that cover `width` x `height` of them. Throws
/// std::length_error where that is more than max_blocks across or max_blocks_y down.
[[nodiscard]] dim3 grid(std::size_t width, std::size_t height, std::size_t across,
                        std::size_t down);

/// One step of a longer job, timed by itself from the host.
struct Step
{
    /// What is timed: a call, and all that it queues, to the end.
    Launch work;
    /// Brings the data to where the step finds it; called before every launch of `work`.
    Launch before = {};
    /// Does what is left of the job, so that the output can be verified; called before that.
    Launch after = {};
};

/// Runs the variants of one chapter: verifies each, measures it (GPU) or counts its transactions
/// (CPU device), verifies it again, and reports.
///
///     int main(int argc, char** argv)
///     {
///         common::Chapter chapter("01_basic_vecadd", argc, argv);
///         common::VectorAdd problem(chapter);
///         chapter.run({"basic", 256}, problem, [&](cudaStream_t stream) {
///             add<<<common::blocks(problem.n, 256), 256, 0, stream>>>(problem.a, problem.b,
///                                                                     problem.c, problem.n);
///         });
///         return chapter.finish();
///     }
///
/// Under `--list` variants are named and nothing is launched; a chapter that asks the device
/// something itself, for a parameter say, asks listing() first.
class Chapter
{
  public:
    /// Parses the options that all chapters share. Ends the program after --help (status 0), on a
    /// usage error (2) and without a GPU in a program built for one (4). From here on an exception
    /// that nobody catches prints its sentence and ends the program with status 5.
    Chapter(std::string_view name, int argc, char** argv);
    Chapter(const Chapter&) = delete;
    Chapter& operator=(const Chapter&) = delete;
    ~Chapter();

    /// Elements of an array: --n, or the device's default: 2^20 on the CPU device (2^16 with
    /// --quick), 2^26 on a GPU (2^22).
    [[nodiscard]] std::size_t n() const;
    /// The sizes of a chapter that sweeps them: --n alone if it was given, else `gpu` or `cpu`,
    /// whichever device this is; the smallest of them with --quick, the largest of `cpu` with
    /// --launch-once. Sizes whose arrays, of
    /// `bytes_per_element` together, do not fit the free memory are left out, with a sentence on
    /// standard error.
    [[nodiscard]] std::vector<std::size_t> sizes(std::initializer_list<std::size_t> gpu,
                                                 std::initializer_list<std::size_t> cpu,
                                                 std::size_t bytes_per_element = 0) const;
    /// --seed: of the inputs, and of the order in which the CPU device runs the lanes of a warp.
    [[nodiscard]] std::uint64_t seed() const;
    /// True under --list: nothing may be allocated or launched.
    [[nodiscard]] bool listing() const;
    /// True when --variant selects `name`, or is not given: what only that variant needs may be
    /// left out otherwise.
    [[nodiscard]] bool selected(std::string_view name) const;

    /// A variant that is a kernel launch (or several) on the stream it is given.
    void run(const Variant& variant, Problem& problem, const Launch& launch);
    /// A variant timed on the host, from the call to the end of all it queued: transfers.
    void run_transfer(const Variant& variant, Problem& problem, const Launch& work);
    /// A variant that is a step of a longer job. Neither `before` nor `after` is timed or counted.
    void run_step(const Variant& variant, Problem& problem, const Step& step);
    /// From here on kernels have a modelled time on the CPU device, also those that use device
    /// memory alone; transfers and kernels that cross the link have one anyway.
    void model_kernels();
    /// A library's own solution, measured the same way, as a row marked `library`. On the CPU
    /// device `launch` is not called and the row says "GPU only".
    void run_library(const Variant& variant, Problem& problem, const Launch& launch);
    /// Whether the cold samples from here on begin by making lines that an access policy holds in
    /// the L2 ordinary ones. They do, unless a chapter shows what happens otherwise.
    void reset_persisting_lines(bool reset);
    /// A visible row for a variant, on `n` elements, that the CPU device cannot run.
    void gpu_only(const Variant& variant, std::size_t n);
    /// True when the GPU's compute capability is at least `major`.0, or under --list. Otherwise
    /// adds a visible row for `variant`, on `n` elements, that says what it needs: a GPU, or a
    /// newer one.
    [[nodiscard]] bool has_compute_capability(int major, const Variant& variant, std::size_t n);
    /// A visible row for a variant, on `n` elements, that cannot run here; `note` says why.
    void unavailable(const Variant& variant, std::size_t n, const std::string& note);

    /// Prints the table, writes --json and --csv, and returns the exit status: 0, 1 when a variant
    /// failed verification, 2 when --variant names none or a file cannot be written.
    [[nodiscard]] int finish();

  private:
    class Implementation;
    std::unique_ptr<Implementation> implementation_;
};

/// `count` streams of their own; none under --list.
[[nodiscard]] std::vector<Stream> make_streams(const Chapter& chapter, std::size_t count);

/// The libraries of a vector add, as rows: cub::DeviceTransform and thrust::transform.
void run_add_libraries(Chapter& chapter, VectorAdd& problem);

/// The libraries of a copy of `n` units of `unit_bytes` from `a` to `c`, as rows with `parameters`:
/// cudaMemcpyAsync, and cub::DeviceTransform for units of up to 8 bytes.
void run_copy_libraries(Chapter& chapter, Problem& problem, const void* a, void* c, std::size_t n,
                        std::size_t unit_bytes, const std::vector<Parameter>& parameters);

/// The same for a problem that is a copy.
template<class T>
void run_copy_libraries(Chapter& chapter, Copy<T>& problem,
                        const std::vector<Parameter>& parameters = {})
{
    run_copy_libraries(chapter, problem, problem.a, problem.c, problem.n, sizeof(T), parameters);
}

/// The library of a transposition, as a row with `parameters`: cublasSgeam, or why there is none.
/// `a` has `rows` rows of `columns` elements, one after another; the rows of `c` are its columns.
void run_transpose_library(Chapter& chapter, Problem& problem, const float* a, float* c,
                           std::size_t rows, std::size_t columns,
                           const std::vector<Parameter>& parameters);

} // namespace common
