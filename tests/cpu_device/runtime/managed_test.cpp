#include "tests/catch.hpp"

#include "core/immortal.hpp"
#include "core/managed.hpp"

#include <cuda_runtime.h>

#include <array>
#include <vector>

namespace {

__managed__ int managed_variable = 42;
__managed__ double other_managed_variable[4];

using cpu_device::ManagedPages;
using cpu_device::PageState;
constexpr std::size_t page = ManagedPages::page_bytes;
const cudaMemLocation host{cudaMemLocationTypeHost, 0};
const cudaMemLocation device{cudaMemLocationTypeDevice, 0};

// `pages` pages of managed memory.
class Managed
{
  public:
    explicit Managed(std::size_t pages)
    {
        REQUIRE(cudaMallocManaged(&data, pages * page) == cudaSuccess);
    }
    Managed(const Managed&) = delete;
    Managed& operator=(const Managed&) = delete;
    ~Managed() { cudaFree(data); }

    char* data = nullptr;
};

/// True if all pages of the range have what `has` looks for.
template<class Has>
bool all_pages(const void* pointer, std::size_t bytes, Has has)
{
    bool all = true;
    cpu_device::immortal<ManagedPages>().change(
        pointer, bytes, [&](const PageState& state) { all = all && has(state); });
    return all;
}

bool read_mostly(const PageState& state)
{
    return state.read_mostly;
}

} // namespace

TEST_CASE("a variable of the program that is __managed__ is managed memory")
{
    cudaPointerAttributes attributes{};
    for (const void* address : {static_cast<const void*>(&managed_variable),
                                static_cast<const void*>(&other_managed_variable[3])}) {
        REQUIRE(cudaPointerGetAttributes(&attributes, address) == cudaSuccess);
        CHECK(attributes.type == cudaMemoryTypeManaged);
        CHECK(attributes.devicePointer == address);
        CHECK(attributes.hostPointer == address);
    }
    int copy = 0;
    CHECK(cudaMemcpy(&copy, &managed_variable, sizeof copy, cudaMemcpyDeviceToHost) == cudaSuccess);
    CHECK(copy == 42);
    CHECK(cudaMemcpy(&managed_variable, &copy, sizeof copy, cudaMemcpyDefault) == cudaSuccess);
    CHECK(cudaMemPrefetchAsync(&managed_variable, sizeof managed_variable, device, 0) ==
          cudaSuccess);
    CHECK(cudaFree(&managed_variable) == cudaErrorInvalidValue);
}

TEST_CASE("advice is kept page by page")
{
    const Managed memory(4);
    const std::size_t bytes = 4 * page;
    REQUIRE(cudaMemAdvise(memory.data, 2 * page, cudaMemAdviseSetReadMostly, device) ==
            cudaSuccess);
    CHECK(all_pages(memory.data, 2 * page, read_mostly));
    CHECK_FALSE(all_pages(memory.data, bytes, read_mostly));
    // Any byte of a page means the page.
    CHECK(all_pages(memory.data + 2 * page - 1, 1, read_mostly));
    CHECK_FALSE(all_pages(memory.data + 2 * page - 1, 2, read_mostly));

    REQUIRE(cudaMemAdvise(memory.data, bytes, cudaMemAdviseSetPreferredLocation, host) ==
            cudaSuccess);
    CHECK(all_pages(memory.data, bytes,
                    [](const PageState& state) { return state.preferred == cudaCpuDeviceId; }));
    REQUIRE(cudaMemAdvise(memory.data, page, cudaMemAdviseSetAccessedBy, host) == cudaSuccess);
    CHECK(all_pages(memory.data, page,
                    [](const PageState& state) { return !state.accessed_by_device; }));
}

TEST_CASE("what is not managed, or does not exist, is refused by prefetch and advice")
{
    const Managed memory(1);
    void* other = nullptr;
    REQUIRE(cudaMalloc(&other, page) == cudaSuccess);
    CHECK(cudaMemPrefetchAsync(other, page, device, 0) == cudaErrorInvalidValue);
    CHECK(cudaMemAdvise(other, page, cudaMemAdviseSetReadMostly, device) == cudaErrorInvalidValue);
    cudaFree(other);
    CHECK(cudaMemPrefetchAsync(memory.data, 0, device, 0) == cudaErrorInvalidValue);
    CHECK(cudaMemPrefetchAsync(memory.data, page + 1, device, 0) == cudaErrorInvalidValue);
    CHECK(cudaMemPrefetchAsync(memory.data, page, {cudaMemLocationTypeInvalid, 0}, 0) ==
          cudaErrorInvalidValue);
    CHECK(cudaMemPrefetchAsync(memory.data, page, {cudaMemLocationTypeDevice, 9}, 0) ==
          cudaErrorInvalidDevice);
    CHECK(cudaMemAdvise(memory.data, page, static_cast<cudaMemoryAdvise>(0), device) ==
          cudaErrorInvalidValue);
    cudaGetLastError();
}

TEST_CASE("a page comes over when the other side touches it, and only then")
{
    const Managed memory(4);
    ManagedPages& pages = cpu_device::immortal<ManagedPages>();
    // The first touch makes the page where it is touched.
    CHECK(pages.touch_by_host(memory.data, 4 * page, true).migrated == 0);
    CHECK(pages.touch_by_device(memory.data, 1).migrated == page);
    CHECK(pages.touch_by_device(memory.data, 4 * page).migrated == 3 * page);
    CHECK(pages.touch_by_device(memory.data, 4 * page).migrated == 0);
    CHECK(pages.touch_by_host(memory.data + page, 2, false).migrated == page);
    CHECK(pages.prefetch(memory.data, 4 * page, 0) == page);
    CHECK(pages.prefetch(memory.data, 4 * page, -1) == 4 * page);
    CHECK(pages.prefetch(memory.data, 4 * page, -1) == 0);
}

TEST_CASE("a read-mostly page is copied, until the host writes to it")
{
    const Managed memory(2);
    ManagedPages& pages = cpu_device::immortal<ManagedPages>();
    REQUIRE(cudaMemAdvise(memory.data, 2 * page, cudaMemAdviseSetReadMostly, device) ==
            cudaSuccess);
    static_cast<void>(pages.touch_by_host(memory.data, 2 * page, true));
    CHECK(pages.touch_by_device(memory.data, 2 * page).migrated == 2 * page);
    CHECK(pages.touch_by_host(memory.data, 2 * page, false).migrated == 0);
    CHECK(pages.touch_by_device(memory.data, 2 * page).migrated == 0);
    CHECK(pages.touch_by_host(memory.data, page, true).migrated == 0);
    CHECK(pages.touch_by_device(memory.data, 2 * page).migrated == page);
}

TEST_CASE("a page that prefers the host and is mapped for the device stays, and is used from afar")
{
    const Managed memory(2);
    ManagedPages& pages = cpu_device::immortal<ManagedPages>();
    REQUIRE(cudaMemAdvise(memory.data, page, cudaMemAdviseSetPreferredLocation, host) ==
            cudaSuccess);
    REQUIRE(cudaMemAdvise(memory.data, page, cudaMemAdviseSetAccessedBy, device) == cudaSuccess);
    static_cast<void>(pages.touch_by_host(memory.data, 2 * page, true));
    for (int kernel = 0; kernel < 2; ++kernel) {
        const cpu_device::PageTraffic traffic = pages.touch_by_device(memory.data, 2 * page);
        CHECK(traffic.linked == page);
        CHECK(traffic.migrated == (kernel == 0 ? page : 0));
    }
}
