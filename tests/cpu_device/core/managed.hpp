/// \file
/// Memory that both the tests and their kernels use.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <new>
#include <vector>

/// An array in managed memory, all zero.
template<class T>
class Managed
{
  public:
    explicit Managed(std::size_t size) : size_(size)
    {
        void* memory = nullptr;
        if (cudaMallocManaged(&memory, size * sizeof(T)) != cudaSuccess ||
            cudaMemset(memory, 0, size * sizeof(T)) != cudaSuccess)
            throw std::bad_alloc();
        data_ = static_cast<T*>(memory);
    }
    ~Managed() { cudaFree(data_); }
    Managed(const Managed&) = delete;
    Managed& operator=(const Managed&) = delete;

    [[nodiscard]] T* data() const { return data_; }
    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] T& operator[](std::size_t i) const { return data_[i]; }
    [[nodiscard]] T* begin() const { return data_; }
    [[nodiscard]] T* end() const { return data_ + size_; }
    [[nodiscard]] std::vector<T> values() const { return {begin(), end()}; }

  private:
    T* data_ = nullptr;
    std::size_t size_;
};
