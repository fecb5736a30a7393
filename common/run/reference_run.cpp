#include "common/run/reference_run.hpp"

#include "common/device/device.hpp"
#include "common/problem/verify.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <type_traits>

namespace common {

// A pipe takes up to PIPE_BUF bytes as one piece, so that a message is there whole or not at all.
static_assert(std::is_trivially_copyable_v<ReferenceLaunch> && sizeof(ReferenceLaunch) <= 4096);

ReferenceRun::ReferenceRun()
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return;
    child_ = fork();
    pipe_ = second() ? ends[1] : ends[0];
    close(second() ? ends[0] : ends[1]);
    if (!second())
        return;
    // The first process does the talking.
    if (const int nowhere = open("/dev/null", O_WRONLY); nowhere >= 0) {
        dup2(nowhere, STDOUT_FILENO);
        dup2(nowhere, STDERR_FILENO);
        close(nowhere);
    }
    skip_initialization();
    sample_launches();
}

ReferenceRun::~ReferenceRun()
{
    if (pipe_ >= 0)
        close(pipe_);
    if (child_ > 0) {
        kill(child_, SIGKILL);
        waitpid(child_, nullptr, 0);
    }
}

void ReferenceRun::tell(const ReferenceLaunch& launch) const
{
    if (write(pipe_, &launch, sizeof launch) != sizeof launch)
        end();
}

void ReferenceRun::end() const
{
    std::_Exit(0);
}

std::vector<ReferenceLaunch> ReferenceRun::collect()
{
    constexpr int patience_ms = 60'000; // on a loaded machine, too, none takes that long
    std::vector<ReferenceLaunch> launches;
    ReferenceLaunch launch;
    pollfd readable{pipe_, POLLIN, 0};
    while (child_ > 0 && poll(&readable, 1, patience_ms) > 0 &&
           read(pipe_, &launch, sizeof launch) == sizeof launch)
        launches.push_back(launch);
    return launches;
}

} // namespace common
