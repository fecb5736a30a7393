#error                                                                                             \
    "8-bit floating point (cuda_fp8.h) runs on a GPU only; the CPU device cannot build this program."
