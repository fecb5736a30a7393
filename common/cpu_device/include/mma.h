#error "The tensor cores' wmma API runs on a GPU only; the CPU device cannot build this program."
