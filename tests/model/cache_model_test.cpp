// The caches of the modelled GPU, with traces made by hand: each rule alone.
#include "common/model/cache_model.hpp"
#include "tests/catch.hpp"

#include <cmath>
#include <cstdint>

using namespace common;
using cpu_device::Access;
using cpu_device::Step;

namespace {

constexpr std::uint32_t whole = ~std::uint32_t{0};

/// Appends a request for `sectors` sectors from `first` on, of each of which it touches `bytes`.
void request(BlockTrace& block, Step step, std::uintptr_t first, std::uint32_t sectors = 4,
             std::uint32_t bytes = whole, std::size_t warp = 0, std::uint32_t site = 1)
{
    const auto begin = static_cast<std::uint32_t>(block.sectors.size());
    for (std::uint32_t i = 0; i < sectors; ++i)
        block.sectors.push_back({first + i, bytes, 8});
    block.warps[warp].push_back({.step = step,
                                 .irregular = false,
                                 .wavefronts = 1,
                                 .site = site,
                                 .first = begin,
                                 .count = sectors});
}

BlockTrace block_of(std::size_t warps, std::uint64_t number = 0)
{
    return {number, std::vector<std::vector<TracedStep>>(warps), {}};
}

/// The traffic on an H200.
Traffic simulate(const std::vector<BlockTrace>& blocks, unsigned threads, std::size_t shared_bytes,
                 std::uint64_t grid_blocks)
{
    return simulate_caches({blocks, threads, shared_bytes, grid_blocks}, cards().front());
}

/// The traffic of blocks of one warp that are the whole grid.
Traffic traffic_of(const std::vector<BlockTrace>& blocks, std::size_t shared_bytes = 0)
{
    return simulate(blocks, 32, shared_bytes, blocks.size());
}

TracedStep load(std::uint32_t site, bool irregular = false)
{
    return {.step = Step::load, .irregular = irregular, .site = site};
}

} // namespace

TEST_CASE("a sector that was loaded is found in L1, its neighbours in the line are not")
{
    BlockTrace block = block_of(1);
    request(block, Step::load, 100, 1);
    request(block, Step::load, 100, 1);
    request(block, Step::load, 101, 1);
    const Traffic traffic = traffic_of({block});
    CHECK(traffic.l1_hit_sectors == 1);
    CHECK(traffic.l2_read_sectors == 2);
}

TEST_CASE("DRAM is read in pairs of sectors, each once")
{
    BlockTrace block = block_of(1);
    request(block, Step::load, 100, 1); // of the pair 100, 101
    request(block, Step::load, 101, 1);
    request(block, Step::load, 103, 1); // of the next
    CHECK(traffic_of({block}).dram_bytes_read == 2 * 64);

    BlockTrace other = block; // of another SM: its L1 is empty, L2 has all
    const Traffic both = traffic_of({block, other});
    CHECK(both.l2_read_sectors == 6);
    CHECK(both.dram_bytes_read == 2 * 64);
}

TEST_CASE("what is loaded again and again outlives in L1 what passes once")
{
    // 16 lines between 64 others at a time, of many more than the 1,792 that there are.
    const auto hits = [](int lines_between, int rounds) {
        BlockTrace block = block_of(1);
        std::uintptr_t passing = 1000;
        for (int round = 0; round < rounds; ++round) {
            for (std::uintptr_t line = 0; line < 16; ++line)
                request(block, Step::load, 4 * line);
            for (int i = 0; i < lines_between; ++i)
                request(block, Step::load, 4 * ++passing);
        }
        return traffic_of({block}).l1_hit_sectors / ((rounds - 1) * 16 * 4);
    };
    CHECK(hits(64, 200) > 0.99); // a random choice of lines would lose one in thirty
    CHECK(hits(10'000, 20) < 0.3);
}

TEST_CASE("a sample finds in L1 what all blocks of the grid read, and none of what they do not")
{
    const auto sample = [](std::uint64_t grid_blocks, bool all_the_same) {
        std::vector<BlockTrace> blocks;
        for (std::uint64_t i = 0; i < 8; ++i) {
            blocks.push_back(block_of(8, i));
            for (std::size_t warp = 0; warp < 8; ++warp)
                request(blocks.back(), Step::load, all_the_same ? 4 * warp : 4 * (8 * i + warp), 4,
                        whole, warp);
        }
        return simulate(blocks, 256, 0, grid_blocks).l1_hit_sectors /
               static_cast<double>(grid_blocks);
    };
    CHECK(sample(100'000, true) == 32);
    CHECK(sample(100'000, false) == 0);
    CHECK(sample(100, true) == 0);    // each is alone on its SM, and the first there
    CHECK(sample(1'000, true) == 28); // the first of eight on each
}

TEST_CASE("what shared memory takes of L1 holds no line")
{
    // 1,000 lines of 128 bytes, twice: 256 KiB less 32 hold them, less 228 (224 lines) do not.
    BlockTrace block = block_of(1);
    for (int round = 0; round < 2; ++round)
        for (std::uintptr_t line = 0; line < 1000; ++line)
            request(block, Step::load, 4 * line);
    CHECK(traffic_of({block}).l1_hit_sectors == 4000);
    const double with_shared = traffic_of({block}, 200 * 1024).l1_hit_sectors;
    CHECK(with_shared < 1000);
    CHECK(with_shared + traffic_of({block}, 200 * 1024).l2_read_sectors == 8000);
}

TEST_CASE("stores of two warps to many lines are merged, but for those that have left")
{
    const auto requests = [](std::uintptr_t lines) {
        BlockTrace block = block_of(2);
        for (const std::size_t warp : {0, 1}) {
            const auto first = static_cast<std::uint32_t>(block.sectors.size());
            for (std::uintptr_t line = 0; line < lines; ++line)
                block.sectors.push_back({4 * line, warp == 0 ? 0x0000ffffU : 0xffff0000U, 1});
            block.warps[warp].push_back({.step = Step::store,
                                         .irregular = false,
                                         .wavefronts = 1,
                                         .site = 1,
                                         .first = first,
                                         .count = static_cast<std::uint32_t>(lines)});
        }
        return simulate({block}, 64, 0, 1).l2_write_requests;
    };
    CHECK(requests(3) == 3 + 3);
    CHECK(requests(8) == 8 + 3);
    CHECK(requests(32) ==
          32 + 32); // the second warp finds the last 15, which its first ones push out
}

TEST_CASE("stores of one warp to one line are merged, those of two warps are not")
{
    BlockTrace merged = block_of(1);
    request(merged, Step::store, 0, 1, 0x0000ffff);
    request(merged, Step::store, 0, 1, 0xffff0000);
    request(merged, Step::store, 1, 1);
    const Traffic one = traffic_of({merged});
    CHECK(one.l2_write_requests == 1);
    CHECK(one.l2_write_sectors == 2);

    BlockTrace apart = block_of(2);
    request(apart, Step::store, 0, 1, 0x0000ffff, 0);
    request(apart, Step::store, 0, 1, 0xffff0000, 1);
    const Traffic two = simulate({apart}, 64, 0, 1);
    CHECK(two.l2_write_requests == 2);
    CHECK(two.l2_write_sectors == 2);
}

TEST_CASE("a store that comes back to a line after 15 others finds it gone")
{
    const auto requests = [](std::uintptr_t others) {
        BlockTrace block = block_of(1);
        request(block, Step::store, 0, 1, 0x0000ffff);
        for (std::uintptr_t line = 1; line <= others; ++line)
            request(block, Step::store, 4 * line, 1);
        request(block, Step::store, 0, 1, 0xffff0000);
        return traffic_of({block}).l2_write_requests;
    };
    CHECK(requests(14) == 15);     // line 0 and 14 others
    CHECK(requests(15) == 15 + 2); // and line 0 once more
}

TEST_CASE("stores of a warp to few lines mostly follow one another, larger ones take turns")
{
    // Each warp stores its lines in eight parts, one after the other.
    const auto merged = [](std::uintptr_t lines) {
        BlockTrace block = block_of(16);
        for (std::uintptr_t warp = 0; warp < 16; ++warp)
            for (unsigned part = 0; part < 8; ++part)
                request(block, Step::store, 4 * lines * warp, static_cast<std::uint32_t>(4 * lines),
                        0xfU << 4 * part, warp);
        const double apart = 16.0 * 8 * static_cast<double>(lines);
        return 1 - simulate({block}, 512, 0, 1).l2_write_requests / apart;
    };
    CHECK(merged(2) > 0.8); // of seven in eight that could be
    CHECK(merged(4) > 0.6);
    CHECK(merged(8) < 0.4);
    CHECK(merged(16) == 0); // the first line is gone before the last is stored
}

TEST_CASE("what the L2 holds at the end is never written to DRAM")
{
    const auto written = [](std::uint64_t grid_blocks) {
        BlockTrace block = block_of(1);
        request(block, Step::store, 0, 32);
        return simulate({block}, 32, 0, grid_blocks).dram_bytes_written;
    };
    CHECK(written(1) == 0);
    CHECK(written(38'000) == 0); // 39 MB are not full yet
    const double bytes = 100'000.0 * 1024;
    CHECK(written(100'000) == Approx(bytes - 39e6));
}

TEST_CASE("a sector written in part is read when it leaves the L2")
{
    const auto read = [](std::uint32_t bytes) {
        BlockTrace block = block_of(1);
        request(block, Step::store, 0, 32, bytes);
        return simulate({block}, 32, 0, 1'000'000).dram_bytes_read;
    };
    CHECK(read(whole) == 0);
    CHECK(read(0xff) == Approx(1e6 * 1024 - 39e6));
}

TEST_CASE("of a sector that was written in part and stands alone half of each burst is for nobody")
{
    const auto unused = [](std::initializer_list<std::uintptr_t> sectors) {
        BlockTrace block = block_of(1);
        for (const std::uintptr_t sector : sectors)
            request(block, Step::store, sector, 1, 0x0000000f);
        return simulate({block}, 32, 0, std::uint64_t{1} << 40).dram_bytes_unused;
    };
    const double alone = unused({1000});
    CHECK(alone == Approx(2 * 32 * std::pow(2, 40)).epsilon(1e-3)); // once to read, once to write
    CHECK(unused({1000, 1001}) == 0);
    CHECK(unused({1000, 1002}) == Approx(2 * alone).epsilon(1e-3)); // of the next 64 bytes
    CHECK(unused({1000, 1100}) == Approx(2 * alone).epsilon(1e-3));
}

TEST_CASE("what a block at the edge of the sample shares with one beyond it is not counted twice")
{
    // Block b reads one sector; its neighbour in 64 bytes is read by block b + 10, or b - 10.
    std::vector<BlockTrace> blocks;
    for (std::uintptr_t b = 5; b < 45; ++b) {
        blocks.push_back(block_of(1, b));
        request(blocks.back(), Step::load, 2 * (b / 20 * 10 + b % 10) + b / 10 % 2, 1);
    }
    const auto read = [&](std::uint64_t grid) {
        return simulate(blocks, 32, 0, grid).dram_bytes_read;
    };
    CHECK(read(40) == 64 * 25); // the whole grid: ten have no neighbour
    CHECK(read(4000) == 100 * 64 * 20);
}

TEST_CASE("a sector that two blocks fill is written once, wherever the sample ends")
{
    // Block b writes a half of a sector; block b + 10, or b - 10, writes the other.
    std::vector<BlockTrace> blocks;
    for (std::uintptr_t b = 5; b < 45; ++b) {
        blocks.push_back(block_of(1, b));
        request(blocks.back(), Step::store, 8 * (b / 20 * 10 + b % 10), 1,
                b / 10 % 2 == 0 ? 0x0000ffff : 0xffff0000);
    }
    constexpr std::uint64_t grid = std::uint64_t{1} << 40;
    const Traffic traffic = simulate(blocks, 32, 0, grid);
    const double sectors = std::pow(2, 39);
    CHECK(traffic.l2_write_sectors == Approx(2 * sectors));
    CHECK(traffic.dram_bytes_read == 0);
    CHECK(traffic.dram_bytes_written == Approx(32 * sectors).epsilon(1e-3));
}

namespace {

/// Blocks of one warp, of which each touches `sectors` in turn; `sample` is traced as well.
cpu_device::LaunchTrace grid(std::uint64_t blocks, const std::vector<std::uintptr_t>& sectors)
{
    BlockTrace block = block_of(1);
    cpu_device::LaunchTrace trace{.blocks = {}, .grid_blocks = blocks};
    for (const std::uintptr_t sector : sectors)
        request(block, Step::load, sector, 4);
    trace.blocks.push_back(block);
    trace.requests = trace.blocks.size() * sectors.size() * blocks;
    trace.longest_requests = sectors.size();
    for (std::uint64_t number = 0; number < blocks; ++number)
        for (std::uint32_t i = 0; i < sectors.size(); ++i)
            trace.touches.push_back({.block = number,
                                     .first = sectors[i] + number % 10 * 1000,
                                     .round = i,
                                     .count = 4,
                                     .kind = Access::load});
    return trace;
}

} // namespace

TEST_CASE("what blocks far apart in the grid load again is found in L2, and waited for there")
{
    // A thousand blocks load what the ten of them before them have loaded.
    const Traffic again = simulate_caches(grid(1000, {0}), cards().front());
    CHECK(again.dram_bytes_read == 10 * 128);
    CHECK(again.dram_phases == Approx(0.02)); // 20 pairs for 1,000 waits
    CHECK(again.l2_phases == Approx(0.98));
    // What has gone in between is fetched again: one page in 10,000 stands for the others.
    cpu_device::LaunchTrace crowded = grid(1000, {0, 4, 8, 12, 16, 20});
    crowded.one_in = 100'000;
    CHECK(simulate_caches(crowded, cards().front()).dram_bytes_read > 500 * 6 * 128);
}

TEST_CASE("a part of a sector is given up once, whether its neighbours are in the sample or not")
{
    // 40,000 blocks store a word each of 1,000 lines of their own, 160 MB in all. Of the lines that
    // are looked at each is stored to four times, far apart.
    BlockTrace block = block_of(1);
    for (std::uintptr_t line = 0; line < 1000; ++line)
        request(block, Step::store, line * 4, 1, 15);
    cpu_device::LaunchTrace trace{.blocks = {block}, .grid_blocks = 40000};
    trace.one_in = 4000;
    for (std::uint64_t number = 0; number < 40000; ++number)
        trace.touches.push_back(
            {.block = number, .first = number % 10000 * 4, .count = 1, .kind = Access::store});
    const Traffic traffic = simulate_caches(trace, cards().front());
    const double sent = traffic.l2_write_sectors;
    CHECK(sent == 40000.0 * 1000);
    CHECK(traffic.dram_bytes_written <= sent * 32);
    CHECK(traffic.dram_bytes_written > 0.9 * sent * 32);
    CHECK(traffic.dram_bytes_read <= sent * 32);
}

TEST_CASE("lines fill L2, however few of their sectors are wanted")
{
    // Of 500 lines each is wanted by two of 1,000 blocks, with 499 others in between.
    const auto read = [](std::uint32_t sectors, int lines_of_l2, Step step, Access kind) {
        BlockTrace block = block_of(1);
        request(block, step, 0, sectors);
        cpu_device::LaunchTrace trace{.blocks = {block}, .grid_blocks = 1000};
        for (std::uint64_t number = 0; number < 1000; ++number)
            trace.touches.push_back({.block = number,
                                     .first = number % 500 * 4,
                                     .count = static_cast<std::uint8_t>(sectors),
                                     .kind = kind});
        Card card = cards().front();
        card.limits.l2_bytes = lines_of_l2 * 128;
        return simulate_caches(trace, card).dram_bytes_read;
    };
    for (const std::uint32_t sectors : {2U, 4U}) {
        const double once = 500.0 * 32 * sectors;
        CHECK(read(sectors, 700, Step::load, Access::load) == once); // of which 560 are kept
        CHECK(read(sectors, 600, Step::load, Access::load) == 2 * once);
        CHECK(read(sectors, 700, Step::atomic, Access::atomic) == once);
        CHECK(read(sectors, 600, Step::atomic, Access::atomic) == 2 * once);
    }
}

TEST_CASE("L2 is asked once for the sectors of a line that a request misses")
{
    BlockTrace block = block_of(1);
    request(block, Step::load, 0, 8); // two lines
    request(block, Step::load, 0, 4); // which L1 has
    for (std::uintptr_t line = 0; line < 4; ++line)
        request(block, Step::load, 100 + 4 * line, 1);
    const Traffic traffic = traffic_of({block});
    CHECK(traffic.l2_read_requests == 2 + 4);
    CHECK(traffic.l2_read_sectors == 8 + 4);
}

TEST_CASE("the sample stands for as many requests as the grid makes")
{
    cpu_device::LaunchTrace trace = grid(1000, {0, 4});
    trace.touches.clear();
    trace.requests = 6000; // six for a block, of which two were traced
    trace.longest_requests = 600;
    const Traffic traffic = simulate_caches(trace, cards().front());
    CHECK(traffic.l2_read_sectors == 6000 * 4);
    CHECK(traffic.dram_phases == Approx(3)); // two loads go out together
    CHECK(traffic.longest_warp == Approx(100));
}

TEST_CASE("a block that loads what an earlier one has stored waits for it")
{
    const auto waiting = [](std::uint32_t stored) {
        BlockTrace first = block_of(1, 0);
        BlockTrace second = block_of(1, 1);
        request(first, Step::store, 0, 1, stored);
        request(second, Step::store, 0, 1, 0xf0); // what a block stores itself is not waited for
        request(second, Step::load, 0, 1, 0xff);
        return traffic_of({first, second}).waiting_blocks;
    };
    CHECK(waiting(0xf) == 0.5);
    CHECK(waiting(0xff00) == 0); // another part of the sector
}

TEST_CASE("contended counters lie in half as many slices as blocks of 256 bytes")
{
    const auto most = [](std::uintptr_t memory_blocks) {
        BlockTrace block = block_of(1);
        for (std::uintptr_t i = 0; i < memory_blocks; ++i)
            request(block, Step::atomic, 8 * i, 1);
        return traffic_of({block, block}).atomics_in_one_slice;
    };
    CHECK(most(1) == 16); // eight lanes of each block want one address
    CHECK(most(2) == 16);
    CHECK(most(4) == 32);
    CHECK(most(8) == 32);
}

TEST_CASE("rows of DRAM are opened for runs of sectors")
{
    const auto run = [](std::initializer_list<std::uintptr_t> sectors) {
        BlockTrace block = block_of(1);
        for (const std::uintptr_t sector : sectors)
            request(block, Step::load, sector, 1);
        return traffic_of({block}).dram_run_bytes;
    };
    CHECK(run({0, 1, 2, 3}) == 128);
    CHECK(run({0, 1, 100, 101}) == 64);
    CHECK(run({0, 4}) == 64);   // a line between them is of the same row
    CHECK(run({0, 100}) == 32); // of each 64 bytes only a half is wanted
}

TEST_CASE("an atomic sends a sector as often as its most wanted address is wanted")
{
    BlockTrace block = block_of(1);
    request(block, Step::atomic, 0, 2);
    const Traffic traffic = traffic_of({block});
    CHECK(traffic.l2_atomic_sectors == 16);
    CHECK(traffic.l2_read_sectors == 0);
    CHECK(traffic.atomics_in_one_slice == 16);
}

TEST_CASE("what a sample's atomics find is read next to what its loads do")
{
    BlockTrace block = block_of(1);
    request(block, Step::load, 0);
    request(block, Step::atomic, 1000);
    CHECK(simulate({block}, 32, 0, 1000).dram_bytes_read == 1000 * 2 * 128);
}

TEST_CASE("a trace of some blocks is scaled to the grid")
{
    BlockTrace block = block_of(1);
    request(block, Step::load, 0);
    request(block, Step::store, 1000);
    const Traffic traffic = simulate({block}, 32, 0, 50);
    CHECK(traffic.l2_read_sectors == 200);
    CHECK(traffic.l2_write_sectors == 200);
    CHECK(traffic.global_wavefronts == 100);
}

TEST_CASE("a warp waits once for loads that go out together")
{
    const std::vector<std::size_t> one_wait = {2};
    CHECK(waits({load(1), load(2), {.step = Step::store}}) == one_wait);
    const std::vector<std::size_t> two_waits = {1, 2}; // the second load's address was loaded
    CHECK(waits({load(1), load(2, true), {.step = Step::store}}) == two_waits);
    const std::vector<std::size_t> at_the_end = {1};
    CHECK(waits({load(1)}) == at_the_end);
    CHECK(waits({{.step = Step::store}, {.step = Step::barrier}}).empty());
}

TEST_CASE("a short loop is unrolled whole, a long one in part")
{
    CHECK(waits(std::vector<TracedStep>(32, load(1))).size() == 1);
    CHECK(waits(std::vector<TracedStep>(64, load(1))).size() == 4); // sixteen rounds
    std::vector<TracedStep> two_loads;
    for (int round = 0; round < 64; ++round)
        two_loads.insert(two_loads.end(), {load(1), load(2)});
    CHECK(waits(two_loads).size() == 16); // four
}

TEST_CASE("a short loop is unrolled whole each time that it begins")
{
    std::vector<TracedStep> steps;
    for (int round = 0; round < 16; ++round) {
        for (int i = 0; i < 8; ++i)
            steps.push_back(load(1));
        for (int i = 0; i < 8; ++i)
            steps.push_back(load(2));
        steps.push_back({.step = Step::round});
    }
    CHECK(waits(steps).size() == 16); // once in each round of the loop around it
}

TEST_CASE("a loop whose step is known at run time waits in each round")
{
    std::vector<TracedStep> steps;
    for (int round = 0; round < 8; ++round)
        steps.insert(steps.end(), {load(1), load(2), {.step = Step::round}});
    CHECK(waits(steps).size() == 8);
}

TEST_CASE("loads pass stores where no pointer is another's alias")
{
    std::vector<TracedStep> warp;
    for (int i = 0; i < 8; ++i) {
        warp.push_back(load(1));
        warp.push_back({.step = Step::store});
    }
    CHECK(waits(warp).size() == 8);
    warp.insert(warp.begin(), {.step = Step::unaliased});
    CHECK(waits(warp) == std::vector<std::size_t>{17});
    warp.insert(warp.begin() + 9, {.step = Step::barrier});
    CHECK(waits(warp) == std::vector<std::size_t>{9, 18});
}

TEST_CASE(
    "asynchronous copies are waited for where they must have arrived, and not where they are made")
{
    const TracedStep to_shared = {.step = Step::shared_store}, copied = {.step = Step::copied};
    const TracedStep of_shared = {.step = Step::shared_load}, store = {.step = Step::store};
    const auto rounds = [&](int count, std::uint8_t pending) {
        std::vector<TracedStep> warp = {load(1), to_shared, copied};
        for (int round = 0; round < count; ++round)
            warp.insert(warp.end(), {load(2), to_shared, copied,
                                     TracedStep{.step = Step::arrived, .lanes = pending}});
        return waits(warp);
    };
    CHECK(rounds(8, 0).size() == 8);
    CHECK(rounds(8, 1).size() == 4); // two are in flight while one is waited for
    CHECK(rounds(9, 2).size() == 3);
    const std::vector<std::size_t> at_the_wait = {3}, before_each_store = {1, 3};
    CHECK(waits({load(1), to_shared, copied, {.step = Step::arrived}}) == at_the_wait);
    CHECK(waits({{.step = Step::arrived}, store}).empty()); // nothing was copied
    // What goes through registers is waited for before it is stored.
    CHECK(waits({load(1), to_shared, of_shared, {.step = Step::barrier}, store}).front() == 1);
    CHECK(waits({of_shared, store, load(1), to_shared, {.step = Step::barrier}}).size() == 2);
    CHECK(waits({load(1), store, load(2), to_shared}) == before_each_store);
}

TEST_CASE("a copy's memory is told at the wait for it")
{
    BlockTrace block = block_of(1);
    request(block, Step::load, 0);
    block.add(0, Step::shared_store);
    block.add(0, Step::copied);
    block.add(0, Step::shared_load);
    request(block, Step::store, 1000); // waits for shared memory alone
    block.add(0, Step::arrived);
    const Traffic traffic = traffic_of({block});
    CHECK(traffic.dram_phases == 1);
    CHECK(traffic.l1_phases == 1);
}

TEST_CASE("what was loaded from shared memory is waited for, too")
{
    const std::vector<std::size_t> before_the_store = {2};
    const TracedStep of_shared = {.step = Step::shared_load};
    CHECK(waits({of_shared, of_shared, {.step = Step::store}}) == before_the_store);
    CHECK(waits({of_shared}).empty()); // nothing needs it
}

TEST_CASE("an index that was loaded is waited for before what it leads to")
{
    const TracedStep need = {.step = Step::need};
    const std::vector<std::size_t> twice = {2, 4};
    CHECK(waits({load(1), load(2), need, load(3), {.step = Step::store}}) == twice);
    const std::vector<std::size_t> once = {3};
    CHECK(waits({load(1), load(2), need, {.step = Step::store}}).size() == 1); // a scatter
    CHECK(waits({{.step = Step::shared_load}, need, load(1)}).front() == 1);
    // What was needed is no memory that is counted: a local array, say.
    CHECK(waits({need, load(1), load(2), {.step = Step::store}}) == once);
}

TEST_CASE("a block's waits are told by the memory they were for")
{
    BlockTrace block = block_of(1);
    request(block, Step::load, 0);
    request(block, Step::store, 1000);
    request(block, Step::load, 0, 4, whole, 0, 2); // in L1 by now
    request(block, Step::store, 1004);
    const Traffic traffic = traffic_of({block});
    CHECK(traffic.dram_phases == 1);
    CHECK(traffic.l1_phases == 1);
    CHECK(traffic.l2_phases == 0);
}

TEST_CASE("what is in flight is waited for like what was not there")
{
    BlockTrace one = block_of(1);
    request(one, Step::load, 100, 1);
    BlockTrace other = block_of(1); // of another SM
    request(other, Step::load, 101, 1);
    for (const Traffic& traffic : {traffic_of({one, one}), traffic_of({one, other})}) {
        CHECK(traffic.dram_phases == 1); // of either block, for a sector or the two of 64 bytes
        CHECK(traffic.l2_phases == 0);
    }
}

TEST_CASE("what others requested while a warp waited has come when it goes on")
{
    // As a stencil's halo: the first of eight warps loads what the last one does, a wait later.
    const auto block_at = [](std::uintptr_t halo) {
        BlockTrace block = block_of(8);
        for (std::size_t warp = 0; warp < 8; ++warp) {
            request(block, Step::load, 8 * warp, 4, whole, warp);
            block.warps[warp].push_back({.step = Step::shared_store});
        }
        request(block, Step::load, halo, 1, whole, 0, 2);
        for (std::size_t warp = 0; warp < 8; ++warp) {
            block.add(warp, Step::barrier);
            request(block, Step::store, 8000 + 8 * warp, 4, whole, warp, 3);
        }
        return simulate({block}, 256, 0, 1);
    };
    const Traffic same = block_at(8 * 7);
    CHECK(same.dram_phases == 1);
    CHECK(same.l1_phases == 1);
    const Traffic far = block_at(8 * 8);
    CHECK(far.dram_phases == 2);
    CHECK(far.l1_phases == 0);
    // The other half of 64 bytes, whose first half was loaded a wait ago, has come to the L2.
    BlockTrace half = block_of(1);
    request(half, Step::load, 100, 1);
    half.add(0, Step::barrier);
    request(half, Step::load, 101, 1);
    const Traffic traffic = traffic_of({half});
    CHECK(traffic.dram_phases == 1);
    CHECK(traffic.l2_phases == 1);
}
