/// \file
/// Arithmetic in another rounding mode than the host's.
#include "cpu_device/detail/math.hpp"

#include <cfenv>
#include <cmath>

namespace {

constexpr int rd = FE_DOWNWARD;
constexpr int ru = FE_UPWARD;
constexpr int rz = FE_TOWARDZERO;

/// `operation` of the values, in that mode. Volatile: no compiler moves it out of the mode.
template<class Result, class Operation, class... Values>
Result rounded(int mode, Operation operation, Values... values)
{
    const int before = std::fegetround();
    std::fesetround(mode);
    const volatile Result result = operation(static_cast<volatile Values&>(values)...);
    std::fesetround(before);
    return result;
}

} // namespace

#define OPERATIONS(f, Real, fma, mode)                                                             \
    Real __##f##add_##mode(Real a, Real b)                                                         \
    {                                                                                              \
        return rounded<Real>(                                                                      \
            mode, [](volatile Real& x, volatile Real& y) { return x + y; }, a, b);                 \
    }                                                                                              \
    Real __##f##sub_##mode(Real a, Real b)                                                         \
    {                                                                                              \
        return rounded<Real>(                                                                      \
            mode, [](volatile Real& x, volatile Real& y) { return x - y; }, a, b);                 \
    }                                                                                              \
    Real __##f##mul_##mode(Real a, Real b)                                                         \
    {                                                                                              \
        return rounded<Real>(                                                                      \
            mode, [](volatile Real& x, volatile Real& y) { return x * y; }, a, b);                 \
    }                                                                                              \
    Real __##f##div_##mode(Real a, Real b)                                                         \
    {                                                                                              \
        return rounded<Real>(                                                                      \
            mode, [](volatile Real& x, volatile Real& y) { return x / y; }, a, b);                 \
    }                                                                                              \
    Real __##fma##_##mode(Real a, Real b, Real c)                                                  \
    {                                                                                              \
        return rounded<Real>(                                                                      \
            mode,                                                                                  \
            [](volatile Real& x, volatile Real& y, volatile Real& z) {                             \
                return std::fma(Real(x), Real(y), Real(z));                                        \
            },                                                                                     \
            a, b, c);                                                                              \
    }                                                                                              \
    Real __##f##sqrt_##mode(Real a)                                                                \
    {                                                                                              \
        return rounded<Real>(                                                                      \
            mode, [](volatile Real& x) { return std::sqrt(Real(x)); }, a);                         \
    }                                                                                              \
    Real __##f##rcp_##mode(Real a)                                                                 \
    {                                                                                              \
        return rounded<Real>(                                                                      \
            mode, [](volatile Real& x) { return Real(1) / x; }, a);                                \
    }
#define CONVERSION(name, To, From, mode)                                                           \
    To __##name##_##mode(From a)                                                                   \
    {                                                                                              \
        return rounded<To>(                                                                        \
            mode, [](volatile From& x) { return static_cast<To>(x); }, a);                         \
    }
#define ALL(mode)                                                                                  \
    OPERATIONS(f, float, fmaf, mode)                                                               \
    OPERATIONS(d, double, fma, mode)                                                               \
    CONVERSION(double2float, float, double, mode)                                                  \
    CONVERSION(int2float, float, int, mode)                                                        \
    CONVERSION(uint2float, float, unsigned, mode)                                                  \
    CONVERSION(ll2float, float, long long, mode)                                                   \
    CONVERSION(ull2float, float, unsigned long long, mode)                                         \
    CONVERSION(ll2double, double, long long, mode)                                                 \
    CONVERSION(ull2double, double, unsigned long long, mode)

ALL(rd)
ALL(ru)
ALL(rz)
