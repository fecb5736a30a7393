// claim_drained: What do the last lines written cost, which a launch leaves in the L2?
//
// A launch ends when its stores are in the L2. Behind it a kernel reads so much else that they have
// to leave: the time of both, less that of the second alone, is what the memory had to do.

#include "common/chapter.hpp"

#include <algorithm>

constexpr unsigned threads = 256;

__global__ void add(const float4* a, const float4* b, float4* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        const float4 x = a[i], y = b[i];
        c[i] = make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
    }
}

__global__ void copy(const float4* a, const float4*, float4* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i];
    }
}

__global__ void fill(const float4*, const float4*, float4* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = make_float4(1, 1, 1, 1);
    }
}

__global__ void nothing(const float4*, const float4*, float4*, std::size_t) {}

// Reads zeros: the store is never executed, which the compiler does not know.
__global__ void drain(uint4* other, std::size_t n)
{
    unsigned seen = 0;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n;
         i += std::size_t{gridDim.x} * blockDim.x) {
        const uint4 v = other[i];
        seen |= v.x | v.y | v.z | v.w;
    }
    if (seen != 0) {
        other[threadIdx.x].x = seen;
    }
}

// Four times the L2, as the measurement's own flush; few on the CPU device, which times nothing.
common::Buffer<uint4> zeros()
{
    const std::size_t bytes = common::backend() == common::Backend::cpu
                                  ? std::size_t{1} << 16
                                  : 4 * std::size_t{common::attribute(cudaDevAttrL2CacheSize)};
    common::Buffer<uint4> made(bytes / sizeof(uint4));
    CHECK_CUDA(cudaMemset(made.data(), 0, made.bytes()));
    return made;
}

using Kernel = void (*)(const float4*, const float4*, float4*, std::size_t);

void run(common::Chapter& chapter, common::Arrays<float>& p, const char* name, Kernel kernel,
         const common::Buffer<uint4>& other, const std::function<void()>& setup)
{
    for (const bool drained : {false, true}) {
        chapter.run({.name = name,
                     .threads = threads,
                     .columns = {{"drained", drained ? "yes" : "no"}},
                     .setup = setup},
                    p, [&](cudaStream_t stream) {
                        kernel<<<common::blocks(p.n / 4, threads), threads, 0, stream>>>(
                            reinterpret_cast<const float4*>(p.a),
                            reinterpret_cast<const float4*>(p.b), reinterpret_cast<float4*>(p.c),
                            p.n / 4);
                        if (drained) {
                            drain<<<1024, threads, 0, stream>>>(other.data(), other.size());
                        }
                    });
    }
}

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    common::Buffer<uint4> other;
    const auto make = [&] {
        if (other.size() == 0) {
            other = zeros();
        }
    };
    const common::Sizes sizes{
        .gpu = {1u << 24, 1u << 26, 1u << 28}, .cpu = {1u << 16}, .bytes_per_element = 12};
    for (std::size_t all : chapter.sizes(sizes)) {
        const std::size_t n = std::max(all / 4 * 4, std::size_t{4}); // whole vectors
        common::VectorAdd sums(chapter, {.n = n});
        run(chapter, sums, "add", add, other, make);
        common::Copy<float> copied(chapter, {.n = n});
        run(chapter, copied, "copy", copy, other, make);
        common::Arrays<float> filled(chapter, {.task = "fill", .n = n, .inputs = 0},
                                     [](auto&, std::size_t) { return 1.0f; });
        run(chapter, filled, "fill", fill, other, make);
    }
    // The second kernel alone, behind one that does nothing.
    common::Words p(chapter, "drain", 1);
    p.expect_words(1, [](std::size_t) { return 0xffffffff; }); // the poison
    chapter.run({.name = "drain_alone", .threads = threads, .setup = make}, p,
                [&](cudaStream_t stream) {
                    nothing<<<1, threads, 0, stream>>>(nullptr, nullptr, nullptr, 0);
                    drain<<<1024, threads, 0, stream>>>(other.data(), other.size());
                });
    return chapter.finish();
}
