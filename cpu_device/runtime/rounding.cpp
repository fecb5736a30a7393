/// \file
/// Arithmetic in another rounding mode than the host's.
#include "cpu_device/detail/math.hpp"

#include <cfenv>
#include <cmath>

namespace {

constexpr int rd = FE_DOWNWARD;
constexpr int ru = FE_UPWARD;

/// While one lives, arithmetic rounds in that mode.
struct Mode
{
    explicit Mode(int mode) { std::fesetround(mode); }
    ~Mode() { std::fesetround(before); }
    int before = std::fegetround();
};

/// A value of which no compiler knows where it comes from: it moves no arithmetic out of the mode.
template<class T>
T opaque(T value)
{
    volatile T copy = value;
    return copy;
}

} // namespace

#define ROUNDED(Result, name, mode, parameters, value)                                             \
    Result __##name##_##mode parameters                                                            \
    {                                                                                              \
        const Mode own(mode);                                                                      \
        return opaque(value);                                                                      \
    }
#define OPERATIONS(f, Real, mode)                                                                  \
    ROUNDED(Real, f##add, mode, (Real a, Real b), opaque(a) + opaque(b))                           \
    ROUNDED(Real, f##mul, mode, (Real a, Real b), opaque(a) * opaque(b))                           \
    ROUNDED(Real, f##div, mode, (Real a, Real b), opaque(a) / opaque(b))                           \
    ROUNDED(Real, f##sqrt, mode, (Real a), std::sqrt(opaque(a)))
OPERATIONS(f, float, rd)
OPERATIONS(f, float, ru)
OPERATIONS(d, double, rd)
OPERATIONS(d, double, ru)
