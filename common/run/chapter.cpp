#include "common/run/chapter.hpp"

#include "common/device/check.hpp"
#include "common/device/environment.hpp"
#include "common/device/libraries.hpp"
#include "common/report/csv.hpp"
#include "common/report/json.hpp"
#include "common/report/table.hpp"
#include "common/run/options.hpp"
#include "common/text/atomic_file.hpp"
#include "common/text/format.hpp"
#include "common/text/terminal.hpp"

#include <fmt/format.h>
#include <nvtx3/nvToolsExt.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <stdexcept>

namespace common {

namespace {

constexpr int exit_verification_failed = 1;
constexpr int exit_usage = 2;
constexpr int exit_no_gpu = 4;

/// Arrays well past any L2 cache on a GPU, yet three of them fit the smallest one in use; on the
/// CPU device counts for each request do not depend on the size.
constexpr std::size_t gpu_elements = std::size_t{1} << 26U;
constexpr std::size_t gpu_quick_elements = std::size_t{1} << 22U;
constexpr std::size_t cpu_elements = std::size_t{1} << 20U;
constexpr std::size_t cpu_quick_elements = std::size_t{1} << 16U;
constexpr double quick_seconds = 0.2;

/// What kind of row a variant makes.
enum class Kind
{
    kernel,   ///< device time of a launch
    transfer, ///< host time of a call and all that it queues
    library   ///< device time of a library's launch
};

std::vector<Cache> cache_states(CacheChoice choice)
{
    switch (choice) {
    case CacheChoice::cold:
        return {Cache::cold};
    case CacheChoice::hot:
        return {Cache::hot};
    case CacheChoice::both:
        return {Cache::cold, Cache::hot};
    }
    return {};
}

const char* name(CacheChoice choice)
{
    switch (choice) {
    case CacheChoice::cold:
        return "cold";
    case CacheChoice::hot:
        return "hot";
    case CacheChoice::both:
        return "both";
    }
    return "";
}

/// Ends the program unless the device that --gpu names is there; selects it.
void select_device(int index)
{
    int count = 0;
    const cudaError_t status = cudaGetDeviceCount(&count);
    if (status != cudaSuccess || count == 0)
        end_program(
            exit_no_gpu,
            fmt::format("There is no usable GPU here ({}); `./run --device cpu` needs none.",
                        status == cudaSuccess ? "the driver lists none"
                                              : cudaGetErrorString(status)));
    if (index >= count)
        end_program(exit_usage,
                    count == 1 ? fmt::format("--gpu {}: there is one GPU here, number 0.", index)
                               : fmt::format("--gpu {}: there are {} GPUs here, 0 to {}.", index,
                                             count, count - 1));
    CHECK_CUDA(cudaSetDevice(index));
}

/// True when `bytes` of device memory are free; otherwise says that `n` is left out.
bool fits(std::size_t n, std::size_t bytes)
{
    std::size_t available = 0;
    std::size_t total = 0;
    CHECK_CUDA(cudaMemGetInfo(&available, &total));
    if (bytes <= available)
        return true;
    std::fputs(fmt::format("n = {} is left out: its arrays take {}, and {} of {} are free.\n",
                           format_count(n), format_bytes(bytes), format_bytes(available),
                           format_bytes(total))
                   .c_str(),
               stderr);
    return false;
}

Row make_row(const Variant& variant, std::size_t n)
{
    Row row;
    row.variant = variant.name;
    row.task = variant.task;
    if (variant.threads > 0)
        row.parameters.push_back({"threads", variant.threads});
    row.parameters.insert(row.parameters.end(), variant.parameters.begin(),
                          variant.parameters.end());
    row.parameters.push_back({"n", n});
    return row;
}

} // namespace

void throw_too_many_blocks(std::size_t count)
{
    throw std::length_error(fmt::format("A grid has at most {} blocks, and {} were asked for; try "
                                        "a smaller --n, such as --n 1Gi.",
                                        format_count(max_blocks), format_count(count)));
}

dim3 grid(std::size_t width, std::size_t height, std::size_t across, std::size_t down)
{
    const unsigned y = blocks(height, down);
    if (y > max_blocks_y)
        throw std::length_error(fmt::format(
            "A grid has at most {} blocks in its second dimension, and {} were asked for: {} "
            "elements, {} a block; let the first dimension, which takes {}, run along them.",
            format_count(max_blocks_y), format_count(y), format_count(height), format_count(down),
            format_count(max_blocks)));
    return {blocks(width, across), y, 1};
}

class Chapter::Implementation
{
  public:
    Implementation(std::string_view name, int argc, char** argv)
    {
        install_handlers();
        results_.chapter = name;
        try {
            options_ = parse_options(name, argc, argv);
            if (!options_.help.empty())
                end_after_help();
            for (const std::string& path : {options_.json, options_.csv})
                if (!path.empty() && !options_.list)
                    require_writable(path);
        } catch (const UsageError& error) {
            end_program(exit_usage, error.what());
        } catch (const FileError& error) {
            end_program(exit_usage, error.what());
        }
        if (!options_.list)
            open_device();
    }

    [[nodiscard]] const Options& options() const { return options_; }

    [[nodiscard]] bool selected(std::string_view name) const
    {
        return options_.variants.empty() ||
               std::find(options_.variants.begin(), options_.variants.end(), name) !=
                   options_.variants.end();
    }

    /// Runs a variant, or adds a row that only names it.
    void run(const Variant& variant, Problem& problem, const Step& step, Kind kind)
    {
        if (!announce(variant))
            return;
        Row row = make_row(variant, problem.size());
        row.bytes = problem.bytes();
        if (row.task.empty())
            row.task = problem.task();
        row.library = kind == Kind::library;
        if (options_.list)
            results_.rows.push_back(std::move(row));
        else if (backend() == Backend::cpu && kind == Kind::library)
            add_note(std::move(row), gpu_only_note);
        else if (backend() == Backend::cpu)
            count(std::move(row), problem, step, kind);
        else
            measure(std::move(row), problem, step, kind);
        progress_.clear();
    }

    /// Adds a row that says why there is nothing in it.
    void unavailable(const Variant& variant, std::size_t n, const std::string& note)
    {
        if (announce(variant))
            add_note(make_row(variant, n), note);
        progress_.clear();
    }

    void model_kernels() { model_kernels_ = true; }

    void reset_persisting_lines(bool reset) { reset_persisting_lines_ = reset; }

    [[nodiscard]] int finish()
    {
        for (const std::string& name : options_.variants)
            if (std::find(known_.begin(), known_.end(), name) == known_.end())
                end_program(exit_usage, unknown_variant(name, known_));
        if (!options_.list)
            results_.environment.record_clocks_after();
        if (!print(options_.list ? render_list(results_) : render_table(results_, output_width())))
            end_program(exit_usage, "The table could not be written to standard output; what reads "
                                    "it has ended, or its disk is full.");
        if (options_.list)
            return 0;
        try {
            if (!options_.json.empty())
                write_atomically(options_.json, results_to_json(results_));
            if (!options_.csv.empty())
                write_atomically(options_.csv, results_to_csv(results_));
        } catch (const FileError& error) {
            end_program(exit_usage, error.what());
        }
        const bool failed = std::any_of(results_.rows.begin(), results_.rows.end(),
                                        [](const Row& row) { return row.verified == false; });
        return failed ? exit_verification_failed : 0;
    }

  private:
    [[noreturn]] void end_after_help() { std::_Exit(print(options_.help) ? 0 : exit_usage); }

    void open_device()
    {
        select_device(options_.gpu);
        results_.device = describe_device();
        results_.environment = collect_environment();
        if (options_.n)
            results_.options.push_back({"n", *options_.n});
        if (!options_.variants.empty())
            results_.options.push_back(
                {"variants", fmt::format("{}", fmt::join(options_.variants, ","))});
        results_.options.push_back({"cache", std::string(name(options_.cache))});
        results_.options.push_back({"max_time", measure_options().max_seconds});
        // A string: JSON's numbers are exact to 2^53 in many readers, and a seed has 64 bits.
        results_.options.push_back({"seed", std::to_string(options_.seed)});
        results_.options.push_back({"quick", options_.quick});
        if (backend() == Backend::cpu)
            results_.options.push_back({"card", options_.card});
    }

    [[nodiscard]] MeasureOptions measure_options() const
    {
        MeasureOptions measure;
        if (options_.quick)
            measure.max_seconds = quick_seconds;
        if (options_.max_seconds)
            measure.max_seconds = *options_.max_seconds;
        measure.reset_persisting_lines = reset_persisting_lines_;
        return measure;
    }

    /// Remembers the variant's name and shows it; false when it is not selected.
    bool announce(const Variant& variant)
    {
        if (std::find(known_.begin(), known_.end(), variant.name) == known_.end())
            known_.push_back(variant.name);
        if (!selected(variant.name))
            return false;
        if (options_.list)
            return true;
        const std::string limit =
            backend() == Backend::cpu
                ? ""
                : fmt::format(" (at most {:.3g} s)",
                              measure_options().max_seconds *
                                  static_cast<double>(cache_states(options_.cache).size()));
        progress_.show(fmt::format("{}: variant {}, {}{}", results_.chapter,
                                   results_.rows.size() + 1, make_row(variant, 0).label(), limit));
        return true;
    }

    void add_note(Row row, const std::string& note)
    {
        row.note = note;
        results_.rows.push_back(std::move(row));
    }

    /// Poisons the output, runs the step once, and says what is wrong with the output. `counts`
    /// are those of the step's work alone; docs/results/record.py finds its kernels by the name of
    /// the NVTX range around it.
    [[nodiscard]] Verdict launch_and_verify(const Row& row, Problem& problem, const Step& step,
                                            Counts& counts)
    {
        problem.poison();
        run_unmeasured(row, step.before);
        nvtxRangePush(fmt::format("row {}", results_.rows.size()).c_str());
        begin_counting();
        step.work(stream());
        finish_launch(row);
        operations_ = end_recording();
        for (const LaunchRecord& record : end_counting())
            counts += record.counts;
        nvtxRangePop();
        run_unmeasured(row, step.after);
        return problem.verify();
    }

    /// Runs what comes before or after the work, if there is anything, to its end.
    void run_unmeasured(const Row& row, const Launch& launch)
    {
        if (!launch)
            return;
        launch(stream());
        finish_launch(row);
    }

    /// Waits for everything, and reports what went wrong as the variant's.
    void finish_launch(const Row& row)
    {
        const std::string what = fmt::format("Variant '{}'", row.label());
        check_launch(what);
        // The whole device, because a variant may have streams of its own.
        if (const cudaError_t status = cudaDeviceSynchronize(); status != cudaSuccess)
            throw_cuda_error(status, what, "");
    }

    /// Notes the verdict in the row; false, with the row added, when it is bad.
    bool accept(Row& row, const Verdict& verdict, const char* when)
    {
        row.verified = verdict.ok;
        if (!verdict.ok) {
            row.note = fmt::format("{}{}", when, verdict.message());
            results_.rows.push_back(row);
        }
        return verdict.ok;
    }

    void count(Row row, Problem& problem, const Step& step, Kind kind)
    {
        Counts counts;
        const Verdict verdict = launch_and_verify(row, problem, step, counts);
        row.counts = counts;
        if (kind == Kind::transfer || model_kernels_ || crosses_link(operations_))
            row.modelled = model_row(operations_, *find_card(options_.card), problem.size(),
                                     kind == Kind::transfer);
        if (!accept(row, verdict, ""))
            return;
        // In another order of lanes and warps: a missing barrier shows. 0 would be the same order.
        set_lane_order(options_.seed == 0 ? 1 : options_.seed);
        const Verdict shuffled = launch_and_verify(row, problem, step, counts);
        set_lane_order(0);
        if (accept(row, shuffled, "With the lanes in another order, as a GPU may run them: "))
            results_.rows.push_back(std::move(row));
    }

    void measure(Row row, Problem& problem, const Step& step, Kind kind)
    {
        Counts none; // a GPU counts nothing
        if (!accept(row, launch_and_verify(row, problem, step, none), ""))
            return;
        if (options_.launch_once) {
            results_.rows.push_back(std::move(row));
            return;
        }
        if (kind == Kind::transfer) {
            measure_state(std::move(row), problem, step, std::nullopt);
            return;
        }
        for (const Cache cache : cache_states(options_.cache))
            measure_state(row, problem, step, cache);
    }

    /// Measures with the cache in one state, or host time where there is none, and verifies what
    /// the timed launches left.
    void measure_state(Row row, Problem& problem, const Step& step, std::optional<Cache> cache)
    {
        problem.poison();
        row.cache = cache;
        row.time = cache ? measure_launch(step.work, stream(), *cache, measure_options())
                         : measure_transfer(step.work, stream(), measure_options(), step.before);
        finish_launch(row);
        run_unmeasured(row, step.after);
        if (!accept(row, problem.verify(), "After the timed launches: "))
            return;
        row.gb_per_s = static_cast<double>(row.bytes) / (row.time->median * 1e6);
        if (cache)
            set_shares(row);
        results_.rows.push_back(std::move(row));
    }

    /// What crosses the link to the host is not set against the device's memory.
    void set_shares(Row& row)
    {
        const double peak = theoretical_peak();
        if (peak > 0)
            row.share_of_peak = *row.gb_per_s / peak;
        row.in_l2 = in_l2(*row.gb_per_s, peak);
        results_.copy_gb_per_s = copy_ceiling(measure_options());
        row.share_of_copy = *row.gb_per_s / *results_.copy_gb_per_s;
    }

    cudaStream_t stream()
    {
        if (!stream_)
            stream_.emplace();
        return *stream_;
    }

    Options options_;
    Results results_;
    std::vector<std::string> known_; ///< names of the variants so far
    std::optional<Stream> stream_;
    bool reset_persisting_lines_ = true;
    std::vector<Operation> operations_; ///< of the work that ran last
    bool model_kernels_ = false;
    Progress progress_;
};

Chapter::Chapter(std::string_view name, int argc, char** argv)
    : implementation_(std::make_unique<Implementation>(name, argc, argv))
{}

Chapter::~Chapter() = default;

std::size_t Chapter::n() const
{
    const Options& options = implementation_->options();
    if (options.n)
        return *options.n;
    if (backend() == Backend::cpu || options.launch_once)
        return options.quick ? cpu_quick_elements : cpu_elements;
    return options.quick ? gpu_quick_elements : gpu_elements;
}

std::vector<std::size_t> Chapter::sizes(std::initializer_list<std::size_t> gpu,
                                        std::initializer_list<std::size_t> cpu,
                                        std::size_t bytes_per_element) const
{
    const Options& options = implementation_->options();
    if (options.n)
        return {*options.n};
    const bool small = backend() == Backend::cpu || options.launch_once;
    const auto& all = small ? cpu : gpu;
    std::vector<std::size_t> sizes(all);
    if (options.quick)
        sizes = {std::min(all)};
    else if (options.launch_once) // counts for each request do not depend on the size
        sizes = {std::max(all)};
    // Sizes computed from bytes may meet: once is enough.
    std::sort(sizes.begin(), sizes.end());
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    if (!listing())
        std::erase_if(sizes,
                      [&](std::size_t size) { return !fits(size, size * bytes_per_element); });
    return sizes;
}

std::uint64_t Chapter::seed() const
{
    return implementation_->options().seed;
}

bool Chapter::listing() const
{
    return implementation_->options().list;
}

bool Chapter::selected(std::string_view name) const
{
    return implementation_->selected(name);
}

void Chapter::run(const Variant& variant, Problem& problem, const Launch& launch)
{
    implementation_->run(variant, problem, {launch}, Kind::kernel);
}

void Chapter::run_transfer(const Variant& variant, Problem& problem, const Launch& work)
{
    implementation_->run(variant, problem, {work}, Kind::transfer);
}

void Chapter::run_step(const Variant& variant, Problem& problem, const Step& step)
{
    implementation_->run(variant, problem, step, Kind::transfer);
}

void Chapter::model_kernels()
{
    implementation_->model_kernels();
}

void Chapter::run_library(const Variant& variant, Problem& problem, const Launch& launch)
{
    implementation_->run(variant, problem, {launch}, Kind::library);
}

void Chapter::reset_persisting_lines(bool reset)
{
    implementation_->reset_persisting_lines(reset);
}

void Chapter::gpu_only(const Variant& variant, std::size_t n)
{
    unavailable(variant, n, gpu_only_note);
}

void Chapter::unavailable(const Variant& variant, std::size_t n, const std::string& note)
{
    implementation_->unavailable(variant, n, note);
}

bool Chapter::has_compute_capability(int major, const Variant& variant, std::size_t n)
{
    if (listing())
        return true;
    if (backend() == Backend::cpu) {
        gpu_only(variant, n);
        return false;
    }
    int device = 0;
    int there = 0;
    CHECK_CUDA(cudaGetDevice(&device));
    CHECK_CUDA(cudaDeviceGetAttribute(&there, cudaDevAttrComputeCapabilityMajor, device));
    if (there < major)
        unavailable(variant, n, fmt::format("needs compute capability {}.0", major));
    return there >= major;
}

int Chapter::finish()
{
    return implementation_->finish();
}

std::vector<Stream> make_streams(const Chapter& chapter, std::size_t count)
{
    return std::vector<Stream>(chapter.listing() ? 0 : count);
}

namespace {

Variant device_transform(const std::vector<Parameter>& parameters = {})
{
    return {"cub::DeviceTransform", 0, parameters};
}

/// False, with a row that says so, when this toolkit has no cub::DeviceTransform.
bool has_device_transform(Chapter& chapter, std::size_t n)
{
    if (backend() == Backend::cpu || device_transform_available())
        return true; // on the CPU device run_library() adds the row
    chapter.unavailable(device_transform(), n, "needs CUDA 12.8");
    return false;
}

template<class T>
void run_device_transform_copy(Chapter& chapter, Problem& problem, const void* a, void* c,
                               std::size_t n, const std::vector<Parameter>& parameters)
{
    chapter.run_library(device_transform(parameters), problem, [=](cudaStream_t stream) {
        device_transform_copy(static_cast<const T*>(a), static_cast<T*>(c), n, stream);
    });
}

} // namespace

void run_add_libraries(Chapter& chapter, VectorAdd& problem)
{
    if (has_device_transform(chapter, problem.n))
        chapter.run_library(device_transform(), problem, [&](cudaStream_t stream) {
            device_transform_add(problem.a, problem.b, problem.c, problem.n, stream);
        });
    chapter.run_library({"thrust::transform"}, problem, [&](cudaStream_t stream) {
        thrust_transform_add(problem.a, problem.b, problem.c, problem.n, stream);
    });
}

void run_copy_libraries(Chapter& chapter, Problem& problem, const void* a, void* c, std::size_t n,
                        std::size_t unit_bytes, const std::vector<Parameter>& parameters)
{
    chapter.run_library({"cudaMemcpyAsync", 0, parameters}, problem, [=](cudaStream_t stream) {
        CHECK_CUDA(cudaMemcpyAsync(c, a, n * unit_bytes, cudaMemcpyDeviceToDevice, stream));
    });
    if (unit_bytes > 8 || !has_device_transform(chapter, n))
        return;
    switch (unit_bytes) {
    case 1:
        return run_device_transform_copy<std::uint8_t>(chapter, problem, a, c, n, parameters);
    case 2:
        return run_device_transform_copy<std::uint16_t>(chapter, problem, a, c, n, parameters);
    case 4:
        return run_device_transform_copy<std::uint32_t>(chapter, problem, a, c, n, parameters);
    case 8:
        return run_device_transform_copy<std::uint64_t>(chapter, problem, a, c, n, parameters);
    default:
        break;
    }
}

} // namespace common
