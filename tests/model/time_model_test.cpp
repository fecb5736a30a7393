// The time model: each mechanism with a case worked out by hand, and how far it is from what was
// recorded.
#include "common/model/card.hpp"
#include "common/model/model_error.hpp"
#include "common/model/time_model.hpp"
#include "tests/catch.hpp"
#include "tests/model/accuracy.hpp"

#include <cpu_device/counts.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

using namespace common;

namespace {

/// Ten SMs at 1 GHz whose every figure is a round one; what a test does not request is free.
Card toy()
{
    Card m{};
    m.option = "toy";
    m.limits.multiprocessors = 10;
    m.limits.clock_khz = 1'000'000;
    m.limits.memory_clock_khz = 4'000'000;
    m.limits.memory_bus_bits = 1000; // 1,000 GB/s
    m.launch_rate = 1;
    m.block_ns = 100;
    m.dram_ns = 400;
    m.l2_ns = 200;
    m.l1_ns = 50;
    m.dram_rate = 1000;
    m.lsu_rate = 1;
    m.constant_rate = 0.5;
    m.block_warps = 8;
    m.turn_most = 0.75;
    m.limiting_share = 0.9;
    m.lines_most = 15;
    m.slice_atomics = 1;
    m.atomics = 50;
    return m;
}

/// 80,000 blocks of 256 threads, eight of which an SM holds: 1,000 waves.
Demand blocks()
{
    Demand d;
    d.blocks = 80'000;
    d.threads = 256;
    d.resident = 8;
    return d;
}

double bound(const ModelledTime& time, std::string_view name)
{
    const auto found = std::find_if(time.bounds.begin(), time.bounds.end(),
                                    [&](const Bound& b) { return b.name == name; });
    REQUIRE(found != time.bounds.end());
    return found->ms;
}

} // namespace

TEST_CASE("the launcher starts so many blocks per nanosecond")
{
    Card m = toy();
    m.block_ns = 8; // lives shorter than the launcher needs for the next
    const ModelledTime time = predict(blocks(), m);
    CHECK(time.limited_by == "blocks");
    CHECK(time.ms == Approx(0.08)); // 80,000 blocks at one a ns
    m.launch_ns = 5000;
    CHECK(predict(blocks(), m).ms == Approx(0.085));
}

TEST_CASE("an SM takes its share of what L2 can return, and few take little")
{
    Card m = toy();
    m.l2_return = 0.004;
    Demand d = blocks();
    d.l2_read_sectors = 1e8;
    CHECK(bound(predict(d, m), "l2") == Approx(0.4));
    d.blocks = 5; // of ten
    CHECK(bound(predict(d, m), "l2") == Approx(0.8));
}

TEST_CASE("a line that L2 returns takes as long however few of its sectors are wanted")
{
    Card m = toy();
    m.l2_return = 0.004;
    m.l2_request = 0.01;
    Demand d = blocks();
    d.l2_read_sectors = 1e8;
    d.l2_read_requests = 0.25e8;
    CHECK(bound(predict(d, m), "l2") == Approx(0.4));
    d.l2_read_requests = 1e8;
    CHECK(bound(predict(d, m), "l2") == Approx(1));
    d.blocks = 5; // of ten
    CHECK(bound(predict(d, m), "l2") == Approx(2));
}

TEST_CASE("constant memory has a rate of its own")
{
    Demand d = blocks();
    d.constant_wavefronts = 5e6; // at 10 * 0.5 a ns
    CHECK(bound(predict(d, toy()), "constant") == Approx(1));
    CHECK(predict(d, toy()).limited_by == "constant");
}

TEST_CASE("fewer blocks than a wave hold their slots once")
{
    Demand d = blocks();
    d.dram_phases = 1; // life 500 ns
    d.blocks = 40;     // half a wave: four blocks on each SM
    CHECK(predict(d, toy()).ms == Approx(0.0005).epsilon(1e-4));
    d.blocks = 100; // one wave and a quarter: the last takes a whole life
    CHECK(predict(d, toy()).ms == Approx(0.001).epsilon(1e-4));
}

TEST_CASE("blocks that wait for each other have no time, nor has one that may go on alone")
{
    cpu_device::Traffic traffic;
    Demand d = blocks();
    d.dram_phases = 2; // life 100 + 2 * 400; 1,000 waves: 0.9 ms
    CHECK(untimed(traffic, d, toy()).empty());
    traffic.waiting_blocks = 0.5;
    CHECK(untimed(traffic, d, toy()).empty());
    traffic.waiting_blocks = 0.9;
    CHECK(untimed(traffic, d, toy()).find("wait") != std::string_view::npos);
    traffic.waiting_blocks = 0;
    d.longest_warp = 900; // 0.81 ms
    CHECK(untimed(traffic, d, toy()).empty());
    d.longest_warp = 1100; // 0.99 ms
    CHECK(untimed(traffic, d, toy()).find("outlast") != std::string_view::npos);
}

TEST_CASE("blocks that wait are done at resident blocks over life")
{
    Demand d = blocks();
    d.dram_phases = 2; // life 100 + 2 * 400
    d.l2_phases = 1;   //          + 200
    d.l1_phases = 2;   //          + 2 * 50 = 1,200 ns; 1,000 waves
    const ModelledTime time = predict(d, toy());
    CHECK(time.limited_by == "latency");
    CHECK(time.ms == Approx(1.2).epsilon(1e-4));
    d.resident = 4; // half as many at a time: twice as many waves
    CHECK(predict(d, toy()).ms == Approx(2.4).epsilon(1e-4));
}

TEST_CASE("dimensions and warps beyond eight prolong a block's lifetime")
{
    Card m = toy();
    m.dimension_ns = 120;
    m.warp_ns = 5;
    Demand d = blocks();
    d.dimensions = 2;
    d.threads = 512; // 16 warps: 8 more
    d.dram_phases = 1;
    CHECK(bound(predict(d, m), "latency") == Approx(0.1 + 0.4 + 0.12 + 0.04).epsilon(1e-4));
}

TEST_CASE("each further line of a phase takes longer to arrive")
{
    Card m = toy();
    m.line_ns = 10;
    Demand d = blocks();
    d.dram_phases = 2;
    d.l2_read_requests = d.blocks * 8 * 2 * 3; // 8 warps, 2 phases, 3 lines
    CHECK(bound(predict(d, m), "latency") == Approx(0.1 + 2 * (0.4 + 0.02)).epsilon(1e-4));
    d.l2_phases = 1; // 2 lines a phase
    CHECK(bound(predict(d, m), "latency") ==
          Approx(0.1 + 2 * (0.4 + 0.01) + 0.2 + 0.01).epsilon(1e-4));
    d.l2_read_requests *= 100; // no more than 15 count
    CHECK(bound(predict(d, m), "latency") ==
          Approx(0.1 + 2 * (0.4 + 0.15) + 0.2 + 0.15).epsilon(1e-4));
}

TEST_CASE("the queue before DRAM is where Little's law and the load agree")
{
    Card m = toy();
    m.read_queue_ns = 100;
    Demand d = blocks();
    d.dram_phases = 1;
    // 0.625 of the peak: 100 + 400 + 100 * 0.625 / 0.375 = 666.7 ns a wave, 1,000 waves
    d.dram_bytes_read = 0.625 * 666'667 * 1000;
    CHECK(predict(d, m).ms == Approx(0.666667).epsilon(1e-4));
    // Half of it written: a weight of 100 + 400 / 4 = 200, and 500 + 200 u / (1 - u) = 416.7 / u at
    // u = 5 / 9: 750 ns a wave.
    m.mixed_queue_ns = 400;
    d.dram_bytes_written = d.dram_bytes_read /= 2;
    CHECK(predict(d, m).ms == Approx(0.75).epsilon(1e-4));
}

TEST_CASE("blocks take turns at the load-store unit")
{
    Demand d = blocks();
    d.resident = 1;
    d.blocks = 1000; // 100 waves of ten
    d.wavefronts = d.blocks * 300;
    CHECK(predict(d, toy()).ms == Approx(100 * (300 + 300) * 1e-6).epsilon(1e-4));
    // Two at a time, each elsewhere for max(100, 300) ns: the second finds 300 / (300 + 300) of the
    // first: 300 * 1.5 + 300 = 750 ns a wave, 50 waves.
    d.resident = 2;
    CHECK(predict(d, toy()).ms == Approx(0.0375).epsilon(1e-4));
}

TEST_CASE("bank conflicts are told from other wavefronts")
{
    Demand d = blocks();
    d.wavefronts = d.blocks * 8 * 200;
    CHECK(predict(d, toy()).limited_by == "lsu");
    d.shared_wavefronts = 0.8 * d.wavefronts;
    const ModelledTime time = predict(d, toy());
    CHECK(time.limited_by == "shared");
    CHECK(bound(time, "shared") == Approx(12.8)); // 80,000 * 1,600 at 10 a ns
}

TEST_CASE("atomics are answered as lines of loads are")
{
    Card m = toy();
    m.l2_request = 0.01;
    m.atomics = 1000;
    Demand d = blocks();
    d.l2_read_requests = 1e8;
    d.l2_atomic_sectors = 0.5e8;
    CHECK(bound(predict(d, m), "l2") == Approx(1.5));
}

TEST_CASE("L2 is busy with reads, packets, sectors, parts of sectors and fills")
{
    Card m = toy();
    m.l2_read = 0.001;
    m.l2_packet = 0.01;
    m.l2_write = 0.005;
    m.l2_partial = 0.002;
    m.l2_fill = 0.0001;
    m.l2_return = 0.004;
    Demand d = blocks();
    d.l2_read_sectors = 1e8;
    d.l2_write_requests = 1e8;
    d.l2_write_sectors = 4e8;
    d.dram_bytes_read = 1e9;
    CHECK(bound(predict(d, m), "l2") == Approx(0.1 + 1 + 2 + 0.1));
    d.l2_partial_sectors = 3e8;
    CHECK(bound(predict(d, m), "l2") == Approx(0.1 + 1 + 2 + 0.6 + 0.1));
    d.l2_read_sectors = 1e9; // 1 + 3.7 ms busy, 4 ms to send what was read
    CHECK(bound(predict(d, m), "l2") == Approx(4.7));
    d.l2_write_requests = d.l2_write_sectors = 0;
    CHECK(bound(predict(d, m), "l2") == Approx(4));
}

TEST_CASE("DRAM loses time to turns and to short rows")
{
    Card m = toy();
    m.rw_turnaround = 0.2;
    m.row_open_bytes = 32;
    Demand d = blocks();
    d.dram_bytes_read = 2e9;
    CHECK(bound(predict(d, m), "dram") == Approx(2));
    d.dram_rows = 2e9 / 96; // a row for 96 bytes, where 128 would pass
    CHECK(bound(predict(d, m), "dram") == Approx(2 / 0.75));
    d.dram_bytes_unused = 1e9; // takes as long as what somebody wants
    CHECK(bound(predict(d, m), "dram") == Approx(2 / 0.75 + 1));
    d.dram_rows = d.dram_bytes_unused = 0;
    d.dram_bytes_read = d.dram_bytes_written = 1e9; // 0.2 * 0.5 * 0.5
    CHECK(bound(predict(d, m), "dram") == Approx(2 * 1.05));
    d.dram_bytes_read = 0.1e9;
    d.dram_bytes_written = 0.9e9; // 0.2 * 0.9 * 0.3: there is little left to turn to
    CHECK(bound(predict(d, m), "dram") == Approx(1.054));
    d.dram_bytes_read = 0; // nothing to turn from
    CHECK(bound(predict(d, m), "dram") == Approx(0.9));
}

TEST_CASE("atomics on one slice of L2 take turns there")
{
    Demand d = blocks();
    d.l2_atomic_sectors = 1e8; // 2 ms on all slices
    CHECK(bound(predict(d, toy()), "atomics") == Approx(2));
    d.atomics_in_one_slice = 1e8;
    CHECK(predict(d, toy()).ms == Approx(100));
    CHECK(predict(d, toy()).limited_by == "atomics");
}

TEST_CASE("what cannot be resident has no time")
{
    Demand d = blocks();
    d.resident = 0;
    CHECK_THROWS_WITH(predict(d, toy()),
                      "No block of 256 threads fits on an SM of the toy: use fewer "
                      "registers or less shared memory.");
    d.blocks = 0;
    CHECK_THROWS_WITH(predict(d, toy()), "A launch without a block has no time to model.");
}

TEST_CASE("threads, blocks, registers and shared memory bound the resident blocks")
{
    const cpu_device::DeviceLimits& h200 = find_card("h200")->limits;
    CHECK(resident_blocks(h200, 256, 16, 0) == 8);
    CHECK(resident_blocks(h200, 32, 16, 0) == 32);
    CHECK(resident_blocks(h200, 1024, 32, 0) == 2);
    CHECK(resident_blocks(h200, 576, 17, 0) == 3); // 18 of 64 warps
    CHECK(resident_blocks(h200, 320, 32, 0) == 6); // 10 of 64, as Nsight Compute has it
    CHECK(resident_blocks(h200, 64, 32, 0) == 32);
    CHECK(resident_blocks(h200, 256, 80, 0) == 3);         // 8 warps * 2,560 registers
    CHECK(resident_blocks(h200, 256, 44, 0) == 5);         // 48 are given out
    CHECK(resident_blocks(h200, 256, 40, 16 * 1024) == 6); // 17 KiB of 228 would leave space for 13
    CHECK(resident_blocks(h200, 1024, 32, 128 * 1024) == 1);
    CHECK(resident_blocks(h200, 1024, 80, 0) == 0);
    CHECK(resident_blocks(h200, 33, 32, 0) == 32); // two warps
    CHECK(resident_blocks(h200, 256, 32, 45696 - 1024) == 5);
    CHECK(resident_blocks(h200, 256, 32, 46694 - 1024) == 4); // a fifth, but not in units of 128
    CHECK(resident_blocks(find_card("t4")->limits, 256, 32, 0) == 4);
    CHECK(find_card("none") == nullptr);
}

TEST_CASE("a recorded launch becomes a demand")
{
    LaunchRecord launch;
    launch.grid = {10, 20, 1};
    launch.block = {32, 8, 1};
    launch.counts.load_requests = 1000;
    launch.counts.store_requests = 500;
    launch.counts.store_bytes = 64'000;
    launch.counts.shared_load_requests = 300;
    launch.counts.shared_load_conflicts = 30;
    launch.counts.local_store_sectors = 100;
    cpu_device::Traffic traffic;
    traffic.global_wavefronts = 2000;
    traffic.l2_write_sectors = 3000;
    traffic.dram_bytes_read = 6400;
    traffic.dram_run_bytes = 64;
    traffic.dram_phases = 2;
    const Demand d = demand(launch, traffic, *find_card("h200"), 32, 4096);
    CHECK(d.blocks == 200);
    CHECK(d.threads == 256);
    CHECK(d.dimensions == 2);
    CHECK(d.resident == 8);
    CHECK(d.shared_wavefronts == 330);
    CHECK(d.wavefronts == 2000 + 330 + 2 * 1600);
    CHECK(d.constant_wavefronts == 2 * 1600);
    CHECK(d.l2_partial_sectors == 3000 - 2000 - 100);
    CHECK(d.dram_rows == 100);
    CHECK(d.dram_phases == 2);
    CHECK(d.link_bytes == 0);
}

TEST_CASE("a kernel that uses another GPU's memory is limited by the link")
{
    LaunchRecord launch;
    launch.grid = {10, 1, 1};
    launch.block = {256, 1, 1};
    launch.counts.peer_load_sectors = 1000;
    launch.counts.peer_store_sectors = 3000;
    const Card& card = *find_card("h200");
    Demand d = demand(launch, {}, card, 32, 0);
    // Packets with headers, and the requests for what is read.
    CHECK(d.link_bytes == Approx((3000 * 9 + 1000) / 8.0 * 32));
    launch.counts.peer_atomic_sectors = 2000; // read and write
    CHECK(demand(launch, {}, card, 32, 0).link_bytes == Approx((5000 * 9 + 3000) / 8.0 * 32));
    d.link_bytes = 1e6 * card.peer_gb_per_s;
    const ModelledTime time = predict(d, card);
    CHECK(time.limited_by == "link");
    CHECK(time.ms == Approx(1 + card.launch_ns / 1e6));
    d.link_bytes = 0; // of other kernels nothing is written of a link
    for (const Bound& b : predict(d, card).bounds)
        CHECK(b.name != "link");
}

namespace {

const char* const recorded = PROJECT_SOURCE_DIR "/tests/model/demands.csv";

/// What the page promises of the H200 of the record, which is not the one that the constants were
/// measured on.
bool good(const std::vector<accuracy::Row>& rows, const Card& h200)
{
    const accuracy::Errors book = errors(rows, "h200", h200, small_launch_bytes);
    const accuracy::Errors blind = errors(rows, "", h200);
    return book.median <= 1.025 && book.ninth_decile <= 1.11 && blind.ninth_decile <= 2.2;
}

} // namespace

TEST_CASE("the model is as near to what was measured as the page says")
{
    const std::vector<accuracy::Row> rows = accuracy::read(recorded);
    CHECK(errors(rows, "h200", *find_card("h200")).rows > 250);
    CHECK(errors(rows, "", *find_card("h200")).rows > 100);
    CHECK(good(rows, *find_card("h200")));
    const accuracy::Errors h100 = errors(rows, "h100", *find_card("h100"), small_launch_bytes);
    CHECK(h100.median <= 1.025);
    CHECK(h100.ninth_decile <= 1.11); // of a data sheet alone
}

TEST_CASE("a worse model is found out")
{
    const std::vector<accuracy::Row> rows = accuracy::read(recorded);
    const auto found_out = [&rows](auto worsen) {
        Card m = *find_card("h200");
        worsen(m);
        return !good(rows, m);
    };
    CHECK(found_out([](Card& m) { m.dram_rate = m.peak(); }));
    CHECK(found_out([](Card& m) { m.dram_ns *= 1.3; }));
    CHECK(found_out([](Card& m) { m.mixed_queue_ns = 0; }));
    CHECK(found_out([](Card& m) { m.l2_packet = m.l2_write = 0; }));
}

TEST_CASE("how far off times of unseen kernels are is said as factors, of a GPU that was measured")
{
    const ModelError& unseen = model_error(Kernels::unseen);
    CHECK(unseen.median > model_error(Kernels::book).median);
    CHECK(unseen.ninth_decile > model_error(Kernels::book).ninth_decile);
    CHECK(typical_errors("H200").starts_with(
        "Error for kernels not used to fit the model: half within a factor of 1."));
    CHECK(typical_errors("T4") == "This GPU was not measured: the error is unknown.");
    CHECK(typical_errors("H100").find("rows timed on an H100") != std::string::npos);
    CHECK(typical_errors("moonlight") == "Their error is unknown.");
}

TEST_CASE("a time has two digits and a range")
{
    const double factor = model_error(Kernels::unseen).ninth_decile;
    CHECK(with_range(0.9284, Kernels::unseen) ==
          fmt::format("0.93 ({:.2g} to {:.2g})", 0.9284 / factor, 0.9284 * factor));
}
