#include "common/report/ranking.hpp"

#include <algorithm>
#include <utility>

namespace common {

std::vector<Results> by_task(const Results& results)
{
    std::vector<Results> parts;
    for (const Row& row : results.rows) {
        auto part = std::find_if(parts.begin(), parts.end(), [&](const Results& known) {
            return known.rows.front().task == row.task;
        });
        if (part == parts.end()) {
            part = parts.insert(part, results);
            part->rows.clear();
        }
        part->rows.push_back(row);
    }
    return parts;
}

namespace {

/// Rows whose times may be set against each other: cold ones if there are any.
std::vector<const Row*> timed_rows(const Results& results, bool libraries)
{
    const auto counts_as = [&](const Row& row, Cache cache) {
        return row.verified == true && row.library == libraries && !row.in_l2 && row.time &&
               row.gb_per_s && row.cache.value_or(Cache::cold) == cache;
    };
    for (const Cache cache : {Cache::cold, Cache::hot}) {
        std::vector<const Row*> rows;
        for (const Row& row : results.rows)
            if (counts_as(row, cache))
                rows.push_back(&row);
        if (!rows.empty())
            return rows;
    }
    return {};
}

const Row* fastest(const std::vector<const Row*>& rows)
{
    const auto found = std::max_element(rows.begin(), rows.end(), [](const Row* x, const Row* y) {
        return *x->gb_per_s < *y->gb_per_s;
    });
    return found == rows.end() ? nullptr : *found;
}

/// Rows of other sizes have other times, so it is the bandwidths that overlap or do not.
bool ties_with(const Row& row, const Row& best)
{
    const auto slowest = static_cast<double>(best.bytes) / best.time->interval_high;
    return static_cast<double>(row.bytes) / row.time->interval_low >= slowest;
}

bool moves_bytes(const Row& row)
{
    return row.verified != false && !row.library && row.counts && row.bytes > 0 &&
           requests_per_kib(row) > 0;
}

double per_kib(std::uint64_t count, const Row& row)
{
    return static_cast<double>(count) * 1024 / static_cast<double>(row.bytes);
}

} // namespace

double sectors_per_kib(const Row& row)
{
    const Counts& counts = *row.counts;
    return per_kib(counts.load_sectors + counts.store_sectors + counts.atomic_sectors +
                       counts.local_load_sectors + counts.local_store_sectors,
                   row);
}

double requests_per_kib(const Row& row)
{
    const Counts& counts = *row.counts;
    return per_kib(counts.load_requests + counts.store_requests + counts.atomic_requests +
                       counts.local_load_requests + counts.local_store_requests +
                       counts.constant_wavefronts,
                   row);
}

std::vector<const Row*> best_rows(const Results& results)
{
    std::vector<const Row*> best;
    const std::vector<const Row*> timed = timed_rows(results, false);
    if (const Row* winner = fastest(timed)) {
        best.push_back(winner);
        for (const Row* row : timed)
            if (row != winner && ties_with(*row, *winner))
                best.push_back(row);
        return best;
    }
    const auto cost = [](const Row& row) {
        return std::pair(sectors_per_kib(row), requests_per_kib(row));
    };
    for (const Row& row : results.rows) {
        if (!moves_bytes(row))
            continue;
        if (!best.empty() && cost(row) < cost(*best.front()))
            best.clear();
        if (best.empty() || cost(row) == cost(*best.front()))
            best.push_back(&row);
    }
    return best;
}

const Row* best_library(const Results& results)
{
    return fastest(timed_rows(results, true));
}

} // namespace common
