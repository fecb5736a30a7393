/// \file
/// The central class: one chapter from its command line to its table.
#pragma once

#include "common/problem/problem.hpp"
#include "common/run/launch.hpp"
#include "common/run/sizes.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace common {

/// "05_float4": defined by the build, for each program that is a chapter (add_chapter() in
/// cmake/CudaProgram.cmake). Weak: a test may be linked with all of this library, because its
/// members have copies of functions of the standard library.
[[gnu::weak]] extern const char* const chapter_name;

/// Runs the variants of one chapter: verifies each, measures it (GPU) or counts its transactions
/// (CPU device), verifies it again, and reports.
///
///     int main(int argc, char** argv)
///     {
///         common::Chapter chapter(argc, argv);
///         common::VectorAdd problem(chapter);
///         chapter.run({.name = "basic", .threads = 256}, problem, [&](cudaStream_t stream) {
///             add<<<common::blocks(problem.n, 256), 256, 0, stream>>>(problem.a, problem.b,
///                                                                     problem.c, problem.n);
///         });
///         return chapter.finish();
///     }
///
/// Under `--list`, and for variants that `--variant` leaves out, nothing is allocated, launched or
/// asked of the device: a problem gets its memory, and a column its value, when a row needs it.
class Chapter
{
  public:
    /// Parses the options that all chapters share. Ends the program after --help (status 0), on a
    /// usage error (2) and without a GPU in a program built for one (4). From here on an exception
    /// that nobody catches prints its sentence and ends the program with status 5.
    ///
    /// `devices` is the number of devices that a multi-GPU chapter uses on the CPU device, unless
    /// --devices says otherwise. With several ranks() each has one device; they share the work of
    /// the rows, and rank 0 reports.
    Chapter(int argc, char** argv, int devices = 1);
    Chapter(const Chapter&) = delete;
    Chapter& operator=(const Chapter&) = delete;
    ~Chapter();

    /// Elements of an array: --n, or the device's default: 2^20 on the CPU device (2^16 with
    /// --quick), 2^28 on a GPU (2^22), or 2^26 where it has less than 24 GiB.
    [[nodiscard]] std::size_t n() const;
    /// The sizes of a chapter that sweeps them: --n alone if it was given, else `all.gpu` or
    /// `all.cpu`, whichever device this is; the smallest of them with --quick, the largest for the
    /// CPU device with --launch-once; on a GPU without --full, --launch-once and --variant the
    /// `default_sizes`, if there are any. Sizes whose arrays do not fit the free memory are left
    /// out, with a sentence on standard error.
    [[nodiscard]] std::vector<std::size_t> sizes(const Sizes& all) const;
    /// The CUDA numbers of the devices of a multi-GPU chapter, the one in use first: all GPUs, or
    /// as many as --devices says; under --list, those of the CPU device. With a process for each
    /// device, this process's device is at its rank, and the others are Team::remote.
    [[nodiscard]] std::vector<int> devices() const;
    /// Whether the command line requests a row: by its name, and with --full if it is `full_only`.
    [[nodiscard]] bool wants(const Variant& variant) const;
    /// What problems need of a chapter: n(), and --seed, which also sets the order in which the CPU
    /// device runs the lanes of a warp.
    operator Setting() const;

    /// Runs a variant that launches one or more kernels on the given stream.
    void run(const Variant& variant, Problem& problem, const Launch& launch);
    /// Runs a variant that is timed on the host, from the call to the end of all work that it
    /// queued: a transfer, or a phase of a longer job.
    void run_transfer(const Variant& variant, Problem& problem, const Launch& work);
    /// Runs a library's solution, measured the same way, as a row marked `library`. On the CPU
    /// device `launch` is not called and the row says "GPU only".
    void run_library(const Variant& variant, Problem& problem, const Launch& launch);

    /// Prints the table, writes --json and --csv, and returns the exit status: 0, 1 when a variant
    /// failed verification, 2 when --variant names none or a file cannot be written.
    [[nodiscard]] int finish();

  private:
    class Implementation;
    std::unique_ptr<Implementation> implementation_;
};

} // namespace common
