// 18.2: Check the limits of the L2 set-aside
// minutes: 15
// difficulty: 2
// practises: access-policy windows, the set-aside, errors that nobody looks at
// hint: Print what each call returns, with cudaGetErrorString. Which call fails, and which of its
//     arguments is neither a share nor a size?
// hint: hitProp applies to the lines that should persist, missProp to the rest, which may be normal
//     or streaming. And what does keep() change in the device that let_go() does not restore?
// hint: missProp = cudaAccessPropertyStreaming. In let_go(), set the limit of the set-aside to 0
//     after removing the window.
#include "common/exercise.hpp"

void keep(const float* window, std::size_t bytes, cudaStream_t stream);
void let_go(cudaStream_t stream);
void solve(const float* a, float* c, std::size_t window, std::size_t n, cudaStream_t stream);

namespace {

std::size_t set_aside()
{
    std::size_t bytes = 0;
    CHECK_CUDA(cudaDeviceGetLimit(&bytes, cudaLimitPersistingL2CacheSize));
    return bytes;
}

cudaAccessPolicyWindow window_of(cudaStream_t stream)
{
    cudaLaunchAttributeValue value{};
    CHECK_CUDA(cudaStreamGetAttribute(stream, cudaLaunchAttributeAccessPolicyWindow, &value));
    return value.accessPolicyWindow;
}

const char* name_of(cudaAccessProperty property)
{
    return property == cudaAccessPropertyPersisting  ? "cudaAccessPropertyPersisting"
           : property == cudaAccessPropertyStreaming ? "cudaAccessPropertyStreaming"
                                                     : "cudaAccessPropertyNormal";
}

} // namespace

void goals(common::Attempt& attempt)
{
    constexpr std::size_t window = 1024;
    constexpr std::size_t bytes = window * sizeof(float);
    common::Arrays<float> problem(
        attempt, {.task = "window add", .n = window + attempt.n()},
        [](auto& in, std::size_t i) { return in.a[i] + in.a[i % window]; });
    std::size_t most = 0;
    std::size_t before = 0;
    std::size_t during = 0;
    std::size_t after = 0;
    cudaAccessPolicyWindow asked{};
    cudaAccessPolicyWindow left{};
    attempt.run(problem, [&] {
        const common::Stream stream;
        most = common::attribute(cudaDevAttrMaxPersistingL2CacheSize);
        const std::size_t found = set_aside(); // an H200 began with 11.25 MiB
        if (most != 0) {
            CHECK_CUDA(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 0));
        }
        before = set_aside();
        keep(problem.a, bytes, stream);
        during = set_aside();
        asked = window_of(stream);
        solve(problem.a, problem.c, window, problem.n, stream);
        let_go(stream);
        CHECK_CUDA(cudaCtxResetPersistingL2Cache());
        after = set_aside();
        left = window_of(stream);
        cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, found); // whatever the answer has left
    });
    attempt.goal(
        "window", "makes exactly the requested window persist",
        asked.base_ptr == problem.a && asked.num_bytes == bytes && asked.hitRatio == 1.0f &&
            asked.hitProp == cudaAccessPropertyPersisting &&
            asked.missProp != cudaAccessPropertyPersisting,
        common::filled_in("after keep() the stream has a window of {} bytes with a hit ratio of "
                          "{}, hitProp {} and missProp {}. Requested: {} bytes from the start "
                          "of a, a hit ratio of 1, and hits that persist.",
                          {asked.num_bytes, asked.hitRatio, name_of(asked.hitProp),
                           name_of(asked.missProp), bytes}));
    // A driver rounds up, to a share of the L2. Where nothing can be set aside, nothing is.
    attempt.goal(
        "set_aside", "sets aside only what the window needs",
        most == 0 || (during >= bytes && during <= bytes + most / 4),
        common::filled_in("after keep() {} bytes of the L2 are set aside, for a window of {}.",
                          {during, bytes}));
    attempt.goal("left_window", "removes the window from the stream", left.num_bytes == 0,
                 common::filled_in("after let_go() the stream still has a window of {} bytes.",
                                   {left.num_bytes}));
    attempt.goal(
        "left_set_aside", "releases the set-aside", after == before,
        common::filled_in("{} bytes were set aside before keep(), and {} are after let_go().",
                          {before, after}));
}
