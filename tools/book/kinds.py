"""Which kernels are alike, and how far two of a kind can look apart by the model's errors alone.

Each kernel of book/results/at_first_sight is in one line, that of what it does to memory.
"""

import functools
import itertools
import math

from tools.book.numbers import show
from tools.book.results import BookError
from tools.results import accuracy

COMPILED = "_compiled"  # ends the name of a set that was modelled with nvcc's machine code
FEW = 5  # of fewer kernels a line is a warning and no bound
NEARER, FEWER = " †", ", few"  # mark lines of the table

# Far kernels that the model was mended for since, and of which no time of today is kept: whether with machine code alone.
# How far off they are since, these commits say: c2c6741b (softmax_thread), 43316285 (nbody to bfs_step), 2aec39b9 (fir_decimate
# to bit_reverse), eccacd3c (the others).
MENDED = {"softmax_thread": False, "nbody": True, "heat3d_walk": True, "bfs_step": True, "fir_decimate": True,
          "bit_reverse": False, "focal_loss": True, "viterbi": True,
          "hash_build": True, "bond_yields": True}

# What the reader knows a kernel by, and those that the model was shown. Of llm.c they have several sizes of a block.
KINDS = {
    "stream": ("streams, an element or a vector a thread", """
        fill fill4 copy add3 reverse diverge saxpy restrict_x8 consume prefetch4 bias_gelu residual_add adam rope dropout
        gate_half2 to_bfloat gelu_backward multiply_complex lion_step raid6_parity nesterov_step rotary_cached"""),
    "size": ("the same as a stream, in blocks of another size, or little work in all", """
        fill_1024 copy_96 copy_320 copy_768 saxpy_528 batch_scale small_axpy small_norm cache_append gelu_forward_kernel1
        gelu_forward_kernel2 gelu_backward1 gelu_backward2 normalization_kernel lu_update lstm_cell nms_mask"""),
    "part": ("wants a part of each sector, or odd words", """
        every2 every8 every32 particles grey axpy_strided unpack_int4 rgb_to_nv12 hamming cholesky_small parse_decimals
        invert3x3 unpack_bits base64_encode"""),
    "neighbours": ("an output of its neighbours", """
        stencil stencil_64x4 stencil_z box5 halve convolve9 laplace3d jacobi_tile upsample_bilinear im2col stencil9
        heat3d_walk fdtd_magnetic lattice_boltzmann sobel blur_down life wave2d red_black advect moving_mean max_pool
        median3x3 bilateral dilate banded_multiply shallow_water ising_sweep motion_search marching_classify demosaic
        resize_bicubic tile_equalise multigrid_restrict cloth_springs"""),
    "convolution": ("convolutions", "conv3x3_nchw conv3x3_nhwc depthwise3x3 causal_conv fir_decimate autocorrelate"),
    "attention": ("attention: scores, softmax", "attention_scores softmax_online decode_scores causal_softmax"),
    "block_row": ("rows, a block or a warp each", """
        sum_block rms_norm layer_norm_block layer_norm_warp softmax_warp row_max cross_entropy quantise
        matrix_vector_warp group_norm top8_warp int8_matrix_vector integral_rows argmax_rows cosine_pairs scan_blocks
        layer_norm_backward cross_entropy_backward batch_norm_stats dequant_matvec delta_decode scan_single quantise_q8
        sample_vocabulary minimizers
        mean_kernel rstd_kernel layernorm_forward_kernel3 layernorm_forward_kernel4 layernorm_forward_kernel5"""),
    "thread_row": ("rows, a thread each", """
        sum_rows sum_rows_64 softmax_thread crc_chunks symmetric_packed layernorm_forward_kernel1 huffman_decode
        levenshtein_bits"""),
    "column": ("columns, a thread each", """
        sum_columns sum_columns_64 vector_matrix scan_columns channel_max tridiagonal biquad_channels distance_columns
        householder_apply viterbi"""),
    "unequal": ("rows of unequal length", """
        one_long_row sparse_thread sparse_warp sparse_eight sparse_ell hash_texts sparse_blocks
        sparse_sliced paged_values expand_runs"""),
    "stay": ("a sum by blocks that stay", """
        sum_grid sum_grid_132 few_blocks sum_atomic dot_double mean_of_few dot moments bitmap_count focal_loss
        revenue_query"""),
    "count": ("counts, keeps some, or adds by atomics", """
        histogram_64 histogram_256 histogram_shared histogram16 compact histogram_bytes compact_block count_runs
        segment_sums coo_scatter deposit_charge embedding_backward find_text
        route_experts group_totals count_kmers assemble_elements hash_build hough_lines"""),
    "sort": ("sorts: one step of it", "bitonic_step radix_count merge_sorted radix_scatter sort_blocks"),
    "graph": ("graphs", "bfs_step pagerank_pull spread_labels floyd_step count_triangles relax_edges colour_step"),
    "index": ("goes where an index says", """
        gather_256MiB gather_64MiB gather4 scatter embedding embedding_position gather_records hash_lookup bit_reverse
        grid_sample lennard_jones apply_table
        rotate_image dictionary_decode cell_neighbours bloom_probe sph_density sweep_pairs"""),
    "chase": ("each load waits for the one before", """
        lists follow list_sums lower_bound join_chains tree_overlaps random_walks
        voxel_walk"""),
    "matrix": ("products of matrices, dimensions exchanged", """
        multiply multiply_16 multiply_32 transpose_outer permute_heads matmul_naive matmul_tiled matmul_registers
        multiply4x4 transpose_batch multiply_halves pairwise dct8 fft_stage
        batched_halves fft256 gram_tall solve_lower"""),
    "arithmetic": ("arithmetic above all", """
        nbody monte_carlo_pi black_scholes mandelbrot cipher_rounds assign_clusters polynomial binomial_tree lcg_fill
        align_reads sha256_keys ray_spheres asian_paths aes_counter bond_yields eigen_symmetric"""),
}


@functools.lru_cache(maxsize=2)
def first_times(directory):
    """Of each kernel, with machine code or without: modelled over measured at first sight; None where the model had no time."""
    found = {}
    for name in accuracy.AT_FIRST:
        for row in accuracy.load(directory / "at_first_sight" / f"{name}.json").get("rows", []):
            ratio = row["modelled_ms"] / row["measured_ms"] if row["modelled_ms"] else None
            kernel = row["kernel"].partition(" (")[0]  # of which size a block is
            found.setdefault(kernel, {}).setdefault(name.endswith(COMPILED), []).append(ratio)
    return found


def kernels_of(kind):
    if kind not in KINDS:
        raise BookError(f"there is no kind '{kind}'; there are {', '.join(KINDS)}.")
    return KINDS[kind][1].split()


def ratios(directory, kind, compiled=True):
    """(kernel, modelled over measured) of each time of a kind: of those that were tried with machine code, or (compiled=False) of
    all, as where no nvcc is installed. What the model had no time of is left out."""
    times = first_times(directory)
    missing = [name for name in kernels_of(kind) if name not in times]
    if missing:
        raise BookError(f"the model has no first time of {', '.join(missing)}.")
    return [(name, ratio) for name in kernels_of(kind) for ratio in times[name].get(compiled, []) if ratio]


def of_kind(directory, kind, what, compiled=True):
    """Of a kind: how many `kernels` have an error; the `least` and the `largest`; by which `factor` two of them look apart by
    their errors alone, at most, and the `usual` one that nine of ten pairs keep within."""
    chosen = ratios(directory, kind, compiled)
    found = sorted(ratio for _, ratio in chosen)
    pairs = sorted(more / less for less, more in itertools.combinations(found, 2))
    if what == "kernels":
        return len({name for name, _ in chosen})
    return {"least": found[0] - 1, "largest": found[-1] - 1, "factor": found[-1] / found[0],
            "usual": pairs[math.ceil(0.9 * len(pairs)) - 1] if pairs else 1}[what]


def ends(directory, kind, compiled=True):
    """(kernel, modelled over measured) of the one that was the most too fast, and of the one the most too slow."""
    found = sorted(ratios(directory, kind, compiled), key=lambda one: one[1])
    return found[0], found[-1]


def first_error(directory, kernel, compiled=False):
    """Modelled over measured, less 1, of one kernel at first sight."""
    found = first_times(directory).get(kernel, {}).get(compiled, [])
    if len(found) != 1 or found[0] is None:
        raise BookError(f"the model has not one first time of {kernel}.")
    return found[0] - 1


@functools.lru_cache(maxsize=2)
def errors_now(directory):
    """Modelled over measured, less 1, of the kernels of first_sight.cu and breakers.cu as the model has them today."""
    return {row.kernel: row.error for row in accuracy.sights(directory)} | {
        first["kernel"]: now["ms"] / first["measured_ms"] - 1 for first, now in accuracy.breakers(directory) if now}


def is_nearer(directory, kernel, ratio, compiled):
    """True of a kernel whose error is half of that at first sight, or less, by today's model; or that it was mended for."""
    now = errors_now(directory).get(kernel)
    return abs(now) <= abs(ratio - 1) / 2 if now is not None else kernel in MENDED and (compiled or not MENDED[kernel])


def is_few(directory, kind, compiled=False):
    return of_kind(directory, kind, "kernels", compiled) < FEW


def by_factor(directory):
    """The kinds by how uncertain they are without nvcc; at the end those of which few kernels were tried."""
    return sorted(KINDS, key=lambda kind: (is_few(directory, kind), of_kind(directory, kind, "factor", compiled=False)))


def factor(value):
    return show(value, ".1f" if value < 100 else ".0f")


def farthest(directory, kind, compiled):
    """By how much the two farthest look apart, with a mark where one of them is nearer today."""
    nearer = any(is_nearer(directory, *end, compiled) for end in ends(directory, kind, compiled))
    return factor(of_kind(directory, kind, "factor", compiled)) + (NEARER if nearer else "")


def kinds_table(directory):
    """By how much two kernels of a kind look apart though they are not."""
    return [["your kernel", "kernels tried", "*at most*", "with machine code", "*at most* with it"],
            *([KINDS[kind][0], f"{of_kind(directory, kind, 'kernels', False)}" + (FEWER if is_few(directory, kind) else ""),
               farthest(directory, kind, False), f"{of_kind(directory, kind, 'kernels')}",
               "" if is_few(directory, kind, True) else farthest(directory, kind, True)] for kind in by_factor(directory))]


def kernels_table(directory):
    """The kernels of each kind: the most too fast, the most too slow, the others, and those without a time with machine code."""
    lines = []
    for kind in by_factor(directory):
        def far(compiled):
            return [f"`{name}` {show(ratio - 1, '+.0%')}" for name, ratio in ends(directory, kind, compiled)]

        ended = far(False)
        if not is_few(directory, kind, True):
            ended = [f"{one} (with it {other})" for one, other in zip(ended, far(True))]
        named = {name for name, _ in ends(directory, kind, False)}
        times = first_times(directory)
        refused = [f"`{name}`" for name in kernels_of(kind) if times[name].get(True) == [None]]
        none = ["no time with it: " + ", ".join(refused)] if refused else []
        lines.append([KINDS[kind][0], *ended,
                      "; ".join([", ".join(f"`{name}`" for name in kernels_of(kind) if name not in named), *none])])
    return [["kind", "lowest", "highest", "between"], *lines]
