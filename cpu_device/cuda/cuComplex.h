/// \file
/// Complex numbers as CUDA's libraries store them: `x` is the real part, `y` the imaginary one.
#pragma once
#pragma GCC system_header

#include "cpu_device/detail/vector_types.hpp"

#include <cmath>

#define CU_COMPLEX_H_

#define CPU_DEVICE_COMPLEX(Complex, Vector, Real, f)                                               \
    using Complex = Vector;                                                                        \
    inline Complex make_##Complex(Real real, Real imaginary)                                       \
    {                                                                                              \
        return make_##Vector(real, imaginary);                                                     \
    }                                                                                              \
    inline Real cuCreal##f(Complex z)                                                              \
    {                                                                                              \
        return z.x;                                                                                \
    }                                                                                              \
    inline Real cuCimag##f(Complex z)                                                              \
    {                                                                                              \
        return z.y;                                                                                \
    }                                                                                              \
    inline Complex cuConj##f(Complex z)                                                            \
    {                                                                                              \
        return make_##Vector(z.x, -z.y);                                                           \
    }                                                                                              \
    inline Complex cuCadd##f(Complex a, Complex b)                                                 \
    {                                                                                              \
        return make_##Vector(a.x + b.x, a.y + b.y);                                                \
    }                                                                                              \
    inline Complex cuCsub##f(Complex a, Complex b)                                                 \
    {                                                                                              \
        return make_##Vector(a.x - b.x, a.y - b.y);                                                \
    }                                                                                              \
    inline Complex cuCmul##f(Complex a, Complex b)                                                 \
    {                                                                                              \
        return make_##Vector(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);                        \
    }                                                                                              \
    inline Complex cuCdiv##f(Complex a, Complex b)                                                 \
    {                                                                                              \
        const Real square = b.x * b.x + b.y * b.y;                                                 \
        return make_##Vector((a.x * b.x + a.y * b.y) / square, (a.y * b.x - a.x * b.y) / square);  \
    }                                                                                              \
    inline Real cuCabs##f(Complex z)                                                               \
    {                                                                                              \
        return std::hypot(z.x, z.y);                                                               \
    }                                                                                              \
    inline Complex cuCfma##f(Complex a, Complex b, Complex c)                                      \
    {                                                                                              \
        return cuCadd##f(cuCmul##f(a, b), c);                                                      \
    }
CPU_DEVICE_COMPLEX(cuFloatComplex, float2, float, f)
CPU_DEVICE_COMPLEX(cuDoubleComplex, double2, double, )
#undef CPU_DEVICE_COMPLEX

using cuComplex = cuFloatComplex;
inline cuComplex make_cuComplex(float real, float imaginary)
{
    return make_cuFloatComplex(real, imaginary);
}
