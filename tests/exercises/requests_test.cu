// The request that is shown as evidence is one of those that were counted as too many.
#include "common/device/device.hpp"
#include "common/exercise/requests.hpp"
#include "common/trace/request_json.hpp"
#include "tests/catch.hpp"
#include "tests/cpu_device/core/managed.hpp"

#include <cpu_device/launches.hpp>
#include <cuda_runtime.h>

using namespace common;

namespace {

__global__ void load_pairs_that_lanes_share(float2* out)
{
    __shared__ float2 pairs[32];
    pairs[threadIdx.x] = {1.0F, 2.0F};
    __syncthreads();
    out[threadIdx.x] = pairs[threadIdx.x / 2]; // lanes 2i and 2i + 1 want the same
}

__global__ void load_quads_then_with_conflicts(float4* quads_out, float* out)
{
    __shared__ float4 quads[32];
    __shared__ float words[64];
    quads[threadIdx.x] = {1.0F, 2.0F, 3.0F, 4.0F};
    words[threadIdx.x] = 1.0F;
    words[threadIdx.x + 32] = 2.0F;
    __syncthreads();
    quads_out[threadIdx.x] = quads[threadIdx.x]; // four wavefronts, and no fewer are possible
    out[threadIdx.x] = words[2 * threadIdx.x];   // two, and one would do
}

constexpr RequestKind shared_loads = {.shared = true, .load = true};

} // namespace

TEST_CASE("a float2 load that neighbouring lanes share is one wavefront, as it is counted")
{
    const Managed<float2> out(32);
    const auto launches = requests_of([&] { load_pairs_that_lanes_share<<<1, 32>>>(out.data()); });
    REQUIRE(launches.size() == 1);
    REQUIRE(launches[0].requests.size() == 3);
    const cpu_device::WarpRequest& load = launches[0].requests[1];
    CHECK(load.shared);
    CHECK(load.wavefronts.size() == 1);
    CHECK(load.conflicts == 0);
    CHECK(load.wavefronts[0][31] == 30U); // the first of the two lanes that access the word
    CHECK(cpu_device::launches().back().counts.shared_load_conflicts == 0);
    CHECK(common::json_of(launches[0])["requests"][1]["conflicts"] == 0);
    const cpu_device::WarpRequest& store = launches[0].requests[2];
    CHECK(store.sectors == std::vector<std::uint64_t>{0, 1, 2, 3, 4, 5, 6, 7});
}

TEST_CASE("a float4 load without conflicts is not shown as the culprit of others")
{
    const Managed<float4> quads(32);
    const Managed<float> out(32);
    const std::string text = describe_worst_request(
        [&] { load_quads_then_with_conflicts<<<1, 32>>>(quads.data(), out.data()); }, shared_loads,
        0);
    CHECK(
        text.starts_with("Kernel load_quads_then_with_conflicts: load 2 of the first warp needs 2 "
                         "wavefronts: lane 0 at byte 0, lane 1 at byte 8, "));
}

TEST_CASE("no request is shown where none has conflicts")
{
    const Managed<float2> out(32);
    const std::string text = describe_worst_request(
        [&] { load_pairs_that_lanes_share<<<1, 32>>>(out.data()); }, shared_loads, 0);
    CHECK(text.starts_with("No request of the first warp exceeds the limit"));
}
