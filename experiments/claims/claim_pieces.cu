// claim_pieces: Does a bulk copy lose to words because a block waits for all of its tile?
//
// The copy of chapter 26 with 256 threads, 8 blocks on an SM and a tile of 4 KiB, so
// with 32 KiB in flight, as a word of 16 bytes for each thread has. A tile arrives in one to eight
// pieces, each with a barrier, and a thread waits for the piece with its own word.

#include "common/chapter.hpp"

constexpr unsigned threads = 256;

__global__ void copy_words(const uint4* a, uint4* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * threads + threadIdx.x;
    if (i < n) {
        c[i] = a[i];
    }
}

#ifdef __CUDACC__ // the CPU device has no bulk copy engine: these rows say "GPU only"
#include <cuda/ptx>
namespace ptx = cuda::ptx;

// With `each`, the first thread of a piece orders it, else the first of the block orders all.
template<unsigned pieces, bool each>
__global__ void copy_pieces(const uint4* a, uint4* c, std::size_t n)
{
#if __CUDA_ARCH__ >= 900
    __shared__ __align__(128) uint4 tile[threads];
    __shared__ std::uint64_t barriers[pieces];
    constexpr unsigned piece = threads / pieces; // words
    const std::size_t start = std::size_t{blockIdx.x} * threads;
    const auto order = [&](unsigned k) {
        const std::size_t first = start + k * piece;
        const std::size_t left = first < n ? n - first : 0;
        const unsigned bytes =
            (left < piece ? static_cast<unsigned>(left) : piece) * unsigned{sizeof(uint4)};
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared,
                                       &barriers[k], bytes);
        if (bytes != 0) {
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile + k * piece, a + first,
                               bytes, &barriers[k]);
        }
    };
    if (each && threadIdx.x % piece == 0) {
        ptx::mbarrier_init(&barriers[threadIdx.x / piece], 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
        order(threadIdx.x / piece);
    } else if (!each && threadIdx.x == 0) {
        for (unsigned k = 0; k < pieces; ++k) {
            ptx::mbarrier_init(&barriers[k], 1);
        }
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
        for (unsigned k = 0; k < pieces; ++k) {
            order(k);
        }
    }
    __syncthreads(); // the barriers are initialised
    while (!ptx::mbarrier_try_wait_parity(&barriers[threadIdx.x / piece], 0)) {
    }
    if (start + threadIdx.x < n) {
        c[start + threadIdx.x] = tile[threadIdx.x];
    }
#endif
}
#else
template<unsigned pieces, bool each>
__global__ void copy_pieces(const uint4*, uint4*, std::size_t)
{}
#endif

template<unsigned pieces, bool each>
void run(common::Chapter& chapter, common::Copy<uint4>& p)
{
    chapter.run({.name = "pieces",
                 .threads = threads,
                 .columns = {{"pieces", pieces}, {"ordered_by", each ? "each" : "one"}},
                 .unavailable = common::needs_compute_capability(9)},
                p, [&](cudaStream_t stream) {
                    copy_pieces<pieces, each>
                        <<<common::blocks(p.n, threads), threads, 0, stream>>>(p.a, p.c, p.n);
                });
}

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    // 1 GiB and 4 GiB
    for (std::size_t n : chapter.sizes({.gpu = {1 << 26, 1 << 28},
                         .cpu = {1 << 14},
                         .bytes_per_element = 2 * sizeof(uint4)})) {
        common::Copy<uint4> p(chapter, {.n = n});
        chapter.run({.name = "words", .threads = threads}, p, [&](cudaStream_t stream) {
            copy_words<<<common::blocks(n, threads), threads, 0, stream>>>(p.a, p.c, n);
        });
        run<1, false>(chapter, p);
        run<2, false>(chapter, p);
        run<4, false>(chapter, p);
        run<8, false>(chapter, p);
        run<2, true>(chapter, p);
        run<4, true>(chapter, p);
        run<8, true>(chapter, p);
    }
    return chapter.finish();
}
