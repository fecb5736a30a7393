#include "core/unfinished.hpp"

#include "core/allocations.hpp"
#include "core/host.hpp"
#include "core/kernels.hpp"
#include "cpu_device/device_limits.hpp"
#include "cpu_device/early_use.hpp"
#include "cpu_device/settings.hpp"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

namespace cpu_device {
namespace {

struct Use
{
    Region region;
    bool writes = false;
    std::string what;                         ///< empty: told by
    std::vector<std::uintptr_t> callers = {}; ///< the lines of the call

    [[nodiscard]] std::pair<void*, std::size_t> pages() const
    {
        const std::uintptr_t begin = region.begin / host::page_bytes() * host::page_bytes();
        return {reinterpret_cast<void*>(begin),
                round_up(region.begin + region.bytes - begin, host::page_bytes())};
    }
};

class Unfinished
{
  public:
    void add(Use use)
    {
        constexpr std::size_t most = 16; // a program that never waits makes the same mistake again
        const std::lock_guard lock(mutex_);
        if (found_.region.bytes != 0 || uses_.size() == most)
            return;
        if (use.what.empty())
            use.callers = host::callers();
        uses_.push_back(std::move(use));
        if (open_ == 0)
            close(uses_.back());
    }
    void forget()
    {
        const std::lock_guard lock(mutex_);
        open_all();
        uses_.clear();
    }
    void open()
    {
        const std::lock_guard lock(mutex_);
        if (open_++ == 0)
            open_all();
    }
    void close()
    {
        const std::lock_guard lock(mutex_);
        if (--open_ == 0)
            for (const Use& use : uses_)
                close(use);
    }
    /// In a handler of signals: nothing is allocated but by moves.
    bool meets(std::uintptr_t address, std::uintptr_t pc)
    {
        const std::lock_guard lock(mutex_);
        const auto meant = std::ranges::find_if(uses_, [&](const Use& use) {
            const auto [begin, bytes] = use.pages();
            return address - reinterpret_cast<std::uintptr_t>(begin) < bytes;
        });
        if (meant == uses_.end())
            return false;
        open_all();
        const auto exact = std::ranges::find_if(
            uses_, [&](const Use& use) { return use.region.contains(address); });
        if (exact != uses_.end() && !in_kernel()) {
            found_ = std::move(*exact);
            address_ = address;
            pc_ = pc;
        }
        uses_.clear();
        return true;
    }
    std::string sentence()
    {
        const std::lock_guard lock(mutex_);
        if (found_.region.bytes == 0)
            return {};
        const std::string line = host::source_line(pc_);
        if (found_.what.empty()) {
            const std::string call = host::source_line(found_.callers);
            found_.what = "the copy" + (call.empty() ? "" : " queued at " + call);
        }
        Allocation allocation; // it may have been freed since
        static_cast<void>(find_allocation(reinterpret_cast<const void*>(address_), allocation));
        const std::uintptr_t offset =
            address_ - reinterpret_cast<std::uintptr_t>(allocation.address);
        return "the host " + std::string(found_.writes ? "uses " : "overwrites ") + "byte " +
               std::to_string(offset) + " of allocation " + std::to_string(allocation.serial) +
               (line.empty() ? "" : " at " + line) + ", which " + found_.what +
               (found_.writes ? " writes" : " reads") +
               ", and has not waited for that: a GPU works on while the host goes on, and only "
               "here is it done in time. Call cudaDeviceSynchronize() between the two, or wait for "
               "the stream (book/04_async_memcpy.md).";
    }

  private:
    static void close(const Use& use)
    {
        const auto [begin, bytes] = use.pages();
        use.writes ? host::close(begin, bytes) : host::protect(begin, bytes);
    }
    void open_all()
    {
        for (const Use& use : uses_) {
            const auto [begin, bytes] = use.pages();
            static_cast<void>(host::open(begin, bytes));
        }
    }

    std::mutex mutex_;
    std::vector<Use> uses_;
    unsigned open_ = 0; ///< UnfinishedIsOpen objects alive
    Use found_;         ///< the first that the host has met, at
    std::uintptr_t address_ = 0, pc_ = 0;
};

/// Never destroyed: programs use memory in destructors of static objects.
Unfinished& unfinished()
{
    static Unfinished& instance = *new Unfinished;
    return instance;
}

} // namespace

void note_unfinished(std::uintptr_t begin, std::size_t bytes, bool writes, std::string what)
{
    if (settings().watchful)
        unfinished().add({{begin, bytes, AddressSpace::global}, writes, std::move(what)});
}

void note_unfinished(const Touched& touched, const std::string& kernel)
{
    if (touched.kind == cudaMemoryTypeManaged && in_arena(touched.span.begin))
        note_unfinished(touched.span.begin, touched.span.end - touched.span.begin, touched.written,
                        kernel);
}

void forget_unfinished()
{
    unfinished().forget();
}

UnfinishedIsOpen::UnfinishedIsOpen()
{
    unfinished().open();
}

UnfinishedIsOpen::~UnfinishedIsOpen()
{
    unfinished().close();
}

bool is_unfinished(std::uintptr_t address, std::uintptr_t pc)
{
    return unfinished().meets(address, pc);
}

std::string early_use()
{
    return unfinished().sentence();
}

} // namespace cpu_device
