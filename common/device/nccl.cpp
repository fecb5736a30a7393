#include "common/device/nccl.hpp"

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

    std::vector<ncclComm_t> of;
};

std::string Nccl::missing()
{
    return {};
}

void Nccl::open()
{
    if (communicators_)
        return;
    team_.peer_access(true); // before NCCL does so, and somebody asks for it a second time
    communicators_ = std::make_unique<Communicators>(team_);
    team_.use(0);
}

void Nccl::begin_group()
{
    check(ncclGroupStart(), "ncclGroupStart");
}

void Nccl::end_group()
{
    check(ncclGroupEnd(), "ncclGroupEnd");
}

void Nccl::all_reduce(unsigned k, const float* from, float* to, std::size_t n, cudaStream_t stream)
{
    check(ncclAllReduce(from, to, n, ncclFloat, ncclSum, communicators_->of[k], stream),
          "ncclAllReduce");
}

void Nccl::reduce_scatter(unsigned k, const float* from, float* to, std::size_t n,
                          cudaStream_t stream)
{
    check(ncclReduceScatter(from, to, n, ncclFloat, ncclSum, communicators_->of[k], stream),
          "ncclReduceScatter");
}

void Nccl::all_gather(unsigned k, const float* from, float* to, std::size_t n, cudaStream_t stream)
{
    check(ncclAllGather(from, to, n, ncclFloat, communicators_->of[k], stream), "ncclAllGather");
}

#else // every row of NCCL says that it is missing, and nothing of this is called

struct Nccl::Communicators
{};

std::string Nccl::missing()
{
    return "needs NCCL";
}

void Nccl::open() {}
void Nccl::begin_group() {}
void Nccl::end_group() {}
void Nccl::all_reduce(unsigned, const float*, float*, std::size_t, cudaStream_t) {}
void Nccl::reduce_scatter(unsigned, const float*, float*, std::size_t, cudaStream_t) {}
void Nccl::all_gather(unsigned, const float*, float*, std::size_t, cudaStream_t) {}

#endif

Nccl::Nccl(Team& team) : team_(team) {}
Nccl::~Nccl() = default;

} // namespace common
