// 33_rows: How often does a kernel have to read a row of which it has to know all?
//
// A softmax, a norm, and a norm in 8 bits. A row can be read again once all of it is known, or kept
// until then: in shared memory, in the registers of a block, in those of a warp.

#include "common/kernels.hpp"

using bf16 = __nv_bfloat16;
using common::Norm, common::NormToFp8, common::RowShape, common::Softmax, common::ToFp8;

//! [join]
constexpr unsigned threads = 256; // of a row, where a load has one element

// What the T threads of a row have gathered, joined, in each of them.
template<class Op, unsigned T>
__device__ float2 join_row(float2 x)
{
    for (unsigned lanes = 16; lanes > 0; lanes /= 2) {
        const float y = __shfl_xor_sync(0xffffffff, x.y, lanes);
        x = Op::join(x, make_float2(__shfl_xor_sync(0xffffffff, x.x, lanes), y));
    }
    if constexpr (T > 32) {
        __shared__ float2 warps[T / 32];
        if (threadIdx.x % 32 == 0) {
            warps[threadIdx.x / 32] = x;
        }
        __syncthreads();
        x = warps[0];
        for (unsigned k = 1; k < T / 32; ++k) {
            x = Op::join(x, warps[k]);
        }
    }
    return x;
}

template<class Op>
__device__ void write_row(const bf16* a, const bf16* w, bf16* c, RowShape s, float2 factors)
{
    for (unsigned i = threadIdx.x; i < s.width; i += threads) {
        const float x = a[s.at(blockIdx.x, i)];
        c[s.at(blockIdx.x, i)] = Op::result(x, common::weight<Op>(w, i), factors);
    }
}
//! [join]

//! [three_passes]
// A softmax as it is defined: the largest, then the sum, then the results.
__global__ void three_passes(const bf16* a, bf16* c, RowShape s)
{
    float2 all = Softmax::nothing();
    for (unsigned i = threadIdx.x; i < s.columns; i += threads) {
        all.x = fmaxf(all.x, a[s.at(blockIdx.x, i)]);
    }
    all = join_row<Softmax, threads>(all);
    for (unsigned i = threadIdx.x; i < s.columns; i += threads) {
        all.y += __expf(__bfloat162float(a[s.at(blockIdx.x, i)]) - all.x);
    }
    __syncthreads(); // all have read what the first pass left in shared memory
    all = join_row<Softmax, threads>(all);
    write_row<Softmax>(a, nullptr, c, s, Softmax::factors(all, s.columns));
}
//! [three_passes]

//! [two_passes]
// Two passes, whatever is gathered: the sum of a softmax shrinks where its largest grows.
template<class Op>
__global__ void two_passes(const bf16* a, const bf16* w, bf16* c, RowShape s)
{
    float2 all = Op::nothing();
    for (unsigned i = threadIdx.x; i < s.columns; i += threads) {
        all = Op::join(all, Op::of(a[s.at(blockIdx.x, i)], common::weight<Op>(w, i)));
    }
    all = join_row<Op, threads>(all);
    write_row<Op>(a, w, c, s, Op::factors(all, s.columns));
}
//! [two_passes]

//! [in_shared]
constexpr unsigned block = 128; // where a load has eight elements

// The row stays in shared memory until its results can be told.
template<class Op>
__global__ void __launch_bounds__(block)
    in_shared(const bf16* a, const bf16* w, bf16* c, RowShape s)
{
    extern __shared__ uint4 row[];
    const auto* eights = reinterpret_cast<const uint4*>(&a[s.at(blockIdx.x, 0)]);
    float2 all = Op::nothing();
    for (unsigned i = threadIdx.x; i < s.width / 8; i += block) {
        const uint4 x = eights[i];
        row[i] = x;
        all = Op::join_eight(all, common::eight_of(x), common::weights<Op>(w, i));
    }
    const float2 factors = Op::factors(join_row<Op, block>(all), s.columns);
    for (unsigned i = threadIdx.x; i < s.width / 8; i += block) {
        common::store_results<Op>(&c[s.at(blockIdx.x, 8 * i)], common::eight_of(row[i]),
                                  common::weights<Op>(w, i), factors);
    }
}
//! [in_shared]

//! [in_registers]
// T threads have a row, and each keeps its part, `loads` times 16 bytes that are on their way at
// once; 32 threads wait for no other warp. `once`: the L1 had better keep the weights than the row.
template<class Op, unsigned T, unsigned loads, bool once>
__global__ void __launch_bounds__(T < block ? block : T)
    in_registers(const bf16* a, const bf16* w, typename Op::Out* c, float* scales, RowShape s)
{
    const unsigned row = blockIdx.x * (blockDim.x / T) + threadIdx.x / T;
    const unsigned first = threadIdx.x % T;
    if (row >= s.rows) {
        return;
    }
    uint4 x[loads];
    const auto* eights = reinterpret_cast<const uint4*>(&a[s.at(row, 0)]);
#pragma unroll
    for (unsigned k = 0; k < loads; ++k) {
        if (first + k * T < s.width / 8) {
            x[k] = once ? __ldcs(&eights[first + k * T]) : eights[first + k * T];
        }
    }
    float2 all = Op::nothing();
#pragma unroll
    for (unsigned k = 0; k < loads; ++k) {
        if (const unsigned i = first + k * T; i < s.width / 8) {
            all = Op::join_eight(all, common::eight_of(x[k]), common::weights<Op>(w, i));
        }
    }
    const float2 factors = Op::factors(join_row<Op, T>(all), s.columns);
    if (sizeof(typename Op::Out) == 1 && first == 0) {
        scales[row] = factors.y;
    }
#pragma unroll
    for (unsigned k = 0; k < loads; ++k) {
        if (const unsigned i = first + k * T; i < s.width / 8) {
            common::store_results<Op>(&c[s.at(row, 8 * i)], common::eight_of(x[k]),
                                      common::weights<Op>(w, i), factors);
        }
    }
}
//! [in_registers]

//! [rows]
// Launches a kernel compiled for rows of up to 512 times eight elements, or of up to 640.
template<class Op, unsigned T, bool once = false>
common::Launch launch(const common::RowProblem& p)
{
    return [&p](cudaStream_t queue) {
        const auto kernel = p.shape.width <= 4096 ? in_registers<Op, T, 512 / T, once>
                                                  : in_registers<Op, T, (640 + T - 1) / T, once>;
        const unsigned size = T < block ? block : T;
        kernel<<<common::blocks(p.shape.rows, size / T), size, 0, queue>>>(
            p.input<Op>(), p.w, p.output<Op>(), p.scales, p.shape);
    };
}

template<class Op>
void run_rows(common::Chapter& chapter, common::RowResult result, const common::Extent& extent)
{
    common::RowProblem p(chapter, result, extent);
    const common::RowVariants run(chapter, p);
    const RowShape s = p.shape;
    constexpr bool softmax = std::is_same_v<Op, Softmax>;
    if constexpr (softmax) {
        run({.name = "three_passes", .threads = threads},
            [&](auto queue) { three_passes<<<s.rows, threads, 0, queue>>>(p.a, p.c, s); });
    }
    if constexpr (std::is_same_v<Op, NormToFp8>) {
        run({.name = "two_kernels", .threads = 128, .through_bfloats = true}, [&](auto queue) {
            launch<Norm, 128>(p)(queue);
            launch<ToFp8, 128>(p)(queue);
        });
        run({.name = "once_in_registers", .threads = 128}, launch<Op, 128, true>(p));
    } else {
        run({.name = "two_passes", .threads = threads, .one_element = true, .full = softmax},
            [&](auto queue) { two_passes<Op><<<s.rows, threads, 0, queue>>>(p.a, p.w, p.c, s); });
        run({.name = "in_shared", .threads = block}, [&](auto queue) {
            in_shared<Op><<<s.rows, block, s.width * sizeof(bf16), queue>>>(p.a, p.w, p.c, s);
        });
        run({.name = "in_registers", .threads = 256, .full = softmax}, launch<Op, 256>(p));
        run({.name = "warp_a_row", .threads = block, .a_row = 32, .full = true}, launch<Op, 32>(p));
    }
    run({.name = "in_registers", .threads = 128, .full = !softmax}, launch<Op, 128>(p));
}
//! [rows]

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    for (std::size_t n : chapter.sizes({.gpu = {1 << 24, 3001 * 5000, 1 << 26, 1 << 28},
                         .cpu = {1 << 20},
                         .usual = {1 << 26},
                         .bytes_per_element = 4 * sizeof(bf16)})) {
        const common::Extent extent = common::matrix_of(n, n % 4096 == 0 ? 4096 : 5000);
        run_rows<Softmax>(chapter, common::RowResult::softmax, extent);
        run_rows<Norm>(chapter, common::RowResult::norm, extent);
        run_rows<NormToFp8>(chapter, common::RowResult::norm_to_fp8, extent);
    }
    return chapter.finish();
}
