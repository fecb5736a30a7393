// 17.1: Scatter within a block through shared memory
// minutes: 15
// difficulty: 2
// practises: scatter and gather, sectors of a store, shared memory in front of the stores
// hint: All elements of the block fill 32 sectors. How many sectors do the stores of its eight
//     warps touch in all, and how often is each sector touched?
// hint: Which thread must store element i so that adjacent threads store adjacent elements? Another
//     thread of its block has loaded that element. Where can it leave the value?
// hint: Scatter into an array of 256 floats in shared memory, at index[i] % 256. After a barrier,
//     which all threads of the block have to reach, thread k stores what lies at k.
#include "chapters/17_gather/indexed.hpp"
#include "common/exercise.hpp"

#include <vector>

void solve(const unsigned* index, const float* a, float* c, std::size_t n);

namespace {

/// A scatter whose indices change places within blocks of 256.
class InBlocks : public Indexed<float>
{
  public:
    explicit InBlocks(const common::Attempt& attempt)
        : Indexed(attempt, attempt.n()), order_(attempt.n(), 256)
    {
        expect_moved(order_, true);
    }

    void poison() override
    {
        Indexed::poison();
        std::vector<unsigned> host(n);
        for (std::size_t i = 0; i < n; ++i) {
            host[i] = static_cast<unsigned>(order_(i));
        }
        CHECK_CUDA(cudaMemcpy(index, host.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice));
    }

  private:
    Shuffle order_;
};

} // namespace

void goals(common::Attempt& attempt)
{
    InBlocks problem(attempt);
    attempt.run(problem, [&] { solve(problem.index, problem.a, problem.c, problem.n); });
    attempt.launches(1);
    attempt.sectors_per_store(4);
    attempt.sectors_per_load(4);
    attempt.stores_at_most(problem.n * sizeof(float));
    attempt.loads_at_most(problem.n * (sizeof(float) + sizeof(unsigned)));
}
