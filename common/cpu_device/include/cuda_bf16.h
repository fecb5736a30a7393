#error "bfloat16 (cuda_bf16.h) runs on a GPU only; the CPU device cannot build this program."
