"""The facts of the page "Array of structures vs. structure of arrays"."""

from tools.book.facts import *

page(
    "side",
    needs="03 05",
    afterwards=[
        "choose between an array of structures and a structure of arrays",
        "predict the bytes that each moves for the fields used",
    ],
)

# Predict

aos_fields_4_sectors_per_load = count("aos", "load_sectors_per_request", fields=4, used=4)
the_first_field = choice(
    """A [warp](glossary.md#warp) loads the first field of its 32 records. How many
[sectors](glossary.md#sector) does it touch in an array of structures, and in a structure of arrays?""",
    {
        "4 and 4": equal(aos_fields_4_sectors_per_load, 4),
        "8 and 4": equal(aos_fields_4_sectors_per_load, 8),
        "16 and 4": both(
            equal(aos_fields_4_sectors_per_load, 16),
            equal(count("soa", "load_sectors_per_request", fields=4, used=4), 4),
        ),
        "32 and 4": equal(aos_fields_4_sectors_per_load, 32),
    },
    right="16 and 4",
    fold="A record is 16 bytes, so two of them share a sector.",
)
aos_used_4_gb = gb("aos", fields=4, used=4)
soa_used_4_gb = gb("soa", fields=4, used=4)
soa_over_aos_used_4 = soa_used_4_gb / aos_used_4_gb
all_four_fields = choice(
    """The kernel uses all four fields. How much slower is the array of structures?""",
    {
        "not slower at all": at_most(soa_over_aos_used_4, 1.02),
        "by a few percent": between(1.02, soa_over_aos_used_4, 1.3),
        "by a factor of two": between(1.3, soa_over_aos_used_4, 3),
        "by a factor of four": at_least(soa_over_aos_used_4, 3),
    },
    right="not slower at all",
    fold="""The array of structures reaches {aos_used_4_gb} GB/s, the structure of
arrays {soa_used_4_gb}.""",
)
soa_fields_8_used_1_gb = gb("soa", fields=8, used=1)
aos_fields_8_used_1_gb = gb("aos", fields=8, used=1)
soa_over_aos_8_used_1 = value(soa_fields_8_used_1_gb / aos_fields_8_used_1_gb, ".1f")
one_field_of_eight = number(
    "The kernel uses one field of eight. How many times slower is the array of structures?",
    soa_over_aos_8_used_1,
    "a factor of 1.4",
    fold="""The structure of arrays reaches {soa_fields_8_used_1_gb} GB/s, the array of
structures {aos_fields_8_used_1_gb}.""",
)

# Memory transactions

aligned_used_8_ms = value(ms("aligned", fields=8, used=8), ".2f")
count_counts = counts(
    "16_data_layout",
    where=lambda row: row.used == row.fields > 0,
    columns="variant, fields, load_requests, load_sectors, load_sectors_per_request, load_efficiency",
)
aos_fields_2_per_load = count("aos", "load_sectors_per_request", fields=2, used=2)
soa_fields_8_per_load = count("soa", "load_sectors_per_request", fields=8, used=8)
claim(
    "a record in one piece takes four sectors a field and request",
    equal(aos_fields_2_per_load, 8),
    equal(aos_fields_4_sectors_per_load, 16),
    equal(count("aos", "load_sectors_per_request", fields=8, used=8), 32),
)
claim(
    "a field in one piece takes four sectors, tiled or not",
    equal(
        soa_fields_8_per_load,
        count("aosoa", "load_sectors_per_request", fields=8, used=8),
        count("soa", "load_sectors_per_request", fields=2, used=2),
        4,
    ),
)
aos_access = access("16_data_layout", "aos", title="Array of structures: one field of 32 records of two floats")
aosoa_access = access("16_data_layout", "aosoa", title="Tiles of 32 records: one field of 32 records")
aligned_load_efficiency = value(count("aligned", "load_efficiency", fields=8, used=8), ".0%")
soa_fields_4_load_requests = count("soa", "load_requests", fields=4, used=4)
aligned_load_requests = count("aligned", "load_requests", fields=4, used=4)
four_fields_times = soa_fields_4_load_requests / aligned_load_requests
claim(
    "the counts are of 2^20 floats, whatever the record",
    equal(
        32 * count("soa", "load_requests", fields=2, used=2),
        32 * soa_fields_4_load_requests,
        32 * count("soa", "load_requests", fields=8, used=8),
        2**20,
    ),
)
claim(
    "an aligned record of four floats takes the sectors of arrays in a quarter of the requests",
    equal(count("aligned", "load_sectors", fields=4, used=4), count("soa", "load_sectors", fields=4, used=4)),
    equal(4 * aligned_load_requests, soa_fields_4_load_requests),
)
claim(
    "two accesses of 16 bytes use half of each sector of a record of eight floats", equal(aligned_load_efficiency, 0.5)
)
count_counts_2 = counts(
    "16_data_layout",
    where=lambda row: row.used == 1,
    columns="variant, fields, load_requests, load_sectors, load_sectors_per_request, load_efficiency",
)
aos_load_efficiency = value(count("aos", "load_efficiency", fields=8, used=1), ".1%")
claim(
    "alignment does nothing for one field",
    equal(count("aligned", "load_sectors", fields=8, used=1), count("aos", "load_sectors", fields=8, used=1)),
    equal(count("aligned", "load_sectors", fields=2, used=1), count("aos", "load_sectors", fields=2, used=1)),
)

# Results

all_chart = chart(
    "16_data_layout",
    where=lambda row: row.used == row.fields > 0,
    x="fields",
    lines="variant",
    name="all",
    title="All fields of a record used",
)
measure_table = table(
    "16_data_layout",
    where=lambda row: row.used == row.fields > 0,
    columns="variant, fields, ms, cold, hot, share, copy",
)
aos_used_2_gb = gb("aos", fields=2, used=2)
aos_over_soa_used_2 = aos_used_2_gb / gb("soa", fields=2, used=2)
aos_gain_over_soa_used_2 = value(aos_over_soa_used_2 - 1, ".0%")
soa_used_8_gb = gb("soa", fields=8, used=8)
aos_used_8_gb = gb("aos", fields=8, used=8)
soa_over_aos_used_8 = value(soa_used_8_gb / aos_used_8_gb, ".1f")
aligned_fields_8_used_8_gb = gb("aligned", fields=8, used=8)
aligned_over_soa_used_8 = value(aligned_fields_8_used_8_gb / soa_used_8_gb, ".0%")
claim(
    "the model has the array of structures behind",
    less(modelled("soa", fields=2, used=2, n=2**27), modelled("aos", fields=2, used=2, n=2**27)),
    less(modelled("soa", fields=4, used=4, n=2**26), modelled("aos", fields=4, used=4, n=2**26)),
)
claim("with two fields the array of structures is ahead", at_least(aos_over_soa_used_2, 1.01))
claim("with four fields it is ahead, too", faster(aos_used_4_gb, soa_used_4_gb))
claim("with eight it collapses", at_most(aos_used_8_gb / soa_used_8_gb, 0.4))
claim("moved whole, the same array is three times as fast", at_least(aligned_fields_8_used_8_gb / aos_used_8_gb, 2.5))
one_chart = chart(
    "16_data_layout",
    where=lambda row: row.used == 1 and row.variant != "aligned",
    x="fields",
    lines="variant",
    name="one",
    title="One field of a record used",
)
measure_table_2 = table(
    "16_data_layout", where=lambda row: row.used == 1, columns="variant, fields, ms, cold, hot, share, copy"
)
soa_fields_2_used_1_gb = gb("soa", fields=2, used=1)
aos_fields_2_used_1_gb = gb("aos", fields=2, used=1)
soa_over_aos_2_used_1 = value(soa_fields_2_used_1_gb / aos_fields_2_used_1_gb, ".1f")
soa_fields_4_used_1_gb = gb("soa", fields=4, used=1)
soa_over_aos_4_used_1 = value(soa_fields_4_used_1_gb / gb("aos", fields=4, used=1), ".1f")
aosoa_over_soa_used_1_fields_8 = gb("aosoa", fields=8, used=1) / soa_fields_8_used_1_gb
aosoa_behind_soa_1_of_8 = value(1 - aosoa_over_soa_used_1_fields_8, ".0%")
claim("one field of two, SoA is well ahead", at_least(soa_over_aos_2_used_1, 1.6))
claim("one field of eight, SoA is seven times as fast", at_least(soa_over_aos_8_used_1, 6))
claim(
    "alignment gains nothing for one field",
    level(gb("aligned", fields=8, used=1), aos_fields_8_used_1_gb, within=0.02),
    level(gb("aligned", fields=2, used=1), aos_fields_2_used_1_gb, within=0.02),
)
claim(
    "tiles are behind arrays for one field, by less than a tenth or so",
    between(0.85, aosoa_over_soa_used_1_fields_8, 1),
    between(0.85, gb("aosoa", fields=2, used=1) / soa_fields_2_used_1_gb, 1),
)

# All fields: L1 serves the loads of long records but merges few stores

aos_fields_8_used_8_large_load_sectors = counter("aos", "load_sectors", fields=8, used=8, large=True)
aos_loads_ask = value(aos_fields_8_used_8_large_load_sectors / 2 / 1000000.0, ".0f")
aos_large_l1_load_hit_sectors = counter("aos", "l1_load_hit_sectors", fields=8, used=8, large=True)
aos_hit_l1 = value(aos_large_l1_load_hit_sectors / 2 / 1000000.0, ".0f")
aos_read_l2 = value(counter("aos", "l2_read_sectors", fields=8, used=8, large=True) / 2 / 1000000.0, ".0f")
aos_fields_8_large_l2_write_sectors = counter("aos", "l2_write_sectors", fields=8, used=8, large=True)
aos_written_l2 = value(aos_fields_8_large_l2_write_sectors / 2 / 1000000.0, ".0f")
aligned_loads_ask = value(counter("aligned", "load_sectors", fields=8, used=8, large=True) / 2 / 1000000.0, ".0f")
aligned_hit_l1 = value(counter("aligned", "l1_load_hit_sectors", fields=8, used=8, large=True) / 2 / 1000000.0, ".0f")
aligned_read_l2 = value(counter("aligned", "l2_read_sectors", fields=8, used=8, large=True) / 2 / 1000000.0, ".0f")
aligned_large_l2_write_sectors = counter("aligned", "l2_write_sectors", fields=8, used=8, large=True)
aligned_written_l2 = value(aligned_large_l2_write_sectors / 2 / 1000000.0, ".0f")
soa_loads_ask = value(counter("soa", "load_sectors", fields=8, used=8, large=True) / 2 / 1000000.0, ".0f")
soa_hit_l1 = value(counter("soa", "l1_load_hit_sectors", fields=8, used=8, large=True) / 2 / 1000000.0, ".0f")
soa_read_l2 = value(counter("soa", "l2_read_sectors", fields=8, used=8, large=True) / 2 / 1000000.0, ".0f")
soa_fields_8_large_l2_write_sectors = counter("soa", "l2_write_sectors", fields=8, used=8, large=True)
soa_written_l2 = value(soa_fields_8_large_l2_write_sectors / 2 / 1000000.0, ".0f")
aosoa_over_2_load_sectors_millions = value(
    counter("aosoa", "load_sectors", fields=8, used=8, large=True) / 2 / 1000000.0, ".0f"
)
aosoa_hit_l1 = value(counter("aosoa", "l1_load_hit_sectors", fields=8, used=8, large=True) / 2 / 1000000.0, ".0f")
aosoa_read_l2 = value(counter("aosoa", "l2_read_sectors", fields=8, used=8, large=True) / 2 / 1000000.0, ".0f")
aosoa_written_l2 = value(counter("aosoa", "l2_write_sectors", fields=8, used=8, large=True) / 2 / 1000000.0, ".0f")
all_fields_counters = counters(
    "16_data_layout",
    large=True,
    where=lambda row: row.used == row.fields == 8,
    columns="variant, l2_read_sectors, l2_write_sectors, dram_bytes_read, dram_bytes_written",
)
eight_fields_sectors = value(aos_large_l1_load_hit_sectors / aos_fields_8_used_8_large_load_sectors, ".1%")
aos_l1_wavefronts = counter("aos", "l1_wavefronts", fields=8, used=8, large=True)
l1_data_pipe_wavefronts = value(
    aos_l1_wavefronts
    / (
        counter("aos", "load_requests", fields=8, used=8, large=True)
        + counter("aos", "store_requests", fields=8, used=8, large=True)
    ),
    ".1f",
)
cycle_those_gib = value(aos_l1_wavefronts / 2 * ns("banks", chapter="25", degree=32) / 32 / 1000000.0, ".2f")
aos_used_8_ms = value(ms("aos", fields=8, used=8), ".2f")
claim(
    "L1 serves all fields but the first",
    between(
        0.86,
        counter("aos", "l1_load_hit_sectors", fields=8, used=8) / counter("aos", "load_sectors", fields=8, used=8),
        0.89,
    ),
)
claim(
    "L2 is read as often in every layout",
    level(
        counter("aos", "l2_read_sectors", fields=8, used=8),
        counter("soa", "l2_read_sectors", fields=8, used=8),
        within=0.03,
    ),
)
claim(
    "DRAM is read once in every layout", less(counter("aos", "dram_bytes_read", fields=8, used=8), 1.01 * 4 * 2**20)
)
aos_written_l2_over = value(
    ratio(counter, "aos", "soa", "l2_write_sectors", fields=2, used=2, large=True),
    ".2f",
)
aos_4_written_l2_over = value(
    ratio(counter, "aos", "soa", "l2_write_sectors", fields=4, used=4, large=True),
    ".2f",
)
aos_8_written_l2_over = value(aos_fields_8_large_l2_write_sectors / soa_fields_8_large_l2_write_sectors, ".1f")
aligned_written_l2_over = value(aligned_large_l2_write_sectors / soa_fields_8_large_l2_write_sectors, ".2f")
aos_fields_8_l2_write_requests = counter("aos", "l2_write_requests", fields=8, used=8, large=True)
those_aos_come_million = value(aos_fields_8_l2_write_requests / 2**26 * 2**28 / 8 / 10**6, ".0f")
sectors_l2_ms = value(ms("sectors_l2", stored=4, chapter="24"), ".3f")
partial_lines_per_ns = value(2**23 / sectors_l2_ms / 10**6, ".0f")
per_scatter_in_4mib_ms = value(
    2**28 / ms("scatter", chapter="17", indices="in 4 MiB", element_bytes=4) / 10**6, ".0f"
)
aos_fields_4_l2_write_requests = counter("aos", "l2_write_requests", fields=4, used=4, large=True)
aos_requests = value(aos_fields_4_l2_write_requests / 2**26 * 2**28 / 4 / 10**6, ".1f")
aos_l2_busy_ms = value(aos_fields_4_l2_write_requests / 2**26 * 2**28 / 4 * sectors_l2_ms / 2**23, ".2f")
aos_used_4_ms = value(ms("aos", fields=4, used=4), ".2f")
aos_2_l2_write_requests = 2 * counter("aos", "l2_write_requests", fields=2, used=2, large=True)
aos_2_requests = value(aos_2_l2_write_requests / 10**6, ".1f")
aos_2_l2_busy_ms = value(aos_2_l2_write_requests * sectors_l2_ms / 2**23, ".2f")
aos_used_2_ms = value(ms("aos", fields=2, used=2), ".2f")
aos_come_million_tenths = value(those_aos_come_million, ".1f")
aos_8_l2_busy_ms = value(aos_fields_8_l2_write_requests / 2**26 * 2**28 / 8 * sectors_l2_ms / 2**23, ".2f")
aligned_l2_write_requests = counter("aligned", "l2_write_requests", fields=8, used=8, large=True)
aligned_requests = value(aligned_l2_write_requests / 2**26 * 2**28 / 8 / 10**6, ".1f")
aligned_l2_busy_ms = value(aligned_l2_write_requests / 2**26 * 2**28 / 8 * sectors_l2_ms / 2**23, ".2f")
aos_l2_busy_used_8 = value(aos_8_l2_busy_ms / aos_used_8_ms, ".0%")
claim(
    "of records of eight floats four sectors come to a request",
    between(3.8, aos_fields_8_large_l2_write_sectors / aos_fields_8_l2_write_requests, 4.1),
)
claim(
    "parts of sectors keep the L2 busy for nine tenths of the time with eight fields, and not with four or moved whole",
    between(0.85, aos_l2_busy_used_8, 1),
    at_most(aos_l2_busy_ms / aos_used_4_ms, 0.75),
    at_most(aligned_l2_busy_ms / aligned_used_8_ms, 0.8),
)
claim(
    "records of eight floats take eight wavefronts, as their banks have it, and these are less than a third of the time",
    between(7.5, l1_data_pipe_wavefronts, 9),
    at_most(cycle_those_gib / aos_used_8_ms, 0.33),
)
soa_fields_8_l2_write_sectors = counter("soa", "l2_write_sectors", fields=8, used=8)
claim(
    "eight stores of four bytes reach L2 in pieces",
    at_least(counter("aos", "l2_write_sectors", fields=8, used=8) / soa_fields_8_l2_write_sectors, 3),
)
claim(
    "four do so a little",
    between(
        1.2,
        ratio(counter, "aos", "soa", "l2_write_sectors", fields=4, used=4),
        1.6,
    ),
)
claim(
    "two do not",
    at_most(
        ratio(counter, "aos", "soa", "l2_write_sectors", fields=2, used=2),
        1.02,
    ),
)
claim(
    "nor do two stores of 16 bytes",
    at_most(counter("aligned", "l2_write_sectors", fields=8, used=8) / soa_fields_8_l2_write_sectors, 1.02),
)
aos_dram_bytes_fields_2_used_2_large = dram_bytes("aos", fields=2, used=2, large=True)
soa_dram_bytes_fields_2_used_2_large = dram_bytes("soa", fields=2, used=2, large=True)
dram_reads_writes_times = value(aos_dram_bytes_fields_2_used_2_large / soa_dram_bytes_fields_2_used_2_large, ".3f")
aos_used_1_dram_read = counter("aos", "dram_bytes_read", fields=4, used=1, large=True)
aos_used_4_dram_read = counter("aos", "dram_bytes_read", fields=4, used=4, large=True)
claim("what is written in part is read first", between(1.9, aos_used_1_dram_read / aos_used_4_dram_read, 2.1))
claim(
    "the lead of one piece is not one of bytes",
    level(aos_dram_bytes_fields_2_used_2_large, soa_dram_bytes_fields_2_used_2_large, within=0.005),
    level(gb("aosoa", fields=2, used=2), aos_used_2_gb, within=0.02),
)
claim(
    "at full size eight narrow stores are six times the writes, two wide ones less than one and a half",
    more(aos_8_written_l2_over, 5),
    at_most(aligned_written_l2_over, 1.5),
)

# One field: DRAM moves whole arrays

aos_2_used_1_ms = value(ms("aos", fields=2, used=1), ".3f")
aos_4_used_1_ms = value(ms("aos", fields=4, used=1), ".3f")
aos_8_used_1_ms = value(ms("aos", fields=8, used=1), ".3f")
claim("one field of any record takes the same time", level(aos_8_used_1_ms, aos_2_used_1_ms, within=0.03))

# Updating one field takes longer than updating all

aos_used_4_ms_mills = value(aos_used_4_ms, ".3f")
aos_fields_4_used_1_over_used_4_time = aos_4_used_1_ms / aos_used_4_ms
does_quarter_work_longer = value(aos_fields_4_used_1_over_used_4_time - 1, ".0%")
aos_4_read_gib = value(aos_used_4_dram_read / GiB, ".2f")
aos_4_written_gib = value(counter("aos", "dram_bytes_written", fields=4, used=4, large=True) / GiB, ".2f")
aos_1_read_gib = value(aos_used_1_dram_read / GiB, ".2f")
aos_1_written_gib = value(counter("aos", "dram_bytes_written", fields=4, used=1, large=True) / GiB, ".2f")
array_time_kernel_peak = value(3 * 2**30 / aos_4_used_1_ms / 10**6 / device("peak_gb_per_s"), ".0%")
claim("one field takes longer than all four", at_least(aos_fields_4_used_1_over_used_4_time, 1.3))
claim("and than both of two", at_least(aos_2_used_1_ms / ms("aos", fields=2, used=2), 1.2))
claim("three times the array is what a full memory moves in that time", between(0.88, array_time_kernel_peak, 0.97))
soa_used_1_share = value(share("soa", fields=4, used=1), ".0%")
soa_used_4_share = value(share("soa", fields=4, used=4), ".0%")
element_gb = gb("element", unit=4, n=2**28, chapter="06")
claim("one field of arrays is behind all four", at_most(soa_fields_4_used_1_gb / soa_used_4_gb, 0.75))
claim("it does what four bytes per thread do in chapter 06", level(soa_fields_4_used_1_gb, element_gb, within=0.1))

# Which layout to choose

aos_4_used_1_ms_cents = value(aos_4_used_1_ms, ".2f")
aos_used_4_and_1_ms = value(aos_used_4_ms + aos_4_used_1_ms, ".2f")
aligned_used_4_ms = value(ms("aligned", fields=4, used=4), ".2f")
aligned_used_1_ms = value(ms("aligned", fields=4, used=1), ".2f")
aligned_used_4_and_1_ms = value(aligned_used_4_ms + aligned_used_1_ms, ".2f")
soa_used_4_ms = value(ms("soa", fields=4, used=4), ".2f")
soa_used_1_ms = value(ms("soa", fields=4, used=1), ".2f")
soa_used_4_and_used_1_ms = value(soa_used_4_ms + soa_used_1_ms, ".2f")
aosoa_used_4_ms = value(ms("aosoa", fields=4, used=4), ".2f")
aosoa_used_1_ms = value(ms("aosoa", fields=4, used=1), ".2f")
aosoa_used_4_and_used_1_ms = value(aosoa_used_4_ms + aosoa_used_1_ms, ".2f")

# Experiments

a_number_that_fits_no_sector = change(
    """
$ ./run 16 --device cpu --n 100003 --variant soa --variant aosoa
holds count('soa', 'load_sectors_per_request', fields=4, used=4) > 4.3
holds count('aosoa', 'load_sectors_per_request', fields=4, used=4) <= 4
"""
)
smaller_tiles = change(
    """
in aosoa.cuh
- constexpr std::size_t tile = 32;
+ constexpr std::size_t tile = 8;
$ ./run 16 --device cpu --variant aosoa
status 1
holds count('aosoa', 'load_sectors_per_request', fields=4, used=4) == 4
- constexpr std::size_t tile = 8;
+ constexpr std::size_t tile = 4;
$ ./run 16 --device cpu --variant aosoa
status 1
holds count('aosoa', 'load_sectors_per_request', fields=4, used=4) == 8
holds count('aosoa', 'load_efficiency', fields=4, used=4) == 0.5
"""
)
a_promise_alone = change(
    """
- run("aligned", RecordLayout::array_of_structures, add_aligned<fields>);
+ run("aligned", RecordLayout::array_of_structures, add_aos<AlignedRecord<fields>, used>);
$ ./run 16 --device cpu --variant aos --variant aligned
holds count('aligned', 'load_sectors', fields=8, used=8) == count('aos', 'load_sectors', fields=8, used=8)
"""
)
a_promise_alone_on_a_gpu = change(
    r"""
on gpu
- run("aligned", RecordLayout::array_of_structures, add_aligned<fields>);
+ run("aligned", RecordLayout::array_of_structures, add_aos<AlignedRecord<fields>, used>);
$ ./run 16 --variant aos --variant aligned
notes gb('aligned', fields=8, used=8) / gb('aos', fields=8, used=8)
notes gb('aligned', fields=8, used=8) / book_gb('aligned', fields=8, used=8)
$ nvcc -std=c++20 -arch=sm_90 -I. -Icpu_device/api -ptx -o 14.ptx chapters/16_data_layout/16_data_layout.cu && sed -n '/entry.*add_aosI13AlignedRecordILj8EELj8E/,/^}/p' 14.ptx | grep ld.global
shows ld\.global\.(nc\.)?f32
lacks ld\.global\.(nc\.)?v
"""
)
promise_alone_0 = value(noted("a_promise_alone_on_a_gpu", 0), ".2f")
promise_alone_1 = value(noted("a_promise_alone_on_a_gpu", 1), ".2f")
