// The access policy of a window.
#pragma once

#include "window_add.hpp"

#include "common/chapter.hpp"

//! [stay]
// Returns a policy for the window: the share `hit_ratio` of its lines persists, the rest streams.
cudaLaunchAttributeValue stay(const WindowAdd& p, double hit_ratio)
{
    cudaLaunchAttributeValue value{};
    value.accessPolicyWindow.base_ptr = const_cast<float*>(p.a);
    value.accessPolicyWindow.num_bytes = p.window * sizeof(float);
    value.accessPolicyWindow.hitRatio = static_cast<float>(hit_ratio);
    value.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
    value.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
    return value;
}
//! [stay]
