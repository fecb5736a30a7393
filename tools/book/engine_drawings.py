"""The engines of the GPU at work, drawn: time runs downwards, an engine is a column."""

from tools.book import timelines
from tools.book.expressions import show
from tools.book.results import CPU
from tools.book.shapes import LEFT, RIGHT, arrow, cell, legend, line, words

ENGINES = ("H2D", "compute", "D2H")


def pipeline(blocks):
    """The first chunks of the pipeline over two streams, from the modelled timeline at the usual size."""
    (row,) = blocks.results.find(CPU, "04_async_memcpy", "pipeline", streams=2)
    timeline = row["timeline"]
    bars = next(size for size in timeline["at"] if size.get("operations"))["operations"]
    lanes = {engine: sorted((bar for bar in bars if bar["engine"] == engine), key=lambda bar: bar["start_ms"])
             for engine in ENGINES}
    each = {engine: len(lane) // len(lanes["D2H"]) for engine, lane in lanes.items()}  # operations of a chunk: two go in
    shown = [[[{"start": bar["start_ms"], "end": bar["end_ms"], "stream": bar["stream"]}
               for bar in lane[each[engine] * chunk:each[engine] * (chunk + 1)]] for engine, lane in lanes.items()]
             for chunk in range(4)]
    begins = [show(chunk[-1][0]["start"], ".2f") for chunk in shown]
    return {"chunks": shown, "card": timeline["card"],
            "caption": "Look at any moment across the columns: while one chunk comes in, the one before it goes out; "
                       f"modelled on {timeline['card']}, not measured.",
            "alt": f"Drawing of the first {len(shown)} of {len(lanes['D2H'])} chunks, time downwards. The parts of a and b of each "
                   "chunk come in one behind the other without a gap; as soon as both are there its kernel runs, and its part of c "
                   f"goes out, beside the next chunk that comes in: after {', '.join(begins)} ms."}


def colour(stream):
    return timelines.STREAMS[stream % len(timelines.STREAMS)]  # as in the timeline of the same row


def draw_pipeline(data):
    chunks = data["chunks"]
    end = max(bar["end"] for chunk in chunks for lane in chunk for bar in lane)
    streams = sorted({bar["stream"] for chunk in chunks for lane in chunk for bar in lane})
    scale, top, wide = 72, 46, 92  # pixels of a millisecond
    columns = (LEFT + 38, LEFT + 38 + 112, RIGHT - wide - 4)
    parts = [words(LEFT, 34, "ms", "quiet")]
    parts += [words(x + wide / 2, 18, name, "ink", "middle", "600")
              for x, name in zip(columns, map(timelines.LANES.get, ENGINES))]
    for ms in range(int(end) + 1):
        y = top + ms * scale
        parts += [line([(LEFT + 20, y), (RIGHT, y)], "rule", .8), words(LEFT, y + 4, str(ms), "quiet")]
    for number, chunk in enumerate(chunks):
        for engine, (x, lane) in enumerate(zip(columns, chunk)):
            for at, bar in enumerate(lane):
                y, high = top + bar["start"] * scale, max((bar["end"] - bar["start"]) * scale, 2.5)
                name = ("ab"[at], "", "c")[engine]
                parts += cell(x, y, wide, high, colour(bar["stream"]), f"{name} of chunk {number}" if name else "",
                              stroke="paper")
        (loads, (kernel, *_), (store, *_)) = chunk
        parts += [arrow(columns[0] + wide, top + loads[-1]["end"] * scale, columns[1] - 2, top + kernel["start"] * scale + 1),
                  arrow(columns[1] + wide, top + kernel["end"] * scale, columns[2] - 2, top + store["start"] * scale + 3),
                  words(columns[1] + wide / 2, top + kernel["start"] * scale - 5, f"add chunk {number}", "ink", "middle")]
    more, below = legend(top + end * scale + 26, [(colour(stream), f"queued on stream {stream}") for stream in streams])
    return below, parts + more
