"""The facts of the page "Pitched allocation: padding matrix rows with cudaMallocPitch"."""

from tools.book.facts import *

page(
    "side",
    needs="03 05",
    afterwards=["allocate and index rows with a pitch", "predict when a pitch gains bandwidth and when it costs bandwidth"],
)

# Predict

dense_1023_columns_sectors_per_load = value(count("dense", "load_sectors_per_request", columns=1023), ".2f")
rows_that_begin_well = choice(
    """How many densely packed rows of 1023 floats begin at a sector boundary?""",
    {
        "all of them": more(5 - dense_1023_columns_sectors_per_load, 0.9),
        "one in two": between(0.4, 5 - dense_1023_columns_sectors_per_load, 0.6),
        "one in four": between(0.2, 5 - dense_1023_columns_sectors_per_load, 0.3),
        "one in eight": between(0.1, 5 - dense_1023_columns_sectors_per_load, 0.15),
        "one in thirty-two": less(5 - dense_1023_columns_sectors_per_load, 0.05),
    },
    right="one in eight",
    fold="""Each row begins four bytes earlier within a sector than the row before, so the ninth is aligned again. The others
touch a fifth sector per request.""",
)
pitched_1023_per_load = count("pitched", "load_sectors_per_request", columns=1023)
sectors_on_average = number(
    """How many sectors does a [request](glossary.md#request) touch on average when such a matrix is copied?""",
    dense_1023_columns_sectors_per_load,
    "0.15",
    unit="sectors",
    fold="""With the pitch it is {pitched_1023_per_load}.""",
)
pitched_1023_gb = gb("pitched", columns=1023)
dense_1023_gb = gb("dense", columns=1023)
pitched_over_dense_1023_columns = pitched_1023_gb / dense_1023_gb
pitched_gain_1023 = value(pitched_over_dense_1023_columns - 1, ".1%")
what_the_pitch_gains = choice(
    """How much faster is this copy with a pitch, if the matrix is much larger than the L2?""",
    {
        "not at all": less(pitched_gain_1023, 0.005),
        "by a few percent": between(0.005, pitched_gain_1023, 0.06),
        "by a tenth": between(0.06, pitched_gain_1023, 0.15),
        "by a fifth": at_least(pitched_gain_1023, 0.15),
    },
    right="by a few percent",
    fold="It gains {pitched_gain_1023}.",
)
pitched_33_gb = gb("pitched", columns=33)
dense_33_columns_gb = gb("dense", columns=33)
pitched_over_dense_33_columns = pitched_33_gb / dense_33_columns_gb
pitched_behind_dense_33 = value(1 - pitched_over_dense_33_columns, ".0%")
rows_of_33 = choice(
    "Would you pad rows of 33 floats?",
    {
        "yes, it is faster": at_least(pitched_over_dense_33_columns, 1.02),
        "it makes no difference": level(pitched_33_gb, dense_33_columns_gb, within=0.02),
        "no, it is slower": at_most(pitched_over_dense_33_columns, 0.98),
    },
    right="no, it is slower",
    fold="The pitch costs {pitched_behind_dense_33} of the bandwidth.",
)

# The kernels

pitched_1023_pitch = count("pitched", "pitch", columns=1023)

# Memory transactions

count_counts = counts(
    "14_pitched_memory",
    where=lambda row: row.variant in ("dense", "pitched"),
    columns="variant, columns, pitch, load_requests, load_sectors_per_request, load_efficiency, distinct_sectors",
)
pitched_33_columns_pitch = count("pitched", "pitch", columns=33)
pitched_over_132_33_pitch = value(pitched_33_columns_pitch / 132, ".1f")
claim(
    "dense rows of 1023 cost a fifth more sectors at least",
    at_least(ratio(count, "dense", "pitched", "load_sectors", columns=1023), 1.2),
    at_least(ratio(count, "dense", "pitched", "store_sectors", columns=1023), 1.2),
)
claim("with a pitch a request takes four sectors", equal(pitched_1023_per_load, 4))
claim(
    "a box behaves as its rows do",
    level(
        count("dense_box", "load_sectors_per_request", columns=1023), dense_1023_columns_sectors_per_load, within=0.01
    ),
    equal(count("pitched_box", "load_sectors_per_request", columns=1023), 4),
)
claim(
    "dense rows hold fewer distinct sectors",
    less(count("dense", "distinct_sectors", columns=1023), count("pitched", "distinct_sectors", columns=1023)),
)
claim(
    "at 1000 columns a pitch changes no count",
    equal(count("dense", "load_sectors", columns=1000), count("pitched", "load_sectors", columns=1000)),
    equal(count("dense", "distinct_sectors", columns=1000), count("pitched", "distinct_sectors", columns=1000)),
)
claim(
    "at 1024 columns there is nothing to pad",
    equal(count("dense", "pitch", columns=1024), count("pitched", "pitch", columns=1024)),
)
claim(
    "at 33 columns a pitch touches a fifth more distinct sectors",
    at_least(ratio(count, "pitched", "dense", "distinct_sectors", columns=33), 1.2),
)

# Results

columns_1023_chart = chart(
    "14_pitched_memory",
    where=lambda row: row.columns == 1023 and row.cache == "cold" and (row.n > 0),
    every_size=True,
    title="Copying rows of 1023 floats",
    name="columns_1023",
)
measure_table = table(
    "14_pitched_memory",
    where=lambda row: row.cache is not None and row.n > 0,
    every_size=True,
    columns="variant, columns, pitch, cold, hot, share, copy",
)
dense_1023_per_load_plain = value(dense_1023_columns_sectors_per_load, None)
pitch_gain_1023 = value(pitched_gain_1023, "+.1%")
dense_1000_per_load = count("dense", "load_sectors_per_request", columns=1000)
pitched_1000_per_load = count("pitched", "load_sectors_per_request", columns=1000)
dense_1000_gb = gb("dense", columns=1000)
pitched_1000_gb = gb("pitched", columns=1000)
pitched_over_dense_1000_columns = pitched_1000_gb / dense_1000_gb
pitched_gain_1000 = value(pitched_over_dense_1000_columns - 1, "+.1%")
dense_1ki_per_load = count("dense", "load_sectors_per_request", columns=1024)
pitched_1ki_per_load = count("pitched", "load_sectors_per_request", columns=1024)
dense_1ki_columns_gb = gb("dense", columns=1024)
pitched_1ki_gb = gb("pitched", columns=1024)
pitched_gain_1ki = value(pitched_1ki_gb / dense_1ki_columns_gb - 1, "+.1%")
dense_33_per_load = count("dense", "load_sectors_per_request", columns=33)
pitched_33_per_load = count("pitched", "load_sectors_per_request", columns=33)
pitched_gain_33 = value(pitched_over_dense_33_columns - 1, "+.1%")
linear_1023_gb = gb("linear", columns=1023)
pitched_vectors_1023_gb = gb("pitched_vectors", columns=1023)
vectors_over_dense = value(pitched_vectors_1023_gb / dense_1023_gb, ".1f")
memcpy_2d_1023_gb = gb("cudaMemcpy2DAsync", columns=1023)
vectors_gain_over_2d = value(pitched_vectors_1023_gb / memcpy_2d_1023_gb - 1, ".0%")
claim("vectors gain more than a half over dense rows", at_least(pitched_vectors_1023_gb / dense_1023_gb, 1.5))
claim("and a quarter over the library", at_least(pitched_vectors_1023_gb / memcpy_2d_1023_gb, 1.25))
claim(
    "a pitch gains one to four percent at 1023 columns",
    between(1.01, pitched_over_dense_1023_columns, 1.04),
    faster(pitched_1023_gb, dense_1023_gb),
)
claim("and as much for a box", between(1.01, ratio(gb, "pitched_box", "dense_box", columns=1023), 1.04))
claim(
    "without rows the copy is a tenth faster at least",
    at_least(linear_1023_gb / pitched_1ki_gb, 1.1),
    at_least(linear_1023_gb / pitched_1023_gb, 1.1),
)
claim("at 33 columns a pitch costs a tenth at least", at_most(pitched_over_dense_33_columns, 0.9))

# Analysis

dense_1023_columns_large_l2_read_sectors = counter("dense", "l2_read_sectors", columns=1023, large=True)
dense_l2_reads_10 = value(dense_1023_columns_large_l2_read_sectors / 10**6, ".1f")
dense_1023_columns_l2_write_requests = counter("dense", "l2_write_requests", columns=1023, large=True)
dense_l2_writes_10 = value(dense_1023_columns_l2_write_requests / 10**6, ".1f")
dense_dram_reads_mb = value(counter("dense", "dram_bytes_read", columns=1023, large=True) / 10**6, ".0f")
dense_dram_writes_mb = value(counter("dense", "dram_bytes_written", columns=1023, large=True) / 10**6, ".0f")
pitched_1023_columns_large_l2_read_sectors = counter("pitched", "l2_read_sectors", columns=1023, large=True)
pitched_l2_reads_10 = value(pitched_1023_columns_large_l2_read_sectors / 10**6, ".1f")
pitched_1023_columns_l2_write_requests = counter("pitched", "l2_write_requests", columns=1023, large=True)
pitched_l2_writes_10 = value(pitched_1023_columns_l2_write_requests / 10**6, ".1f")
pitched_1023_columns_large_dram_read = counter("pitched", "dram_bytes_read", columns=1023, large=True)
pitched_reads_mb = value(pitched_1023_columns_large_dram_read / 10**6, ".0f")
pitched_writes_mb = value(counter("pitched", "dram_bytes_written", columns=1023, large=True) / 10**6, ".0f")
dense_1000_l2_reads_10 = value(counter("dense", "l2_read_sectors", columns=1000, large=True) / 10**6, ".1f")
dense_1000_columns_l2_write_requests = counter("dense", "l2_write_requests", columns=1000, large=True)
dense_1000_l2_writes_10 = value(dense_1000_columns_l2_write_requests / 10**6, ".1f")
dense_1000_reads_mb = value(counter("dense", "dram_bytes_read", columns=1000, large=True) / 10**6, ".0f")
dense_1000_writes_mb = value(counter("dense", "dram_bytes_written", columns=1000, large=True) / 10**6, ".0f")
pitched_1000_l2_reads_10 = value(counter("pitched", "l2_read_sectors", columns=1000, large=True) / 10**6, ".1f")
pitched_1000_columns_l2_write_requests = counter("pitched", "l2_write_requests", columns=1000, large=True)
pitched_1000_l2_writes_10 = value(pitched_1000_columns_l2_write_requests / 10**6, ".1f")
pitched_1000_columns_dram_read = counter("pitched", "dram_bytes_read", columns=1000, large=True)
pitched_1000_reads_mb = value(pitched_1000_columns_dram_read / 10**6, ".0f")
pitched_1000_writes_mb = value(counter("pitched", "dram_bytes_written", columns=1000, large=True) / 10**6, ".0f")
dense_33_columns_l2_read_sectors = counter("dense", "l2_read_sectors", columns=33, large=True)
dense_33_l2_reads_10 = value(dense_33_columns_l2_read_sectors / 10**6, ".1f")
dense_33_columns_l2_write_requests = counter("dense", "l2_write_requests", columns=33, large=True)
dense_33_l2_writes_10 = value(dense_33_columns_l2_write_requests / 10**6, ".1f")
dense_33_columns_large_dram_read = counter("dense", "dram_bytes_read", columns=33, large=True)
dense_33_reads_mb = value(dense_33_columns_large_dram_read / 10**6, ".0f")
dense_33_writes_mb = value(counter("dense", "dram_bytes_written", columns=33, large=True) / 10**6, ".0f")
pitched_33_columns_l2_read_sectors = counter("pitched", "l2_read_sectors", columns=33, large=True)
pitched_33_l2_reads_10 = value(pitched_33_columns_l2_read_sectors / 10**6, ".1f")
pitched_33_columns_l2_write_requests = counter("pitched", "l2_write_requests", columns=33, large=True)
pitched_33_l2_writes_10 = value(pitched_33_columns_l2_write_requests / 10**6, ".1f")
pitched_33_columns_large_dram_read = counter("pitched", "dram_bytes_read", columns=33, large=True)
pitched_33_reads_mb = value(pitched_33_columns_large_dram_read / 10**6, ".0f")
pitched_33_writes_mb = value(counter("pitched", "dram_bytes_written", columns=33, large=True) / 10**6, ".0f")
explain_counters = counters(
    "14_pitched_memory",
    where=lambda row: row.variant in ("linear", "dense", "pitched") and row.columns in (1023, 33),
    columns="variant, columns, load_sectors, l1_load_hit_sectors, l2_read_sectors",
)
columns_l2_answers_sectors = value(
    dense_1023_columns_large_l2_read_sectors / pitched_1023_columns_large_l2_read_sectors - 1, ".0%"
)
l2_writes_over_pitched = value(
    dense_1023_columns_l2_write_requests / pitched_1023_columns_l2_write_requests, ".1f"
)
dense_l1_load_hit_sectors = counter("dense", "l1_load_hit_sectors", columns=1023)
dense_1023_load_sectors = counter("dense", "load_sectors", columns=1023)
claim(
    "dense rows of 1023 read at least a tenth more from L2",
    at_least(ratio(counter, "dense", "pitched", "l2_read_sectors", columns=1023), 1.1),
)
claim(
    "and no more from DRAM",
    level(
        counter("dense", "dram_bytes_read", columns=1023),
        counter("pitched", "dram_bytes_read", columns=1023),
        within=0.02,
    ),
)
claim(
    "L1 catches almost nothing of it",
    less(
        dense_l1_load_hit_sectors,
        0.01 * (dense_1023_load_sectors - counter("pitched", "load_sectors", columns=1023)),
    ),
)
claim(
    "in chapter 15 L1 catches most",
    less(
        0.8
        * (
            counter("read", "load_sectors", offset=11, chapter="15")
            - counter("read", "load_sectors", offset=0, chapter="15")
        ),
        counter("read", "l1_load_hit_sectors", offset=11, chapter="15"),
    ),
)
pitch_gain_1000 = value(pitched_gain_1000, ".1%")
line_time_l2_times = value(dense_1000_columns_l2_write_requests / pitched_1000_columns_l2_write_requests, ".1f")
claim(
    "at 1000 columns the hardware counts the same sectors",
    equal(counter("dense", "load_sectors", columns=1000), counter("pitched", "load_sectors", columns=1000)),
)
claim(
    "and the pitch is ahead all the same",
    between(1, pitched_over_dense_1000_columns, 1.03),
)
predicted_33 = value(3 * 64 + 32, ".0f")
counted_33 = value(pitched_33_columns_large_dram_read / (counter("pitched", "n", columns=33, large=True) / 33), ".0f")
predicted_1000 = value(63 * 64, ".0f")
counted_1000 = value(pitched_1000_columns_dram_read / (counter("pitched", "n", columns=1000, large=True) / 1000), ".0f")
predicted_1023 = value(64 * 64 + 32, ".0f")
counted_1023 = value(
    pitched_1023_columns_large_dram_read / (counter("pitched", "n", columns=1023, large=True) / 1023), ".0f"
)
pitched_reads_over_dense = value(pitched_33_columns_large_dram_read / dense_33_columns_large_dram_read, ".1f")
pitched_ms = ms("pitched", columns=33)
pitched_over_dense = value(pitched_ms / ms("dense", columns=33), ".2f")
peak = device("peak_gb_per_s")
pitched_dram_bytes_33_columns_large = dram_bytes("pitched", columns=33, large=True)
times_dram_moves_peak = value(4 * pitched_dram_bytes_33_columns_large / pitched_ms / 10**6 / peak, ".0%")
claim(
    "what DRAM delivers for a row with a pitch is predicted to a percent",
    between(0.99, counted_33 / 224, 1.01),
    between(0.999, counted_1000 / 4032, 1.001),
    between(0.999, counted_1023 / 4128, 1.001),
)
claim(
    "with the pitch L2 serves no more at 33 columns",
    at_most(pitched_33_columns_l2_read_sectors / dense_33_columns_l2_read_sectors, 1.01),
    at_most(pitched_33_columns_l2_write_requests / dense_33_columns_l2_write_requests, 0.8),
)
claim("DRAM is not full", less(4 * pitched_dram_bytes_33_columns_large / pitched_ms / 10**6, 0.6 * peak))
claim(
    "with a pitch, DRAM is read for three pieces of 64 bytes per row",
    between(185, counter("pitched", "dram_bytes_read", columns=33) / (counter("pitched", "n", columns=33) / 33), 200),
)
claim(
    "without, for its 132 bytes",
    between(130, counter("dense", "dram_bytes_read", columns=33) / (counter("dense", "n", columns=33) / 33), 136),
)
matrix_by_hand_ms = value(ms("matrix_by_hand", cache=None, columns=1023), ".0f")
matrix_by_hand_1ki_columns_gb = gb("matrix_by_hand", cache=None, columns=1024)
long_rows_over_one_piece = value(gb("matrix_by_hand", cache=None, columns=1023) / matrix_by_hand_1ki_columns_gb, ".0%")
short_rows_over_one_piece = value(gb("matrix_by_hand", cache=None, columns=33) / matrix_by_hand_1ki_columns_gb, ".0%")
claim(
    "rows of 4 KiB cost the link less than a third of its rate, rows of 132 bytes more",
    at_least(long_rows_over_one_piece, 0.67),
    at_least(gb("box_by_hand", cache=None, columns=1023) / matrix_by_hand_1ki_columns_gb, 0.67),
    at_most(short_rows_over_one_piece, 0.75),
)
claim(
    "misplaced rows take more write requests for the same sectors",
    at_least(line_time_l2_times, 1.5),
    at_most(
        ratio(counter, "dense", "pitched", "l2_write_sectors", columns=1000, large=True),
        1.01,
    ),
)
claim(
    "DRAM moves as many bytes at 1023 columns with and without the pitch",
    level(dram_bytes("dense", columns=1023, large=True), dram_bytes("pitched", columns=1023, large=True), within=0.03),
)
memcpy_2d_1023_copy_share = value(copy_share("cudaMemcpy2DAsync", columns=1023), ".0%")
vectors_copy_share = value(copy_share("pitched_vectors", columns=1023), ".0%")
memcpy_2d_1ki_copy_share = value(copy_share("cudaMemcpy2DAsync", columns=1024), ".0%")
claim(
    "the library's copy by rows is behind its plain copy",
    less(memcpy_2d_1023_copy_share, 0.85),
    less(memcpy_2d_1ki_copy_share, 0.85),
)
claim(
    "with narrow rows it is behind the kernel",
    at_most(gb("cudaMemcpy2DAsync", columns=33) / pitched_33_gb, 0.97),
)

# The shape of the block is worth more than a pitch

linear_1ki_pieces_gb = gb("linear", chapter="claim_row_pieces", columns=1024)
dense_32x8_gb = gb("dense", chapter="claim_row_pieces", columns=1024, block="32x8")
dense_64x4_gb = gb("dense", chapter="claim_row_pieces", columns=1024, block="64x4")
dense_1ki_columns_32x8_ms = ms("dense", chapter="claim_row_pieces", columns=1024, block="32x8")
dense_32x8_over_64x4_1ki_columns_time = dense_1ki_columns_32x8_ms / ms(
    "dense", chapter="claim_row_pieces", columns=1024, block="64x4"
)
over_32_x_64_x_4 = value(dense_32x8_over_64x4_1ki_columns_time - 1, "+.0%")
row_pieces_128x2 = dict(chapter="claim_row_pieces", block="128x2")
dense_128x2_gb = gb("dense", columns=1024, **row_pieces_128x2)
dense_32x8_over_128x2_1ki_columns_time = dense_1ki_columns_32x8_ms / ms("dense", columns=1024, **row_pieces_128x2)
over_32_x_128_x_2 = value(dense_32x8_over_128x2_1ki_columns_time - 1, "+.0%")
dense_256x1_gb = gb("dense", chapter="claim_row_pieces", columns=1024, block="256x1")
dense_1ki_columns_256x1_ms = ms("dense", chapter="claim_row_pieces", columns=1024, block="256x1")
dense_32x8_over_256x1_1ki_columns_time = dense_1ki_columns_32x8_ms / dense_1ki_columns_256x1_ms
over_32_x_256_x_1 = value(dense_32x8_over_256x1_1ki_columns_time - 1, "+.0%")
linear_1ki_columns_gb = gb("linear", columns=1024)
linear_gain_1ki = value(linear_1ki_columns_gb / dense_1ki_columns_gb - 1, ".0%")
linear_8ki_ms = value(ms("linear", chapter="claim_row_pieces", columns=8192), ".3f")
per_sms_times_8 = value(2**20 / (device("multiprocessors") * 8), ".0f")
dense_8ki_columns_256x1_ms = ms("dense", chapter="claim_row_pieces", columns=8192, block="256x1")
dense_256_x_1 = value((dense_8ki_columns_256x1_ms - linear_8ki_ms) * 1000000.0 / (2**20 / (132 * 8)), ".0f")
dense_short_256x1_ms = ms("dense_short", chapter="claim_row_pieces", columns=8192, block="256x1")
computing_256_x_1 = value((dense_short_256x1_ms - linear_8ki_ms) * 1000000.0 / (2**20 / (132 * 8)), ".0f")
dense_128_x_2 = value(
    (ms("dense", columns=8192, **row_pieces_128x2) - linear_8ki_ms) * 1000000.0 / (2**20 / (132 * 8)),
    ".0f",
)
computing_128_x_2 = value(
    (ms("dense_short", columns=8192, **row_pieces_128x2) - linear_8ki_ms) * 1000000.0 / (2**20 / (132 * 8)),
    ".0f",
)
dense_8ki_columns_64x4_ms = ms("dense", chapter="claim_row_pieces", columns=8192, block="64x4")
dense_64_x_4 = value((dense_8ki_columns_64x4_ms - linear_8ki_ms) * 1000000.0 / (2**20 / (132 * 8)), ".0f")
dense_short_64x4_ms = ms("dense_short", chapter="claim_row_pieces", columns=8192, block="64x4")
computing_64_x_4 = value((dense_short_64x4_ms - linear_8ki_ms) * 1000000.0 / (2**20 / (132 * 8)), ".0f")
dense_8ki_columns_32x8_ms = ms("dense", chapter="claim_row_pieces", columns=8192, block="32x8")
dense_32_x_8 = value((dense_8ki_columns_32x8_ms - linear_8ki_ms) * 1000000.0 / (2**20 / (132 * 8)), ".0f")
dense_short_32x8_ms = ms("dense_short", chapter="claim_row_pieces", columns=8192, block="32x8")
computing_32_x_8 = value((dense_short_32x8_ms - linear_8ki_ms) * 1000000.0 / (2**20 / (132 * 8)), ".0f")
computing_less_saves_32x8_ms = dense_8ki_columns_32x8_ms - dense_short_32x8_ms
computing_costs = value(computing_less_saves_32x8_ms * 1000000.0 / (2**20 / (132 * 8)), ".0f")
dense_32x8_minus_64x4_8ki_columns_ms = dense_8ki_columns_32x8_ms - dense_8ki_columns_64x4_ms
pieces_of_128_over_256_ns = value(dense_32x8_minus_64x4_8ki_columns_ms * 1000000.0 / (2**20 / (132 * 8)), ".0f")
dense_32x8_minus_256x1_8ki_columns_ms = dense_8ki_columns_32x8_ms - dense_8ki_columns_256x1_ms
pieces_of_128_over_1024_ns = value(dense_32x8_minus_256x1_8ki_columns_ms * 1000000.0 / (2**20 / (132 * 8)), ".0f")
dense_32x8_over_64x4_8ki_columns_time = dense_8ki_columns_32x8_ms / dense_8ki_columns_64x4_ms
claim(
    "pieces of 128 bytes cost more than those of 256 and of 1024",
    more(dense_32x8_minus_256x1_8ki_columns_ms, 0),
    more(dense_32x8_minus_64x4_8ki_columns_ms, 0),
    more(dense_short_32x8_ms - dense_short_64x4_ms, 0),
)
claim(
    "computing less saves time whatever the pieces",
    more(computing_less_saves_32x8_ms, 0),
    more(dense_8ki_columns_256x1_ms - dense_short_256x1_ms, 0),
)
claim(
    "several rows per thread gain more than wide blocks",
    at_most(dense_32x8_over_64x4_1ki_columns_time, 1.08),
    at_least(dense_32x8_over_128x2_1ki_columns_time, 1.15),
    at_least(dense_32x8_over_256x1_1ki_columns_time, 1.25),
    at_least(parameter("dense", "rows_per_thread", chapter="claim_row_pieces", columns=1024, block="256x1"), 4),
)
claim(
    "with four rows per thread it is ahead of the array",
    at_most(dense_1ki_columns_256x1_ms / ms("linear", chapter="claim_row_pieces", columns=1024), 0.97),
)
claim(
    "the library by rows is ahead of the array of one float per thread",
    faster(gb("cudaMemcpy2DAsync", columns=1023), linear_1023_gb),
    faster(gb("cudaMemcpy2DAsync", columns=1024), linear_1ki_columns_gb),
)
claim(
    "at 1024 columns the counters agree",
    level(
        counter("dense", "l2_read_sectors", columns=1024),
        counter("linear", "l2_read_sectors", columns=1024),
        within=0.03,
    ),
    level(
        counter("dense", "dram_bytes_read", columns=1024),
        counter("linear", "dram_bytes_read", columns=1024),
        within=0.01,
    ),
    equal(counter("dense", "load_sectors", columns=1024), counter("linear", "load_sectors", columns=1024)),
)
claim("and the kernel by rows is a tenth slower", at_most(dense_1ki_columns_gb / linear_1ki_columns_gb, 0.9))
claim("at 1024 columns both layouts tie", level(dense_1ki_columns_gb, pitched_1ki_gb, within=0.01))

# What to do with your matrix

linear_gain_33 = value(gb("linear", columns=33) / dense_33_columns_gb - 1, ".0%")
works_wide_rows_gains = value(dense_32x8_over_64x4_8ki_columns_time - 1, ".0%")
over_32_x_64_x_4_percent = value(over_32_x_64_x_4, ".0%")
over_32_x_256_x_1_percent = value(over_32_x_256_x_1, ".0%")
works_rows_1023_16_gains = value(pitched_vectors_1023_gb / dense_1023_gb - 1, ".0%")
vectors_gain_33 = value(gb("pitched_vectors", columns=33) / dense_33_columns_gb - 1, ".0%")
works_rows_1023_16_memory = value(pitched_1023_pitch / (4 * 1023) - 1, ".1%")
works_rows_1000_memory = value(count("pitched", "pitch", columns=1000) / (4 * 1000) - 1, ".1%")
works_rows_33_memory = value(pitched_33_columns_pitch / (4 * 33) - 1, ".0%")

# Experiments

rows_of_1016 = change(
    """
- {1023u, 1000u, 1024u, 33u}
+ {1023u, 1016u, 1012u, 1000u, 1024u, 33u}
$ ./run 14 --device cpu --variant dense --variant pitched
holds 3.95 < count('dense', 'load_sectors_per_request', columns=1016) == count('pitched', 'load_sectors_per_request', columns=1016) <= 4
holds 4.4 < count('dense', 'load_sectors_per_request', columns=1012) < 4.5
holds 3.95 < count('pitched', 'load_sectors_per_request', columns=1012) < 4
"""
)
two_rows_per_warp = change(
    """
in grid.cuh
- const dim3 block(32, threads / 32);
+ const dim3 block(16, threads / 16);
$ ./run 14 --device cpu --variant dense --variant pitched
holds 3.95 < count('pitched', 'load_sectors_per_request', columns=1023) <= 4
holds 5.65 < count('dense', 'load_sectors_per_request', columns=1023) < 5.75
"""
)
a_pitch_taken_for_elements = change(
    """
in matrix.cuh
- const std::size_t stride = pitch / sizeof(float); // a pitch is in bytes
+ const std::size_t stride = pitch;
$ ./run 14 --device cpu --variant dense --variant pitched
status 6
shows kernel copy_matrix
shows past the end
"""
)
