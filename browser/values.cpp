// Threads run one after the other, so one that meets a barrier cannot wait there: it runs on
// without a trace and returns. When all have met the barrier, each is run again from its start: up
// to there it loads what it has loaded before and stores nothing, and behind it goes on.
#include "browser/values.hpp"

#include <cpu_device/poison.hpp>

#include <cstring>

namespace figures {

namespace {

std::string place(const char* what, const Dimensions& at)
{
    return std::string(what) + " (" + std::to_string(at.x) + ", " + std::to_string(at.y) + ", 0)";
}

class Memory
{
  public:
    Memory(const Launch& launch, Outcome& outcome) : outcome_(outcome), shared_(launch.shared_bytes)
    {
        std::uint32_t random = 1;
        for (const std::size_t bytes : launch.arrays) {
            auto& array = outcome.arrays.emplace_back(bytes);
            for (std::size_t at = 0; at + 4 <= bytes; at += 4) {
                random = random * 1664525 + 1013904223;
                const auto value = static_cast<float>(random >> 16); // a whole number
                std::memcpy(&array[at], &value, sizeof value);
            }
        }
    }

    /// False if no thread has met another barrier.
    bool run_phase(const Launch& launch, unsigned phase)
    {
        phase_ = phase;
        bool more = false;
        loaded_.resize(launch.threads());
        for (thread_ = 0; thread_ < launch.threads() && outcome_.fault.empty(); ++thread_) {
            threadIdx = {thread_ % blockDim.x, thread_ / blockDim.x};
            barriers_ = 0;
            again_ = 0;
            noted.clear();
            launch.kernel();
            more |= barriers_ > phase;
        }
        return more && outcome_.fault.empty();
    }
    void begin_block()
    {
        loaded_.clear();
        for (std::size_t at = 0; at < shared_.size(); ++at)
            shared_[at] = static_cast<std::byte>(cpu_device::poison >> at % 4 * 8);
    }

    void load(const Noted& where, void* to)
    {
        if (barriers_ > phase_)
            return;
        std::vector<std::byte>& log = loaded_[thread_];
        if (barriers_ < phase_) {
            std::memcpy(to, &log[again_], where.bytes);
            again_ += where.bytes;
            return;
        }
        if (const std::byte* const from = find(where))
            std::memcpy(to, from, where.bytes);
        log.insert(log.end(), static_cast<std::byte*>(to),
                   static_cast<std::byte*>(to) + where.bytes);
    }
    void store(const Noted& where, const void* from)
    {
        if (barriers_ != phase_)
            return;
        if (std::byte* const to = find(where))
            std::memcpy(to, from, where.bytes);
    }
    void barrier() { ++barriers_; }

  private:
    std::byte* find(const Noted& where)
    {
        if (!outcome_.fault.empty())
            return nullptr;
        if (where.shared) {
            if (where.address + where.bytes <= shared_.size())
                return &shared_[where.address];
            tell(where, where.address, shared_.size(), "the shared array");
            return nullptr;
        }
        const std::size_t number = where.address / array_bytes;
        const std::size_t offset = where.address % array_bytes;
        auto& arrays = outcome_.arrays;
        if (number < arrays.size() && offset + where.bytes <= arrays[number].size())
            return &arrays[number][offset];
        if (number < arrays.size() && offset < array_bytes - array_bytes / 4) {
            tell(where, offset, arrays[number].size(),
                 std::string(1, "abc"[number + (number == 1 && arrays.size() == 2)]));
        } else { // below the one that it wraps to
            tell(where, 0, 0, "");
        }
        return nullptr;
    }
    void tell(const Noted& where, std::size_t offset, std::size_t size, const std::string& array)
    {
        outcome_.fault_line = line_of(where.site);
        outcome_.fault =
            place("block", blockIdx) + ", " + place("thread", threadIdx) +
            (where.access == Access::load ? " reads " : " writes ") +
            std::to_string(unsigned{where.bytes}) + " bytes " +
            (array.empty()   ? "before the start of an array or far past its end."
             : offset < size ? "that begin inside of " + array + " and end past it."
                             : std::to_string(offset - size) + " bytes past the end of " + array +
                                   " (" + std::to_string(size) + " bytes).");
    }

    Outcome& outcome_;
    std::vector<std::byte> shared_;
    std::vector<std::vector<std::byte>> loaded_; ///< by thread: all that it has loaded
    unsigned thread_ = 0;
    unsigned phase_ = 0;    ///< barriers that all have met
    unsigned barriers_ = 0; ///< that this thread has met
    std::size_t again_ = 0; ///< bytes of its log
};

/// Null where addresses are enough.
Memory* values = nullptr;

} // namespace

Outcome run_with_values(const Launch& launch)
{
    Outcome outcome;
    Memory memory(launch, outcome);
    values = &memory;
    gridDim = launch.grid;
    blockDim = launch.block;
    for (std::uint64_t block = 0; block < launch.blocks() && outcome.fault.empty(); ++block) {
        blockIdx = {static_cast<unsigned>(block % launch.grid.x),
                    static_cast<unsigned>(block / launch.grid.x)};
        memory.begin_block();
        for (unsigned phase = 0; memory.run_phase(launch, phase);)
            ++phase;
    }
    values = nullptr;
    return outcome;
}

} // namespace figures

#define EXPORT(name) extern "C" __attribute__((export_name(#name)))

EXPORT(figures_load)
void figures_load(unsigned site, unsigned bytes, unsigned shared, std::size_t address, void* to)
{
    using namespace figures;
    noted.push_back({site, static_cast<std::uint8_t>(bytes), Access::load, shared != 0, address});
    if (values != nullptr)
        values->load(noted.back(), to);
}

EXPORT(figures_store)
void figures_store(unsigned site, unsigned bytes, unsigned shared, std::size_t address,
                   const void* from)
{
    using namespace figures;
    noted.push_back({site, static_cast<std::uint8_t>(bytes), Access::store, shared != 0, address});
    if (values != nullptr)
        values->store(noted.back(), from);
}

EXPORT(figures_barrier)
void figures_barrier()
{
    figures::noted.push_back({});
    if (figures::values != nullptr)
        figures::values->barrier();
}
