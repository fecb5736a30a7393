#include "common/device/nccl.hpp"

#include "common/device/ranks.hpp"

#include <stdexcept>
#include <vector>

#ifdef HAS_NCCL
#include <nccl.h>

#include <cstdlib>
#endif

namespace common {

#ifdef HAS_NCCL

namespace {

void check(ncclResult_t result, const char* call)
{
    if (result != ncclSuccess)
        throw std::runtime_error(std::string(call) + " failed: " + ncclGetErrorString(result) +
                                 "; NCCL_DEBUG=INFO makes NCCL say more.");
}

} // namespace

struct Nccl::Communicators
{
    explicit Communicators(const Team& team) : of(team.size())
    {
        // NVLink multicast (NVLS) belongs to a whole host, whose GPUs other programs may share, and
        // would add up in the switch: rings and trees over the links are what can be compared.
        setenv("NCCL_NVLS_ENABLE", "0", 0);
        if (team.spans_processes()) {
            of.resize(1);
            join(of.front());
            return;
        }
        std::vector<int> devices;
        for (unsigned k = 0; k < team.size(); ++k)
            devices.push_back(team.device(k));
        check(ncclCommInitAll(of.data(), static_cast<int>(of.size()), devices.data()),
              "ncclCommInitAll");
    }
    Communicators(const Communicators&) = delete;
    Communicators& operator=(const Communicators&) = delete;
    ~Communicators()
    {
        for (ncclComm_t communicator : of)
            static_cast<void>(ncclCommDestroy(communicator)); // nobody is left to tell
    }

    /// Of this process: NCCL's own connections begin with an id that rank 0 makes.
    static void join(ncclComm_t& communicator)
    {
        ncclUniqueId id{};
        if (ranks().rank() == 0)
            check(ncclGetUniqueId(&id), "ncclGetUniqueId");
        ranks().broadcast(&id, sizeof id);
        check(ncclCommInitRank(&communicator, static_cast<int>(ranks().size()), id,
                               static_cast<int>(ranks().rank())),
              "ncclCommInitRank");
    }

    std::vector<ncclComm_t> of; ///< of each device, or of the one that this process uses
};

std::string Nccl::missing()
{
    return {};
}

void Nccl::make_communicators()
{
    if (communicators_)
        return;
    if (!team_.spans_processes())
        team_.peer_access(true); // before NCCL does so, and somebody requests it a second time
    communicators_ = std::make_unique<Communicators>(team_);
    team_.use(0);
    if (!team_.spans_processes())
        return;
    word_ = Buffer<float>(1);
    ranks().set_queue_barrier([this](cudaStream_t stream) {
        check(ncclAllReduce(word_.data(), word_.data(), 1, ncclFloat, ncclSum,
                            communicators_->of.front(), stream),
              "ncclAllReduce");
    });
}

/// call(communicator, k, stream) for each device, between what NCCL calls the start and the end of
/// a group: one thread requests all devices, and nothing begins before all are requested. Where
/// each device has a process of its own, each requests its own.
template<class Call>
void Nccl::run(const char* name, cudaStream_t first, Call call, unsigned times)
{
    make_communicators();
    if (team_.spans_processes()) {
        for (unsigned time = 0; time < times; ++time)
            check(call(communicators_->of.front(), ranks().rank(), first), name);
        return;
    }
    team_.fork(team_.size(), first);
    for (unsigned time = 0; time < times; ++time) {
        check(ncclGroupStart(), "ncclGroupStart");
        team_.queue_on_each(team_.size(), [&](unsigned k, cudaStream_t stream) {
            check(call(communicators_->of[k], k, stream), name);
        });
        check(ncclGroupEnd(), "ncclGroupEnd");
    }
    team_.barrier(team_.size());
}

void Nccl::all_reduce(const std::vector<float*>& from, const std::vector<float*>& to, std::size_t n,
                      cudaStream_t first, unsigned times)
{
    const auto call = [&](ncclComm_t communicator, unsigned k, cudaStream_t stream) {
        return ncclAllReduce(from[k], to[k], n, ncclFloat, ncclSum, communicator, stream);
    };
    run("ncclAllReduce", first, call, times);
}

std::shared_ptr<void> Nccl::register_arrays(const std::vector<float*>& from,
                                            const std::vector<float*>& to, std::size_t n)
{
    make_communicators();
    const auto handles = std::make_shared<std::vector<std::shared_ptr<void>>>();
    for (std::size_t k = 0; k < communicators_->of.size(); ++k) {
        const ncclComm_t communicator = communicators_->of[k];
        for (const auto* arrays : {&from, &to}) {
            float* const array = (*arrays)[team_.spans_processes() ? ranks().rank() : k];
            void* handle = nullptr;
            check(ncclCommRegister(communicator, array, n * sizeof(float), &handle),
                  "ncclCommRegister");
            handles->emplace_back(handle, [communicator](void* of) {
                static_cast<void>(ncclCommDeregister(communicator, of)); // nobody is left to tell
            });
        }
    }
    return handles;
}

void Nccl::reduce_scatter(const std::vector<float*>& from, const std::vector<float*>& to,
                          std::size_t n, cudaStream_t first)
{
    run("ncclReduceScatter", first, [&](ncclComm_t communicator, unsigned k, cudaStream_t stream) {
        return ncclReduceScatter(from[k], to[k], n, ncclFloat, ncclSum, communicator, stream);
    });
}

void Nccl::all_gather(const std::vector<float*>& from, const std::vector<float*>& to, std::size_t n,
                      cudaStream_t first)
{
    run("ncclAllGather", first, [&](ncclComm_t communicator, unsigned k, cudaStream_t stream) {
        return ncclAllGather(from[k], to[k], n, ncclFloat, communicator, stream);
    });
}

#else // every row of NCCL says that it is missing, and nothing of this is called

struct Nccl::Communicators
{};

std::string Nccl::missing()
{
    return "needs NCCL";
}

void Nccl::all_reduce(const std::vector<float*>&, const std::vector<float*>&, std::size_t,
                      cudaStream_t, unsigned)
{}
std::shared_ptr<void> Nccl::register_arrays(const std::vector<float*>&, const std::vector<float*>&,
                                            std::size_t)
{
    return {};
}
void Nccl::reduce_scatter(const std::vector<float*>&, const std::vector<float*>&, std::size_t,
                          cudaStream_t)
{}
void Nccl::all_gather(const std::vector<float*>&, const std::vector<float*>&, std::size_t,
                      cudaStream_t)
{}

#endif

Nccl::Nccl(Team& team) : team_(team) {}
Nccl::~Nccl()
{
    ranks().set_queue_barrier({});
}

} // namespace common
