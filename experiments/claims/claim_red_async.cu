// claim_red_async: Does the network between SMs limit additions to another block's shared memory?
//
// Each block of a cluster adds to the counters of all its blocks in turn, by atomicAdd() and by
// red.async, whose sender has nothing to wait for, on 1 to 16 clusters. If the network between the
// SMs is the limit, both take as long, and longer with more clusters; if the way of asking is,
// red.async takes less, and clusters do not mind each other.

#include "../../chapters/38_clusters/cluster_launch.cuh"

#include <cooperative_groups.h>

#include <vector>

constexpr unsigned threads = 1024;
constexpr unsigned counters = 1 << 13;   // of a block
constexpr unsigned additions = 64;       // of a thread in a round, behind which the cluster meets
constexpr std::size_t spare = 100 << 10; // bytes that no other block can have on the SM

// Which counter of which block addition i of a thread goes to: every block gets as many in a round.
__host__ __device__ unsigned counter_of(unsigned thread, unsigned i)
{
    const unsigned x = (thread * 2654435761u ^ i) * 0x7feb352du;
    return (x ^ x >> 16) % counters;
}

#ifdef __CUDACC__ // the CPU device has no clusters: these rows say "GPU only"
#include <cuda/ptx>

namespace ptx = cuda::ptx;

template<bool async>
__global__ void __launch_bounds__(threads)
    add(unsigned* c, unsigned rounds, [[maybe_unused]] unsigned distance)
{
#if __CUDA_ARCH__ >= 900
    __shared__ unsigned own[counters];
    __shared__ std::uint64_t barrier;
    const auto cluster = cooperative_groups::this_cluster();
    for (unsigned k = threadIdx.x; k < counters; k += threads) {
        own[k] = 0;
    }
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&barrier, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    cluster.sync();
    for (unsigned round = 0; round < rounds; ++round) {
        if (async && threadIdx.x == 0) { // as many bytes arrive as the block sends
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared,
                                           &barrier, threads * additions * sizeof(unsigned));
        }
        for (unsigned i = 0; i < additions; ++i) {
            const unsigned rank =
                (cluster.block_rank() + distance * (1 + i)) % cluster.num_blocks();
            unsigned* counter =
                cluster.map_shared_rank(&own[counter_of(threadIdx.x, round * additions + i)], rank);
            if constexpr (async) {
                ptx::red_async(ptx::op_add, counter, 1u, cluster.map_shared_rank(&barrier, rank));
            } else {
                atomicAdd(counter, 1);
            }
        }
        while (async && !ptx::mbarrier_try_wait_parity(&barrier, round % 2)) {
        }
        cluster.sync();
    }
    for (unsigned k = threadIdx.x; k < counters; k += threads) {
        c[std::size_t{blockIdx.x} * counters + k] = own[k];
    }
#endif
}
#else
template<bool async>
__global__ void add(unsigned*, unsigned, unsigned)
{}
#endif

template<bool async>
void run(common::Chapter& chapter, common::Words& p, unsigned rounds, unsigned size,
         unsigned clusters, unsigned distance)
{
    const common::Lazy<unsigned> resident = [size] { // allows 16 blocks, too
        return ClusterLaunch(size, threads, size, spare, nullptr).resident_clusters(add<async>);
    };
    const common::Variant row{
        .name = async ? "red_async" : "atomic",
        .threads = threads,
        .columns = {{"cluster_size", size},
                    {"clusters", clusters},
                    {"target", distance == 0 ? "own" : "all"},
                    {"resident_clusters", resident}},
        .unavailable = common::needs_compute_capability(9),
        .setup = [&p, rounds, size, clusters, resident] {
            static_cast<void>(resident());
            p.done = std::uint64_t{clusters} * size * threads * additions * rounds;
            std::vector<unsigned> counts(counters);
            for (unsigned thread = 0; thread < threads; ++thread) {
                for (unsigned i = 0; i < additions * rounds; ++i) {
                    ++counts[counter_of(thread, i)];
                }
            }
            p.expect_words(std::size_t{clusters} * size * counters,
                           [counts](std::size_t k) { return counts[k % counters]; });
        }};
    chapter.run(row, p, [&](cudaStream_t stream) {
        const ClusterLaunch launch(clusters * size, threads, size, spare, stream);
        launch(add<async>, p.c, rounds, distance);
    });
}

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    constexpr unsigned rounds = 16;
    common::Words p(chapter, "add", counters);
    for (unsigned size : {2u, 8u}) {
        for (unsigned clusters : {1u, 2u, 4u, 8u, 16u}) {
            run<false>(chapter, p, rounds, size, clusters, 0);
            run<false>(chapter, p, rounds, size, clusters, 1);
            run<true>(chapter, p, rounds, size, clusters, 1);
        }
    }
    return chapter.finish();
}
