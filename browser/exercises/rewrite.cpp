/// \file
/// The rewriter, for JavaScript.
#include "rewriter/rewriter.hpp"

#include "browser/exercises/page.hpp"

constexpr const char* program_file = "answer.cu"; ///< as the compiler is told (answer.js)

/// The source in the room, for a C++ compiler.
EXPORT(rewrite) const char* rewrite()
{
    page::text = launch_rewriter::rewrite(page::text.c_str(), program_file);
    return page::text.c_str();
}
