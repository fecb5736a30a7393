#error "Half precision (cuda_fp16.h) runs on a GPU only; the CPU device cannot build this program."
