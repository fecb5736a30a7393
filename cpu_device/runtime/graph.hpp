/// \file
/// A graph: work recorded now and run later.
#pragma once

#include "core/devices.hpp"
#include "cpu_device/detail/runtime_types.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace cpu_device {

/// The same work with the device as the current one that is so now.
inline std::function<void()> on_this_device(std::function<void()> work)
{
    return [device = current_device(), work = std::move(work)] {
        const OnDevice own(device);
        work();
    };
}

} // namespace cpu_device

struct CUgraphNode_st
{
    cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
    std::function<void()> work;
    cudaKernelNodeAttrValue access_policy{}; ///< that of the stream, in a captured node
    std::vector<CUgraphNode_st*> dependencies{};
    const CUgraphNode_st* original = nullptr; ///< of a node in a clone
};

/// Nodes in the order in which they were added.
struct CUgraph_st
{
    std::vector<std::unique_ptr<CUgraphNode_st>> nodes;

    /// The node does its work on the device that is current now.
    CUgraphNode_st* add(cudaGraphNodeType type, std::function<void()> work)
    {
        nodes.push_back(std::make_unique<CUgraphNode_st>(
            CUgraphNode_st{type, cpu_device::on_this_device(std::move(work)), {}}));
        return nodes.back().get();
    }

    /// The nodes in an order in which they may run: each behind those that it depends on, and else
    /// as added. Nodes that depend on each other are left out.
    [[nodiscard]] std::vector<CUgraphNode_st*> in_order() const
    {
        std::vector<CUgraphNode_st*> order;
        const auto is_done = [&](CUgraphNode_st* node) {
            return std::ranges::find(order, node) != order.end();
        };
        for (bool found = true; found;) {
            found = false;
            for (const auto& node : nodes)
                if (!is_done(node.get()) && std::ranges::all_of(node->dependencies, is_done)) {
                    order.push_back(node.get());
                    found = true;
                }
        }
        return order;
    }
};

/// A copy of a graph's work: the graph may change or go away afterwards.
struct CUgraphExec_st
{
    struct Step
    {
        const CUgraphNode_st* node; ///< for its address alone
        cudaGraphNodeType type;
        std::function<void()> work;
    };
    std::vector<Step> steps;
};
