// Prefetches the weights of a decoder layer by the TMA, into a ring of shared-memory slots per
// warp. Needs nvcc and compute capability 9.0.
#pragma once

// From chapter 27: bulk_load<hint>(), a bulk copy to shared memory with a hint for L2.
#include "../27_cache_hints/hints.cuh"
#include "bf16.cuh"
#include "layer.hpp"
#include "reductions.cuh"

#include <cstdint>

constexpr unsigned ring_slots = 2; // slots of 4 KiB per warp; a third gained nothing on an H200
constexpr unsigned ring_steps = static_cast<unsigned>(Step::end);
// Bytes of shared memory for the rings of all warps of a block: 4 KiB, an mbarrier and a tag per
// slot; and, per step, a counter of the rows that warps have taken.
constexpr std::size_t ring_bytes =
    DecoderLayer::warps_per_block * ring_slots *
        (DecoderLayer::tokens_per_warp * DecoderLayer::head * sizeof(bf16) + sizeof(std::uint64_t) +
         sizeof(unsigned)) +
    ring_steps * sizeof(unsigned);

// The rows of a step's matrix that a block processes: the first rows of its tasks, then their
// partners. The tasks are divided evenly among the blocks.
struct BlockRows
{
    Matrix matrix;
    unsigned tasks; // number of the block's tasks

    __device__ explicit BlockRows(const Matrix& m)
        : matrix(m), tasks((m.tasks + gridDim.x - 1 - blockIdx.x) / gridDim.x)
    {}
    __device__ unsigned count() const { return matrix.partner == 0 ? tasks : 2 * tasks; }
    __device__ unsigned task(unsigned k) const { return blockIdx.x + k * gridDim.x; }
    __device__ const bf16* row(unsigned k) const
    {
        const unsigned row =
            k < tasks ? matrix.row(task(k)) : matrix.row(task(k - tasks)) + matrix.partner;
        return matrix.weights + std::size_t{row} * matrix.columns;
    }
};

#if __CUDA_ARCH__ >= 900
#include <cuda/ptx>

namespace ptx = cuda::ptx;

// A TMA pipeline per warp for the weights, keys and values that it reads, in chunks of up to 4 KiB.
// Copies for later steps are issued before a step ends, so that DRAM stays busy while the grid
// waits for its last block. A warp takes the block's next row when it has a free slot.
class WeightRing
{
  public:
    static constexpr unsigned chunk =
        DecoderLayer::tokens_per_warp * DecoderLayer::head; // elements

    // Initializes the barriers, by all threads of a block. `shared` is shared memory of
    // ring_bytes, aligned to 128 bytes.
    __device__ WeightRing(const DecoderLayer& layer, unsigned char* shared) : layer_(layer)
    {
        constexpr unsigned slots = DecoderLayer::warps_per_block * ring_slots;
        const unsigned warp = threadIdx.x / 32;
        chunks_ = reinterpret_cast<bf16*>(shared) + warp * ring_slots * chunk;
        auto* const barriers =
            reinterpret_cast<std::uint64_t*>(shared + slots * chunk * sizeof(bf16));
        auto* const words = reinterpret_cast<unsigned*>(barriers + slots);
        full_ = barriers + warp * ring_slots;
        tag_ = words + warp * ring_slots;
        rows_taken_ = words + slots;
        if (threadIdx.x < slots) {
            ptx::mbarrier_init(&barriers[threadIdx.x], 1);
        }
        if (threadIdx.x < ring_steps) {
            rows_taken_[threadIdx.x] = 0;
        }
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
        __syncthreads();
    }
    // Issues the copies of the first chunks.
    __device__ void prefetch()
    {
        for (unsigned slot = 0; slot < ring_slots; ++slot) {
            issue(slot);
        }
    }
    // Returns whether the next chunk belongs to that step.
    [[nodiscard]] __device__ bool next_is(Step step) const
    {
        __syncwarp();
        return tag_[slot_] >> 16U == static_cast<unsigned>(step);
    }
    // Returns which of the block's rows the next chunk belongs to.
    [[nodiscard]] __device__ unsigned row() const { return tag_[slot_] & 0xffffU; }
    // If the next two chunks hold the new token, replaces its key and value there: the copies were
    // issued before the step qkv stored these. `warp` is the warp's number in the grid.
    __device__ void replace_new_token(unsigned warp)
    {
        constexpr unsigned head = DecoderLayer::head;
        const Tokens tokens = layer_.tokens_of_warp(warp);
        const std::size_t kv = warp / DecoderLayer::warps_per_block / layer_.parts();
        const std::size_t last = ((kv + 1) * layer_.tokens - 1) * head;
        if (tokens.count > 0 && tokens.offset + (tokens.count - 1) * head == last) {
            const bool key = threadIdx.x % 32 < 16;
            auto* out = reinterpret_cast<uint4*>((key ? wait() : wait(1)) + last - tokens.offset);
            const auto* in =
                reinterpret_cast<const uint4*>((key ? layer_.keys : layer_.values) + last);
            out[threadIdx.x % 16] = __ldcg(in + threadIdx.x % 16);
            ptx::fence_proxy_async(ptx::space_shared); // before the TMA writes there again
        }
        __syncwarp();
    }
    // Waits for the next chunk, or with `ahead` = 1 for the one after it, and returns it.
    [[nodiscard]] __device__ bf16* wait(unsigned ahead = 0) const
    {
        const unsigned slot = (slot_ + ahead) % ring_slots;
        const unsigned parity = slot < slot_ ? parity_ ^ 1U : parity_;
        while (!ptx::mbarrier_try_wait_parity(&full_[slot], parity)) {
        }
        return chunks_ + slot * chunk;
    }
    // Releases the slot of the next chunk, which all lanes have read, and issues another copy to
    // it.
    __device__ void release()
    {
        __syncwarp();
        issue(slot_);
        slot_ = (slot_ + 1) % ring_slots;
        parity_ ^= slot_ == 0 ? 1 : 0;
    }
    // Returns the dot product of the next `columns` weights and x, to every lane.
    [[nodiscard]] __device__ float dot(const bf16* x, unsigned columns)
    {
        float sums[4] = {};
        for (unsigned first = 0; first < columns; first += chunk) {
            const bf16* weights = wait();
#pragma unroll 8
            for (unsigned k = 0; k < chunk / 256; ++k) {
                const unsigned i = k * 256 + threadIdx.x % 32 * 8;
                if (first + i < columns) {
                    sums[k % 4] = dot8(*reinterpret_cast<const uint4*>(weights + i),
                                       *reinterpret_cast<const uint4*>(x + first + i), sums[k % 4]);
                }
            }
            release();
        }
        return sum_lanes<32>(sums[0] + sums[1] + (sums[2] + sums[3]));
    }

  private:
    // Takes the next work of the warp: a row that no warp of the block has taken, or the keys and
    // values of the warp's tokens.
    __device__ void begin_task()
    {
        for (; step_ != Step::end; step_ = static_cast<Step>(static_cast<unsigned>(step_) + 1)) {
            if (step_ == Step::attention) {
                if (part_ < layer_.attention_blocks()) {
                    const Tokens tokens = layer_.tokens_of_warp(
                        part_ * DecoderLayer::warps_per_block + threadIdx.x / 32);
                    part_ += gridDim.x;
                    source_ = layer_.keys + tokens.offset;
                    values_ = layer_.values + tokens.offset;
                    remaining_ = cache_length_ = tokens.count * DecoderLayer::head;
                    return;
                }
                continue;
            }
            if (threadIdx.x % 32 == 0) {
                row_ = atomicAdd(&rows_taken_[static_cast<unsigned>(step_)], 1);
            }
            row_ = __shfl_sync(0xffffffff, row_, 0);
            const BlockRows rows(layer_.matrix(step_));
            if (row_ < rows.count()) {
                source_ = rows.row(row_);
                remaining_ = rows.matrix.columns;
                return;
            }
        }
    }
    // Issues the copy of the chunk after the last one to that slot.
    __device__ void issue(unsigned slot)
    {
        if (!more_) {
            begin_task();
        }
        const unsigned count = remaining_ < chunk ? remaining_ : chunk;
        if (threadIdx.x % 32 == 0) {
            tag_[slot] = static_cast<unsigned>(step_) << 16U | row_;
            if (step_ != Step::end) {
                fetch(slot, count * static_cast<unsigned>(sizeof(bf16)));
            }
        }
        source_ += count;
        remaining_ -= count;
        more_ = remaining_ > 0 || values_ != nullptr;
        if (remaining_ == 0 && values_ != nullptr) {
            source_ = values_;
            remaining_ = cache_length_;
            values_ = nullptr;
        }
    }
    // Issues the bulk copy of `size` bytes to a slot, with a hint that L2 evict them first.
    __device__ void fetch(unsigned slot, unsigned size) const
    {
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared,
                                       &full_[slot], size);
        if (size > 0) {
            bulk_load<Hint::evict_first>(chunks_ + slot * chunk, source_, size, &full_[slot]);
        }
    }

    const DecoderLayer& layer_;
    bf16* chunks_;         // the warp's slots
    std::uint64_t* full_;  // an mbarrier per slot, which counts the bytes that arrive
    unsigned* tag_;        // per slot: the step of its chunk, and the row
    unsigned* rows_taken_; // per step: how many of the block's rows its warps have taken
    unsigned slot_ = 0;    // slot of the next chunk
    unsigned parity_ = 0;  // parity of its mbarrier's phase
    // The row, or the tokens, whose chunks are being copied:
    Step step_ = Step::qkv;
    unsigned row_ = 0;             // number of the row among the block's rows
    unsigned part_ = blockIdx.x;   // the block's next part of attention
    bool more_ = false;            // whether chunks are left to copy
    const bf16* source_ = nullptr; // the next chunk in global memory
    unsigned remaining_ = 0;       // elements left from there on
    const bf16* values_ = nullptr; // in attention, the values, which follow the keys
    unsigned cache_length_ = 0;    // in attention, elements of the keys and of the values
};
#endif
