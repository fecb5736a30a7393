// The whole layer in one persistent kernel, one block per SM, with a grid barrier between steps.
#pragma once

#include "steps.cuh"
#include "weight_ring.cuh"

#ifdef __CUDACC__ // the CPU device has no TMA: the row says "GPU only"
#include <cuda/atomic>

// A grid barrier, like grid.sync(): together the blocks add 2^31 to a word of global memory, so
// that its highest bit flips when the last block arrives, whatever value an earlier launch has
// left.
__device__ inline void grid_barrier(unsigned* word)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        const cuda::atomic_ref<unsigned, cuda::thread_scope_device> arrived(*word);
        const unsigned added = blockIdx.x == 0 ? 0x80000000U - (gridDim.x - 1) : 1;
        const unsigned before = arrived.fetch_add(added, cuda::memory_order_release);
        while (((arrived.load(cuda::memory_order_acquire) ^ before) & 0x80000000U) == 0) {
        }
    }
    __syncthreads();
}

//! [one_kernel]
#if __CUDA_ARCH__ >= 900
// Multiplies the block's rows of a step's matrix by x, in shared memory, and stores the outputs.
// `sums` is shared memory, one float per row of the block.
template<Step step>
__device__ void multiply(const DecoderLayer& layer, WeightRing& ring, const bf16* x, float* sums)
{
    const BlockRows rows(layer.matrix(step));
    while (ring.next_is(step)) {
        const unsigned row = ring.row();
        const float sum = ring.dot(x, rows.matrix.columns);
        if (threadIdx.x % 32 == 0) {
            sums[row] = sum;
        }
    }
    __syncthreads();
    for (unsigned k = threadIdx.x; k < rows.tasks; k += blockDim.x) {
        const float partner = rows.matrix.partner == 0 ? 0 : sums[rows.tasks + k];
        store_task<step>(layer, rows.task(k), sums[k], partner);
    }
}
#endif

// Computes the whole layer. Launch: cooperative, one block of DecoderLayer::threads threads per SM.
// Dynamic shared memory: the input of a step (vector_bytes), the ring (ring_bytes), and two floats
// per task of a block.
__global__ void __launch_bounds__(DecoderLayer::threads, 1)
    one_kernel(const __grid_constant__ DecoderLayer layer)
{
#if __CUDA_ARCH__ >= 900
    extern __shared__ __align__(128) unsigned char shared[];
    auto* x = reinterpret_cast<bf16*>(shared); // the input of a step
    auto* sums = reinterpret_cast<float*>(shared + layer.vector_bytes() + ring_bytes);
    unsigned* const barrier = layer.counters + layer.kv_heads;
    WeightRing ring(layer, shared + layer.vector_bytes());
    norm_block(layer, layer.x, layer.norm1, x, [&] { ring.prefetch(); });
    multiply<Step::qkv>(layer, ring, x, sums);
    grid_barrier(barrier);
    for (unsigned part = blockIdx.x; part < layer.attention_blocks(); part += gridDim.x) {
        const unsigned warp = part * DecoderLayer::warps_per_block + threadIdx.x / 32;
        ring.replace_new_token(warp); // copied before qkv stored it
        attend_part(layer, part, ring.wait(), ring.wait(1), layer.tokens_of_warp(warp).count,
                    reinterpret_cast<float*>(x), [&] {
                        ring.release();
                        ring.release();
                    });
    }
    grid_barrier(barrier);
    copy_to_shared(x, layer.attended, layer.hidden);
    multiply<Step::out>(layer, ring, x, sums);
    grid_barrier(barrier);
    norm_block(layer, layer.x1, layer.norm2, x);
    multiply<Step::gate_up>(layer, ring, x, sums);
    grid_barrier(barrier);
    copy_to_shared(x, layer.activated, layer.intermediate);
    multiply<Step::down>(layer, ring, x, sums);
#endif
}
//! [one_kernel]
#else
void one_kernel(DecoderLayer) {}
#endif
