#include "own_program/schedule.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <optional>

namespace own_program {
namespace {

/// Cycles until a result is there: rounds of waits_for in experiments/constants/
/// model_constants.cu, less what else is in a round. At 1.98 GHz a load from shared memory and the
/// arithmetic of its address take 29 cycles, a shuffle 24, __sinf with its multiplication 23, a
/// conversion to an integer and back with an addition 28, __popc and an addition 23; on an H100 as
/// on an H200.
double cycles_of(Source source, double global)
{
    switch (source) {
    case Source::fixed:
    case Source::copies: // which only a wait for a group waits for
        return 0;
    case Source::global:
        return global;
    case Source::shared:
        return 24;
    case Source::special:
        return 18;
    case Source::operands:
        break;
    }
    return 8;
}

/// One warp that goes through a kernel, in the order in which its code lies there.
class Walk
{
  public:
    Walk(const std::vector<BasicBlock>& blocks, const std::vector<double>& runs, double global)
        : blocks_(blocks), runs_(runs), global_(global), took_(blocks.size())
    {
        for (std::size_t b = 0; b < blocks.size(); ++b)
            for (const std::size_t next : blocks[b].next)
                if (next <= b)
                    last_of_loop_[next] = std::max(last_of_loop_[next], b);
        if (!blocks.empty())
            go(0, blocks.size() - 1, blocks.size());
    }

    [[nodiscard]] double cycles() const
    {
        double all = 0;
        for (std::size_t b = 0; b < blocks_.size(); ++b)
            all += runs_[b] * took_[b];
        return all;
    }

  private:
    /// Something that is not there yet.
    struct Board
    {
        double clear_at = 0;
        double runs = 0; ///< of the block that asked for it
    };

    /// Blocks from `first` to `last`, whose `loop` it is: that is no reason to go through them
    /// again.
    void go(std::size_t first, std::size_t last, std::size_t loop)
    {
        for (std::size_t b = first; b <= last; ++b) {
            const auto inner = last_of_loop_.find(b);
            if (b == loop || inner == last_of_loop_.end() || inner->second > last) {
                issue(b);
                continue;
            }
            for (int round = 0; round < 2; ++round)
                go(b, inner->second, b);
            b = inner->second;
        }
    }

    void issue(std::size_t b)
    {
        if (runs_[b] <= 0)
            return;
        took_[b] = 0;
        for (const Issue& issue : blocks_[b].issues) {
            for (int i = 0; i < Issue::boards; ++i)
                if (issue.waits >> i & 1U)
                    wait_for(boards_[static_cast<std::size_t>(i)], b);
            if (issue.pending != Issue::all && group_)
                wait_for(copies(*group_, issue.pending), b);
            if (issue.source == Source::copies)
                group_ = {now_, runs_[b]};
            ask(issue.result, cycles_of(issue.source, global_), b);
            ask(issue.operands, cycles_of(Source::operands, global_), b);
            took_[b] += issue.stall;
            now_ += issue.stall;
        }
    }

    void ask(int board, double cycles, std::size_t b)
    {
        if (board >= Issue::boards)
            return;
        Board& asked = boards_.at(static_cast<std::size_t>(board));
        if (now_ + cycles >= asked.clear_at)
            asked = {now_ + cycles, runs_[b]};
    }

    /// The group before the last `pending` ones, of which `last` was asked for by then. In a loop
    /// it was asked for as many rounds ago, and all rounds together take what one group does.
    [[nodiscard]] Board copies(Board last, int pending) const
    {
        return {last.clear_at + global_ / (pending + 1), last.runs};
    }

    /// Only runs that have asked for it wait.
    void wait_for(const Board& board, std::size_t b)
    {
        if (board.clear_at <= now_)
            return;
        took_[b] += (board.clear_at - now_) * std::min(1.0, board.runs / runs_[b]);
        now_ = board.clear_at;
    }

    const std::vector<BasicBlock>& blocks_;
    const std::vector<double>& runs_;
    double global_;            ///< cycles that a load takes
    std::vector<double> took_; ///< each block, cycles, when it was last gone through
    std::map<std::size_t, std::size_t> last_of_loop_; ///< by its first block
    std::array<Board, Issue::boards> boards_;
    std::optional<Board> group_; ///< of copies, the last: when it was asked for
    double now_ = 0;
};

} // namespace

Schedule schedule(const std::vector<BasicBlock>& blocks, const std::vector<double>& runs)
{
    const bool known = std::all_of(blocks.begin(), blocks.end(), [](const BasicBlock& block) {
        return block.issues.size() == static_cast<std::size_t>(block.instructions);
    });
    if (!known)
        return {};
    constexpr double very_long = 1e5; // longer than anything else that a warp waits for
    const double cycles = Walk(blocks, runs, 0).cycles();
    return {cycles, (Walk(blocks, runs, very_long).cycles() - cycles) / very_long};
}

} // namespace own_program
