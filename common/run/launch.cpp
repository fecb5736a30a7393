#include "common/run/launch.hpp"

#include "common/device/attribute.hpp"
#include "common/device/device.hpp"
#include "common/report/results.hpp"
#include "common/text/format.hpp"

#include <fmt/format.h>

#include <optional>
#include <stdexcept>

namespace common {

template<class T>
struct Lazy<T>::State
{
    std::function<T()> question;
    std::optional<T> value;
};

template<class T>
Lazy<T>::Lazy(const Lazy&) = default;
template<class T>
Lazy<T>::Lazy(Lazy&&) noexcept = default;
template<class T>
Lazy<T>& Lazy<T>::operator=(const Lazy&) = default;
template<class T>
Lazy<T>& Lazy<T>::operator=(Lazy&&) noexcept = default;
template<class T>
Lazy<T>::~Lazy() = default;

template<class T>
std::shared_ptr<typename Lazy<T>::State> Lazy<T>::known_state(T value)
{
    return std::make_shared<State>(State{{}, std::move(value)});
}

template<class T>
std::shared_ptr<typename Lazy<T>::State> Lazy<T>::asked_state(std::function<T()> question)
{
    return std::make_shared<State>(State{std::move(question), {}});
}

template<class T>
bool Lazy<T>::known() const
{
    return state_->value.has_value();
}

template<class T>
const T& Lazy<T>::operator()() const
{
    if (!known())
        state_->value = state_->question();
    return *state_->value;
}

template class Lazy<unsigned>;
template class Lazy<std::string>;
template class Lazy<Parameter>;

void throw_too_many_blocks(std::size_t count)
{
    throw std::length_error(fmt::format("A grid has at most {} blocks, and {} were requested; try "
                                        "a smaller --n, such as --n 1Gi.",
                                        format_count(max_blocks), format_count(count)));
}

dim3 grid(std::size_t width, std::size_t height, std::size_t block_width, std::size_t block_height)
{
    const unsigned y = blocks(height, block_height);
    if (y > max_blocks_y)
        throw std::length_error(fmt::format(
            "A grid has at most {} blocks in its second dimension, and {} were requested: {} "
            "elements, {} per block; let the first dimension, which takes {}, run along them.",
            format_count(max_blocks_y), format_count(y), format_count(height),
            format_count(block_height), format_count(max_blocks)));
    return {blocks(width, block_width), y, 1};
}

std::string lack_of_shared_memory(std::size_t bytes)
{
    const std::size_t most = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
    return bytes + 1024 <= most
               ? ""
               : fmt::format("a block has {} KiB of shared memory, and {} are needed", most / 1024,
                             bytes / 1024 + 1);
}

Lazy<std::string> needs_compute_capability(int major, std::size_t shared)
{
    return [major, shared]() -> std::string {
        if (backend() == Backend::cpu)
            return gpu_only_note;
        return static_cast<int>(attribute(cudaDevAttrComputeCapabilityMajor)) >= major
                   ? lack_of_shared_memory(shared)
                   : fmt::format("needs compute capability {}.0", major);
    };
}

} // namespace common
