/// \file
/// What kernels that only read, or read and write, have to make of their words: computed another
/// way than by them.
#pragma once

#include "common/problem/words.hpp"

#include <vector>

namespace common {

/// A word for each thread of `grid` blocks: the bits of what it reads, `width` bytes at a time, in
/// tiles of `threads` x `loads`.
Expected words_read(const Words& p, unsigned grid, unsigned threads, unsigned loads,
                    unsigned width);

/// The bits of `reads` arrays of n words, one behind another in the input, word by word: `count` of
/// them from `first` on. Where nothing is read, the number of the four that a word is one of.
std::vector<std::uint32_t> words_mixed(const Words& p, unsigned reads, std::size_t n,
                                       std::size_t first, std::size_t count);

/// Arrays of n words, one behind another, each the mix of what is read and the array's number.
Expected words_written(const Words& p, unsigned reads, std::size_t n);

/// A word for each warp: the bits of the mix of what its lanes read, four words each.
Expected words_of_warps(const Words& p, unsigned reads, std::size_t n);

} // namespace common
