// claim_layer_steps: Which steps of a decoder layer in one kernel take longer than their bytes?
//
// The layer's one kernel takes longer than reading its weights. If that is a cost of each grid
// barrier, every step behind one is late by as much; if it is attention, the others take as long as
// their bytes. Each block notes when it comes to the end of each step; a row per step tells when
// the first, the median and the last block did, in the last launch that the first row measures.

#include "../../chapters/39_decoder_layer/decoder_problem.hpp"
#include "../../chapters/39_decoder_layer/one_kernel.cuh"
#include "common/chapter.hpp"

#include <algorithm>
#include <array>

const std::array steps{
    "begin", "norm1",       "qkv",   "qkv_barrier", "attention",       "attention_barrier",
    "out",   "out_barrier", "norm2", "gate_up",     "gate_up_barrier", "down"};

#ifdef __CUDACC__ // the CPU device has no TMA: the rows say "GPU only"
// The kernel of chapter 39; times[block][step] becomes the time in ns at which thread 0 of the
// block has done the step. Launch: as one_kernel.
__global__ void __launch_bounds__(DecoderLayer::threads, 1)
    one_kernel_noted(const __grid_constant__ DecoderLayer layer, unsigned long long* times)
{
#if __CUDA_ARCH__ >= 900
    unsigned step = 0;
    const auto note = [&] {
        if (threadIdx.x == 0) {
            asm volatile("mov.u64 %0, %%globaltimer;"
                         : "=l"(times[blockIdx.x * 12 + step])
                         :
                         : "memory");
        }
        ++step;
    };
    extern __shared__ __align__(128) unsigned char shared[];
    auto* x = reinterpret_cast<bf16*>(shared);
    auto* sums = reinterpret_cast<float*>(shared + layer.vector_bytes() + ring_bytes);
    unsigned* const barrier = layer.counters + layer.kv_heads;
    WeightRing ring(layer, shared + layer.vector_bytes());
    note();
    norm_block(layer, layer.x, layer.norm1, x, [&] { ring.prefetch(); });
    note();
    multiply<Step::qkv>(layer, ring, x, sums);
    note();
    grid_barrier(barrier);
    note();
    for (unsigned part = blockIdx.x; part < layer.attention_blocks(); part += gridDim.x) {
        const unsigned warp = part * DecoderLayer::warps_per_block + threadIdx.x / 32;
        ring.replace_new_token(warp);
        attend_part(layer, part, ring.wait(), ring.wait(1), layer.tokens_of_warp(warp).count,
                    reinterpret_cast<float*>(x), [&] {
                        ring.release();
                        ring.release();
                    });
    }
    note();
    grid_barrier(barrier);
    copy_to_shared(x, layer.attended, layer.hidden);
    note();
    multiply<Step::out>(layer, ring, x, sums);
    note();
    grid_barrier(barrier);
    note();
    norm_block(layer, layer.x1, layer.norm2, x);
    note();
    multiply<Step::gate_up>(layer, ring, x, sums);
    note();
    grid_barrier(barrier);
    copy_to_shared(x, layer.activated, layer.intermediate);
    note();
    multiply<Step::down>(layer, ring, x, sums);
    note();
#endif
}
#else
void one_kernel_noted(DecoderLayer, unsigned long long*) {}
#endif

void run_steps(common::Chapter& chapter, std::size_t n)
{
    DecoderProblem p(chapter, n);
    DecoderLayer& layer = p.layer;
    const auto grid = [] { return common::attribute(cudaDevAttrMultiProcessorCount); };
    const auto shared_bytes = [&] {
        const std::size_t sums = 2 * sizeof(float) * common::blocks(layer.intermediate, grid());
        return layer.vector_bytes() + ring_bytes + sums;
    };
    common::Buffer<unsigned long long> times;
    std::vector<unsigned long long> noted;
    const auto run = [&](const char* step, std::vector<double> us) {
        common::Variant row{.name = "one_kernel",
                            .columns = {{"step", step},
                                        {"first_us", us[0]},
                                        {"median_us", us[1]},
                                        {"last_us", us[2]}},
                            .model_excluded_reason = "it runs on a GPU alone"};
        row.unavailable = [&] { return common::needs_compute_capability(9, shared_bytes())(); };
        row.setup = [&] {
            // At most so many additions per term, as in chapter 39.
            p.expect({layer.intermediate / 32 + 13, 8 + 4,
                      layer.tokens_per_warp / 2 + 1 + layer.warps_per_block + layer.parts()});
            times = common::Buffer<unsigned long long>(grid() * steps.size());
            CHECK_CUDA(cudaFuncSetAttribute(one_kernel_noted,
                                            cudaFuncAttributeMaxDynamicSharedMemorySize,
                                            static_cast<int>(shared_bytes())));
        };
        chapter.run(row, p, [&](cudaStream_t stream) {
            unsigned long long* to = times.data();
            void* arguments[] = {&layer, &to};
            CHECK_CUDA(cudaLaunchCooperativeKernel(one_kernel_noted, grid(),
                                                   dim3(DecoderLayer::threads), arguments,
                                                   shared_bytes(), stream));
        });
    };
    run("whole", {0, 0, 0});
    if (times.size() == 0) { // there is no such GPU
        return;
    }
    noted.resize(times.size());
    CHECK_CUDA(cudaMemcpy(noted.data(), times.data(), times.bytes(), cudaMemcpyDeviceToHost));
    const unsigned long long begin = *std::min_element(noted.begin(), noted.end());
    for (std::size_t step = 0; step < steps.size(); ++step) {
        std::vector<double> us;
        for (std::size_t at = step; at < noted.size(); at += steps.size()) {
            us.push_back(static_cast<double>(noted[at] - begin) / 1000);
        }
        std::sort(us.begin(), us.end());
        run(steps[step], {us.front(), us[us.size() / 2], us.back()});
    }
}

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    for (std::size_t n :
         chapter.sizes({.gpu = {1 << 28}, .cpu = {1 << 20}, .bytes_per_element = 2})) {
        run_steps(chapter, n);
    }
    return chapter.finish();
}
