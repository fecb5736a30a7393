#include "common/exercise/trial.hpp"

#include "common/device/device.hpp"
#include "common/problem/verify.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace common {

namespace {

using Json = nlohmann::json;

constexpr std::array<std::size_t, 4> small_sizes = {1, 1009, 4096, 4097}; ///< 1009 is a prime
constexpr std::size_t large_size = 1000003;                               ///< likewise
constexpr std::size_t measured_size = std::size_t{1} << 26U;
/// Twice as many as the blocks have that are sampled, since nobody says on which side they are.
constexpr std::size_t far_size = std::size_t{1} << 22U;
constexpr std::array<std::uint64_t, 2> seeds = {1, 2};

} // namespace

std::string report(const std::string& now, const std::string& goal_at_stake, const Outcome& outcome)
{
    Json goals = Json::array();
    for (const Goal& goal : outcome.goals)
        goals.push_back({goal.name, goal.text, static_cast<int>(goal.state), goal.evidence});
    return Json{
        {"now", now}, {"at stake", goal_at_stake}, {"goals", goals}, {"shown", outcome.shown}}
        .dump(-1, ' ', false, Json::error_handler_t::replace);
}

const Goal* Outcome::first_missed() const
{
    const auto found = std::find_if(goals.begin(), goals.end(), [](const Goal& goal) {
        return goal.state == Goal::State::missed;
    });
    return found == goals.end() ? nullptr : &*found;
}

/// Tries one answer.
class Check
{
  public:
    Check(Goals goals, Tell to) : state_goals_(goals), to_(std::move(to)) {}

    /// Lists the goals, then tries the answer until it goes wrong.
    void run()
    {
        attempt(Attempt::Mode::list, 1, 1);
        if (try_small_sizes())
            try_large_sizes();
        tell(finished);
    }

  private:
    using Mode = Attempt::Mode;

    /// False where a goal was missed: at larger sizes a bad answer may take for ever.
    bool try_small_sizes()
    {
        for (const Mode mode : orders())
            for (const std::size_t n : small_sizes)
                for (const std::uint64_t seed : seeds)
                    if (!attempt(mode, n, seed))
                        return false;
        return outcome_.first_missed() == nullptr;
    }

    void try_large_sizes()
    {
        for (const Mode mode : orders())
            if (!attempt(mode, large_size, seeds[mode == Mode::shuffled ? 1 : 0]))
                return;
        if (backend() == Backend::gpu)
            attempt(Mode::measured, measured_size, seeds[0]);
        else if (outcome_.first_missed() == nullptr)
            sample_blocks();
    }

    /// The last of all: what kernels compute is lost from here on.
    void sample_blocks()
    {
        if (sizeof(std::size_t) < sizeof(std::uint64_t)) { // in a browser
            for (Goal& goal : outcome_.goals)
                if (goal.state == Goal::State::unchecked || goal.name == "copy_share")
                    goal = {goal.name, goal.text, Goal::State::elsewhere,
                            "its arrays do not fit here: ./run exercise checks it"};
            return;
        }
        skip_initialization();
        sample_launches();
        if (any([](const Goal& goal) { return goal.name == "copy_share"; }))
            attempt(Mode::modelled, measured_size, seeds[0]);
        if (any([](const Goal& goal) { return goal.state == Goal::State::unchecked; }))
            attempt(Mode::far, far_size, seeds[0]);
    }

    template<class Which>
    [[nodiscard]] bool any(Which which) const
    {
        return std::any_of(outcome_.goals.begin(), outcome_.goals.end(), which);
    }

    /// What order lanes run in is not for us to say on a GPU.
    static std::vector<Mode> orders()
    {
        return backend() == Backend::gpu ? std::vector{Mode::ascending}
                                         : std::vector{Mode::ascending, Mode::shuffled};
    }

    /// False if there is no point in going on.
    bool attempt(Mode mode, std::size_t n, std::uint64_t seed)
    {
        Attempt attempt(outcome_.goals, mode, n, seed);
        attempt.tell_ = [this, &attempt](const std::string& now, const std::string& goal) {
            keep_shown(attempt);
            tell(now, goal);
        };
        tell(attempt.when());
        bool goes_on = true;
        try {
            state_goals_(attempt);
        } catch (const Attempt::Stop&) {
            goes_on = false;
        }
        keep_shown(attempt);
        return goes_on;
    }

    void keep_shown(const Attempt& attempt)
    {
        if (!attempt.shown_.empty())
            outcome_.shown = attempt.shown_;
    }

    void tell(const std::string& now, const std::string& goal_at_stake = "runs") const
    {
        to_(report(now, goal_at_stake, outcome_) + "\n", outcome_);
    }

    Goals state_goals_;
    Tell to_;
    Outcome outcome_;
};

void try_answer(Goals goals, const Tell& tell)
{
    Check(goals, tell).run();
}

} // namespace common
