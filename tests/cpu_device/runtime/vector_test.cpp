#include "tests/cpu_device/runtime/kernels.hpp"

#include "cpu_device/launches.hpp"
#include "tests/catch.hpp"

#include <vector_types.h>

#include <cstddef>

namespace {

/// Requests that a copy of T takes: one up to 16 bytes, two beyond.
template<class T>
constexpr std::uint64_t requests = sizeof(T) > 16 ? sizeof(T) / 16 : 1;

template<class T>
void check_copies(std::uint64_t expected_requests)
{
    for (const auto copy : {kernels::copy_vectors<T>, kernels::copy_streaming<T>}) {
        CHECK(copy());
        const cpu_device::Counts& counts = cpu_device::launches().back().counts;
        CHECK(counts.load_requests == expected_requests);
        CHECK(counts.store_requests == expected_requests);
        CHECK(counts.load_bytes == 32 * sizeof(T));
        CHECK(counts.store_bytes == 32 * sizeof(T));
    }
}

} // namespace

#define CHECK_LAYOUT(T, bytes, alignment)                                                          \
    static_assert(sizeof(T) == (bytes) && alignof(T) == (alignment))
CHECK_LAYOUT(char2, 2, 2);
CHECK_LAYOUT(uchar3, 3, 1);
CHECK_LAYOUT(uchar4, 4, 4);
CHECK_LAYOUT(ushort2, 4, 4);
CHECK_LAYOUT(short3, 6, 2);
CHECK_LAYOUT(ushort4, 8, 8);
CHECK_LAYOUT(int2, 8, 8);
CHECK_LAYOUT(uint3, 12, 4);
CHECK_LAYOUT(uint4, 16, 16);
CHECK_LAYOUT(ulong2, 16, 16);
CHECK_LAYOUT(long3, 24, 8);
CHECK_LAYOUT(long4, 32, 16);
CHECK_LAYOUT(longlong2, 16, 16);
CHECK_LAYOUT(ulonglong4, 32, 16);
CHECK_LAYOUT(float2, 8, 8);
CHECK_LAYOUT(float3, 12, 4);
CHECK_LAYOUT(float4, 16, 16);
CHECK_LAYOUT(double2, 16, 16);
CHECK_LAYOUT(double3, 24, 8);
CHECK_LAYOUT(double4, 32, 16);
CHECK_LAYOUT(double4_16a, 32, 16);
CHECK_LAYOUT(double4_32a, 32, 32);
static_assert(offsetof(float4, y) == 4 && offsetof(float4, z) == 8 && offsetof(float4, w) == 12);
static_assert(offsetof(uchar4, w) == 3 && offsetof(double3, z) == 16 && offsetof(short2, y) == 2);

TEST_CASE("vectors are made as CUDA makes them")
{
    const float4 listed = {1, 2, 3, 4};
    const float4 made = make_float4(1, 2, 3, 4);
    CHECK((listed.x == made.x && listed.y == made.y && listed.z == made.z && listed.w == made.w));
    const float4 empty{};
    CHECK((empty.x == 0 && empty.y == 0 && empty.z == 0 && empty.w == 0));
    const int4 started = {7};
    CHECK((started.x == 7 && started.y == 0 && started.z == 0 && started.w == 0));
    const dim3 flat(5);
    CHECK((flat.x == 5 && flat.y == 1 && flat.z == 1));
    union {
        float4 vector;
        float elements[4];
    } same;
    same.vector = listed;
    CHECK(same.elements[2] == 3);
}

TEMPLATE_TEST_CASE("an aligned vector is loaded and stored by one request", "", char2, uchar4,
                   short2, short4, int2, float2, int4, float4, double2, ulonglong2, double4)
{
    check_copies<TestType>(requests<TestType>);
}

TEST_CASE("a float3, which has no alignment, takes three requests")
{
    check_copies<float3>(3);
}
