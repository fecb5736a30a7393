/// \file
/// A graph: work recorded now and run later.
#pragma once

#include "cpu_device/detail/runtime_types.hpp"

#include <functional>
#include <memory>
#include <vector>

struct CUgraphNode_st
{
    cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
    std::function<void()> work;
    cudaKernelNodeAttrValue access_policy{}; ///< that of the stream, in a captured node
};

/// Nodes in an order in which they may run: a node's dependencies are there before it.
struct CUgraph_st
{
    std::vector<std::unique_ptr<CUgraphNode_st>> nodes;

    CUgraphNode_st* add(cudaGraphNodeType type, std::function<void()> work)
    {
        nodes.push_back(
            std::make_unique<CUgraphNode_st>(CUgraphNode_st{type, std::move(work), {}}));
        return nodes.back().get();
    }
};

/// A copy of a graph's work: the graph may change or go away afterwards.
struct CUgraphExec_st
{
    std::vector<std::function<void()>> work;
};
