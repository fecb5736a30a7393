// Which lines of the L2 are asked to stay.
#pragma once

#include "window_add.hpp"

#include "common/chapter.hpp"

//! [stay]
// Requests the window's lines to stay: the share `hit_ratio` of them, the rest streams past.
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
