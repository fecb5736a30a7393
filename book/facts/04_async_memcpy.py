"""The facts of the page "cudaMemcpyAsync and streams: overlapping copies and kernels"."""

from tools.book.facts import *

page(
    "core",
    needs="01",
    afterwards=[
        "explain when `cudaMemcpyAsync` returns early and when it blocks",
        "build a pipeline that copies in both directions at once",
        "predict its time from the sizes and the rates of the link",
    ],
)

# Predict

default_stream_pageable_ms = value(ms("async_default_stream", memory="pageable"), ".0f")
own_stream_pageable_ms = value(ms("async_own_stream", memory="pageable"), ".0f")
memcpy_pageable_ms = value(ms("memcpy", memory="pageable"), ".0f")
by_hand_ms = value(ms("by_hand", chapter="01", cache=None), ".0f")
memcpy_high = high("memcpy", memory="pageable")
async_default_stream_low = low("async_default_stream", memory="pageable")
async_own_stream_low = low("async_own_stream", memory="pageable")
most_async_stream_low_over_memcpy_high = max(async_default_stream_low, async_own_stream_low) / memcpy_high
from_pageable_memory = choice(
    """How much faster is `cudaMemcpyAsync` than `cudaMemcpy`, for memory from `malloc` or `new`? The same call varies from run to run; only a difference beyond that counts.""",
    {
        "no significant difference": at_most(most_async_stream_low_over_memcpy_high, 1.1),
        "50% faster": between(1.1, most_async_stream_low_over_memcpy_high, 1.75),
        "twice as fast, or more": at_least(most_async_stream_low_over_memcpy_high, 1.75),
    },
    right="no significant difference",
    fold="""The asynchronous calls take {default_stream_pageable_ms} and {own_stream_pageable_ms} ms, the plain
calls {memcpy_pageable_ms} ms here and {by_hand_ms} ms in chapter 01.""",
)
memcpy_pinned_ms = value(ms("memcpy", memory="pinned"), ".0f")
async_own_stream_pinned_ms = ms("async_own_stream", memory="pinned")
ones_stream_own = value(own_stream_pageable_ms / async_own_stream_pinned_ms, ".1f")
pageable_over_pinned = value(memcpy_pageable_ms / memcpy_pinned_ms, ".1f")
from_pinned_memory = number(
    """How many times faster are the plain calls if the host's memory is *pinned*, which means locked in place so that the GPU can read it directly?""",
    pageable_over_pinned,
    "a factor of 1.5",
    fold="""The plain calls take {memcpy_pinned_ms} ms from pinned memory. For asynchronous calls, on
their own stream, the factor is {ones_stream_own}.""",
)
pipeline_ms = value(ms("pipeline", streams=2), ".1f")
pipeline_time = value(pipeline_ms / memcpy_pinned_ms, ".0%")
what_overlap_leaves = choice(
    """Two arrays go in and one comes out, and the link carries both directions at the same time. With perfect overlap
of all copies, what fraction of the time of the plain copies (pinned memory) remains?""",
    {
        "a third": at_most(pipeline_time, 0.42),
        "a half": between(0.42, pipeline_time, 0.58),
        "two thirds": between(0.58, pipeline_time, 0.8),
        "nearly all": at_least(pipeline_time, 0.8),
    },
    right="two thirds",
    fold="""The pipeline takes {pipeline_time} of the time of the plain copies.""",
)
pipeline_8_streams_ms = value(ms("pipeline", streams=8), ".1f")
pipeline_2_streams_over_8_streams_time = pipeline_ms / pipeline_8_streams_ms
eight_streams = choice(
    "Will eight streams be faster than two?",
    {
        "yes, by far": at_least(pipeline_2_streams_over_8_streams_time, 1.5),
        "yes, by a tenth or so": between(1.05, pipeline_2_streams_over_8_streams_time, 1.5),
        "no, or by less than 5%": at_most(pipeline_2_streams_over_8_streams_time, 1.05),
    },
    right="no, or by less than 5%",
    fold="""Two streams take {pipeline_ms} ms, eight {pipeline_8_streams_ms} ms.""",
)

# Memory transactions

pipeline_counts = counts("04_async_memcpy", where=lambda row: row.variant == "pipeline" and row.streams == 8)
memcpy_load_sectors = count("memcpy", "load_sectors", memory="pinned")
claim(
    "the pipeline makes the requests of one launch",
    equal(count("pipeline", "load_sectors", streams=8), memcpy_load_sectors),
    equal(memcpy_load_sectors, count("basic", "load_sectors", chapter="01", threads=256)),
)

# Modelled timeline

one_stream_timeline = timeline(
    "04_async_memcpy",
    "async_own_stream",
    where=lambda row: row.memory == "pinned",
    name="one_stream",
    title="Everything in one stream, pinned memory",
)
two_streams_timeline = timeline(
    "04_async_memcpy",
    "pipeline",
    where=lambda row: row.streams == 2,
    name="two_streams",
    title="32 chunks over two streams, pinned memory",
)
pageable_modelled_ms = value(modelled("memcpy", memory="pageable"), ".0f")
memcpy_pinned_modelled_ms = value(modelled("memcpy", memory="pinned"), ".1f")
pipeline_modelled_ms = value(modelled("pipeline", streams=2), ".1f")
claim(
    "in the model pinned memory pays fourfold and overlap pays a third",
    at_least(pageable_modelled_ms / memcpy_pinned_modelled_ms, 4),
    at_most(pipeline_modelled_ms / memcpy_pinned_modelled_ms, 0.7),
)

# Results

measure_chart = chart("04_async_memcpy", bars="ms", title="From host array to host array")
measure_table = table("04_async_memcpy", columns="variant, memory, streams, ms, gb, relative, spread")
pageable_medians_apart = value(
    max(memcpy_pageable_ms, default_stream_pageable_ms, own_stream_pageable_ms)
    / min(memcpy_pageable_ms, default_stream_pageable_ms, own_stream_pageable_ms)
    - 1,
    ".0%",
)
memcpy_bytes = parameter("memcpy", "bytes", memory="pageable")
memcpy_low_ms = value(memcpy_bytes / memcpy_high / 10**6, ".0f")
memcpy_low = low("memcpy", memory="pageable")
memcpy_high_ms = value(memcpy_bytes / memcpy_low / 10**6, ".0f")
by_hand_bytes = parameter("by_hand", "bytes", chapter="01", cache=None)
by_hand_low_ms = value(by_hand_bytes / high("by_hand", chapter="01", cache=None) / 10**6, ".0f")
by_hand_high_ms = value(by_hand_bytes / low("by_hand", chapter="01", cache=None) / 10**6, ".0f")
async_default_stream_bytes = parameter("async_default_stream", "bytes", memory="pageable")
async_default_stream_high = high("async_default_stream", memory="pageable")
default_stream_low_ms = value(async_default_stream_bytes / async_default_stream_high / 10**6, ".0f")
default_stream_high_ms = value(async_default_stream_bytes / async_default_stream_low / 10**6, ".0f")
async_own_stream_bytes = parameter("async_own_stream", "bytes", memory="pageable")
async_own_stream_high = high("async_own_stream", memory="pageable")
own_stream_low_ms = value(async_own_stream_bytes / async_own_stream_high / 10**6, ".0f")
own_stream_high_ms = value(async_own_stream_bytes / async_own_stream_low / 10**6, ".0f")
# The page compares the intervals of this record alone, whatever another would say, so they are plain numbers here.
claim(
    "from pageable memory, asynchronous calls are not faster",
    less(float(max(async_default_stream_low, async_own_stream_low)), float(memcpy_high)),
)
claim("pinned memory pays more than fourfold", more(min(pageable_over_pinned, ones_stream_own), 4))
claim(
    "from pinned memory the three forms tie, as far as host-timed rows can",
    level(ms("async_default_stream", memory="pinned"), memcpy_pinned_ms, within=0.2),
    level(async_own_stream_pinned_ms, memcpy_pinned_ms, within=0.01),
)
pipeline_4_streams_ms = ms("pipeline", streams=4)
pipeline_over_memcpy = value(memcpy_pinned_ms / pipeline_ms, ".2f")
pipeline_over_async_pageable = value(own_stream_pageable_ms / pipeline_ms, ".0f")
pipeline_gb = value(gb("pipeline", streams=2), ".0f")
claim("overlap pays on top of pinned memory", at_least(memcpy_pinned_ms / pipeline_4_streams_ms, 1.3))

# How good was the model?

pinned_table = table(
    "04_async_memcpy", where=lambda row: row.memory == "pinned", columns="variant, streams, ms, error"
)
model_error_memcpy_pinned = abs(memcpy_pinned_modelled_ms / memcpy_pinned_ms - 1)
async_own_stream_modelled_ms_gain_over_ms = abs(
    modelled("async_own_stream", memory="pinned") / async_own_stream_pinned_ms - 1
)
model_pipeline_off = value(
    max(
        abs(pipeline_modelled_ms / pipeline_ms - 1),
        abs(modelled("pipeline", streams=4) / pipeline_4_streams_ms - 1),
    ),
    ".0%",
)
pipelines_ms = [pipeline_ms, pipeline_4_streams_ms, pipeline_8_streams_ms]
streams_apart = value(max(*pipelines_ms) / min(*pipelines_ms) - 1, ".1%")
model_apart = value(
    max(
        abs(pageable_modelled_ms / memcpy_pageable_ms - 1),
        abs(modelled("async_default_stream", memory="pageable") / default_stream_pageable_ms - 1),
        abs(modelled("async_own_stream", memory="pageable") / own_stream_pageable_ms - 1),
    ),
    ".0%",
)
claim(
    "the model is right about the plain copies from pinned memory",
    less(model_error_memcpy_pinned, 0.02),
    less(async_own_stream_modelled_ms_gain_over_ms, 0.02),
)
claim(
    "for pageable memory it is too fast",
    less(pageable_modelled_ms, min(own_stream_pageable_ms, by_hand_ms)),
)
claim("it is less than a third off for the pipeline", less(model_pipeline_off, 0.33))
claim(
    "the number of streams does not matter in the model",
    less(abs(modelled("pipeline", streams=8) / pipeline_modelled_ms - 1), 0.01),
)

# The host copies pageable memory, so the call cannot return

memcpy_pageable_gb = value(gb("memcpy", memory="pageable"), ".0f")
memcpy_pinned_gb = value(gb("memcpy", memory="pinned"), ".0f")

# The busier direction of the link bounds the pipeline

memcpy_pinned_ms_tenths = value(memcpy_pinned_ms, ".1f")
basic_ms = value(ms("basic", chapter="01", threads=256), ".2f")
basic_gb = gb("basic", chapter="01", threads=256)
claim(
    "the next chapter's kernel is much faster on the device",
    at_least(gb("float4", chapter="05", threads=256) / basic_gb, 1.15),
)
claim("the kernel is a small part of the whole even from pinned memory", at_most(basic_ms / memcpy_pinned_ms, 0.03))
memcpy_pinned_minus_basic_ms = memcpy_pinned_ms - basic_ms
two_arrays_in_ms = value(memcpy_pinned_minus_basic_ms * 2 / 3, ".1f")
last_chunk_out_ms = value(memcpy_pinned_minus_basic_ms / 3 / 32, ".1f")
predicted_together_ms = value(memcpy_pinned_minus_basic_ms * (2 / 3 + 1 / 3 / 32), ".1f")
claim("most of the pipeline's time is its bound", at_least(two_arrays_in_ms / pipeline_ms, 0.7))
claim("and says what the model says", level(pipeline_modelled_ms, predicted_together_ms, within=0.01))

# Two streams are enough

basic_over_pipeline = value(basic_gb / pipeline_gb, ".0f")
claim("the link is far behind the device's memory", at_least(basic_over_pipeline, 20))

# Experiments

chunks_in_the_model = change(
    """
- chunks = 32;
+ chunks = 1;
$ ./run 04 --device cpu --variant pipeline --variant memcpy
holds 0.97 < modelled('pipeline', streams=2) / modelled('memcpy', memory='pinned') < 1.03
- chunks = 1;
+ chunks = 8;
$ ./run 04 --device cpu --variant pipeline --variant memcpy
holds 0.97 < modelled('pipeline', streams=2) / (modelled('memcpy', memory='pinned') * (2 / 3 + 1 / 3 / 8)) < 1.03
"""
)
chunks_on_the_link = change(
    """
on gpu
- chunks = 32;
+ chunks = 1;
$ ./run 04 --variant pipeline --variant memcpy
holds 0.95 < ms('pipeline', streams=2) / ms('memcpy', memory='pinned') < 1.05
- chunks = 1;
+ chunks = 2;
$ ./run 04 --variant pipeline --variant memcpy
holds 0.93 < ms('pipeline', streams=2) / (ms('memcpy', memory='pinned') * (2 / 3 + 1 / 3 / 2)) < 1.07
- chunks = 2;
+ chunks = 8;
$ ./run 04 --variant pipeline --variant memcpy
holds 0.93 < ms('pipeline', streams=2) / (ms('memcpy', memory='pinned') * (2 / 3 + 1 / 3 / 8)) < 1.07
- chunks = 8;
+ chunks = 65536;
$ ./run 04 --variant pipeline --variant memcpy
holds ms('pipeline', streams=2) > ms('memcpy', memory='pinned')
"""
)
a_pageable_pipeline = change(
    """
- if (memory == common::MemoryKind::pageable) {
- continue; // a pageable copy cannot overlap: the driver stages it through its own buffer
- }
$ ./run 04 --device cpu --variant pipeline --variant memcpy
shows ^pipeline +256 +pageable +8 .* yes
"""
)
a_pageable_pipeline_hides_nothing = change(
    """
on gpu
- if (memory == common::MemoryKind::pageable) {
- continue; // a pageable copy cannot overlap: the driver stages it through its own buffer
- }
$ ./run 04 --variant pipeline --variant memcpy
holds 0.85 < ms('pipeline', memory='pageable', streams=2) / ms('memcpy', memory='pageable') < 1.2
"""
)
the_overlap_itself = change(
    """
on gpu
$ nsys profile build/gpu/bin/04_async_memcpy --variant pipeline
shows nsys-rep
"""
)
