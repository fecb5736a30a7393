#error "The run-time compiler NVRTC runs on a GPU only; the CPU device cannot build this program."
