// Prefetches the weights of a decoder layer by the TMA, into a ring per warp. Needs nvcc and
// compute capability 9.0.
#pragma once

#include "../32_matrix_vector/products.cuh"
#include "../32_matrix_vector/sum_lanes.cuh"
#include "layer.hpp"

#include <cstdint>

// Slots of a warp's ring, of 4 KiB each; a third gained nothing on an H200.
constexpr unsigned ring_slots = 2;
constexpr unsigned ring_steps = static_cast<unsigned>(Step::end);
// Bytes of shared memory for the rings of all warps of a block: 4 KiB, a barrier and a
// tag per slot; and a counter per step of the rows that warps have taken.
constexpr std::size_t ring_bytes = DecoderLayer::warps * ring_slots *
                                       (DecoderLayer::unit * DecoderLayer::head * sizeof(bf16) +
                                        sizeof(std::uint64_t) + sizeof(unsigned)) +
                                   ring_steps * sizeof(unsigned);

// A block's rows of a step's matrix, about as many for each block: first those of its tasks, then
// their partners.
struct BlockRows
{
    Matrix matrix;
    unsigned tasks; // of the block

    __device__ explicit BlockRows(const Matrix& of)
        : matrix(of), tasks((of.tasks + gridDim.x - 1 - blockIdx.x) / gridDim.x)
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

// The weights, keys and values that a warp of a persistent grid reads, in chunks of up to 4 KiB.
// Copies of later steps are issued before a step ends, so that DRAM stays busy while the grid waits
// for its last block. A warp takes the block's next row when it has a free slot.
class WeightRing
{
  public:
    static constexpr unsigned chunk = DecoderLayer::unit * DecoderLayer::head; // elements

    // Initializes the barriers, by all threads of a block. `room` has ring_bytes and is aligned to
    // 128 bytes.
    __device__ WeightRing(const DecoderLayer& layer, unsigned char* room) : layer_(layer)
    {
        constexpr unsigned all = DecoderLayer::warps * ring_slots;
        const unsigned warp = threadIdx.x / 32;
        chunks_ = reinterpret_cast<bf16*>(room) + warp * ring_slots * chunk;
        auto* const barriers = reinterpret_cast<std::uint64_t*>(room + all * chunk * sizeof(bf16));
        auto* const words = reinterpret_cast<unsigned*>(barriers + all);
        full_ = barriers + warp * ring_slots;
        has_ = words + warp * ring_slots;
        taken_ = words + all;
        if (threadIdx.x < all) {
            ptx::mbarrier_init(&barriers[threadIdx.x], 1);
        }
        if (threadIdx.x < ring_steps) {
            taken_[threadIdx.x] = 0;
        }
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
        __syncthreads();
    }
    // Issues the copies of the first chunks.
    __device__ void begin()
    {
        for (unsigned slot = 0; slot < ring_slots; ++slot) {
            issue(slot);
        }
    }
    // Whether the next chunk is of that step.
    [[nodiscard]] __device__ bool has(Step step) const
    {
        __syncwarp();
        return has_[slot_] >> 16U == static_cast<unsigned>(step);
    }
    // Which of the block's rows the next chunk belongs to.
    [[nodiscard]] __device__ unsigned row() const { return has_[slot_] & 0xffffU; }
    // If the next chunks hold the new token, replaces its key and value there: their copies were
    // issued before qkv stored these.
    __device__ void take_last_token(unsigned task)
    {
        constexpr unsigned head = DecoderLayer::head;
        const Tokens tokens = layer_.tokens_of(task);
        const std::size_t kv = task / DecoderLayer::warps / layer_.parts();
        const std::size_t last = ((kv + 1) * layer_.tokens - 1) * head;
        if (tokens.count > 0 && tokens.at + (tokens.count - 1) * head == last) {
            const bool key = threadIdx.x % 32 < 16;
            auto* to = reinterpret_cast<uint4*>((key ? wait() : wait(1)) + last - tokens.at);
            const auto* from =
                reinterpret_cast<const uint4*>((key ? layer_.keys : layer_.values) + last);
            to[threadIdx.x % 16] = __ldcg(from + threadIdx.x % 16);
            ptx::fence_proxy_async(ptx::space_shared); // before the TMA writes there again
        }
        __syncwarp();
    }
    // Waits for the next chunk, or the one after it, and returns it.
    [[nodiscard]] __device__ bf16* wait(unsigned behind = 0) const
    {
        const unsigned slot = (slot_ + behind) % ring_slots;
        const unsigned turn = slot < slot_ ? turn_ ^ 1U : turn_;
        while (!ptx::mbarrier_try_wait_parity(&full_[slot], turn)) {
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
        turn_ ^= slot_ == 0 ? 1 : 0;
    }
    // The dot product of the next `columns` weights and x; every lane gets it.
    [[nodiscard]] __device__ float dot(const bf16* x, unsigned columns)
    {
        float sums[4] = {};
        for (unsigned first = 0; first < columns; first += chunk) {
            const bf16* weights = wait();
#pragma unroll 8
            for (unsigned k = 0; k < chunk / 256; ++k) {
                const unsigned i = k * 256 + threadIdx.x % 32 * 8;
                if (first + i < columns) {
                    sums[k % 4] = add_products<bf16>(*reinterpret_cast<const uint4*>(weights + i),
                                                     *reinterpret_cast<const uint4*>(x + first + i),
                                                     sums[k % 4]);
                }
            }
            release();
        }
        return sum_lanes<32>(sums[0] + sums[1] + (sums[2] + sums[3]));
    }

  private:
    // Finds the next task: a row that no warp of the block has taken, or the keys and values of the
    // warp's tokens.
    __device__ void begin_task()
    {
        for (; step_ != Step::end; step_ = static_cast<Step>(static_cast<unsigned>(step_) + 1)) {
            if (step_ == Step::attention) {
                if (part_ < layer_.blocks()) {
                    const Tokens tokens =
                        layer_.tokens_of(part_ * DecoderLayer::warps + threadIdx.x / 32);
                    part_ += gridDim.x;
                    from_ = layer_.keys + tokens.at;
                    second_ = layer_.values + tokens.at;
                    left_ = length_ = tokens.count * DecoderLayer::head;
                    return;
                }
                continue;
            }
            if (threadIdx.x % 32 == 0) {
                row_ = atomicAdd(&taken_[static_cast<unsigned>(step_)], 1);
            }
            row_ = __shfl_sync(0xffffffff, row_, 0);
            const BlockRows rows(layer_.matrix(step_));
            if (row_ < rows.count()) {
                from_ = rows.row(row_);
                left_ = rows.matrix.columns;
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
        const unsigned count = left_ < chunk ? left_ : chunk;
        if (threadIdx.x % 32 == 0) {
            has_[slot] = static_cast<unsigned>(step_) << 16U | row_;
            if (step_ != Step::end) {
                fetch(slot, count * static_cast<unsigned>(sizeof(bf16)));
            }
        }
        from_ += count;
        left_ -= count;
        more_ = left_ > 0 || second_ != nullptr;
        if (left_ == 0 && second_ != nullptr) {
            from_ = second_;
            left_ = length_;
            second_ = nullptr;
        }
    }
    // Issues the bulk copy of `size` bytes to a slot. They are read once: L2 may evict them first.
    __device__ void fetch(unsigned slot, unsigned size) const
    {
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared,
                                       &full_[slot], size);
        if (size > 0) {
            std::uint64_t policy = 0;
            asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
            const auto at = [](void* p) {
                return static_cast<unsigned>(__cvta_generic_to_shared(p));
            };
            asm volatile(
                "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
                ".L2::cache_hint [%0], [%1], %2, [%3], %4;" ::"r"(at(chunks_ + slot * chunk)),
                "l"(__cvta_generic_to_global(from_)), "r"(size), "r"(at(&full_[slot])), "l"(policy)
                : "memory");
        }
    }

    const DecoderLayer& layer_;
    bf16* chunks_;
    std::uint64_t* full_;          // a barrier per slot: it counts the bytes that arrive
    unsigned* has_;                // per slot: the step of its chunk, and the row
    unsigned* taken_;              // per step: how many of the block's rows its warps have taken
    unsigned slot_ = 0;            // of the next chunk
    unsigned turn_ = 0;            // parity of the ring's current phase
    Step step_ = Step::qkv;        // what is copied next:
    unsigned row_ = 0;             // which of the block's rows,
    unsigned part_ = blockIdx.x;   // or, of attention, the block's next part;
    bool more_ = false;            // the task has more,
    const bf16* from_ = nullptr;   // from here on
    unsigned left_ = 0;            // so many elements
    const bf16* second_ = nullptr; // and then there
    unsigned length_ = 0;          // so many
};
#endif
