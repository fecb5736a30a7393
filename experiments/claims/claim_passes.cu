// claim_passes: Do kernels lose by going over a row two or three times?
//
// From the passes of chapter 33 to its row in registers, and from `row_twice` of chapter 34 to
// `row_once`, more changes than the passes: the width of a load, how many are in flight, the
// threads of a row, and how often e^x is taken. Here each changes alone. A part of e^x is in
// joining what threads have: two in each of a warp's five rounds and for each further warp.

#include "../../chapters/33_rows/operations.cuh"
#include "../../chapters/33_rows/row_problem.hpp"
#include "../../chapters/34_narrow_types/quantised_rows.hpp"
#include "common/chapter.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

using bf16 = __nv_bfloat16;
using fp8 = __nv_fp8_e4m3;

constexpr unsigned columns = 4096;

// Eight elements of one of T threads, neighbours, in a load of 16 bytes. A thread's are number
// threadIdx.x of them, and each T after that.
template<class Op, unsigned T>
struct Wide
{
    static constexpr unsigned threads = T, bytes = 16, count = 8;
    uint4 x;

    __device__ void load(const bf16* a, unsigned i) { x = reinterpret_cast<const uint4*>(a)[i]; }
    __device__ Float8 floats() const { return unpack_bf16x8(x); }
    __device__ void store(typename Op::Out* c, const bf16* w, unsigned i, float2 factors) const
    {
        store_results<Op>(c + 8 * i, floats(), weights<Op>(w, i), factors);
    }
};

// One element, or eight that are gathered at once, with a load for each; lanes have neighbours.
template<class Op, unsigned T, unsigned elements>
struct Narrow
{
    static constexpr unsigned threads = T, bytes = 2, count = elements;
    bf16 x[count];

    static __device__ unsigned at(unsigned i, unsigned k)
    {
        return count * (i - threadIdx.x) + k * T + threadIdx.x;
    }
    __device__ void load(const bf16* a, unsigned i)
    {
        for (unsigned k = 0; k < count; ++k) {
            x[k] = a[at(i, k)];
        }
    }
    __device__ Float8 floats() const
    {
        Float8 v = {};
        for (unsigned k = 0; k < count; ++k) {
            v.x[k] = x[k];
        }
        return v;
    }
    __device__ void store(typename Op::Out* c, const bf16* w, unsigned i, float2 factors) const
    {
        for (unsigned k = 0; k < count; ++k) {
            const float result = Op::result(x[k], weight<Op>(w, at(i, k)), factors);
            c[at(i, k)] = typename Op::Out(result);
        }
    }
};

// A softmax's, of so many lanes: the largest first, and then the sum, of sums scaled once.
template<unsigned lanes>
__device__ float2 combine_largest_first(float2 x)
{
    const float own = x.x;
    for (unsigned offset = lanes / 2; offset > 0; offset /= 2) {
        x.x = fmaxf(x.x, __shfl_xor_sync(0xffffffff, x.x, offset));
    }
    x.y *= __expf(own - x.x);
    for (unsigned offset = lanes / 2; offset > 0; offset /= 2) {
        x.y += __shfl_xor_sync(0xffffffff, x.y, offset);
    }
    return x;
}

// As chapter 33 joins; or a thread takes e^x twice, once in its warp and once for all warps.
template<class Op, unsigned T, bool largest_first>
__device__ float2 combine_row(float2 x)
{
    __shared__ float2 warp_partials[T / 32];
    if constexpr (largest_first) {
        x = combine_largest_first<32>(x);
    } else {
        for (unsigned offset = 16; offset > 0; offset /= 2) {
            const float y = __shfl_xor_sync(0xffffffff, x.y, offset);
            x = Op::combine(x, make_float2(__shfl_xor_sync(0xffffffff, x.x, offset), y));
        }
    }
    if (threadIdx.x % 32 == 0) {
        warp_partials[threadIdx.x / 32] = x;
    }
    __syncthreads();
    if constexpr (largest_first) {
        return combine_largest_first<T / 32>(warp_partials[threadIdx.x % (T / 32)]);
    }
    x = warp_partials[0];
    for (unsigned k = 1; k < T / 32; ++k) {
        x = Op::combine(x, warp_partials[k]);
    }
    return x;
}

enum class Change
{
    none,
    largest_first,
    one_at_a_time // a load waits for the one before
};

// A row is loaded for the largest, for the sum and for the results; or for both, and for the
// results; or in one pass, and kept in registers.
template<class Op, class Part, unsigned passes, Change change>
__global__ void __launch_bounds__(Part::threads)
    make_row(const bf16* a, const bf16* w, typename Op::Out* c, float* scale, unsigned width)
{
    constexpr unsigned T = Part::threads;
    constexpr bool largest_first = change == Change::largest_first;
    a += std::size_t{blockIdx.x} * width;
    c += std::size_t{blockIdx.x} * width;
    const unsigned end = width / Part::count;
    Part parts[passes == 1 ? columns / Part::count / T : 1];
    const auto each = [&](auto with) {
        if constexpr (passes == 1) {
#pragma unroll
            for (unsigned k = 0; k < columns / Part::count / T; ++k) {
                if (const unsigned i = threadIdx.x + k * T; i < end) {
                    with(parts[k], i);
                }
            }
        } else if constexpr (change == Change::one_at_a_time) {
#pragma unroll 1
            for (unsigned i = threadIdx.x; i < end; i += T) {
                parts[0].load(a, i);
                with(parts[0], i);
            }
        } else { // nvcc has four in flight where each has one element
            for (unsigned i = threadIdx.x; i < end; i += T) {
                parts[0].load(a, i);
                with(parts[0], i);
            }
        }
    };
    if constexpr (passes == 1) { // all loads are in flight before the first is needed
        each([&](Part& part, unsigned i) { part.load(a, i); });
    }
    float2 partial = Op::identity();
    each([&](const Part& part, unsigned) {
        const Float8 v = part.floats();
        if constexpr (passes == 3) {
            for (unsigned k = 0; k < Part::count; ++k) {
                partial.x = fmaxf(partial.x, v.x[k]);
            }
        } else {
            partial = Part::count == 1 ? Op::combine(partial, Op::from_element(v.x[0], 0))
                                       : Op::combine8(partial, v, {});
        }
    });
    if constexpr (passes == 3) {
        partial = combine_row<Op, T, largest_first>(partial);
        each([&](const Part& part, unsigned) {
            const Float8 v = part.floats();
            for (unsigned k = 0; k < Part::count; ++k) {
                partial.y += __expf(v.x[k] - partial.x);
            }
        });
        __syncthreads(); // all have read what the first pass left in shared memory
    }
    const float2 factors = Op::factors(combine_row<Op, T, largest_first>(partial), width);
    if (sizeof(typename Op::Out) == 1 && threadIdx.x == 0) {
        scale[blockIdx.x] = factors.y;
    }
    each([&](const Part& part, unsigned i) { part.store(c, w, i, factors); });
}

template<class Op, class Part, unsigned passes, Change change = Change::none, class Problem>
void run(common::Chapter& chapter, Problem& p)
{
    constexpr bool quantised = requires
    {
        p.scale;
    };
    const common::Variant variant{
        .name = passes == 3   ? "three_passes"
                : passes == 2 ? "two_passes"
                              : "in_registers",
        .threads = Part::threads,
        .columns = {{"load_bytes", Part::bytes},
                    {"at_once", Part::count},
                    {"change", change == Change::none            ? "none"
                               : change == Change::largest_first ? "largest first"
                                                                 : "one at a time"}},
        .model_excluded_reason = "e^x and conversions are not in it",
        .setup = [&p] {
            if constexpr (!quantised) { // as chapter 33 counts additions
                p.expect(columns / Part::threads + 8 + 5 + Part::threads / 32);
            }
        }};
    chapter.run(variant, p, [&](cudaStream_t stream) {
        const auto kernel = make_row<Op, Part, passes, change>;
        const unsigned grid = common::blocks(p.size(), columns);
        if constexpr (quantised) {
            kernel<<<grid, Part::threads, 0, stream>>>(p.a, nullptr, p.c, p.scale, columns);
        } else {
            kernel<<<grid, Part::threads, 0, stream>>>(p.a, p.w, p.c, nullptr, columns);
        }
    });
}

// As the chapters have them first and last, and the changes from one to the other.
template<class Op, class Problem>
void run_all(common::Chapter& chapter, Problem&& p)
{
    if constexpr (std::is_same_v<Op, Softmax>) {
        run<Op, Narrow<Op, 256, 1>, 3>(chapter, p);
        run<Op, Wide<Op, 256>, 3>(chapter, p);
        run<Op, Wide<Op, 128>, 3>(chapter, p);
        run<Op, Wide<Op, 256>, 1, Change::largest_first>(chapter, p);
        run<Op, Wide<Op, 128>, 1, Change::largest_first>(chapter, p);
    }
    run<Op, Narrow<Op, 256, 1>, 2, Change::one_at_a_time>(chapter, p);
    run<Op, Narrow<Op, 256, 1>, 2>(chapter, p);
    run<Op, Narrow<Op, 256, 8>, 2>(chapter, p);
    run<Op, Wide<Op, 256>, 2>(chapter, p);
    run<Op, Wide<Op, 128>, 2>(chapter, p);
    run<Op, Narrow<Op, 256, 8>, 1>(chapter, p);
    run<Op, Narrow<Op, 128, 8>, 1>(chapter, p);
    run<Op, Wide<Op, 256>, 1>(chapter, p);
    run<Op, Wide<Op, 128>, 1>(chapter, p);
}

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    for (std::size_t n : chapter.sizes(
             {.gpu = {1 << 28}, .cpu = {1 << 20}, .bytes_per_element = 2 * sizeof(bf16)})) {
        const common::Extent rows{.columns = columns,
                                  .rows = std::max<std::size_t>(n / columns, 1)};
        run_all<Softmax>(chapter, RowProblem(chapter, RowResult::softmax, rows,
                                             [](double x, double, const RowTotals& row) {
                                                 return std::exp(x) / row.exponentials;
                                             }));
        run_all<Norm>(chapter, RowProblem(chapter, RowResult::norm, rows,
                                          [](double x, double weight, const RowTotals& row) {
                                              return x * weight /
                                                     std::sqrt(row.mean_square + norm_epsilon);
                                          }));
        run_all<ToFp8>(chapter, QuantisedRows<fp8>(chapter, rows, [](float x, float largest) {
                           return largest > 0 ? x * (largest_number<fp8> / largest) : 0;
                       }));
    }
    return chapter.finish();
}
