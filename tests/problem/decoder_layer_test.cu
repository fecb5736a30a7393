// What is asked of a decoder layer: what one block makes of it is right, and hardly anything else.
#include "../../chapters/39_decoder_layer/attend_head.cuh"
#include "../../chapters/39_decoder_layer/decoder_problem.hpp"
#include "../../chapters/39_decoder_layer/norm_block.cuh"
#include "../../chapters/39_decoder_layer/row.cuh"
#include "../../chapters/39_decoder_layer/store.cuh"

#include "tests/catch.hpp"
#include "tests/problem/written.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace {

constexpr unsigned threads = 256;

// The rows of a step, one warp per row.
template<Step step>
__device__ void multiply(const DecoderLayer& layer, const bf16* x)
{
    const Matrix matrix = layer.matrix(step);
    for (unsigned task = threadIdx.x / 32; task < matrix.tasks; task += threads / 32) {
        const bf16* row = matrix.weights + std::size_t{matrix.row(task)} * matrix.columns;
        const float a = Row(row, matrix.columns).dot(x);
        if (step == Step::out || step == Step::down) {
            const bool out = step == Step::out;
            store_sum(out ? layer.x1 : layer.y, out ? layer.x : layer.x1, task, a);
        } else {
            row += std::size_t{matrix.partner} * matrix.columns;
            store_task<step>(layer, task, a, Row(row, matrix.columns).dot(x));
        }
    }
    __syncthreads();
}

__global__ void by_one_block(DecoderLayer layer)
{
    extern __shared__ float weights[];
    norm_block(layer, layer.x, layer.norm1, layer.normed);
    multiply<Step::qkv>(layer, layer.normed);
    for (unsigned head = 0; head < layer.heads; ++head) {
        attend_head(layer, head, weights);
        __syncthreads();
    }
    multiply<Step::out>(layer, layer.attended);
    norm_block(layer, layer.x1, layer.norm2, layer.normed);
    multiply<Step::gate_up>(layer, layer.normed);
    multiply<Step::down>(layer, layer.activated);
}

// The layer of 256, computed.
class Computed
{
  public:
    Computed()
    {
        problem.allocate();
        problem.expect({.row = layer.intermediate / 32 + 13, .score = 128, .token = layer.tokens});
        problem.poison();
        by_one_block<<<1, threads, layer.tokens * sizeof(float)>>>(layer);
        CHECK_CUDA(cudaDeviceSynchronize());
    }
    // The message, or nothing, once `factor` times element i is in its place.
    std::string changed(float* array, std::size_t i, float factor)
    {
        write(array + i, {read(array + i, 1)[0] * factor});
        return problem.verify().message();
    }
    // The same of a bfloat16, `steps` from one to the next away from 0.
    std::string changed(bf16* array, std::size_t i, int steps)
    {
        auto* const bits = reinterpret_cast<std::uint16_t*>(array + i);
        write(bits, {static_cast<std::uint16_t>(read(bits, 1)[0] + steps)});
        return problem.verify().message();
    }

    static constexpr std::size_t n = (1 << 20) + 5;
    DecoderProblem problem = DecoderProblem({n, 1}, n);
    DecoderLayer& layer = problem.layer;
    std::size_t last = (std::size_t{layer.tokens} - 1) * DecoderLayer::head; // token, in the cache
};

using Catch::Matchers::StartsWith;

} // namespace

TEST_CASE("a decoder layer has about as many weights as it is requested")
{
    const auto layer = [](std::size_t n) { return DecoderProblem({n, 1}, n).layer; };
    CHECK(layer(1).hidden == 128);
    CHECK(layer(1).tokens == 127);
    CHECK(layer(13 * 256 * 256 - 1).hidden == 128);
    CHECK(layer(13 * 256 * 256).hidden == 256);
    const DecoderLayer large = layer(1 << 28);
    CHECK(large.hidden == 4096);
    CHECK(large.intermediate == 14336);
    CHECK(large.heads == 32);
    CHECK(large.kv_heads == 8);
    CHECK(large.tokens == 4096);
    CHECK(layer(std::size_t{1} << 33).hidden == DecoderLayer::max_hidden);
}

TEST_CASE("what one block computes is right, and a float may be off in its last digits")
{
    Computed computed;
    CHECK(computed.problem.verify().message().empty());
    CHECK(computed.changed(computed.layer.y, 17, 1 + 0x1p-23F).empty());
    CHECK_FALSE(computed.changed(computed.layer.y, 17, 1 + 0x1p-9F).empty());
}

TEST_CASE("a step that is wrong is named, whichever it is")
{
    Computed queries;
    CHECK_THAT(queries.changed(queries.layer.q, 200, 2), StartsWith("Queries: 1 of 256"));
    Computed keys;
    CHECK_THAT(keys.changed(keys.layer.keys, keys.last + 100, 2), StartsWith("Keys: 1 of"));
    Computed values;
    CHECK_THAT(values.changed(values.layer.values, values.last + 5, 2), StartsWith("Values: 1 of"));
    Computed attention;
    CHECK_THAT(attention.changed(attention.layer.attended, 9, 2), StartsWith("Attention: 1 of"));
    Computed out;
    CHECK_THAT(out.changed(out.layer.x1, 9, 1 + 0x1p-9F), StartsWith("Behind attention: 1 of"));
    Computed gate;
    CHECK_THAT(gate.changed(gate.layer.activated, 300, 2), StartsWith("Gate and up: 1 of"));
}

TEST_CASE("keys and values of earlier tokens stay as they are, to the bit")
{
    Computed keys;
    CHECK_THAT(keys.changed(keys.layer.keys, 0, 1), StartsWith("Keys: 1 of"));
    Computed values;
    CHECK_THAT(values.changed(values.layer.values, values.last - 1, 1), StartsWith("Values: 1 of"));
}
