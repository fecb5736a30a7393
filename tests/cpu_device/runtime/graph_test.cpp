// Graphs made node by node: what they answer of their nodes and edges.
#include "tests/catch.hpp"

#include <cuda_runtime_api.h>

#include <array>

namespace {

/// A graph of four empty nodes: 0 and 1 are roots, and 2 depends on both.
struct FourNodes
{
    FourNodes()
    {
        REQUIRE(cudaGraphCreate(&graph, 0) == cudaSuccess);
        for (cudaGraphNode_t& node : nodes)
            REQUIRE(cudaGraphAddEmptyNode(&node, graph, nullptr, 0) == cudaSuccess);
        const std::array from{nodes[0], nodes[1], nodes[2]};
        const std::array to{nodes[2], nodes[2], nodes[3]};
        REQUIRE(cudaGraphAddDependencies(graph, from.data(), to.data(), 3) == cudaSuccess);
    }
    ~FourNodes()
    {
        static_cast<void>(cudaGraphDestroy(graph));
        static_cast<void>(cudaGetLastError());
    }
    FourNodes(const FourNodes&) = delete;
    FourNodes& operator=(const FourNodes&) = delete;

    [[nodiscard]] std::size_t edges() const
    {
        std::size_t count = 0;
        REQUIRE(cudaGraphGetEdges(graph, nullptr, nullptr, &count) == cudaSuccess);
        return count;
    }

    cudaGraph_t graph = nullptr;
    std::array<cudaGraphNode_t, 4> nodes{};
};

} // namespace

TEST_CASE("a graph fills the places that there are, and says how many it filled")
{
    const FourNodes four;
    const auto& [a, b, c, d] = four.nodes;
    const cudaGraphNode_t untouched = d; // what no answer writes stays so

    std::size_t count = 0;
    REQUIRE(cudaGraphGetRootNodes(four.graph, nullptr, &count) == cudaSuccess);
    CHECK(count == 2);
    using Four = std::array<cudaGraphNode_t, 4>;
    Four found{untouched, untouched, untouched, untouched};
    count = 1;
    REQUIRE(cudaGraphGetRootNodes(four.graph, found.data(), &count) == cudaSuccess);
    CHECK(count == 1);
    CHECK(found == Four{a, untouched, untouched, untouched});
    count = 3;
    REQUIRE(cudaGraphGetRootNodes(four.graph, found.data(), &count) == cudaSuccess);
    CHECK(count == 2);
    CHECK(found == Four{a, b, nullptr, untouched});

    CHECK(four.edges() == 3);
    Four from{untouched, untouched, untouched, untouched};
    Four to = from;
    count = 2;
    REQUIRE(cudaGraphGetEdges(four.graph, from.data(), to.data(), &count) == cudaSuccess);
    CHECK(count == 2);
    CHECK(from == Four{a, b, untouched, untouched});
    CHECK(to == Four{c, c, untouched, untouched});
    count = 4;
    REQUIRE(cudaGraphGetEdges(four.graph, from.data(), to.data(), &count) == cudaSuccess);
    CHECK(count == 3);
    CHECK(from == Four{a, b, c, nullptr});
    CHECK(to == Four{c, c, d, nullptr});

    count = 4;
    REQUIRE(cudaGraphGetNodes(four.graph, found.data(), &count) == cudaSuccess);
    CHECK(found == four.nodes);
}

TEST_CASE("dependencies are added all or none, and between nodes of the graph alone")
{
    const FourNodes four;
    const FourNodes other;
    const auto& [a, b, c, d] = four.nodes;
    const auto added = [&](cudaGraphNode_t from, cudaGraphNode_t to) {
        const std::array froms{a, from};
        const std::array tos{b, to};
        return cudaGraphAddDependencies(four.graph, froms.data(), tos.data(), 2);
    };
    CHECK(added(d, a) == cudaErrorInvalidValue); // a circle
    CHECK(added(nullptr, c) == cudaErrorInvalidValue);
    CHECK(added(c, nullptr) == cudaErrorInvalidValue);
    CHECK(added(other.nodes[0], c) == cudaErrorInvalidValue);
    CHECK(added(c, other.nodes[0]) == cudaErrorInvalidValue);
    CHECK(cudaGraphAddDependencies(four.graph, nullptr, nullptr, 1) == cudaErrorInvalidValue);
    CHECK(four.edges() == 3);
    CHECK(added(b, d) == cudaSuccess);
    CHECK(four.edges() == 5);
    CHECK(cudaGraphAddDependencies(four.graph, nullptr, nullptr, 0) == cudaSuccess);
}
