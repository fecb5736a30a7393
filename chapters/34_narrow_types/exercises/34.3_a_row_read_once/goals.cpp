// 34.3: Quantize with the row in registers
// minutes: 15
// difficulty: 2
// practises: values kept in registers between two passes
// hint: How many values of its row does a thread have, and does it need those of other threads
//     again?
// hint: An array of four floats, with loops whose bounds the compiler knows, stays in registers.
// hint: In the first loop, store the value that is read in v[k / threads]; in the second, scale
//     that.
#include "chapters/34_narrow_types/quantised_rows.hpp"
#include "common/exercise.hpp"

void solve(const __nv_bfloat16* a, __nv_fp8_e4m3* c, float* scale, std::size_t rows);

void goals(common::Attempt& attempt)
{
    QuantisedRows<__nv_fp8_e4m3> problem(
        attempt, {.columns = 512, .rows = attempt.n() / 512 + 1}, [](float x, float largest) {
            return largest > 0 ? x * (largest_number<__nv_fp8_e4m3> / largest) : 0;
        });
    attempt.run(problem, [&] { solve(problem.a, problem.c, problem.scale, problem.rows); });
    attempt.launches(1);
    attempt.loads_at_most(problem.size() * sizeof(__nv_bfloat16));
    attempt.stores_at_most(problem.size() + problem.rows * sizeof(float));
    attempt.sectors_per_load(2);
    attempt.keeps_arrays_in_registers();
    attempt.shared_loads_at_most(4 * 4 * problem.rows); // warps[], by each warp
}
