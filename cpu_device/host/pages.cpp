/// \file
/// Addresses and memory, by mmap().
#include "core/host.hpp"

#include <sys/mman.h>
#include <unistd.h>

namespace cpu_device::host {

namespace {

constexpr int addresses_alone = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

} // namespace

void* reserve(std::size_t bytes, std::uintptr_t wanted)
{
    void* const range =
        mmap(reinterpret_cast<void*>(wanted), bytes, PROT_NONE, addresses_alone, -1, 0);
    return range == MAP_FAILED ? nullptr : range;
}

void unreserve(void* begin, std::size_t bytes)
{
    munmap(begin, bytes);
}

bool commit(void* begin, std::size_t bytes)
{
    return mprotect(begin, bytes, PROT_READ | PROT_WRITE) == 0;
}

void make_inaccessible(void* begin, std::size_t bytes)
{
    mprotect(begin, bytes, PROT_NONE);
}

void discard(void* begin, std::size_t bytes)
{
    // A fresh mapping gives the memory back and keeps its addresses out of reach.
    mmap(begin, bytes, PROT_NONE, addresses_alone | MAP_FIXED, -1, 0);
}

void advise_huge_pages(void* begin, std::size_t bytes)
{
    madvise(begin, bytes, MADV_HUGEPAGE);
}

void make_read_only(void* begin, std::size_t bytes)
{
    mprotect(begin, bytes, PROT_READ);
}

std::vector<unsigned char> resident(void* begin, std::size_t bytes)
{
    std::vector<unsigned char> pages((bytes + page_bytes() - 1) / page_bytes());
    if (mincore(begin, bytes, pages.data()) != 0)
        pages.clear();
    return pages;
}

std::size_t page_bytes()
{
    return static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

std::size_t device_addresses()
{
    return std::size_t{1} << 42U;
}

std::size_t memory_bytes()
{
    return static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * page_bytes();
}

} // namespace cpu_device::host
