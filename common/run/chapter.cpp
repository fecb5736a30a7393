#include "common/run/chapter.hpp"

#include "common/device/check.hpp"
#include "common/device/device.hpp"
#include "common/device/environment.hpp"
#include "common/report/csv.hpp"
#include "common/report/json.hpp"
#include "common/report/results.hpp"
#include "common/report/table.hpp"
#include "common/run/options.hpp"
#include "common/run/reference_run.hpp"
#include "common/text/atomic_file.hpp"
#include "common/text/format.hpp"
#include "common/text/terminal.hpp"

#include <fmt/format.h>
#include <nvtx3/nvToolsExt.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <stdexcept>

namespace common {

namespace {

constexpr int exit_verification_failed = 1;
constexpr int exit_usage = 2;
constexpr int exit_no_gpu = 4;

/// Arrays well past any L2 cache on a GPU, the same as those of the reference results; on one with
/// less memory so few that nine of them, of several problems, fit the smallest in use. On the CPU
/// device counts for each request do not depend on the size.
constexpr std::size_t gpu_elements = std::size_t{1} << 28U;
constexpr std::size_t small_gpu_elements = std::size_t{1} << 26U;
constexpr std::size_t small_gpu_bytes = std::size_t{24} << 30U;
constexpr std::size_t gpu_quick_elements = std::size_t{1} << 22U;
constexpr std::size_t cpu_elements = std::size_t{1} << 20U;
constexpr std::size_t cpu_quick_elements = std::size_t{1} << 16U;

/// The run that this chapter is a part of, as ./run tells in MOVING_BYTES_PROGRESS: which chapter
/// of how many this is, how many rows it has, how many seconds are left at its start; 0 where that
/// is not known.
class Whole
{
  public:
    Whole()
    {
        if (const char* told = std::getenv("MOVING_BYTES_PROGRESS"))
            static_cast<void>(
                std::sscanf(told, "%u %u %u %u", &chapter_, &chapters_, &rows_, &seconds_left_));
    }

    /// "chapter 3 of 18, row 5 of 22, about 40 s left"
    [[nodiscard]] std::string at(std::size_t row) const
    {
        std::string text;
        if (chapters_ > 1)
            text = fmt::format("chapter {} of {}, ", chapter_, chapters_);
        text += rows_ >= row ? fmt::format("row {} of {}", row, rows_) : fmt::format("row {}", row);
        using Seconds = std::chrono::duration<double>;
        const double left = seconds_left_ - Seconds(Clock::now() - start_).count();
        if (left > 0)
            text += fmt::format(", about {:.0f} s left", std::ceil(left));
        return text;
    }

  private:
    using Clock = std::chrono::steady_clock;

    unsigned chapter_ = 0;
    unsigned chapters_ = 0;
    unsigned rows_ = 0;
    unsigned seconds_left_ = 0;
    Clock::time_point start_ = Clock::now();
};

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
    const char* const kind = backend() == Backend::cpu ? "CPU device" : "GPU";
    if (index >= count)
        end_program(exit_usage,
                    count == 1
                        ? fmt::format("--gpu {}: there is one {} here, number 0.", index, kind)
                        : fmt::format("--gpu {}: there are {} {}s here, 0 to {}.", index, count,
                                      kind, count - 1));
    CHECK_CUDA(cudaSetDevice(index));
}

/// Ends the program where there are not so many devices as --devices says.
void require_devices(int wanted)
{
    int count = 0;
    CHECK_CUDA(cudaGetDeviceCount(&count));
    if (wanted < 1 || wanted > count)
        end_program(exit_usage,
                    fmt::format("--devices {}: there {} here; give a number from 1 to {}.", wanted,
                                count == 1 ? "is one" : fmt::format("are {}", count), count));
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

/// The sizes at which a chapter that sweeps `count` sizes is modelled: as many of those that it has
/// on a GPU, the largest but for those that are only there to be huge.
std::vector<std::size_t> reference_sizes(std::vector<std::size_t> gpu, std::size_t count,
                                         std::size_t bytes_per_element)
{
    constexpr std::size_t huge = std::size_t{4} << 30U; // bytes
    std::sort(gpu.begin(), gpu.end());
    while (gpu.size() > count && gpu.back() * bytes_per_element > huge)
        gpu.pop_back();
    gpu.erase(gpu.begin(), gpu.end() - static_cast<std::ptrdiff_t>(std::min(count, gpu.size())));
    gpu.resize(count, gpu.back());
    return gpu;
}

/// The columns whose values are known; with `ask`, all of them.
Row make_row(const Variant& variant, const Problem& problem, bool ask)
{
    Row row;
    row.variant = variant.name;
    row.task = variant.task.empty() ? problem.task() : variant.task;
    row.unmodelled = variant.unmodelled;
    if ((ask || variant.threads.known()) && variant.threads() > 0)
        row.parameters.push_back({"threads", variant.threads()});
    for (const Column& column : variant.columns)
        if (ask || column.parameter.known())
            row.parameters.push_back(column.parameter());
    row.parameters.push_back({"n", problem.size()});
    row.bytes = problem.bytes();
    if (problem.operations() > 0)
        row.operations = problem.operations();
    return row;
}

} // namespace

class Chapter::Implementation
{
  public:
    Implementation(int argc, char** argv, int several) : devices_(several)
    {
        install_handlers();
        results_.chapter = chapter_name;
        try {
            options_ = parse_options(chapter_name, argc, argv);
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
        if (options_.list)
            return;
        make_devices();
        model_card(*find_card(options_.card));
        // Before anything that a second process cannot share: a thread, a stream.
        if (backend() == Backend::cpu && !options_.no_model && !options_.launch_once)
            reference_.emplace();
        open_device();
        if (options_.devices)
            require_devices(*options_.devices);
        used_ = devices();
        if (devices_ > 1)
            results_.options.push_back({"devices", used_.size()});
    }

    [[nodiscard]] std::vector<int> devices() const
    {
        int count = options_.devices.value_or(devices_);
        int first = 0;
        if (!options_.list) {
            if (!options_.devices && devices_ > 1)
                CHECK_CUDA(cudaGetDeviceCount(&count));
            CHECK_CUDA(cudaGetDevice(&first));
        }
        std::vector<int> devices{first};
        for (int device = 0; static_cast<int>(devices.size()) < count; ++device)
            if (device != first)
                devices.push_back(device);
        return devices;
    }

    [[nodiscard]] const Options& options() const { return options_; }

    /// True in the process that runs the chapter at the size of the reference.
    [[nodiscard]] bool at_reference() const { return reference_ && reference_->second(); }

    /// Runs a variant, or adds a row that only names it, or says why it cannot run.
    void run(const Variant& variant, Problem& problem, const Work& work, Kind kind)
    {
        ++calls_;
        if (at_reference())
            return sample(variant, problem, work, kind);
        if (!announce(variant, problem))
            return;
        rows_of_calls_[calls_] = results_.rows.size();
        if (options_.list) {
            add(make_row(variant, problem, false), kind);
        } else if (const std::string why = obstacle(variant, kind); !why.empty()) {
            Row row = make_row(variant, problem, false);
            row.note = why;
            add(std::move(row), kind);
        } else {
            problem.allocate();
            if (work.setup)
                work.setup();
            Row row = make_row(variant, problem, true);
            row.library = kind == Kind::library;
            if (backend() == Backend::cpu)
                count(std::move(row), problem, work, kind);
            else
                measure(std::move(row), problem, work, kind);
        }
        progress_.clear();
    }

    [[nodiscard]] int finish()
    {
        if (at_reference())
            reference_->end();
        if (reference_)
            model_rows();
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

    /// Has the CPU device be as many as the chapter takes, unless the environment says how many.
    void make_devices()
    {
        if (options_.devices && devices_ == 1)
            end_program(exit_usage, fmt::format("--devices {}: {} uses one device; leave the "
                                                "option out.",
                                                *options_.devices, chapter_name));
        try {
            if (options_.devices || (devices_ > 1 && !std::getenv("MOVING_BYTES_DEVICES")))
                set_device_count(options_.devices.value_or(devices_));
        } catch (const std::invalid_argument& error) {
            end_program(exit_usage, error.what());
        }
    }

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
        if (backend() == Backend::gpu)
            results_.options.push_back({"full", options_.full});
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
        return measure;
    }

    [[nodiscard]] bool selected(const std::string& name) const
    {
        return options_.variants.empty() ||
               std::find(options_.variants.begin(), options_.variants.end(), name) !=
                   options_.variants.end();
    }

    /// Why a variant cannot run here; empty where it can.
    [[nodiscard]] static std::string obstacle(const Variant& variant, Kind kind)
    {
        return backend() == Backend::cpu && kind == Kind::library ? gpu_only_note
                                                                  : variant.unavailable();
    }

    /// Remembers the variant's name and shows it; false when it is not selected.
    bool announce(const Variant& variant, const Problem& problem)
    {
        if (std::find(known_.begin(), known_.end(), variant.name) == known_.end())
            known_.push_back(variant.name);
        if (!selected(variant.name))
            return false;
        if (options_.list)
            return true;
        ++announced_;
        const std::string limit =
            backend() == Backend::cpu
                ? ""
                : fmt::format(" (at most {:.3g} s)",
                              measure_options().max_seconds *
                                  static_cast<double>(cache_states(options_.cache).size()));
        progress_.show(fmt::format("{}: {}, {}{}", results_.chapter, whole_.at(announced_),
                                   make_row(variant, problem, false).label(), limit));
        return true;
    }

    void add(Row row, Kind kind)
    {
        row.library = kind == Kind::library;
        results_.rows.push_back(std::move(row));
    }

    /// Poisons the output, runs the work once, and says what is wrong with the output. `counts`
    /// are those of the work alone; docs/results/record.py finds its kernels by the name of the
    /// NVTX range around it.
    [[nodiscard]] Verdict launch_and_verify(const Row& row, Problem& problem, const Work& work,
                                            Counts& counts)
    {
        problem.poison();
        run_unmeasured(row, work.before);
        nvtxRangePush(fmt::format("row {}", results_.rows.size()).c_str());
        begin_counting();
        work.work(stream());
        finish_launch(row);
        operations_ = end_recording();
        for (const LaunchRecord& record : end_counting())
            counts += record.counts;
        nvtxRangePop();
        run_unmeasured(row, work.after);
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
        // The whole device, because a variant may have streams of its own; and every device.
        for (const int device : used_) {
            CHECK_CUDA(cudaSetDevice(device));
            if (const cudaError_t status = cudaDeviceSynchronize(); status != cudaSuccess)
                throw_cuda_error(status, what, "");
        }
        CHECK_CUDA(cudaSetDevice(used_.front()));
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

    void count(Row row, Problem& problem, const Work& work, Kind kind)
    {
        Counts counts;
        const Verdict verdict = launch_and_verify(row, problem, work, counts);
        row.counts = counts;
        for (const Operation& operation : operations_)
            if (const std::uint64_t bytes = operation.bytes_between_devices(); bytes > 0)
                row.peer_bytes = row.peer_bytes.value_or(0) + bytes;
        if (row.unmodelled.empty() && (kind == Kind::transfer || crosses_link(operations_)))
            row.modelled = model_row(operations_, *find_card(options_.card), problem.size(),
                                     kind == Kind::transfer);
        if (!accept(row, verdict, ""))
            return;
        // In another order of lanes and warps: a missing barrier shows. 0 would be the same order.
        set_lane_order(options_.seed == 0 ? 1 : options_.seed);
        const Verdict shuffled = launch_and_verify(row, problem, work, counts);
        set_lane_order(0);
        if (accept(row, shuffled, "With the lanes in another order, as a GPU may run them: "))
            results_.rows.push_back(std::move(row));
    }

    /// Runs a sample of a kernel's blocks, and tells the first process what was seen.
    void sample(const Variant& variant, Problem& problem, const Work& work, Kind kind)
    {
        // Where a link decides, the timeline knows it.
        if (kind != Kind::kernel || problem.crosses_link() || !variant.unmodelled.empty() ||
            !selected(variant.name) || !obstacle(variant, kind).empty())
            return;
        try {
            problem.allocate();
            if (work.setup)
                work.setup();
            begin_counting();
            work.work(stream());
            CHECK_CUDA(cudaDeviceSynchronize());
            static_cast<void>(end_recording());
            for (const LaunchRecord& launch : end_counting())
                if (launch.traffic)
                    reference_->tell({calls_, problem.size(), problem.bytes(), launch.grid,
                                      launch.block,
                                      launch.static_shared_bytes + launch.dynamic_shared_bytes,
                                      launch.counts, *launch.traffic});
        } catch (const std::exception&) {
            // No room for arrays of that size, say: the row stays without a modelled time.
        }
    }

    /// Models the rows' times from what the second process saw.
    void model_rows()
    {
        const Card* card = find_card(options_.card);
        for (const ReferenceLaunch& launch : reference_->collect()) {
            const auto found = rows_of_calls_.find(launch.call);
            if (card == nullptr || found == rows_of_calls_.end())
                continue;
            Row& row = results_.rows[found->second];
            if (row.verified == true)
                add_modelled(row, launch, *card);
        }
    }

    /// Adds the time of one more kernel to that of the row.
    void add_modelled(Row& row, const ReferenceLaunch& launch, const Card& card) const
    {
        if (row.modelled && !row.modelled->traffic)
            return; // the link decides
        LaunchRecord record;
        record.grid = launch.grid;
        record.block = launch.block;
        record.counts = launch.counts;
        const ModelledTime time = predict(
            demand(record, launch.traffic, card, assumed_registers, launch.shared_bytes), card);
        Modelled& modelled = row.modelled ? *row.modelled : row.modelled.emplace();
        const bool longest = !modelled.traffic || time.ms > modelled.ms / 2;
        if (!modelled.traffic)
            modelled.traffic.emplace();
        if (longest) {
            modelled.limited_by = time.limited_by;
            modelled.bounds = time.bounds;
        }
        *modelled.traffic += launch.traffic;
        modelled.card = card.name;
        modelled.n = launch.n;
        modelled.ms += time.ms;
        modelled.gb_per_s = static_cast<double>(launch.bytes) / (modelled.ms * 1e6);
        modelled.share_of_peak = *modelled.gb_per_s / card.peak();
    }

    void measure(Row row, Problem& problem, const Work& work, Kind kind)
    {
        Counts none; // a GPU counts nothing
        if (!accept(row, launch_and_verify(row, problem, work, none), ""))
            return;
        if (options_.launch_once) {
            results_.rows.push_back(std::move(row));
            return;
        }
        if (kind == Kind::transfer) {
            measure_state(std::move(row), problem, work, std::nullopt);
            return;
        }
        for (const Cache cache : cache_states(options_.cache))
            measure_state(row, problem, work, cache);
    }

    /// Measures with the cache in one state, or host time where there is none, and verifies what
    /// the timed launches left.
    void measure_state(Row row, Problem& problem, const Work& work, std::optional<Cache> cache)
    {
        problem.poison();
        row.cache = cache;
        MeasureOptions options = measure_options();
        options.reset_persisting_lines = !work.keep_persisting_lines;
        options.other_devices.assign(used_.begin() + 1, used_.end());
        row.time = cache ? measure_launch(work.work, stream(), *cache, options)
                         : measure_transfer(work.work, stream(), options, work.before);
        finish_launch(row);
        run_unmeasured(row, work.after);
        if (!accept(row, problem.verify(), "After the timed launches: "))
            return;
        if (row.bytes > 0) {
            row.gb_per_s = static_cast<double>(row.bytes) / (row.time->median * 1e6);
            if (cache && !problem.spans_devices())
                set_shares(row);
        }
        results_.rows.push_back(std::move(row));
    }

    /// What crosses a link is not set against the device's memory.
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
    int devices_;           ///< that the CPU device has unless --devices says otherwise
    std::vector<int> used_; ///< the device in use first, or all of them
    Results results_;
    std::vector<std::string> known_; ///< names of the variants so far
    std::optional<ReferenceRun> reference_;
    std::size_t calls_ = 0;     ///< of run() so far: the same in both processes
    std::size_t announced_ = 0; ///< rows that run here, or say why they cannot
    Whole whole_;
    std::map<std::size_t, std::size_t> rows_of_calls_; ///< in results_
    std::optional<Stream> stream_;
    std::vector<Operation> operations_; ///< of the work that ran last
    Progress progress_;
};

Chapter::Chapter(int argc, char** argv, int devices)
    : implementation_(std::make_unique<Implementation>(argc, argv, devices))
{}

Chapter::~Chapter() = default;

std::size_t Chapter::n() const
{
    const Options& options = implementation_->options();
    if (options.n)
        return *options.n;
    if (implementation_->at_reference())
        return ReferenceRun::elements;
    if (backend() == Backend::cpu || options.launch_once)
        return options.quick ? cpu_quick_elements : cpu_elements;
    if (options.quick)
        return gpu_quick_elements;
    if (options.list)
        return gpu_elements;
    std::size_t available = 0;
    std::size_t total = 0;
    CHECK_CUDA(cudaMemGetInfo(&available, &total));
    // A card of 24 GiB tells a little less.
    return total >= small_gpu_bytes / 10 * 9 ? gpu_elements : small_gpu_elements;
}

bool Chapter::everything() const
{
    const Options& options = implementation_->options();
    return backend() == Backend::cpu || options.full || options.launch_once ||
           !options.variants.empty();
}

std::vector<int> Chapter::devices() const
{
    return implementation_->devices();
}

std::vector<std::size_t> Chapter::sizes(std::initializer_list<std::size_t> gpu,
                                        std::initializer_list<std::size_t> cpu,
                                        std::size_t bytes_per_element,
                                        std::initializer_list<std::size_t> usual) const
{
    const Options& options = implementation_->options();
    if (options.n)
        return {*options.n};
    if (implementation_->at_reference())
        return reference_sizes(gpu, cpu.size(), bytes_per_element);
    const bool small = backend() == Backend::cpu || options.launch_once;
    const auto& all = small ? cpu : gpu;
    std::vector<std::size_t> sizes(usual.size() > 0 && !everything() ? usual : all);
    if (options.quick)
        sizes = {std::min(all)};
    else if (options.launch_once) // counts for each request do not depend on the size
        sizes = {std::max(all)};
    // Sizes computed from bytes may meet: once is enough.
    std::sort(sizes.begin(), sizes.end());
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    if (!options.list)
        std::erase_if(sizes,
                      [&](std::size_t size) { return !fits(size, size * bytes_per_element); });
    return sizes;
}

Chapter::operator Setting() const
{
    return {n(), implementation_->options().seed};
}

void Chapter::run(const Variant& variant, Problem& problem, const Launch& launch)
{
    implementation_->run(variant, problem, {launch}, Kind::kernel);
}

void Chapter::run(const Variant& variant, Problem& problem, const Work& work)
{
    implementation_->run(variant, problem, work, Kind::kernel);
}

void Chapter::run_transfer(const Variant& variant, Problem& problem, const Launch& work)
{
    implementation_->run(variant, problem, {work}, Kind::transfer);
}

void Chapter::run_transfer(const Variant& variant, Problem& problem, const Work& work)
{
    implementation_->run(variant, problem, work, Kind::transfer);
}

void Chapter::run_library(const Variant& variant, Problem& problem, const Launch& launch)
{
    implementation_->run(variant, problem, {launch}, Kind::library);
}

void Chapter::run_library(const Variant& variant, Problem& problem, const Work& work)
{
    implementation_->run(variant, problem, work, Kind::library);
}

int Chapter::finish()
{
    return implementation_->finish();
}

} // namespace common
