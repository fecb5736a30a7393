#include "tests/catch.hpp"
#include "tests/cpu_device/engine/coalescing.hpp"

#include <cstdint>
#include <ostream>
#include <set>
#include <string>

namespace cpu_device {

std::ostream& operator<<(std::ostream& out, const Counts& counts)
{
    return out << "load " << counts.load_requests << " requests " << counts.load_sectors
               << " sectors " << counts.load_bytes << " bytes, store " << counts.store_requests
               << " requests " << counts.store_sectors << " sectors " << counts.store_bytes
               << " bytes, atomic " << counts.atomic_requests << " requests "
               << counts.atomic_sectors << " sectors, shared load " << counts.shared_load_requests
               << " requests " << counts.shared_load_conflicts << " conflicts, shared store "
               << counts.shared_store_requests << " requests " << counts.shared_store_conflicts
               << " conflicts, constant " << counts.constant_requests << " requests "
               << counts.constant_wavefronts << " passes, local load " << counts.local_load_requests
               << " requests " << counts.local_load_sectors << " sectors, local store "
               << counts.local_store_requests << " requests " << counts.local_store_sectors
               << " sectors, " << counts.distinct_sectors << " distinct sectors, "
               << counts.divergent_warps << " divergent warps";
}

} // namespace cpu_device

TEST_CASE("every kernel's transactions follow its formula")
{
    // Which lane runs first must not be seen in the counts.
    const std::uint64_t seed = GENERATE(0, 1, 20261120);
    CAPTURE(seed);
    std::set<std::string> claims;
    for (const CoalescingCase& example : run_coalescing_cases(seed)) {
        INFO(example.claim);
        CHECK(example.counted == example.expected);
        claims.insert(example.claim);
    }
    CHECK(claims.size() >= 30);
}
