#include "cpu_device/detail/engine.hpp"
#include "cpu_device/device_limits.hpp"
#include "cpu_device/launches.hpp"
#include "cpu_device/settings.hpp"
#include "cpu_device/trace.hpp"
#include "tests/catch.hpp"
#include "tests/cpu_device/core/managed.hpp"

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace {

__global__ void write_coordinates(unsigned* visits, uint3* indices)
{
    const unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    const unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    const unsigned i = block * blockDim.x * blockDim.y * blockDim.z + thread;
    ++visits[i];
    indices[2 * i] = blockIdx;
    indices[2 * i + 1] = threadIdx;
}

__global__ void reverse_block(const int* in, int* out)
{
    __shared__ int buffer[1024];
    const unsigned first = blockIdx.x * blockDim.x;
    buffer[threadIdx.x] = in[first + threadIdx.x];
    __syncthreads();
    out[first + threadIdx.x] = buffer[blockDim.x - 1 - threadIdx.x];
}

__global__ void reverse_block_without_barrier(const int* in, int* out)
{
    __shared__ int buffer[1024];
    const unsigned first = blockIdx.x * blockDim.x;
    buffer[threadIdx.x] = in[first + threadIdx.x];
    out[first + threadIdx.x] = buffer[blockDim.x - 1 - threadIdx.x];
}

// Each block waits until the one before it is done.
__global__ void pass_on(volatile unsigned* done)
{
    if (blockIdx.x > 0)
        while (done[blockIdx.x - 1] == 0) {
        }
    done[blockIdx.x] = blockIdx.x + 1;
}

__global__ void shuffle_from_returned(int* out)
{
    if (threadIdx.x < 8)
        out[threadIdx.x] = __shfl_down_sync(0xffffffff, 1, 16);
}

__global__ void half_return_early(int* out)
{
    __shared__ int buffer[128];
    if (threadIdx.x >= 50)
        return;
    buffer[threadIdx.x] = static_cast<int>(threadIdx.x);
    __syncthreads();
    out[threadIdx.x] = buffer[49 - threadIdx.x];
}

// A barrier in a template that a compiler may inline, and unroll, as often as it likes.
template<int Rounds>
__device__ void meet_again_and_again()
{
#pragma unroll
    for (int round = 0; round < Rounds; ++round)
        __syncthreads();
}

__global__ void meet_in_copies_of_a_function(int* out)
{
    meet_again_and_again<3>();
    meet_again_and_again<2>();
    out[threadIdx.x] = 1; // all threads return after the last barrier
}

__global__ void meet_within_a_condition(const int* in, int* out, unsigned n)
{
    __shared__ int buffer[128];
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        buffer[threadIdx.x] = in[i];
        __syncthreads();
        out[i] = buffer[threadIdx.x];
    }
}

__global__ void vote_of_block(int* counts)
{
    const int odd = __syncthreads_count(threadIdx.x % 2);
    const int any = __syncthreads_or(threadIdx.x == 77);
    const int all = __syncthreads_and(threadIdx.x < 99);
    counts[3 * threadIdx.x] = odd;
    counts[3 * threadIdx.x + 1] = any;
    counts[3 * threadIdx.x + 2] = all;
}

__global__ void sum_halves(int* out)
{
    const unsigned lane = threadIdx.x % 32;
    const unsigned mask = lane < 16 ? 0x0000FFFF : 0xFFFF0000;
    int sum = static_cast<int>(lane);
    for (int offset = 8; offset > 0; offset /= 2)
        sum += __shfl_xor_sync(mask, sum, offset, 16);
    out[threadIdx.x] = sum;
}

__global__ void masks_of_branches(unsigned* out)
{
    if (threadIdx.x % 4 == 0)
        out[threadIdx.x] = __activemask();
    else
        out[threadIdx.x] = __activemask();
}

__global__ void ballot_of_partial_warp(unsigned* out)
{
    if (threadIdx.x >= 40)
        return;
    out[threadIdx.x] = __ballot_sync(0xFFFFFFFF, threadIdx.x % 2 == 0);
}

__global__ void order_of_lanes(int* turn, int* order)
{
    order[threadIdx.x] = atomicAdd(turn, 1);
}

__global__ void read_stale_shared(unsigned* out)
{
    __shared__ unsigned value[32];
    extern __shared__ unsigned dynamic[];
    if (blockIdx.x == 0) {
        value[threadIdx.x] = 1;
        dynamic[threadIdx.x] = 1;
    } else {
        out[2 * threadIdx.x] = value[threadIdx.x];
        out[2 * threadIdx.x + 1] = dynamic[threadIdx.x];
    }
}

struct ThreeHalves
{
    unsigned short part[3];
};

__global__ void copy_records(const ThreeHalves* in, ThreeHalves* out)
{
    out[threadIdx.x] = in[threadIdx.x];
}

__global__ void wait_for_block_before(int* flags)
{
    if (blockIdx.x > 0)
        while (__atomic_load_n(&flags[blockIdx.x - 1], __ATOMIC_ACQUIRE) == 0) {
        }
    __atomic_store_n(&flags[blockIdx.x], 1, __ATOMIC_RELEASE);
}

__global__ void wait_for_later_warp(int* flag, int* out)
{
    if (threadIdx.x < 32)
        while (__atomic_load_n(flag, __ATOMIC_ACQUIRE) == 0) {
        }
    else
        __atomic_store_n(flag, 1, __ATOMIC_RELEASE);
    out[threadIdx.x] = 1;
}

/// With `Extra` between two accesses, whose value is stored.
template<class Extra>
__device__ void copy_with(const int* in, long long* out, Extra extra)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const long long before = extra();
    const int value = in[i];
    out[i] = value + extra() - before;
}

__global__ void copy_plainly(const int* in, long long* out)
{
    copy_with(in, out, [] { return 0LL; });
}

__global__ void copy_and_time(const int* in, long long* out)
{
    copy_with(in, out, [] { return clock64(); });
}

__global__ void copy_and_ask_for_lane(const int* in, long long* out)
{
    copy_with(in, out, [] {
        unsigned lane = 0;
        asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
        return static_cast<long long>(lane);
    });
}

__global__ void copy_and_time_often(const int* in, long long* out)
{
    for (int round = 0; round < 40; ++round) {
        copy_with(in, out, [] { return clock64(); });
        __syncwarp();
    }
}

__global__ void copy_plainly_often(const int* in, long long* out)
{
    for (int round = 0; round < 40; ++round) {
        copy_with(in, out, [] { return 0LL; });
        __syncwarp();
    }
}

__global__ void use_deep_stack(int* out)
{
    volatile int local[4096]; // 16 KiB
    for (int i = 0; i < 4096; ++i)
        local[i] = i;
    __syncthreads();
    out[threadIdx.x] = local[threadIdx.x];
}

using cpu_device::Dimensions;
using cpu_device::LaunchStatus;

LaunchStatus launch_nothing(Dimensions grid, Dimensions block, std::size_t shared, bool cooperative)
{
    cpu_device::LaunchConfiguration configuration;
    configuration.kernel = "nothing";
    configuration.file = "executor_test.cu";
    configuration.grid = grid;
    configuration.block = block;
    configuration.dynamic_shared_bytes = shared;
    configuration.cooperative = cooperative;
    return cpu_device::launch(
        configuration, [](void*) {}, nullptr);
}

/// Ranges of addresses that the process has.
std::ptrdiff_t mappings()
{
    std::ifstream maps("/proc/self/maps");
    return std::count(std::istreambuf_iterator<char>(maps), {}, '\n');
}

std::vector<int> ascending(std::size_t size)
{
    std::vector<int> values(size);
    std::iota(values.begin(), values.end(), 0);
    return values;
}

} // namespace

TEST_CASE("every thread of a three-dimensional grid runs once and knows where it is")
{
    const dim3 grid(3, 2, 4);
    const dim3 block(5, 3, 7); // 105 threads: the last warp is partial
    const unsigned threads = 3 * 2 * 4 * 5 * 3 * 7;
    const Managed<unsigned> visits(threads);
    const Managed<uint3> indices(2 * threads);
    write_coordinates<<<grid, block>>>(visits.data(), indices.data());
    unsigned i = 0;
    for (unsigned bz = 0; bz < grid.z; ++bz)
        for (unsigned by = 0; by < grid.y; ++by)
            for (unsigned bx = 0; bx < grid.x; ++bx)
                for (unsigned z = 0; z < block.z; ++z)
                    for (unsigned y = 0; y < block.y; ++y)
                        for (unsigned x = 0; x < block.x; ++x, ++i) {
                            const uint3 at = indices[2 * i];
                            const uint3 in = indices[2 * i + 1];
                            const bool right = visits[i] == 1 && at.x == bx && at.y == by &&
                                               at.z == bz && in.x == x && in.y == y && in.z == z;
                            if (!right)
                                FAIL("thread " << i);
                        }
    CHECK(i == threads);
}

TEST_CASE("a barrier separates the writes before it from the reads after it")
{
    const unsigned threads = GENERATE(1u, 31u, 32u, 33u, 256u, 1000u, 1024u);
    cpu_device::settings().lane_order = GENERATE(0, 7);
    const unsigned blocks = 5;
    const Managed<int> in(blocks * threads), out(blocks * threads);
    std::iota(in.begin(), in.end(), 0);
    reverse_block<<<blocks, threads>>>(in.data(), out.data());
    cpu_device::settings().lane_order = 0;
    for (unsigned b = 0; b < blocks; ++b)
        std::reverse(in.data() + b * threads, in.data() + (b + 1) * threads);
    CHECK(std::equal(in.begin(), in.end(), out.begin()));
}

TEST_CASE("a missing barrier shows in every lane order")
{
    cpu_device::settings().lane_order = GENERATE(0, 1, 2, 3);
    const Managed<int> in(256), out(256);
    std::iota(in.begin(), in.end(), 0);
    reverse_block_without_barrier<<<1, 256>>>(in.data(), out.data());
    cpu_device::settings().lane_order = 0;
    std::reverse(in.begin(), in.end());
    CHECK_FALSE(std::equal(in.begin(), in.end(), out.begin()));
}

TEST_CASE("blocks that run one by one ask once whether the one before them is done")
{
    constexpr unsigned blocks = 2000;
    for (int round = 0; round < 5; ++round) { // two at a time would ask twice sooner or later
        const Managed<unsigned> done(blocks);
        std::fill(done.begin(), done.end(), 0);
        cpu_device::forget_launches();
        cpu_device::settings().sequential_blocks = true;
        pass_on<<<blocks, 1>>>(done.data());
        cpu_device::settings().sequential_blocks = false;
        CHECK(cpu_device::launches().back().counts.load_requests == blocks - 1);
        CHECK(done[blocks - 1] == blocks);
    }
}

TEST_CASE("threads that returned early count as arrived at a barrier")
{
    const Managed<int> out(50);
    half_return_early<<<1, 128>>>(out.data());
    std::vector<int> expected = ascending(50);
    std::reverse(expected.begin(), expected.end());
    CHECK(std::equal(out.begin(), out.end(), expected.begin()));
}

TEST_CASE("a barrier that some threads of a block return without is told")
{
    const Managed<int> in(300);
    const Managed<int> out(300);
    cpu_device::forget_launches();
    meet_within_a_condition<<<3, 128>>>(in.data(), out.data(), 300);
    const std::string told = cpu_device::launches().back().partial_barrier;
    INFO(told);
    CHECK(told.starts_with("kernel meet_within_a_condition (launched at executor_test.cu:"));
    CHECK(told.find("block (2, 0, 0): thread (0, 0, 0) and 43 others wait at the barrier at "
                    "executor_test.cu:") != std::string::npos);
    CHECK(told.find("but thread (44, 0, 0) and 83 others have returned from the kernel") !=
          std::string::npos);
}

TEST_CASE("what a kernel relies on and CUDA does not promise is in the record of its launch")
{
    const Managed<int> out(8);
    cpu_device::forget_launches();
    shuffle_from_returned<<<1, 32>>>(out.data());
    const std::string told = cpu_device::launches().back().advice;
    INFO(told);
    CHECK(told.starts_with("kernel shuffle_from_returned (launched at executor_test.cu:"));
    CHECK(told.find("reads lane 16, which has exited") != std::string::npos);
}

TEST_CASE("barriers that all threads reach are no matter, however a compiler copies them")
{
    const Managed<int> in(384);
    const Managed<int> out(384);
    cpu_device::forget_launches();
    meet_within_a_condition<<<3, 128>>>(in.data(), out.data(), 384);
    meet_in_copies_of_a_function<<<2, 96>>>(out.data());
    for (const cpu_device::LaunchRecord& launch : cpu_device::launches())
        CHECK(launch.partial_barrier.empty());
}

TEST_CASE("barriers that vote see all threads of the block")
{
    const Managed<int> counts(3 * 100);
    vote_of_block<<<1, 100>>>(counts.data());
    for (std::size_t i = 0; i < 100; ++i) {
        CHECK(counts[3 * i] == 50);
        CHECK(counts[3 * i + 1] != 0);
        CHECK(counts[3 * i + 2] == 0); // thread 99 says no
    }
}

TEST_CASE("two halves of a warp exchange values apart from each other")
{
    const Managed<int> out(64);
    sum_halves<<<1, 64>>>(out.data());
    for (std::size_t i = 0; i < 64; ++i) // 0 to 15, 16 to 31
        CHECK(out[i] == (i % 32 < 16 ? 120 : 376));
}

TEST_CASE("the active mask holds the lanes of one branch")
{
    const Managed<unsigned> out(32);
    masks_of_branches<<<1, 32>>>(out.data());
    for (std::size_t i = 0; i < 32; ++i)
        CHECK(out[i] == (i % 4 == 0 ? 0x11111111u : 0xEEEEEEEEu));
}

TEST_CASE("lanes that returned, or do not exist, have no vote")
{
    const Managed<unsigned> out(48);
    ballot_of_partial_warp<<<1, 48>>>(out.data());
    CHECK(out[0] == 0x55555555u);
    CHECK(out[32] == 0x00000055u); // 8 lanes left of a warp of 16
    CHECK(out[40] == 0u);
}

TEST_CASE("lanes run in ascending order, or shuffled by the seed alone")
{
    const auto order_of = [](std::uint64_t seed) {
        cpu_device::settings().lane_order = seed;
        const Managed<int> turn(1), order(256);
        order_of_lanes<<<1, 256>>>(turn.data(), order.data());
        cpu_device::settings().lane_order = 0;
        return std::vector<int>(order.begin(), order.end());
    };
    CHECK(order_of(0) == ascending(256));
    const std::vector<int> shuffled = order_of(1);
    CHECK(shuffled == order_of(1));
    CHECK(shuffled != order_of(0));
    CHECK(shuffled != order_of(2));
    CHECK(std::is_permutation(shuffled.begin(), shuffled.end(), ascending(256).begin()));
}

TEST_CASE("shared memory that its block has not written is poisoned")
{
    // Blocks on one thread of the host: the second follows the first, which writes it.
    const Managed<unsigned> out(64);
    read_stale_shared<<<400, 32, 32 * sizeof(unsigned)>>>(out.data());
    for (const unsigned value : out)
        CHECK(value == cpu_device::poison);
}

TEST_CASE("a block may wait for an earlier one, and a warp for a later one")
{
    const Managed<int> flags(500);
    wait_for_block_before<<<500, 1>>>(flags.data());
    CHECK(std::count(flags.begin(), flags.end(), 1) == 500);

    const Managed<int> flag(1), out(64);
    wait_for_later_warp<<<1, 64>>>(flag.data(), out.data());
    CHECK(std::count(out.begin(), out.end(), 1) == 64);
}

TEST_CASE("every thread of a full block has local memory of its own across a barrier")
{
    const Managed<int> out(1024);
    use_deep_stack<<<1, 1024>>>(out.data());
    const std::vector<int> expected = ascending(1024);
    CHECK(std::equal(out.begin(), out.end(), expected.begin()));
}

TEST_CASE("a kernel that reads the clock or a special register has the counts of one that does not")
{
    constexpr unsigned threads = 256;
    constexpr unsigned blocks = 4;
    const Managed<int> in(blocks * threads);
    const Managed<long long> out(blocks * threads);
    const auto counts = [&](void (*kernel)(const int*, long long*)) {
        kernel<<<blocks, threads>>>(in.data(), out.data());
        return cpu_device::launches().back().counts;
    };
    const cpu_device::Counts plain = counts(copy_plainly);
    CHECK(plain.divergent_warps == 0);
    CHECK(counts(copy_and_time) == plain);
    CHECK(counts(copy_and_ask_for_lane) == plain);
    CHECK(counts(copy_and_time_often) == counts(copy_plainly_often));
}

TEST_CASE("launches that no GPU accepts are refused")
{
    const auto status = [](Dimensions grid, Dimensions block, std::size_t shared) {
        return launch_nothing(grid, block, shared, false);
    };
    CHECK(status({1, 1, 1}, {1024, 1, 1}, 0) == LaunchStatus::ok);
    CHECK(status({1, 1, 1}, {1, 1, 64}, 48 * 1024) == LaunchStatus::ok);
    CHECK(status({1, 1, 1}, {1025, 1, 1}, 0) == LaunchStatus::invalid_configuration);
    CHECK(status({1, 1, 1}, {32, 33, 1}, 0) == LaunchStatus::invalid_configuration);
    CHECK(status({1, 1, 1}, {1, 1, 65}, 0) == LaunchStatus::invalid_configuration);
    CHECK(status({1, 1, 1}, {65536, 65536, 1}, 0) == LaunchStatus::invalid_configuration);
    CHECK(status({1, 1, 1}, {0, 1, 1}, 0) == LaunchStatus::invalid_configuration);
    CHECK(status({0, 1, 1}, {1, 1, 1}, 0) == LaunchStatus::invalid_configuration);
    CHECK(status({1, 65536, 1}, {1, 1, 1}, 0) == LaunchStatus::invalid_configuration);
    CHECK(status({1, 1, 65536}, {1, 1, 1}, 0) == LaunchStatus::invalid_configuration);
    CHECK(status({0x80000000u, 1, 1}, {1, 1, 1}, 0) == LaunchStatus::invalid_configuration);
    CHECK(status({1, 1, 1}, {1, 1, 1}, 48 * 1024 + 1) == LaunchStatus::invalid_configuration);
}

TEST_CASE("a cooperative launch is refused for what any launch is refused for, or for its size")
{
    const auto status = [](unsigned blocks, unsigned threads, std::size_t shared) {
        return launch_nothing({blocks, 1, 1}, {threads, 1, 1}, shared, true);
    };
    const auto multiprocessors = static_cast<unsigned>(cpu_device::device_limits.multiprocessors);
    CHECK(status(1, 2048, 0) == LaunchStatus::invalid_configuration);
    CHECK(status(0, 32, 0) == LaunchStatus::invalid_configuration);
    CHECK(status(2 * multiprocessors + 1, 1024, 0) == LaunchStatus::too_large_cooperative_grid);
    // Five blocks can hold 46,694 bytes each, with those that the driver takes; but shared
    // memory is given out in units of 128 bytes.
    const std::size_t shared = 46694 - cpu_device::device_limits.reserved_shared_bytes_per_block;
    int fit = 0;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, order_of_lanes, 32, shared) ==
          cudaSuccess);
    CHECK(fit == 4);
    CHECK(status(4 * multiprocessors + 1, 32, shared) == LaunchStatus::too_large_cooperative_grid);
}

TEST_CASE("cooperative launches leave no addresses behind")
{
    constexpr unsigned blocks = 40;
    const auto launch = [] {
        CHECK(launch_nothing({blocks, 1, 1}, {32, 1, 1}, 0, true) == LaunchStatus::ok);
    };
    launch(); // the host keeps what its threads once had
    const std::ptrdiff_t before = mappings();
    constexpr int launches = 10;
    for (int i = 0; i < launches; ++i)
        launch();
    // Two a block and launch if they stayed; AddressSanitizer keeps some of what was given back.
    CHECK(mappings() < before + launches * std::ptrdiff_t{blocks});
}

namespace {

/// What the launch of a kernel hands over.
template<class Launch>
cpu_device::LaunchTrace trace_of(Launch launch)
{
    cpu_device::LaunchTrace seen;
    cpu_device::set_detail(cpu_device::Detail::traffic);
    cpu_device::set_trace_sink([&](const cpu_device::LaunchTrace& trace) {
        seen = trace;
        return cpu_device::Traffic();
    });
    launch();
    cpu_device::set_trace_sink({});
    cpu_device::set_detail(cpu_device::Detail::counts);
    return seen;
}

__global__ void copy_rounds(const int* in, int* out, int rounds)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int round = 0; round < rounds; ++round)
        out[i] = in[i] + round;
}

__global__ void sum_of_two(const int* in, int* out)
{
    out[threadIdx.x] = in[threadIdx.x] + in[threadIdx.x + 32];
}

} // namespace

TEST_CASE("touches tell the rounds of a loop apart, and what follows it")
{
    Managed<int> in(4 * 64);
    Managed<int> out(4 * 64);
    using enum cpu_device::Access;
    using Rounds = std::set<std::pair<unsigned, cpu_device::Access>>;
    const auto rounds = [](const cpu_device::LaunchTrace& seen) {
        Rounds found;
        for (const cpu_device::SampledTouch& touch : seen.touches) {
            CHECK(touch.weight == 1);
            found.emplace(touch.round, touch.kind);
        }
        return found;
    };
    const auto copied = trace_of([&] { copy_rounds<<<4, 64>>>(in.data(), out.data(), 3); });
    CHECK(rounds(copied) ==
          Rounds{{0, load}, {0, store}, {1, load}, {1, store}, {2, load}, {2, store}});
    const auto summed = trace_of([&] { sum_of_two<<<1, 32>>>(in.data(), out.data()); });
    CHECK(rounds(summed) == Rounds{{0, load}, {0, store}});
    // Behind one barrier per warp is in another one.
    const auto reversed = trace_of([&] { reverse_block<<<4, 64>>>(in.data(), out.data()); });
    CHECK(rounds(reversed) == Rounds{{0, load}, {1, store}});
}

TEST_CASE("of a few long blocks all are traced in part, of many the first ones whole")
{
    constexpr int threads = 64, rounds = 12'000; // a step and four sectors for each of two warps
    Managed<int> in(16 * threads);
    Managed<int> out(16 * threads);
    const auto traced = [&](unsigned blocks) {
        return trace_of([&] { copy_rounds<<<blocks, threads>>>(in.data(), out.data(), rounds); });
    };
    const cpu_device::LaunchTrace few = traced(8);
    CHECK(few.blocks.size() == 8);
    for (const cpu_device::BlockTrace& block : few.blocks)
        CHECK(block.size() < (1U << 19U) / 6);
    CHECK(few.requests == 2U * 8 * 2 * rounds);
    const cpu_device::LaunchTrace many = traced(16);
    CHECK(many.blocks.size() < 4);
    CHECK(many.blocks.front().size() >= 2U * 2 * rounds * 5);
}

TEST_CASE("the trace of a launch goes to whoever requested it, who says what its traffic is")
{
    Managed<int> in(4 * 64);
    Managed<int> out(4 * 64);
    const auto launched = [&] {
        cpu_device::forget_launches();
        reverse_block<<<4, 64>>>(in.data(), out.data());
        return cpu_device::launches().at(0);
    };
    cpu_device::set_detail(cpu_device::Detail::traffic);
    CHECK_FALSE(launched().traffic); // nobody has
    cpu_device::LaunchTrace seen;
    cpu_device::set_trace_sink([&](const cpu_device::LaunchTrace& trace) {
        seen = trace;
        return cpu_device::Traffic{.l2_read_sectors = 7};
    });
    const cpu_device::LaunchRecord record = launched();
    cpu_device::set_detail(cpu_device::Detail::counts);
    CHECK_FALSE(launched().traffic); // nothing is traced
    cpu_device::set_trace_sink({});

    CHECK(record.traffic.value().l2_read_sectors == 7);
    CHECK(seen.threads == 64);
    CHECK(seen.grid_blocks == 4);
    CHECK(seen.shared_bytes == 4096);
    REQUIRE(seen.blocks.size() == 4);
    REQUIRE(seen.blocks[3].warps.size() == 2);
    CHECK(seen.blocks[3].block == 3);
    std::vector<cpu_device::Step> steps;
    for (const cpu_device::TracedStep& step : seen.blocks[3].warps[1])
        steps.push_back(step.step);
    using enum cpu_device::Step;
    CHECK(steps == std::vector{load, shared_store, barrier, shared_load, store});
}

TEST_CASE("a record of six bytes is three accesses of two, wherever it begins")
{
    const Managed<ThreeHalves> in(32);
    const Managed<ThreeHalves> out(32);
    copy_records<<<1, 32>>>(in.data(), out.data());
    const cpu_device::Counts counts = cpu_device::launches().back().counts;
    CHECK(counts.load_requests == 3);
    CHECK(counts.load_sectors == 3 * 6);
    CHECK(counts.load_bytes == 32 * 6);
    CHECK(counts.store_requests == 3);
}
