/// \file
/// The live objects behind one kind of opaque handle.
#pragma once

#include "core/immortal.hpp"

#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace cpu_device {

/// Owns objects by address, so that a destroyed or invented handle is an error and not a crash.
template<class T>
class Handles
{
  public:
    T* add(std::unique_ptr<T> object)
    {
        const std::lock_guard lock(mutex_);
        T* const handle = object.get();
        objects_.emplace(handle, std::move(object));
        return handle;
    }
    [[nodiscard]] bool contain(T* handle)
    {
        const std::lock_guard lock(mutex_);
        return objects_.count(handle) != 0;
    }
    /// False if there is no such object.
    bool remove(T* handle)
    {
        const std::lock_guard lock(mutex_);
        return objects_.erase(handle) != 0;
    }

    void for_each(auto action)
    {
        const std::lock_guard lock(mutex_);
        for (auto& [handle, object] : objects_)
            action(*object);
    }

  private:
    std::mutex mutex_;
    std::unordered_map<T*, std::unique_ptr<T>> objects_;
};

/// The handles of one kind.
template<class T>
Handles<T>& handles()
{
    return immortal<Handles<T>>();
}

} // namespace cpu_device
