// The time model: each mechanism with a case worked out by hand, and how far it is from what was
// recorded.
#include "common/model/card.hpp"
#include "common/model/model_error.hpp"
#include "common/model/time_model.hpp"
#include "tests/catch.hpp"
#include "tests/model/accuracy.hpp"

#include <cpu_device/counts.hpp>

#include <algorithm>
#include <cmath>
#include <string>

using namespace common;

namespace {

/// Ten multiprocessors at 1 GHz whose every figure is a round one; what a test does not ask for is
/// free.
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
    m.issue_rate = 4;
    m.slice_atomics = 1;
    m.atomics = 50;
    return m;
}

/// 80,000 blocks of 256 threads, eight of which a multiprocessor holds: 1,000 waves.
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

TEST_CASE("the launcher starts so many blocks a nanosecond")
{
    Card m = toy();
    m.block_ns = 8; // lives shorter than the launcher needs for the next
    const ModelledTime time = predict(blocks(), m);
    CHECK(time.limited_by == "blocks");
    CHECK(time.ms == Approx(0.08)); // 80,000 blocks at one a ns
    m.launch_ns = 5000;
    CHECK(predict(blocks(), m).ms == Approx(0.085));
}

TEST_CASE("a multiprocessor takes its share of what L2 can return, and few take little")
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

TEST_CASE("the block with the longest warp may outlast all others")
{
    Demand d = blocks();
    d.dram_phases = 2; // life 100 + 2 * 400; 1,000 waves: 0.9 ms
    d.longest_warp = 1.1;
    CHECK(predict(d, toy()).ms == Approx(0.9).epsilon(1e-4));
    d.longest_warp = 10'000; // 100 + 8,000,000 ns
    CHECK(predict(d, toy()).ms == Approx(8.0001).epsilon(1e-4));
    CHECK(predict(d, toy()).limited_by == "straggler");
    d.longest_begins = 0.5; // after half of the others, of which 80 in 80,000 begin at once
    CHECK(predict(d, toy()).ms == Approx(8.4492).epsilon(1e-5));
    d.blocks = 80; // as all do here
    CHECK(predict(d, toy()).ms == Approx(8.0001).epsilon(1e-4));
}

TEST_CASE("blocks that wait for each other have no time, one that waits for all has")
{
    cpu_device::Traffic traffic;
    CHECK(untimed(traffic).empty());
    traffic.waiting_blocks = 0.5;
    CHECK(untimed(traffic).empty());
    traffic.waiting_blocks = 0.9;
    CHECK_FALSE(untimed(traffic).empty());
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

TEST_CASE("barriers, dimensions and warps beyond eight prolong a block's life")
{
    Card m = toy();
    m.barrier_ns = 30;
    m.dimension_ns = 120;
    m.warp_ns = 5;
    Demand d = blocks();
    d.barriers = 2;
    d.dimensions = 2;
    d.threads = 512; // 16 warps: 8 more
    d.dram_phases = 1;
    CHECK(bound(predict(d, m), "latency") == Approx(0.1 + 0.4 + 0.06 + 0.12 + 0.04).epsilon(1e-4));
}

TEST_CASE("each further line of a phase takes longer to arrive")
{
    Card m = toy();
    m.line_ns = 10;
    Demand d = blocks();
    d.dram_phases = 2;
    d.l2_read_requests = d.blocks * 8 * 2 * 3; // 8 warps, 2 phases, 3 lines
    CHECK(bound(predict(d, m), "latency") == Approx(0.1 + 2 * (0.4 + 0.02)).epsilon(1e-4));
    d.l2_phases = 1; // as much later from L2: 2 lines a phase
    CHECK(bound(predict(d, m), "latency") ==
          Approx(0.1 + 2 * (0.4 + 0.01) + 0.2 + 0.01).epsilon(1e-4));
    d.l2_read_sectors = 1e6;
    d.dram_bytes_read = 32 * 0.75e6; // of a wait for DRAM three quarters come from there: 1.5 lines
    CHECK(bound(predict(d, m), "latency") ==
          Approx(0.1 + 2 * (0.4 + 0.005) + 0.2 + 0.01).epsilon(1e-3));
    d.l2_read_sectors = d.dram_bytes_read = 0; // not known
    d.l2_read_requests *= 100;                 // no more than 15 count
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

TEST_CASE("warps that go through many rounds do not come to the load-store unit together")
{
    Demand d = blocks();
    d.resident = 1;
    d.blocks = 1000; // 100 waves of ten
    d.wavefronts = d.blocks * 8000;
    d.dram_phases = 1; // one round: they begin together, elsewhere for max(500, 8,000) ns
    CHECK(predict(d, toy()).ms == Approx(100 * (8000 + 8000) * 1e-6).epsilon(1e-4));
    d.dram_phases = 19; // then one fills the gaps of the others: 8 warps need 1,000 ns each
    double queue = 0, at = 0;
    const double elsewhere = 100 + 19 * 400;
    for (int warps = 1; warps <= 8; ++warps) {
        at = 1000 * (1 + queue);
        queue = warps * at / (elsewhere + at);
    }
    CHECK(predict(d, toy()).ms ==
          Approx(100 * (8000 + 8000 + 18 * (elsewhere + at)) / 19 * 1e-6).epsilon(1e-4));
    d.barriers = 1; // which brings them together again in each round
    CHECK(predict(d, toy()).ms == Approx(100 * (8000 + 8000) * 1e-6).epsilon(1e-4));
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

TEST_CASE("constant memory and instructions have a rate of their own")
{
    Demand d = blocks();
    d.constant_wavefronts = 5e6; // at 10 * 0.5 a ns
    CHECK(bound(predict(d, toy()), "constant") == Approx(1));
    CHECK(predict(d, toy()).limited_by == "constant");
    Card m = toy();
    m.instructions = 8;
    Demand busy = blocks();
    busy.requests = 1e7; // 8e7 instructions at 40 a ns
    CHECK(bound(predict(busy, m), "issue") == Approx(2));
    m.repeated_instructions = 4;
    m.shared_instructions = 1;
    busy.repeated_requests = 5e6; // half of them in a loop: 6e7
    busy.shared_requests = 2e7;   // and 2e7 more
    CHECK(bound(predict(busy, m), "issue") == Approx(2));
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
    d.l2_write_packets = 1e8;
    d.l2_write_sectors = 4e8;
    d.store_bytes = 32 * 4e8;
    d.dram_bytes_read = 1e9;
    CHECK(bound(predict(d, m), "l2") == Approx(0.1 + 1 + 2 + 0.1));
    d.store_bytes /= 4; // three quarters of a sector are missing
    CHECK(bound(predict(d, m), "l2") == Approx(0.1 + 1 + 2 + 0.6 + 0.1));
    m.l2_joint = 0.03;
    m.l2_early = 0.09;
    d.l2_joint_lines = 1e7;
    d.l2_early_sectors = 1e6;
    CHECK(bound(predict(d, m), "l2") == Approx(0.1 + 1 + 2 + 0.6 + 0.1 + 0.3 + 0.09));
    d.l2_joint_lines = d.l2_early_sectors = 0;
    d.l2_read_sectors = 1e9; // 1 + 3.7 ms busy, 4 ms to send what was read
    CHECK(bound(predict(d, m), "l2") == Approx(4.7));
    d.l2_write_packets = d.l2_write_sectors = 0;
    CHECK(bound(predict(d, m), "l2") == Approx(4));
}

TEST_CASE("DRAM loses time to turns and to short rows")
{
    Card m = toy();
    m.turn_cost = 0.2;
    m.dram_row = 32;
    Demand d = blocks();
    d.dram_bytes_read = 2e9;
    CHECK(bound(predict(d, m), "dram") == Approx(2));
    d.dram_run_bytes = 96; // 96 of 128
    CHECK(bound(predict(d, m), "dram") == Approx(2 / 0.75));
    d.dram_bytes_unused = 1e9; // takes as long as what somebody wants
    CHECK(bound(predict(d, m), "dram") == Approx(3 / 0.75));
    d.dram_run_bytes = d.dram_bytes_unused = 0;
    d.dram_bytes_read = d.dram_bytes_written = 1e9; // 0.2 * 0.5^1.5 * (1 - 1/256)
    CHECK(bound(predict(d, m), "dram") == Approx(2 * 1.07043).epsilon(1e-5));
    m.row_turn = 18;
    CHECK(bound(predict(d, m), "dram") == Approx(2 * 1.07043).epsilon(1e-5));
    d.dram_run_bytes = 96; // rows add a third: turns cost 1 + 18 / 9 times as much
    CHECK(bound(predict(d, m), "dram") == Approx(2 / 0.75 * 1.21130).epsilon(1e-5));
    d.dram_run_bytes = 0;
    d.dram_bytes_read = 0; // nothing to turn from
    CHECK(bound(predict(d, m), "dram") == Approx(1));
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

TEST_CASE("the last wave takes a whole life")
{
    Demand d = blocks();
    d.dram_phases = 1; // life 500 ns
    d.blocks = 40;     // half a wave: four blocks on each multiprocessor
    CHECK(predict(d, toy()).ms == Approx(0.0005).epsilon(1e-4));
    d.blocks = 100; // one wave and a quarter
    CHECK(predict(d, toy()).ms == Approx(0.001).epsilon(1e-4));
    CHECK(bound(predict(d, toy()), "tail") == Approx(0.000375).epsilon(1e-4));
}

TEST_CASE("what cannot be resident has no time")
{
    Demand d = blocks();
    d.resident = 0;
    CHECK_THROWS_WITH(predict(d, toy()),
                      "No block of 256 threads fits on a multiprocessor of the toy: it needs fewer "
                      "registers, or less shared memory.");
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
    CHECK(resident_blocks(h200, 256, 40, 16 * 1024) == 6); // 17 KiB of 228 would leave room for 13
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
    traffic.repeated_requests = 700;
    traffic.dram_phases = 2;
    const Demand d = demand(launch, traffic, *find_card("h200"), 32, 4096);
    CHECK(d.blocks == 200);
    CHECK(d.threads == 256);
    CHECK(d.dimensions == 2);
    CHECK(d.resident == 8);
    CHECK(d.requests == 1500);
    CHECK(d.repeated_requests == 700);
    CHECK(d.shared_requests == 300);
    CHECK(d.shared_wavefronts == 330);
    CHECK(d.wavefronts == 2000 + 330 + 2 * 1600);
    CHECK(d.constant_wavefronts == 2 * 1600);
    CHECK(d.store_bytes == 64'000 + 3200);
    CHECK(d.dram_phases == 2);
    CHECK(d.link_ns == 0);
}

TEST_CASE("a kernel that uses another card's memory is limited by the link")
{
    LaunchRecord launch;
    launch.grid = {10, 1, 1};
    launch.block = {256, 1, 1};
    launch.counts.peer_load_sectors = 1000;
    launch.counts.peer_store_sectors = 3000;
    const Card& card = *find_card("h200");
    Demand d = demand(launch, {}, card, 32, 0);
    const double bytes_a_ns = find_card("h200")->peer_gb_per_s;
    // Packets with headers, and the requests for what is read.
    CHECK(d.link_ns == Approx((3000 * 9 + 1000) / 8.0 * 32 / bytes_a_ns));
    launch.counts.peer_atomic_sectors = 2000; // read and write
    CHECK(demand(launch, {}, card, 32, 0).link_ns ==
          Approx((5000 * 9 + 3000) / 8.0 * 32 / bytes_a_ns));
    d.link_ns = 1e6;
    const ModelledTime time = predict(d, card);
    CHECK(time.limited_by == "link");
    CHECK(time.ms == Approx(1 + card.launch_ns / 1e6));
    d.link_ns = 0; // of other kernels nothing is written of a link
    for (const Bound& b : predict(d, card).bounds)
        CHECK(b.name != "link");
}

namespace {

const char* const recorded = PROJECT_SOURCE_DIR "/tests/model/h200_demands.csv";

accuracy::Errors errors_of(const std::vector<accuracy::Row>& rows)
{
    std::vector<const accuracy::Row*> all;
    for (const accuracy::Row& row : rows)
        all.push_back(&row);
    return accuracy::errors(all);
}

/// What the book promises is 5 % and 15 %; the model is nearer, and may not get worse unseen.
bool good(const std::vector<accuracy::Row>& rows)
{
    const accuracy::Errors errors = errors_of(rows);
    return errors.median <= 0.02 && errors.ninth_decile <= 0.06 &&
           accuracy::wrong_orders(rows).empty();
}

} // namespace

TEST_CASE("the model is as near to the recorded rows as the book says")
{
    const std::vector<accuracy::Row> rows = accuracy::read(recorded, *find_card("h200"));
    REQUIRE(rows.size() > 200);
    CHECK(errors_of(rows).median <= 0.05);
    CHECK(errors_of(rows).ninth_decile <= 0.15);
    for (const std::string& pair : accuracy::wrong_orders(rows))
        FAIL_CHECK("wrong order: " << pair);
    CHECK(good(rows));
}

TEST_CASE("a worse model is found out")
{
    const auto found_out = [](auto worsen) {
        Card m = *find_card("h200");
        worsen(m);
        return !good(accuracy::read(recorded, m));
    };
    CHECK(found_out([](Card& m) { m.dram_rate = m.peak(); }));
    CHECK(found_out([](Card& m) { m.dram_ns *= 1.3; }));
    CHECK(found_out([](Card& m) { m.mixed_queue_ns = 0; }));
    CHECK(found_out([](Card& m) { m.launch_rate *= 2; }));
    CHECK(found_out([](Card& m) { m.l2_packet = m.l2_write = 0; }));
    CHECK(found_out([](Card& m) { m.constant_rate = 1; }));
}

TEST_CASE("typical errors name each limit once, and what nobody has measured")
{
    constexpr Kernels book = Kernels::the_book;
    const ModelError* dram = model_error(book, "dram");
    REQUIRE(dram != nullptr);
    CHECK(dram->median <= dram->ninth_decile);
    CHECK(model_error(book, "moonlight") == nullptr);
    const std::string known = typical_errors(book, {"dram", "latency", "dram"}, "H200");
    CHECK(known.find("where dram limits") == known.rfind("where dram limits"));
    CHECK(known.find("where dram limits") < known.find("where latency limits"));
    REQUIRE(model_error(book, "shared") != nullptr);
    CHECK((typical_errors(book, {"shared"}, "H200").find("(one measured row)") !=
           std::string::npos) == (model_error(book, "shared")->rows == 1));
    CHECK(typical_errors(book, {"moonlight"}, "H200").find("unknown where moonlight") !=
          std::string::npos);
    CHECK(typical_errors(book, {"dram"}, "T4") ==
          "This card is unmeasured: nobody knows how far off they are.");
    CHECK(typical_errors(book, {"dram"}, "H100").find("of 168 rows timed on an H100") !=
          std::string::npos);
}

TEST_CASE("of a chapter whose rows are farther off than their limits' typically are, that is said")
{
    constexpr Kernels book = Kernels::the_book;
    const auto said = [](std::string_view chapter, std::string_view card = "H200") {
        return typical_errors(Kernels::the_book, {"dram", "latency"}, card, chapter);
    };
    const ModelError* near = model_error(book, "", "01_basic_vecadd");
    const ModelError* far = model_error(book, "", "39_decoder_layer");
    REQUIRE(near != nullptr);
    REQUIRE(far != nullptr);
    REQUIRE(far->ninth_decile > model_error(book, "dram")->ninth_decile);
    REQUIRE(near->ninth_decile < model_error(book, "latency")->ninth_decile);
    CHECK(said("39_decoder_layer").find("This chapter's rows are farther off") !=
          std::string::npos);
    CHECK(said("01_basic_vecadd") == said(""));
    CHECK(said("no_chapter") == said(""));
    CHECK(said("39_decoder_layer", "T4") == said("", "T4"));
    CHECK(model_error(book, "")->chapter.empty());
}

TEST_CASE("kernels at first sight are farther off than those that the model was held against")
{
    for (const char* limit : {"", "latency", "dram"}) {
        const ModelError* sight = model_error(Kernels::others, limit);
        REQUIRE(sight != nullptr);
        CHECK(sight->median > model_error(Kernels::the_book, limit)->median);
        CHECK(sight->ninth_decile > model_error(Kernels::the_book, limit)->ninth_decile);
    }
    CHECK(typical_errors(Kernels::others, {"latency"}, "H200").find("it had not seen") !=
          std::string::npos);
    CHECK(typical_errors(Kernels::others, {"latency"}, "T4").find("nobody knows") !=
          std::string::npos);
}

TEST_CASE("times nearer than the model's error do not say which row is faster")
{
    const auto error = [](const char* limit) {
        return model_error(Kernels::the_book, limit)->ninth_decile;
    };
    const bool dram = error("dram") > error("latency");
    const std::string far = dram ? "dram" : "latency"; // what the larger error is of
    const std::string near = dram ? "latency" : "dram";
    const double off = error(far.c_str());
    REQUIRE(off > error(near.c_str()));
    CHECK(tells_apart(1, far, 1 + 1.1 * off, far, "H200"));
    CHECK_FALSE(tells_apart(1, far, 1 + 0.9 * off, far, "H200"));
    CHECK_FALSE(tells_apart(1, near, 1 + 0.9 * off, far, "H200"));
    CHECK_FALSE(tells_apart(1, far, 1 + 0.9 * off, near, "H200"));
    CHECK_FALSE(tells_apart(1, "dram", 2, "dram", "T4"));
    CHECK(tells_apart(1, "moonlight", 2, "moonlight", "H200"));
}
