// The weights of a decoder layer, fetched by the bulk copy engine ahead of the warps that need
// them. It takes compute capability 9.0 and nvcc.
#pragma once

#include "../32_matrix_vector/products.cuh"
#include "../32_matrix_vector/sum_lanes.cuh"
#include "layer.hpp"

#include <cstdint>

// Slots of a warp's ring, of 4 KiB each; a third gained nothing on an H200.
constexpr unsigned ring_slots = 2;
// Bytes of shared memory for the rings of all warps of a block, and a barrier for each slot.
constexpr std::size_t ring_bytes =
    DecoderLayer::warps * ring_slots *
    (DecoderLayer::unit * DecoderLayer::head * sizeof(bf16) + sizeof(std::uint64_t));

#ifdef __CUDACC__
#include <cuda/ptx>

namespace ptx = cuda::ptx;

// The weights, keys and values that a warp of a persistent grid reads, in its order and in chunks
// of up to 4 KiB. Some of them are in shared memory or in flight, across the ends of steps, so that
// the memory has work while the grid waits for its last block.
class WeightRing
{
  public:
    static constexpr unsigned chunk = DecoderLayer::unit * DecoderLayer::head; // elements

    static constexpr unsigned slots = ring_slots;

    // Issues the copies of the first chunks. `room` has ring_bytes and begins at a multiple of 128.
    __device__ WeightRing(const DecoderLayer& layer, unsigned char* room) : layer_(layer)
    {
        const unsigned warp = threadIdx.x / 32;
        chunks_ = reinterpret_cast<bf16*>(room) + warp * slots * chunk;
        room += DecoderLayer::warps * slots * chunk * sizeof(bf16);
        full_ = reinterpret_cast<std::uint64_t*>(room) + warp * slots;
        if (threadIdx.x % 32 == 0) {
            for (unsigned slot = 0; slot < slots; ++slot) {
                ptx::mbarrier_init(&full_[slot], 1);
            }
            ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
        }
        __syncwarp();
        begin(Step::qkv);
        for (unsigned slot = 0; slot < slots; ++slot) {
            issue(slot);
        }
    }

    // Calls f(task) for each of this warp's tasks of a step.
    template<class Function>
    __device__ void each_task(Step step, Function f)
    {
        for (unsigned task = first(step); task < tasks(step); task += stride()) {
            f(task);
        }
    }
    // Where the token that is computed is among those of the next chunk: its key and its value,
    // which have been written since the chunk's copy was issued.
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
            ptx::fence_proxy_async(ptx::space_shared); // before the engine writes there again
        }
        __syncwarp();
    }
    // The next chunk, or the one behind it, when it is there.
    [[nodiscard]] __device__ bf16* wait(unsigned behind = 0) const
    {
        const unsigned slot = (slot_ + behind) % slots;
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
        slot_ = (slot_ + 1) % slots;
        turn_ ^= slot_ == 0 ? 1 : 0;
    }
    // The next `columns` weights times x: their sum, in every lane.
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
    // The first task that is this warp's. Neighbours in a matrix are in different blocks, so that
    // all blocks have as many; of attention a block has one part.
    [[nodiscard]] __device__ static unsigned first(Step step)
    {
        return step == Step::attention ? blockIdx.x * DecoderLayer::warps + threadIdx.x / 32
                                       : threadIdx.x / 32 * gridDim.x + blockIdx.x;
    }
    // From one to the next: the warps of the grid.
    [[nodiscard]] __device__ static unsigned stride()
    {
        return gridDim.x * DecoderLayer::warps;
    }
    // How many a step has; attention one a warp of each block, also where it has no token.
    [[nodiscard]] __device__ unsigned tasks(Step step) const
    {
        return step == Step::attention ? layer_.kv_heads * layer_.parts() * DecoderLayer::warps
               : step == Step::end     ? 0
                                       : layer_.matrix(step).tasks;
    }
    __device__ void begin(Step step)
    {
        step_ = step;
        task_ = first(step);
        tasks_ = tasks(step);
    }
    // Where a task lies: a row, and perhaps a second; or the keys of tokens, and their values.
    __device__ void begin_task()
    {
        if (step_ == Step::attention) {
            const Tokens tokens = layer_.tokens_of(task_);
            from_ = layer_.keys + tokens.at;
            second_ = layer_.values + tokens.at;
            length_ = tokens.count * DecoderLayer::head;
        } else {
            const Matrix matrix = layer_.matrix(step_);
            length_ = matrix.columns;
            from_ = matrix.weights + std::size_t{matrix.row(task_)} * length_;
            second_ = matrix.partner == 0 ? nullptr : from_ + std::size_t{matrix.partner} * length_;
        }
        left_ = length_;
        task_ += stride();
    }
    // Issues the copy of the chunk behind the last one to that slot.
    __device__ void issue(unsigned slot)
    {
        if (!more_) {
            while (task_ >= tasks_ && step_ != Step::end) {
                begin(static_cast<Step>(static_cast<unsigned>(step_) + 1));
            }
            if (step_ == Step::end) {
                return;
            }
            begin_task();
        }
        const unsigned count = left_ < chunk ? left_ : chunk;
        if (threadIdx.x % 32 == 0) {
            const unsigned size = count * static_cast<unsigned>(sizeof(bf16));
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared,
                                           &full_[slot], size);
            if (size > 0) {
                ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, chunks_ + slot * chunk,
                                   from_, size, &full_[slot]);
            }
        }
        from_ += count;
        left_ -= count;
        more_ = left_ > 0 || second_ != nullptr;
        if (left_ == 0) {
            from_ = second_;
            left_ = length_;
            second_ = nullptr;
        }
    }

    const DecoderLayer& layer_;
    bf16* chunks_;
    std::uint64_t* full_;          // a barrier per slot: it counts the bytes that arrive
    unsigned slot_ = 0;            // of the next chunk
    unsigned turn_ = 0;            // parity of how often the ring has gone round
    Step step_ = Step::qkv;        // what is copied next:
    unsigned task_ = 0;            // the next task
    unsigned tasks_ = 0;           // of so many;
    bool more_ = false;            // the one before it has more,
    const bf16* from_ = nullptr;   // from here on
    unsigned left_ = 0;            // so many elements
    unsigned length_ = 0;          // of so many,
    const bf16* second_ = nullptr; // and as many there
};
#endif
