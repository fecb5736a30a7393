"""The engines of the GPU at work, drawn: time runs downwards, an engine is a column."""

from tools.book import facts
from tools.book import timelines
from tools.book.numbers import show
from tools.book.results import CPU
from tools.book.shapes import LEFT, RIGHT, arrow, cell, legend, line, words

ENGINES = ("H2D", "compute", "D2H")


def first_chunks(blocks):
    """The bars of the first chunks of the pipeline over two streams, engine by engine, from the modelled timeline at the usual
    size; how many chunks there are; and the GPU that it is modelled for."""
    (row,) = blocks.results.find(CPU, "04_async_memcpy", "pipeline", streams=2)
    timeline = row["timeline"]
    bars = next(size for size in timeline["at"] if size.get("operations"))["operations"]
    lanes = {engine: sorted((bar for bar in bars if bar["engine"] == engine), key=lambda bar: bar["start_ms"])
             for engine in ENGINES}
    each = {engine: len(lane) // len(lanes["D2H"]) for engine, lane in lanes.items()}  # operations of a chunk: two go in
    shown = [[[{"start": bar["start_ms"], "end": bar["end_ms"], "stream": bar["stream"]}
               for bar in lane[each[engine] * chunk:each[engine] * (chunk + 1)]] for engine, lane in lanes.items()]
             for chunk in range(4)]
    return shown, len(lanes["D2H"]), timeline["card"]


def colour(stream):
    return timelines.STREAMS[stream % len(timelines.STREAMS)]  # as in the timeline of the same row


def pipeline(blocks):
    """The chunks in the engines, one below the other."""
    chunks, all_chunks, card = first_chunks(blocks)
    begins = [show(chunk[-1][0]["start"], ".2f") for chunk in chunks]
    caption = ("Look at any moment across the columns: while one chunk comes in, the one before it goes out; "
               f"modelled on {card}, not measured.")
    alt = (f"Drawing of the first {len(chunks)} of {all_chunks} chunks, time downwards. The parts of a and b of each "
           "chunk come in back to back without a gap; as soon as both are there its kernel runs, and its part of c "
           f"goes out, next to the next chunk that comes in: after {', '.join(begins)} ms.")
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
    return caption, alt, below, parts + more


def bulk_copy(_):
    """A block of the bulk copy at its best: who does what until the tile is there, and after it."""
    threads = 192
    size = facts.parameter("copy_bulk", "tile_bytes", chapter="26", threads=threads, unit=4, n=2**30)
    tile, parts = show(size, ",.0f"), []
    caption = "Follow the count of the barrier: no thread reads the tile before all its bytes have arrived."
    alt = (f"Drawing of a block with {threads} threads, its shared memory, the TMA and device memory, time downwards. Thread 0 tells the barrier in "
           f"shared memory to expect {tile} bytes, and issues the bulk copy of the tile with one instruction. All {threads} threads wait. The "
           "TMA requests them from memory; they arrive in the tile, and the barrier counts them. When all have arrived the threads read "
           f"the {size // 16} words of 16 bytes from the tile, and store them.")
    first, rest, shared, tma, memory = (LEFT, 68), (LEFT + 72, 68), (LEFT + 150, 92), (LEFT + 256, 36), (RIGHT - 48, 48)
    order, half, whole, done = 86, 170, 218, 268  # where these begin

    def box(column, y, high, role, text, ink="paper"):
        x, wide = column
        rows = text.split("\n")
        return [*cell(x, y, wide, high, role),
                *[words(x + wide / 2, y + high / 2 + 4 + 7 * (2 * at - len(rows) + 1), row, ink, "middle") for at, row in enumerate(rows)]]

    def counted(y, arrived):
        return box(shared, y, 36, "rule", f"barrier: {show(arrived, ',.0f')}\nof {tile} bytes", "ink")

    for (x, wide), title in ((first, "thread 0"), (rest, f"{threads - 1} others"), (shared, "shared\nmemory"), (tma, "TMA"),
                             (memory, "device\nmemory")):
        rows = title.split("\n")
        parts += [words(x + wide / 2, 32 - 14 * (len(rows) - 1 - at), row, "ink", "middle", "600") for at, row in enumerate(rows)]
    left, right, engine = sum(first), sum(shared), sum(tma)
    parts += box(first, 40, 36, "cold", "expect\nthe bytes") + counted(40, 0) + [arrow(left, 58, shared[0] - 2, 58)]
    parts += box(first, order, 36, "cold", "order\nthe tile") + [arrow(left, order + 18, tma[0] - 2, order + 18)]
    parts += box((LEFT, sum(rest) - LEFT), order + 44, done - order - 52, "waste", "all wait\nat the barrier", "ink")
    parts += cell(tma[0], order, tma[1], whole + 36 - order, "more") + cell(memory[0], order, memory[1], done + 54 - order, "quiet")
    parts.append(arrow(engine, order + 18, memory[0] - 1, order + 18))
    for y, arrived in ((half, size // 2), (whole, size)):
        parts += [arrow(memory[0], y + 18, engine + 2, y + 18), arrow(tma[0], y + 18, right + 2, y + 18), *counted(y, arrived)]
    parts.append(line([(LEFT, done - 4), (right, done - 4)], "ink", 1.4))
    for column in (first, rest):
        parts += box(column, done, 36, "cold", "read tile,\nstore")
    parts += box(shared, done, 36, "rule", f"the tile:\n{size // 16} words", "ink")
    parts += [arrow(shared[0], done + 18, sum(rest) + 2, done + 18),
              line([(left, done + 36), (left, done + 46)], "quiet", 1.6), arrow(left, done + 46, memory[0] - 2, done + 46)]
    return caption, alt, done + 62, parts
