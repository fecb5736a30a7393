/// \file
/// What the link between two GPUs carries for the bytes that are wanted.
#pragma once

namespace common {

/// Bytes that cross in each direction, headers included.
struct LinkBytes
{
    double in = 0;  ///< to the GPU whose kernel it is
    double out = 0; ///< from there
};

// The packets are a hypothesis, which fits what two H200s did with 1 GiB in chapter 40. If
// the link carries 420 GB/s each way in units of 16 bytes, and a packet has one such unit as its
// header, copies with packets of 256 bytes and kernels with packets of 128 reach 395 and 373 GB/s;
// 395 and 371 to 373 were measured. Each packet that is read is requested by a unit in the other
// direction: 336 GB/s each way where both GPUs read, and 336 were measured. What is written is
// answered: 367 GB/s each way, as measured, make 0.14 units of a packet's answer.

/// Of a copy, which goes one way.
constexpr double link_bytes_of_copy(double bytes)
{
    return bytes * 17 / 16;
}

/// Of a kernel that reads and writes another GPU's memory.
constexpr LinkBytes link_bytes_of_kernel(double read, double written)
{
    return {.in = read * 9 / 8 + written * 0.14 / 8, .out = written * 9 / 8 + read / 8};
}

} // namespace common
