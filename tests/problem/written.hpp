/// \file
/// Results that the host writes into the memory of a problem, and the verdict on them.
#pragma once

#include "common/device/check.hpp"

#include <cstddef>
#include <vector>

template<class T>
void write(T* to, const std::vector<T>& from)
{
    CHECK_CUDA(cudaMemcpy(to, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice));
}

template<class T>
std::vector<T> read(const T* from, std::size_t size)
{
    std::vector<T> to(size);
    CHECK_CUDA(cudaMemcpy(to.data(), from, size * sizeof(T), cudaMemcpyDeviceToHost));
    return to;
}

/// Whether the output c may hold this.
template<class Problem, class T>
bool accepted(Problem& problem, const std::vector<T>& result)
{
    problem.poison();
    write(problem.c, result);
    return problem.verify().ok;
}
