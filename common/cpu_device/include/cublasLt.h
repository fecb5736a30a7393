#error "cuBLASLt runs on a GPU only; the CPU device cannot build this program."
