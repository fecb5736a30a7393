/// \file
/// A graph: work recorded now and run later.
#pragma once

#include "core/devices.hpp"
#include "cpu_device/detail/runtime_types.hpp"

#include <functional>
#include <memory>
#include <utility>
#include <vector>

struct CUgraphNode_st
{
    cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
    std::function<void()> work;
};

/// Nodes in the order in which their work was queued.
struct CUgraph_st
{
    std::vector<std::unique_ptr<CUgraphNode_st>> nodes;

    /// The node does its work on the device that is current now.
    void add(cudaGraphNodeType type, std::function<void()> work)
    {
        nodes.push_back(std::make_unique<CUgraphNode_st>(
            CUgraphNode_st{type, [device = cpu_device::current_device(), work = std::move(work)] {
                               const cpu_device::OnDevice own(device);
                               work();
                           }}));
    }
};

/// A copy of a graph's work: the graph may go away afterwards.
struct CUgraphExec_st
{
    std::vector<CUgraphNode_st> steps;
};
