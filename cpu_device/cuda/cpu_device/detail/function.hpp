/// \file
/// How most functions of the CUDA headers are written.
#pragma once
#pragma GCC system_header

/// A function that is one expression.
#define CPU_DEVICE_FUNCTION(Result, name, parameters, ...)                                         \
    [[gnu::always_inline]] inline Result name parameters                                           \
    {                                                                                              \
        return __VA_ARGS__;                                                                        \
    }
