/// \file
/// Short names for what the rewriter's tests check.
#pragma once

#include "rewriter/rewriter.hpp"
#include "rewriter/source.hpp"

#include <string>

/// The rewritten text of `source`, called x.cu in messages.
inline std::string rewritten(const std::string& source)
{
    return launch_rewriter::rewrite(source, "x.cu");
}

/// The sentence with which the rewriter refuses `source`, or the text if it accepts it.
inline std::string refusal(const std::string& source)
{
    try {
        return "accepted: " + rewritten(source);
    } catch (const launch_rewriter::Unsupported& error) {
        return error.what();
    }
}
