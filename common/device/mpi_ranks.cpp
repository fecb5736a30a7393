#include "common/device/mpi_ranks.hpp"

#include "common/text/terminal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#ifdef HAS_MPI
#include <mpi.h>
#endif

namespace common {

namespace {

constexpr int exit_usage = 2;
constexpr int exit_not_installed = 3;

/// What a launcher has told this process.
struct Launched
{
    bool first = true; ///< whether this is rank 0, which tells what is wrong with all
    int size = 1;      ///< processes
};

/// Reads the variables of Open MPI's mpirun, MPICH's, and srun. A batch script of Slurm has a rank,
/// too, and is one process all the same: only srun sets SLURM_STEP_NUM_TASKS.
Launched launched()
{
    constexpr const char* launchers[][2] = {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                            {"PMI_RANK", "PMI_SIZE"},
                                            {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"}};
    for (const auto& [rank, size] : launchers)
        if (const char* const told = std::getenv(size)) {
            const char* const own = std::getenv(rank);
            return {own == nullptr || std::string_view(own) == "0", std::atoi(told)};
        }
    return {};
}

/// Rank 0 says why, and all end.
[[noreturn]] void refuse(const Launched& by, const std::string& why)
{
    if (!by.first)
        std::_Exit(exit_not_installed);
    end_program(exit_not_installed, why);
}

#ifdef HAS_MPI

/// Those of MPI_COMM_WORLD. What MPI cannot do ends the job: its handler of errors is its own.
class WorldRanks final : public Ranks
{
  public:
    WorldRanks()
    {
        int provided = 0; // the least that there is will do: one thread speaks for its process
        MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
        int rank = 0;
        int size = 1;
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        rank_ = static_cast<unsigned>(rank);
        size_ = static_cast<unsigned>(size);
        use_ranks(this);
        set_message_prefix(fmt::format("Rank {}: ", rank),
                           [](int status) { MPI_Abort(MPI_COMM_WORLD, status); });
    }

    std::vector<std::string> gather(const std::string& mine) override
    {
        const auto length = static_cast<int>(mine.size());
        std::vector<int> lengths(size());
        MPI_Allgather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, MPI_COMM_WORLD);
        std::vector<int> starts{0};
        for (const int one : lengths)
            starts.push_back(starts.back() + one);
        std::string all(static_cast<std::size_t>(starts.back()), '\0');
        MPI_Allgatherv(mine.data(), length, MPI_CHAR, all.data(), lengths.data(), starts.data(),
                       MPI_CHAR, MPI_COMM_WORLD);
        std::vector<std::string> said;
        for (unsigned rank = 0; rank < size(); ++rank)
            said.push_back(all.substr(static_cast<std::size_t>(starts[rank]),
                                      static_cast<std::size_t>(lengths[rank])));
        return said;
    }
    void broadcast(void* bytes, std::size_t count) override
    {
        MPI_Bcast(bytes, static_cast<int>(count), MPI_BYTE, 0, MPI_COMM_WORLD);
    }
    void add_up(float* values, std::size_t n) override
    {
        constexpr std::size_t most_of_a_call = std::size_t{1} << 30U; // MPI counts in int
        for (std::size_t first = 0; first < n; first += most_of_a_call)
            MPI_Allreduce(MPI_IN_PLACE, values + first,
                          static_cast<int>(std::min(most_of_a_call, n - first)), MPI_FLOAT, MPI_SUM,
                          MPI_COMM_WORLD);
    }
    double largest(double mine) override
    {
        MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        return mine;
    }
    void barrier() override { MPI_Barrier(MPI_COMM_WORLD); }
    void leave() override
    {
        use_ranks(nullptr);
        set_message_prefix({}, nullptr);
        MPI_Finalize();
    }
};

/// Joins the ranks.
std::unique_ptr<Ranks> join(const Launched& by)
{
    auto all = std::make_unique<WorldRanks>();
    const unsigned joined = all->size();
    if (static_cast<int>(joined) != by.size)
        refuse(by, fmt::format("The launcher has started {} processes, and the MPI that this "
                               "program was built with has joined {}: use the launcher of that "
                               "MPI, {}.",
                               by.size, joined, MPI_LAUNCHER));
    if (joined > MpiRanks::most && by.first)
        end_program(exit_usage, fmt::format("There are {} processes; the sum can be verified for "
                                            "at most {}.",
                                            joined, MpiRanks::most));
    return all;
}

#else

/// Says that what joins the ranks is missing.
std::unique_ptr<Ranks> join(const Launched& by)
{
    refuse(by, fmt::format("A launcher has started {} processes, and this program was built "
                           "without MPI, which joins them. On Debian and Ubuntu install "
                           "libopenmpi-dev; the next ./run builds with it.",
                           by.size));
}

#endif

} // namespace

MpiRanks::MpiRanks()
{
    if (const Launched by = launched(); by.size > 1)
        joined_ = join(by);
}

MpiRanks::~MpiRanks()
{
    if (joined_ && joined_.get() == &ranks())
        joined_->leave();
}

} // namespace common
