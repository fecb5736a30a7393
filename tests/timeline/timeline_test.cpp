// The modelled timeline, on a GPU whose rates make every time a round number.
#include "common/report/remarks.hpp"
#include "common/run/model_row.hpp"
#include "tests/catch.hpp"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

using namespace common;
using nlohmann::json;
using Kind = Operation::Kind;
using Pages = Operation::Pages;

namespace {

constexpr std::uint64_t ms = 1'000'000; ///< bytes that take a millisecond at 1 GB/s

/// 1 GB/s everywhere but in device memory (10) and from pageable memory (0.5); no latency.
Card toy_card()
{
    Card card{};
    card.name = "toy";
    card.memory_gb_per_s = 10;
    card.link_in_gb_per_s = 1;
    card.link_out_gb_per_s = 1;
    card.staged_in_gb_per_s = 0.5;
    card.staged_out_gb_per_s = 0.5;
    card.mapped_in_gb_per_s = 1;
    card.faulting_in_gb_per_s = 0.25;
    card.faulting_out_gb_per_s = 0.125;
    card.peer_gb_per_s = 1;
    card.peer_copied = 17 / 16.0;
    card.peer_accessed = 9 / 8.0;
    card.peer_requested = 1 / 8.0;
    card.peer_staged_gb_per_s = 0.5;
    card.peer_staging_gb_per_s = 0.8;
    card.host_gb_per_s = 1;
    card.host_write_combined_gb_per_s = 0.1;
    card.page_locking_gb_per_s = 4;
    card.page_unlocking_gb_per_s = 8;
    card.limits.copy_engines = 2;
    return card;
}

Operation in(unsigned stream, std::uint64_t bytes, Pages pages = Pages::pinned)
{
    return {.kind = Kind::copy_in, .stream = stream, .bytes = bytes, .pages = pages};
}

Operation out(unsigned stream, std::uint64_t bytes, Pages pages = Pages::pinned)
{
    return {.kind = Kind::copy_out, .stream = stream, .bytes = bytes, .pages = pages};
}

Operation kernel(unsigned stream, std::uint64_t bytes)
{
    return {.kind = Kind::device_work, .stream = stream, .bytes = bytes, .label = "add"};
}

/// A copy that the sender queues in its stream 1, 2, ...; two devices' streams differ.
Operation to_peer(int from, int to, std::uint64_t bytes, bool through_host = false)
{
    return {.kind = Kind::copy_peer,
            .stream = static_cast<unsigned>(from) + 1,
            .device = from,
            .bytes = bytes,
            .from = from,
            .to = to,
            .through_host = through_host,
            .label = "copy"};
}

/// A kernel of `device` that reads and writes another device's memory.
Operation remote_kernel(int device, int peer, std::uint64_t read, std::uint64_t written)
{
    Operation work = kernel(static_cast<unsigned>(device) + 1, 0);
    work.device = device;
    work.peer_in_bytes[static_cast<std::size_t>(peer)] = read;
    work.peer_out_bytes[static_cast<std::size_t>(peer)] = written;
    return work;
}

const Operation wait_for_all{.kind = Kind::host_waits_all};

/// Start and end of each bar: "H2D 0-2; compute 2-3; ".
std::string bars(const Timeline& timeline)
{
    std::ostringstream text;
    for (const Bar& bar : timeline.bars)
        text << name(bar.engine) << (bar.device ? " " + std::to_string(*bar.device) : "") << " "
             << bar.start_ms << "-" << bar.end_ms << "; ";
    return text.str();
}

std::string bars(const std::vector<Operation>& operations)
{
    return bars(model(operations, toy_card()));
}

} // namespace

TEST_CASE("in one stream each operation waits for the one before")
{
    const Timeline timeline =
        model({in(1, 2 * ms), kernel(1, 10 * ms), out(1, 3 * ms), wait_for_all}, toy_card());
    CHECK(bars(timeline) == "H2D 0-2; compute 2-3; D2H 3-6; ");
    CHECK(timeline.host_ms == 6);
    CHECK(timeline.device_ms == 6);
}

TEST_CASE("in two streams both directions and a kernel run at once")
{
    CHECK(bars({in(1, 2 * ms), kernel(1, 10 * ms), out(1, 2 * ms), in(2, 2 * ms),
                kernel(2, 10 * ms), out(2, 2 * ms)}) ==
          "H2D 0-2; compute 2-3; D2H 3-5; H2D 2-4; compute 4-5; D2H 5-7; ");
}

TEST_CASE("copies of one direction take turns, and with one copy engine those of both do")
{
    CHECK(bars({in(1, ms), in(2, ms)}) == "H2D 0-1; H2D 1-2; ");
    CHECK(bars({in(1, ms), out(2, ms)}) == "H2D 0-1; D2H 0-1; ");
    Card card = toy_card();
    card.limits.copy_engines = 1;
    CHECK(bars(model({in(1, ms), out(2, ms)}, card)) == "H2D 0-1; D2H 1-2; ");
}

TEST_CASE("what is ready goes before what was queued earlier and is not")
{
    // The second copy of stream 1 waits for the kernel; that of stream 2 takes the gap.
    CHECK(bars({kernel(1, 20 * ms), in(1, ms), in(2, ms)}) == "compute 0-2; H2D 2-3; H2D 0-1; ");
    // It would not fit into a shorter one.
    CHECK(bars({kernel(1, 20 * ms), in(1, ms), in(2, 3 * ms)}) ==
          "compute 0-2; H2D 2-3; H2D 3-6; ");
}

TEST_CASE("the legacy default stream waits for the others and they for it")
{
    CHECK(bars({in(1, ms), out(0, ms), in(2, ms)}) == "H2D 0-1; D2H 1-2; H2D 2-3; ");
    Operation free = in(2, ms);
    free.independent = true;
    CHECK(bars({out(0, ms), free}) == "D2H 0-1; H2D 0-1; ");
    CHECK(bars({free, out(0, ms)}) == "H2D 0-1; D2H 0-1; ");
}

TEST_CASE("a copy from pageable memory keeps the host busy, so that the next is queued late")
{
    const Timeline timeline =
        model({in(1, ms, Pages::pageable), in(2, ms, Pages::pageable), wait_for_all}, toy_card());
    CHECK(bars(timeline) == "H2D 0-2; host 0-2; H2D 2-4; host 2-4; ");
    CHECK(timeline.host_ms == 4);
}

TEST_CASE("a stream waits for the event of another")
{
    const Operation record{.kind = Kind::record_event, .stream = 1, .event = 7};
    const Operation wait{.kind = Kind::stream_waits, .stream = 2, .event = 7};
    CHECK(bars({in(1, 2 * ms), record, in(1, ms), wait, out(2, ms)}) ==
          "H2D 0-2; H2D 2-3; D2H 2-3; ");
}

TEST_CASE("the host waits for an event, for a stream, or for all, and works meanwhile")
{
    const Operation record{.kind = Kind::record_event, .stream = 1, .event = 7};
    const Operation event{.kind = Kind::host_waits, .event = 7};
    const Operation stream{.kind = Kind::host_waits_for, .stream = 2};
    const Operation work{.kind = Kind::host_work, .bytes = ms};
    const auto host = [](const std::vector<Operation>& operations) {
        return model(operations, toy_card()).host_ms;
    };
    CHECK(host({in(1, 2 * ms)}) == 0);
    CHECK(host({in(1, 2 * ms), record, in(1, ms), event}) == 2);
    CHECK(host({in(1, 2 * ms), in(2, ms), stream}) == 3);
    CHECK(host({in(1, 2 * ms), work, wait_for_all}) == 2);
    CHECK(host({in(1, 2 * ms), work, work, work, wait_for_all}) == 3);
}

TEST_CASE("a kernel takes the longer of its device memory and its link")
{
    Operation mapped = kernel(1, 10 * ms);
    mapped.link_in_bytes = 3 * ms;
    mapped.link_out_bytes = 2 * ms;
    CHECK(bars({mapped}) == "compute 0-3; ");
    mapped.bytes = 50 * ms;
    CHECK(bars({mapped}) == "compute 0-5; ");
    CHECK(crosses_link({mapped}));
    CHECK_FALSE(crosses_link({kernel(1, ms)}));
}

TEST_CASE("calls, latencies and wake-ups cost what the GPU says")
{
    Card card = toy_card();
    card.call_us = 500;
    card.copy_latency_us = 250;
    card.wait_us = 125;
    const Timeline timeline = model({in(1, ms), wait_for_all}, card);
    CHECK(bars(timeline) == "H2D 0.75-1.75; ");
    CHECK(timeline.host_ms == 1.875);
    CHECK(timeline.device_ms == 1);
}

TEST_CASE("slow host reads and page faults have rates of their own")
{
    Operation read{.kind = Kind::host_work, .bytes = ms};
    read.host_rate = Operation::HostRate::write_combined;
    CHECK(bars({read, in(1, ms, Pages::faulting), out(1, ms, Pages::faulting)}) ==
          "host 0-10; H2D 10-14; D2H 14-22; ");
    Operation lock{.kind = Kind::host_work, .bytes = 4 * ms};
    lock.host_rate = Operation::HostRate::page_locking;
    Operation unlock = lock;
    unlock.host_rate = Operation::HostRate::page_unlocking;
    CHECK(bars({lock, in(1, ms), unlock}) == "host 0-1; H2D 1-2; host 1-1.5; ");
}

TEST_CASE("copies between devices run in both directions at once, and take turns in one")
{
    // A packet of 16 units has a header of one more.
    CHECK(bars({to_peer(0, 1, 16 * ms), to_peer(1, 0, 16 * ms)}) == "peer 0 0-17; peer 1 0-17; ");
    CHECK(bars({to_peer(0, 1, 16 * ms), to_peer(0, 1, 16 * ms)}) == "peer 0 0-17; peer 0 17-34; ");
    // Two engines, but one way into device 2: the second goes on when the first is through.
    CHECK(bars({to_peer(0, 2, 16 * ms), to_peer(1, 2, 16 * ms)}) == "peer 0 0-17; peer 1 0-34; ");
    CHECK(bars({to_peer(0, 1, 16 * ms), to_peer(2, 3, 16 * ms)}) == "peer 0 0-17; peer 2 0-17; ");
}

TEST_CASE("without peer access a copy takes both devices' links to the host, and shares the host")
{
    Operation home = in(3, ms);
    CHECK(bars({to_peer(0, 1, ms, true), home}) == "D2H 0 0-2; H2D 1 0-2; H2D 0 0-1; ");
    home.device = 1;
    CHECK(bars({to_peer(0, 1, ms, true), home}) == "D2H 0 0-2; H2D 1 0-2; H2D 1 2-3; ");
    // At 0.8 GB/s together: the second is through after 2.5 ms instead of 2.
    CHECK(bars({to_peer(0, 1, ms, true), to_peer(1, 0, ms, true)}) ==
          "D2H 0 0-2; H2D 1 0-2; D2H 1 0-2.5; H2D 0 0-2.5; ");
}

TEST_CASE("kernels of two devices run at the same time")
{
    Operation second = kernel(2, 20 * ms);
    second.device = 1;
    CHECK(bars({kernel(1, 10 * ms), second, kernel(3, 10 * ms)}) ==
          "compute 0 0-1; compute 1 0-2; compute 0 1-2; ");
}

TEST_CASE("a kernel that uses another device's memory takes as long as the link does")
{
    // Reads come in with a header for each 8 units, and one unit goes out to request them.
    CHECK(bars({remote_kernel(0, 1, 8 * ms, 0)}) == "compute 0 0-9; peer 1 0-9; ");
    CHECK(bars({remote_kernel(0, 1, 0, 8 * ms)}) == "compute 0 0-9; peer 0 0-9; ");
    CHECK(bars({remote_kernel(0, 1, 8 * ms, 8 * ms)}) ==
          "compute 0 0-10; peer 1 0-10; peer 0 0-10; ");
    CHECK(crosses_link({remote_kernel(0, 1, 1, 0)}));
    CHECK(crosses_link({to_peer(0, 1, 1)}));
    // What one writes and the other reads goes the same way: they take turns there.
    CHECK(bars({remote_kernel(0, 1, 0, 8 * ms), remote_kernel(1, 0, 8 * ms, 0)}) ==
          "compute 0 0-9; peer 0 0-9; compute 1 0-18; peer 0 0-18; ");
    // Both read: each way carries one's bytes and the other's requests, 10 units for 8.
    CHECK(model({remote_kernel(0, 1, 8 * ms, 0), remote_kernel(1, 0, 8 * ms, 0)}, toy_card())
              .device_ms == Approx(10));
    // One device that reads from two others has one way in.
    Operation gather = remote_kernel(0, 1, 8 * ms, 0);
    gather.peer_in_bytes[2] = 8 * ms;
    CHECK(model({gather}, toy_card()).device_ms == Approx(18));
}

// With 1 GiB, as book/results/nvidia-h200-x2/ has it.
TEST_CASE("the link of two H200s takes as long as it was measured to take")
{
    json rows = json::array();
    for (const auto& file : std::filesystem::directory_iterator(RECORDS_OF_TWO)) {
        const json record = json::parse(std::ifstream(file.path()));
        rows.insert(rows.end(), record.at("rows").begin(), record.at("rows").end());
    }
    const auto measured = [&](const std::string& variant, json wanted) {
        wanted["n"] = std::uint64_t{1} << 28U;
        for (const json& row : rows) {
            json with_these = row.at("parameters");
            with_these.update(wanted);
            if (row.at("variant") == variant && row.at("cache") != "hot" &&
                row.at("parameters") == with_these)
                return row.at("time_ms").at("median").get<double>();
        }
        FAIL(variant << " " << wanted << " is not in the record");
        return 0.0;
    };
    constexpr std::uint64_t gib = std::uint64_t{1} << 30U;
    const auto time = [](const std::vector<Operation>& operations) {
        return model(operations, *find_card("h200")).device_ms;
    };
    const auto both = [&](std::uint64_t read, std::uint64_t written) {
        return time({remote_kernel(0, 1, read, written), remote_kernel(1, 0, read, written)});
    };
    for (const bool staged : {false, true}) {
        const std::string access = staged ? "off" : "on";
        CHECK(time({to_peer(0, 1, gib, staged)}) ==
              Approx(measured("memcpy_peer", {{"access", access}, {"ways", 1}})).epsilon(0.02));
        CHECK(time({to_peer(0, 1, gib, staged), to_peer(1, 0, gib, staged)}) ==
              Approx(measured("memcpy_peer", {{"access", access}, {"ways", 2}})).epsilon(0.02));
    }
    const json one_way{{"ways", 1}, {"loads", 1}};
    const json both_ways{{"ways", 2}, {"loads", 1}};
    CHECK(time({remote_kernel(0, 1, gib, 0)}) ==
          Approx(measured("kernel_read", one_way)).epsilon(0.02));
    CHECK(time({remote_kernel(0, 1, 0, gib)}) ==
          Approx(measured("kernel_write", one_way)).epsilon(0.02));
    CHECK(both(gib, 0) == Approx(measured("kernel_read", both_ways)).epsilon(0.02));
    CHECK(both(0, gib) == Approx(measured("kernel_write", both_ways)).epsilon(0.02));
    // All-reduces, in one phase and in two, and their halves.
    const json reduce{{"loads", 2}};
    CHECK(both(gib, 0) == Approx(measured("one_shot", reduce)).epsilon(0.02));
    CHECK(both(gib / 2, gib / 2) == Approx(measured("two_phase", reduce)).epsilon(0.03));
    CHECK(both(gib / 2, 0) == Approx(measured("reduce_scatter", reduce)).epsilon(0.02));
    CHECK(both(0, gib / 2) == Approx(measured("all_gather", reduce)).epsilon(0.02));
}

TEST_CASE("default streams and waits are of one device")
{
    Operation second = kernel(0, 20 * ms); // in the default stream of device 1
    second.device = 1;
    Operation wait_for_second = wait_for_all;
    wait_for_second.device = 1;
    CHECK(bars({kernel(0, 10 * ms), second}) == "compute 0 0-1; compute 1 0-2; ");
    CHECK(model({kernel(0, 10 * ms), second, wait_for_all}, toy_card()).host_ms == 1);
    CHECK(model({kernel(0, 10 * ms), second, wait_for_second}, toy_card()).host_ms == 2);
    Operation event{.kind = Kind::record_event, .event = 7};
    Operation waits{.kind = Kind::stream_waits, .device = 1, .event = 7};
    CHECK(bars({kernel(0, 10 * ms), event, waits, second}) == "compute 0 0-1; compute 1 1-3; ");
}

TEST_CASE("bytes between devices grow with the number of elements")
{
    const std::vector<Operation> operations =
        scaled({remote_kernel(0, 1, 8, 4), to_peer(1, 0, 2)}, 3);
    CHECK(operations[0].peer_in_bytes[1] == 24);
    CHECK(operations[0].peer_out_bytes[1] == 12);
    CHECK(operations[0].bytes_between_devices() == 36);
    CHECK(operations[1].bytes_between_devices() == 6);
}

TEST_CASE("a row knows its time at other sizes")
{
    const Modelled row =
        model_row({in(1, 4096), kernel(1, 0), wait_for_all}, toy_card(), 1024, true);
    CHECK(row.card == "toy");
    CHECK(row.ms == 4096.0 / ms);
    CHECK(row.at.front().n == 256);
    CHECK(row.at.front().ms == row.ms / 4);
    CHECK(row.at.back().n == std::uint64_t{1} << 30U);
    CHECK(row.at.back().ms == row.ms * (1U << 20U));
    CHECK(row.bars.size() == 2);
    CHECK(row.left_out == 0);
    const Modelled long_row = model_row(std::vector<Operation>(300, in(1, 4)), toy_card(), 1, true);
    CHECK(long_row.bars.size() == Modelled::max_bars);
    CHECK(long_row.left_out == 300 - Modelled::max_bars);
}

TEST_CASE("a drawing has a line for each engine in use, and the width that was requested")
{
    const Modelled row =
        model_row({in(1, 2 * ms), in(12, ms), out(1, ms), wait_for_all}, toy_card(), 1, true);
    CHECK(draw(row, 15) == "H2D      1111++\n"
                           "D2H      ....11\n");
}

TEST_CASE("a drawing of several devices has their lines one device after the other")
{
    Operation second = kernel(2, 340 * ms);
    second.device = 1;
    const Modelled row =
        model_row({to_peer(0, 1, 16 * ms), second, wait_for_all}, toy_card(), 1, false);
    CHECK(draw(row, 15) == "peer 0     11..\n"
                           "compute 1  2222\n");
}

TEST_CASE("every GPU has rates and names, and the first is the default")
{
    CHECK(cards().front().option == "h200");
    for (const Card& card : cards()) {
        INFO(card.name);
        CHECK(find_card(card.option) == &card);
        CHECK(card.memory_gb_per_s > card.link_in_gb_per_s);
        CHECK(card.link_in_gb_per_s > card.staged_in_gb_per_s);
        CHECK(card.link_out_gb_per_s > card.staged_out_gb_per_s);
        CHECK(card.peer_gb_per_s >= card.link_in_gb_per_s);
        CHECK(card.link_out_gb_per_s > card.peer_staging_gb_per_s);
        CHECK(card.peer_staging_gb_per_s > card.peer_staged_gb_per_s);
        CHECK(card.limits.copy_engines >= 1);
        CHECK(card.doubt.empty() == (card.option == "h200"));
        CHECK((card.basis.find("unmeasured") == std::string_view::npos) == (card.option == "h200"));
    }
    CHECK(find_card("h201") == nullptr);
}
