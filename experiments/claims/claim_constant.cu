// claim_constant: Does constant memory gain nothing where memory does not hide it?
//
// Each thread multiplies its element by 128 factors and adds the products: one instruction a factor
// if the factor is an operand of it, which constant memory and parameters can be. The same from
// global and from shared memory, with the loop unrolled and not.

#include "common/chapter.hpp"

constexpr unsigned threads = 256;
constexpr unsigned factors = 128;

struct alignas(16) Factors // so that four of them are one load
{
    float factor[factors];
};

__constant__ Factors constant_factors;
__device__ Factors global_factors;

enum class Where
{
    constant,
    parameter,
    global,
    shared
};

// Small whole numbers: every sum is exact.
float factor(unsigned k)
{
    return static_cast<float>(k % 4);
}

float sum_of_factors()
{
    float sum = 0.0f;
    for (unsigned k = 0; k < factors; ++k) {
        sum += factor(k);
    }
    return sum;
}

template<Where where, bool unrolled>
__global__ void weigh(const float* a, float* c, std::size_t n, const Factors* global,
                      const __grid_constant__ Factors parameter)
{
    __shared__ Factors shared;
    if constexpr (where == Where::shared) {
        for (unsigned k = threadIdx.x; k < factors; k += threads) {
            shared.factor[k] = global->factor[k];
        }
        __syncthreads();
    }
    const auto value = [&](unsigned k) {
        if constexpr (where == Where::constant) {
            return constant_factors.factor[k];
        } else if constexpr (where == Where::parameter) {
            return parameter.factor[k];
        } else if constexpr (where == Where::global) {
            return __ldg(&global->factor[k]);
        } else {
            return shared.factor[k];
        }
    };
    const std::size_t i = std::size_t{blockIdx.x} * threads + threadIdx.x;
    if (i < n) {
        const float x = a[i];
        float sum = 0.0f;
        if constexpr (unrolled) {
#pragma unroll
            for (unsigned k = 0; k < factors; ++k) {
                sum += x * value(k);
            }
        } else {
#pragma unroll 1
            for (unsigned k = 0; k < factors; ++k) {
                sum += x * value(k);
            }
        }
        c[i] = sum;
    }
}

template<bool unrolled>
void run(common::Chapter& chapter, common::Arrays<float>& p, Factors& made, const Factors*& address)
{
    const auto setup = [&] {
        for (unsigned k = 0; k < factors; ++k) {
            made.factor[k] = factor(k);
        }
        CHECK_CUDA(cudaMemcpyToSymbol(constant_factors, &made, sizeof made));
        CHECK_CUDA(cudaMemcpyToSymbol(global_factors, &made, sizeof made));
        void* global = nullptr;
        CHECK_CUDA(cudaGetSymbolAddress(&global, global_factors));
        address = static_cast<const Factors*>(global);
    };
    const auto row = [&](const char* name, auto kernel) {
        chapter.run(
            {.name = name,
             .threads = threads,
             .columns = common::resources(kernel, threads, {{"unrolled", unrolled ? "yes" : "no"}}),
             .setup = setup},
            p, [&](cudaStream_t stream) {
                kernel<<<common::blocks(p.n, threads), threads, 0, stream>>>(p.a, p.c, p.n, address,
                                                                             made);
            });
    };
    row("constant", weigh<Where::constant, unrolled>);
    row("parameter", weigh<Where::parameter, unrolled>);
    row("global", weigh<Where::global, unrolled>);
    row("shared", weigh<Where::shared, unrolled>);
}

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    Factors made{};
    const Factors* address = nullptr;
    const common::Sizes sizes{
        .gpu = {1u << 22, 1u << 24}, .cpu = {1u << 14}, .bytes_per_element = 8};
    for (std::size_t n : chapter.sizes(sizes)) {
        const float sum = sum_of_factors();
        common::Arrays<float> p(chapter, {.task = "weigh", .n = n},
                                [sum](auto& in, std::size_t i) { return sum * in.a[i]; });
        run<true>(chapter, p, made, address);
        run<false>(chapter, p, made, address);
    }
    return chapter.finish();
}
