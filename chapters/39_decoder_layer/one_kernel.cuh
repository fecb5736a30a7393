// The whole layer in one persistent kernel.
#pragma once

#include "steps.cuh"
#include "weight_ring.cuh"

#ifdef __CUDACC__
#include <cooperative_groups.h>
#endif

#ifdef __CUDACC__ // the CPU device has no bulk copy engine: the row says "GPU only"
//! [one_kernel]
__global__ void __launch_bounds__(DecoderLayer::block, 1)
    one_kernel(const __grid_constant__ DecoderLayer layer)
{
#if __CUDA_ARCH__ >= 900
    extern __shared__ __align__(128) unsigned char room[];
    auto* x = reinterpret_cast<bf16*>(room); // what a step multiplies with
    WeightRing ring(layer, room + layer.vector_bytes());
    const auto grid = cooperative_groups::this_grid();
    norm_block(layer, layer.x, layer.norm1, x);
    ring.each_task(Step::qkv, [&](unsigned task) {
        const float a = ring.dot(x, layer.hidden);
        store_task<Step::qkv>(layer, task, a, ring.dot(x, layer.hidden));
    });
    grid.sync();
    ring.each_task(Step::attention, [&](unsigned task) {
        ring.take_last_token(task);
        attend_part(layer, task / DecoderLayer::warps, ring.wait(), ring.wait(1),
                    layer.tokens_of(task).count, reinterpret_cast<float*>(x));
        ring.release();
        ring.release();
    });
    grid.sync();
    copy_block(x, layer.attended, layer.hidden);
    ring.each_task(Step::out, [&](unsigned row) {
        store_sum(layer.x1, layer.x, row, ring.dot(x, layer.hidden));
    });
    grid.sync();
    norm_block(layer, layer.x1, layer.norm2, x);
    ring.each_task(Step::gate_up, [&](unsigned task) {
        const float gate = ring.dot(x, layer.hidden);
        store_task<Step::gate_up>(layer, task, gate, ring.dot(x, layer.hidden));
    });
    grid.sync();
    copy_block(x, layer.activated, layer.intermediate);
    ring.each_task(Step::down, [&](unsigned row) {
        store_sum(layer.y, layer.x1, row, ring.dot(x, layer.intermediate));
    });
#endif
}
//! [one_kernel]
#else
void one_kernel(DecoderLayer) {}
#endif
