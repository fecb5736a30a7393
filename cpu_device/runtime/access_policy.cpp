#include "runtime/access_policy.hpp"

#include "core/kernels.hpp"
#include "cpu_device/device_limits.hpp"
#include "runtime/runtime.hpp"

#include <cstdio>
#include <mutex>

namespace cpu_device {

cudaError_t check_access_policy(const cudaAccessPolicyWindow& window)
{
    const bool valid =
        window.num_bytes <= static_cast<std::size_t>(device_limits.access_policy_window_bytes) &&
        window.hitRatio >= 0.0f && window.hitRatio <= 1.0f &&
        window.missProp != cudaAccessPropertyPersisting;
    if (!valid)
        return keep(cudaErrorInvalidValue);
    note_access_policy(window.num_bytes > 0);
    if (window.num_bytes > 0)
        say_policies_are_not_simulated();
    return cudaSuccess;
}

void say_policies_are_not_simulated()
{
    static std::once_flag once;
    std::call_once(once, [] {
        std::fputs("The CPU device does not simulate what an access policy keeps in the L2: counts "
                   "stay the same, and while a window is set no time is modelled.\n",
                   stderr);
    });
}

} // namespace cpu_device
