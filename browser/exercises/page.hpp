/// \file
/// What a module and the page say to each other, whatever it runs.
#pragma once

#include <cstddef>
#include <string>

#define EXPORT(name) extern "C" __attribute__((export_name(#name)))
#define IMPORT(name) extern "C" __attribute__((import_module("page"), import_name(#name)))

/// True where threads can be left half done.
IMPORT(suspends) bool page_suspends();
/// Ends what runs, with a sentence; without one, where the goals that follow mean nothing.
IMPORT(thrown) void page_thrown(const char* sentence);

namespace page {

extern std::string text;           ///< that JavaScript has written, or reads
extern std::size_t output_columns; ///< of what common::output_width() tells

} // namespace page
