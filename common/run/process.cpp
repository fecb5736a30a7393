// A chapter that is a process: its command line, its devices and ranks, its files.
#include "common/device/check.hpp"
#include "common/device/device.hpp"
#include "common/device/environment.hpp"
#include "common/device/ranks.hpp"
#include "common/device/team.hpp"
#include "common/model/card.hpp"
#include "common/report/csv.hpp"
#include "common/report/json.hpp"
#include "common/report/results.hpp"
#include "common/report/table.hpp"
#include "common/run/implementation.hpp"
#include "common/run/options.hpp"
#include "common/text/atomic_file.hpp"
#include "common/text/terminal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <random>
#include <stdexcept>
#include <unistd.h>

// A round runs the program once for each pass: a row's launch lives as long as the call that
// declares it, so that rows cannot be put off.
int whole_program(int argc, char** argv) __asm__("main");

namespace common {

namespace {

/// Of a round: each row is measured in one pass, which is drawn. More would come nearer to any
/// order, and each makes the inputs anew.
struct Passes
{
    static constexpr unsigned count = 3;
    unsigned current = 0; ///< 0 before the first, where nothing runs
    int argc = 0;         ///< of the program
    char** argv = nullptr;
    Results results; ///< of all so far
};
Passes passes;

/// Runs the rows that the pass has drawn.
class PassRunner : public Runner
{
  public:
    PassRunner(std::unique_ptr<Runner> runner, std::uint64_t seed)
        : runner_(std::move(runner)), draw_(seed)
    {}

    [[nodiscard]] std::size_t elements() const override { return runner_->elements(); }
    [[nodiscard]] std::vector<std::size_t> sizes(const Sizes& all) const override
    {
        return runner_->sizes(all);
    }
    void run(const RowSpec& row) override
    {
        if (1 + draw_() % Passes::count == passes.current)
            runner_->run(row);
    }
    void finish() override { runner_->finish(); }
    [[nodiscard]] std::string text(std::size_t width) const override
    {
        return runner_->text(width);
    }

  private:
    std::unique_ptr<Runner> runner_;
    std::mt19937_64 draw_; ///< in every pass the same
};

constexpr int exit_verification_failed = 1;
constexpr int exit_usage = 2;
constexpr int exit_no_gpu = 4;
constexpr int exit_cuda_error = 5;

/// What a results file keeps of the command line.
std::vector<Parameter> kept_options(const Options& options)
{
    std::vector<Parameter> kept;
    if (options.n)
        kept.push_back({"n", *options.n});
    if (!options.variants.empty())
        kept.push_back({"variants", fmt::format("{}", fmt::join(options.variants, ","))});
    kept.push_back({"cache", std::string(name(options.cache))});
    kept.push_back({"max_time", options.seconds_per_row()});
    // A string: JSON's numbers are exact to 2^53 in many readers, and a seed has 64 bits.
    kept.push_back({"seed", std::to_string(options.seed)});
    kept.push_back({"quick", options.quick});
    if (backend() == Backend::gpu)
        kept.push_back({"full", options.full});
    if (backend() == Backend::cpu)
        kept.push_back({"card", options.card});
    return kept;
}

/// Ends all ranks, which have found the same: rank 0 tells, before the others can end, because the
/// launcher kills what still runs when one of them has failed.
[[noreturn]] void end_ranks(int status, const std::string& message)
{
    if (ranks().rank() > 0) {
        ranks().leave();
        std::_Exit(status);
    }
    set_message_prefix({}, [](int) { ranks().leave(); });
    end_program(status, message);
}

/// Ends the program after --help, and where the command line cannot be obeyed.
Options read_options(int argc, char** argv)
{
    try {
        Options options = parse_options(chapter_name, argc, argv);
        const bool tells = ranks().rank() == 0;
        if (!options.help.empty()) {
            ranks().leave();
            std::_Exit(!tells || print(options.help) ? 0 : exit_usage);
        }
        for (const std::string& path : {options.json, options.csv})
            if (!path.empty() && !options.list && tells)
                require_writable(path);
        return options;
    } catch (const UsageError& error) {
        end_ranks(exit_usage, error.what());
    } catch (const FileError& error) {
        end_program(exit_usage, error.what());
    }
}

/// How many devices there are. Ends the program where there is none.
int device_count()
{
    int count = 0;
    const cudaError_t status = cudaGetDeviceCount(&count);
    if (status != cudaSuccess || count == 0)
        end_program(
            exit_no_gpu,
            fmt::format("There is no usable GPU here ({}); `./run --device cpu` needs none.",
                        status == cudaSuccess ? "the driver lists none"
                                              : cudaGetErrorString(status)));
    return count;
}

/// `count` devices, `first` before the others.
std::vector<int> numbers(int first, int count)
{
    std::vector<int> devices{first};
    for (int device = 0; static_cast<int>(devices.size()) < count; ++device)
        if (device != first)
            devices.push_back(device);
    return devices;
}

/// Has the CPU device be as many as a chapter of `usual` devices takes, unless --devices or the
/// environment says how many. To be called before the first CUDA call.
void offer_devices(const Options& options, int usual)
{
    if (options.devices && usual == 1)
        end_program(exit_usage,
                    fmt::format("--devices {}: {} uses one device; leave the option out.",
                                *options.devices, chapter_name));
    try {
        if (options.devices || (usual > 1 && !std::getenv("MOVING_BYTES_DEVICES")))
            set_device_count(options.devices.value_or(usual));
    } catch (const std::invalid_argument& error) {
        end_program(exit_usage, error.what());
    }
}

/// Selects the device that --gpu names, and returns those of a chapter of `usual` devices as CUDA
/// numbers them, that one first: all there are, or as many as --devices says.
std::vector<int> open_devices(const Options& options, int usual)
{
    const int count = device_count();
    const char* const kind = backend() == Backend::cpu ? "CPU device" : "GPU";
    if (options.gpu >= count)
        end_program(exit_usage, count == 1
                                    ? fmt::format("--gpu {}: there is one {} here, number 0.",
                                                  options.gpu, kind)
                                    : fmt::format("--gpu {}: there are {} {}s here, 0 to {}.",
                                                  options.gpu, count, kind, count - 1));
    CHECK_CUDA(cudaSetDevice(options.gpu));
    const int wanted = options.devices.value_or(usual == 1 ? 1 : count);
    if (wanted < 1 || wanted > count)
        end_program(exit_usage,
                    fmt::format("--devices {}: there {} here; give a number from 1 to {}.", wanted,
                                count == 1 ? "is one" : fmt::format("are {}", count), count));
    return numbers(options.gpu, wanted);
}

/// "42_all_reduce --n 1000": what all ranks have to run.
std::string command(int argc, char** argv)
{
    std::string all = chapter_name;
    for (int i = 1; i < argc; ++i)
        all += std::string(" ") + argv[i];
    return all;
}

/// Ends ranks that were not started alike: they would wait for each other for ever.
void require_one_command(const std::string& own)
{
    const std::vector<std::string> all = ranks().gather(own);
    for (std::size_t rank = 1; rank < all.size(); ++rank)
        if (all[rank] != all.front())
            end_ranks(exit_usage, fmt::format("Rank 0 was started as '{}', and rank {} as '{}': "
                                              "start all ranks with the same arguments.",
                                              all.front(), rank, all[rank]));
}

std::string host_name()
{
    std::array<char, 256> name{};
    return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "a host without a name";
}

/// Selects a device for this rank: on each host the ranks take the devices in turn, because some
/// launchers show every process all of them, and others a single one. Two ranks that come to one
/// GPU end the program. Returns the devices of all, this one's at its rank.
std::vector<int> open_device_of_rank(const Options& options)
{
    if (options.devices || options.gpu != 0)
        end_ranks(exit_usage, fmt::format("{}: each of {} processes uses one device; the launcher "
                                          "sets their number, CUDA_VISIBLE_DEVICES selects "
                                          "the GPUs.",
                                          options.devices ? "--devices" : "--gpu", ranks().size()));
    set_device_count(1);
    const std::vector<std::string> hosts = ranks().gather(host_name());
    const auto own = hosts.begin() + ranks().rank();
    const auto before = std::count(hosts.begin(), own, *own);
    const int device = static_cast<int>(before) % device_count();
    CHECK_CUDA(cudaSetDevice(device));
    if (backend() == Backend::gpu) {
        std::array<char, 32> bus{};
        CHECK_CUDA(cudaDeviceGetPCIBusId(bus.data(), bus.size(), device));
        const std::vector<std::string> gpus =
            ranks().gather(fmt::format("{} of {}", bus.data(), *own));
        for (auto gpu = gpus.begin(); gpu != gpus.end(); ++gpu)
            if (const auto first = std::find(gpus.begin(), gpu, *gpu); first != gpu)
                end_ranks(exit_cuda_error,
                          fmt::format("Ranks {} and {} use the same GPU, {}: start one process "
                                      "per GPU on each host.",
                                      first - gpus.begin(), gpu - gpus.begin(), *gpu));
    }
    std::vector<int> devices(ranks().size(), Team::remote);
    devices[ranks().rank()] = device;
    return devices;
}

} // namespace

Chapter::Implementation::Implementation(int argc, char** argv, int usual)
{
    install_handlers();
    Options& options = context.options;
    Results& results = context.results;
    results.chapter = chapter_name;
    const bool alone = ranks().size() == 1;
    require_one_command(command(argc, argv));
    options = read_options(argc, argv);
    passes.argc = argc;
    passes.argv = argv;
    if (options.list || (options.round && passes.current == 0)) {
        devices = numbers(0, options.devices.value_or(usual));
        context.devices = devices;
        runner = make_list_runner(context);
        return;
    }
    if (alone)
        offer_devices(options, usual);
    model_card(*find_card(options.card));
    // Before anything that a second process cannot share: a thread, a stream, a connection.
    std::unique_ptr<ReferenceRun> reference;
    if (backend() == Backend::cpu && !options.no_model && !options.launch_once && alone)
        reference = std::make_unique<ReferenceRun>();
    if (alone) {
        devices = open_devices(options, usual);
        context.devices = devices;
    } else {
        devices = open_device_of_rank(options);
        context.devices = {devices[ranks().rank()]};
    }
    results.device = describe_device();
    results.environment = collect_environment();
    results.options = kept_options(options);
    if (usual > 1)
        results.options.push_back({"devices", devices.size()});
    if (!alone)
        results.options.push_back({"processes", devices.size()});
    if (backend() == Backend::gpu)
        runner = make_gpu_runner(context);
    else if (reference && reference->second())
        runner = make_sampler(std::move(reference));
    else
        runner = make_cpu_runner(context, std::move(reference));
    if (options.round)
        runner = std::make_unique<PassRunner>(std::move(runner), *options.round);
}

int Chapter::Implementation::finish()
{
    runner->finish();
    const Options& options = context.options;
    if (const std::string* const missing = missing_variant())
        end_ranks(exit_usage, unknown_variant(*missing, known));
    int status = failed() ? exit_verification_failed : 0;
    if (options.round && passes.current > 0) {
        std::vector<Row> rows = std::move(passes.results.rows);
        rows.insert(rows.end(), context.results.rows.begin(), context.results.rows.end());
        passes.results = std::move(context.results);
        passes.results.rows = std::move(rows);
        return status;
    }
    if (options.round && !options.list) {
        for (passes.current = 1; passes.current <= Passes::count; ++passes.current)
            status = std::max(status, whole_program(passes.argc, passes.argv));
        context.results = std::move(passes.results);
    }
    if (ranks().rank() > 0)
        return status; // rank 0 tells
    if (!print(options.round && !options.list ? render_table(context.results, output_width())
                                              : runner->text(output_width())))
        end_program(exit_usage, "The table could not be written to standard output: its reader "
                                "has ended, or the disk is full.");
    if (options.list)
        return 0;
    try {
        if (!options.json.empty())
            write_atomically(options.json, results_to_json(context.results));
        if (!options.csv.empty())
            write_atomically(options.csv, results_to_csv(context.results));
    } catch (const FileError& error) {
        end_program(exit_usage, error.what());
    }
    return status;
}

} // namespace common
