"""Kernels in Triton for rows of bfloat16, each over the choices of `CONFIGS`: what torch_peers.py measures next to
PyTorch. A program has so many rows; imported only where Triton is."""

import torch
import triton
import triton.language as tl

CONFIGS = [triton.Config({"ROWS": rows}, num_warps=warps) for rows in (1, 2, 4) for warps in (2, 4, 8, 16)]
LARGEST_FP8 = tl.constexpr(448.0)


@triton.jit
def places(ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    return row, row[:, None] * COLUMNS + tl.arange(0, COLUMNS)[None, :]


@triton.jit
def store_fp8(y, row, at, c, scales):
    scale = tl.max(tl.abs(y), 1) / LARGEST_FP8
    tl.store(scales + row, scale)
    tl.store(c + at, (y / scale[:, None]).to(tl.float8e4nv))


@triton.jit
def normed(x, weight, COLUMNS: tl.constexpr):
    root = tl.rsqrt(tl.sum(x * x, 1) / COLUMNS + 1e-5)
    return x * root[:, None] * tl.load(weight + tl.arange(0, COLUMNS)).to(tl.float32)[None, :]


@triton.autotune(CONFIGS, key=[])
@triton.jit
def softmax_kernel(a, c, COLUMNS: tl.constexpr, ROWS: tl.constexpr):
    row, at = places(ROWS, COLUMNS)
    x = tl.load(a + at, eviction_policy="evict_first").to(tl.float32)
    y = tl.exp(x - tl.max(x, 1)[:, None])
    tl.store(c + at, y / tl.sum(y, 1)[:, None])


@triton.autotune(CONFIGS, key=[])
@triton.jit
def norm_kernel(a, weight, c, COLUMNS: tl.constexpr, ROWS: tl.constexpr):
    row, at = places(ROWS, COLUMNS)
    x = tl.load(a + at, eviction_policy="evict_first").to(tl.float32)
    tl.store(c + at, normed(x, weight, COLUMNS))


@triton.autotune(CONFIGS, key=[])
@triton.jit
def norm_to_fp8_kernel(a, weight, c, scales, COLUMNS: tl.constexpr, ROWS: tl.constexpr):
    row, at = places(ROWS, COLUMNS)
    x = tl.load(a + at, eviction_policy="evict_first").to(tl.float32)
    store_fp8(normed(x, weight, COLUMNS), row, at, c, scales)


@triton.autotune(CONFIGS, key=[])
@triton.jit
def rows_to_fp8_kernel(a, c, scales, COLUMNS: tl.constexpr, ROWS: tl.constexpr):
    row, at = places(ROWS, COLUMNS)
    store_fp8(tl.load(a + at, eviction_policy="evict_first").to(tl.float32), row, at, c, scales)


def of_rows(x):
    return lambda config: (x.shape[0] // config["ROWS"],)


def softmax(x):
    y = torch.empty_like(x)
    softmax_kernel[of_rows(x)](x, y, x.shape[1])
    return y


def norm(x, weight):
    y = torch.empty_like(x)
    norm_kernel[of_rows(x)](x, weight, y, x.shape[1])
    return y


def to_fp8(kernel, x, *weight):
    y = torch.empty_like(x, dtype=torch.float8_e4m3fn)
    scales = torch.empty(x.shape[0], 1, device="cuda")
    kernel[of_rows(x)](x, *weight, y, scales, x.shape[1])
    return y, scales


def norm_to_fp8(x, weight):
    return to_fp8(norm_to_fp8_kernel, x, weight)


def rows_to_fp8(x):
    return to_fp8(rows_to_fp8_kernel, x)
