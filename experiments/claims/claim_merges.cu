// claim_merges: Which stores does L1 bring together before they go to the L2?
//
// A thread has a record of `words` floats in one piece and writes it with so many stores, one after
// the other: each of them touches as many lines as a record has words, and all of them the same.
// `put` loads one float per thread, which lie side by side, `copy` the record, as it is stored.
//
// If L1 holds a number of lines for merging, however many warps there are, the sectors that reach
// the L2 follow from the lines of a store alone. If warps that wait for their serialized access to
// store come in between, they follow from how many stores those have.

#include "common/chapter.hpp"

constexpr unsigned threads = 256;

template<class Piece>
__device__ Piece piece_from(float first)
{
    if constexpr (sizeof(Piece) == sizeof(float4)) {
        return {first, first + 1, first + 2, first + 3};
    } else if constexpr (sizeof(Piece) == sizeof(float2)) {
        return {first, first + 1};
    } else {
        return first;
    }
}

template<class Piece, unsigned stores>
__global__ void put(const float* a, float* c, std::size_t records)
{
    constexpr unsigned floats = sizeof(Piece) / sizeof(float);
    const std::size_t i = std::size_t{blockIdx.x} * threads + threadIdx.x;
    if (i < records) {
        const float first = a[i];
        Piece* mine = reinterpret_cast<Piece*>(c) + i * stores;
        for (unsigned k = 0; k < stores; ++k) {
            mine[k] = piece_from<Piece>(first + static_cast<float>(k * floats));
        }
    }
}

template<class Piece, unsigned stores>
__global__ void copy(const float* a, float* c, std::size_t records)
{
    const std::size_t i = std::size_t{blockIdx.x} * threads + threadIdx.x;
    if (i < records) {
        const Piece* from = reinterpret_cast<const Piece*>(a) + i * stores;
        Piece v[stores];
        for (unsigned k = 0; k < stores; ++k) {
            v[k] = from[k];
        }
        Piece* mine = reinterpret_cast<Piece*>(c) + i * stores;
        for (unsigned k = 0; k < stores; ++k) {
            mine[k] = v[k];
        }
    }
}

template<class Piece, unsigned stores>
void run(common::Chapter& chapter)
{
    constexpr unsigned words = stores * sizeof(Piece) / sizeof(float);
    const std::size_t records = std::max<std::size_t>(1, chapter.n() / words);
    common::Arrays<float> p(chapter, {.task = "records", .n = records * words});
    const auto rows = [&](const char* name, auto kernel) {
        const common::Variant row{
            .name = name, .threads = threads, .columns = {{"words", words}, {"stores", stores}}};
        chapter.run(row, p, [&, kernel](cudaStream_t stream) {
            kernel<<<common::blocks(records, threads), threads, 0, stream>>>(p.a, p.c, records);
        });
    };
    p.expect([](const common::Inputs<float>& in, std::size_t i) {
        return in.a[i / words] + static_cast<float>(i % words);
    });
    rows("put", put<Piece, stores>);
    p.expect([](const common::Inputs<float>& in, std::size_t i) { return in.a[i]; });
    rows("copy", copy<Piece, stores>);
}

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    run<float, 2>(chapter);
    run<float, 4>(chapter);
    run<float2, 2>(chapter);
    run<float, 8>(chapter);
    run<float2, 4>(chapter);
    run<float4, 2>(chapter);
    run<float, 16>(chapter);
    run<float2, 8>(chapter);
    run<float4, 4>(chapter);
    return chapter.finish();
}
