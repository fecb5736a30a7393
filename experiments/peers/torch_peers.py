"""Measure what PyTorch makes of the tasks of Part IV: eagerly, compiled by torch.compile, and by kernels in Triton.

    python3 -m experiments.peers.torch_peers OUTPUT [CHAPTER...]

Where a row has several choices, as torch.compile has its modes, all are measured and verified, and the fastest is the
row, which names it. Where OUTPUT has rows of a chapter already, from an earlier round, only
what they chose is measured, in an order that is drawn: torch.compile finds its kernels in its cache.

OUTPUT receives a JSON object: of each chapter that has such peers, rows as results.schema.json has them. `./run
record` calls this on the same GPU, right after its own rows, and adds what it writes to theirs as a library's. The
method is that of common/device/measure.hpp: the L2 is flushed by reads, the work is queued behind a kernel that holds
the stream, CUDA events time it, and there are samples until the median's interval is within 0.3 %.

Where there is no PyTorch, each row says so, and nothing is measured.
"""

import json
import math
import pathlib
import random
import statistics
import sys
import time

from tools.results import machine

MISSING = "PyTorch is not installed"
FLUSH_BYTES = 512 << 20  # more than any L2
HOLD_CYCLES = 4_000_000  # some 2 ms: longer than the host takes to queue what is timed
MIN_SAMPLES, FEWEST_SAMPLES, RELATIVE_INTERVAL, MAX_SECONDS = 30, 10, 0.003, 0.5
ROWS, COLUMNS, ELEMENTS = 1 << 16, 4096, 1 << 28
LARGEST_FP8 = 448
MODES = ("default", "reduce-overhead", "max-autotune-no-cudagraphs", "max-autotune")  # of torch.compile
KERNELS = ("FLASH_ATTENTION", "CUDNN_ATTENTION", "EFFICIENT_ATTENTION")  # of scaled_dot_product_attention


class Peer:
    """One task: `make(torch)` returns the work, its arguments, and whether a result is right. `moved`: bytes that
    any solution must move. `parameters`: of its rows, in the chapter's own words. `triton`: the function of
    triton_peers.py that does the same. `attention`: the work is nothing else, and PyTorch has kernels for it."""

    def __init__(self, chapter, task, moved, make, parameters=None, triton=None, attention=False):
        self.chapter, self.task, self.moved, self.make = chapter, task, moved, make
        self.parameters = parameters or {"n": ELEMENTS}
        self.triton, self.attention = triton, attention

    def variants(self):
        """Its rows' variants, each with the name of what there is to choose, and the choices."""
        if self.attention:
            return {"scaled_dot_product_attention": ("kernel", KERNELS)}
        names = {"torch": (None, (None,)), "torch.compile": ("mode", MODES)}
        return {**names, "triton": (None, (None,))} if self.triton else names


def close(torch, got, wanted, relative):
    """Whether each number is within so much of the wanted one in double, relative to it; what is almost nothing
    may be 0."""
    off = (got.double() - wanted).abs()
    return bool((off <= relative * wanted.abs() + 1e-30).all())


def random_rows(torch, seed=1):
    torch.manual_seed(seed)
    return torch.randn(ROWS, COLUMNS, device="cuda", dtype=torch.bfloat16)


def first(x):
    return x[:64].double()  # rows: each is made by itself


def norm_of(torch, x, weight):
    return torch.nn.functional.rms_norm(x, (COLUMNS,), weight, 1e-5)


def to_fp8(torch, y):
    scale = y.abs().amax(-1, keepdim=True) / LARGEST_FP8
    return (y / scale).to(torch.float8_e4m3fn), scale


def sum_of_floats(torch):
    x = torch.rand(ELEMENTS, device="cuda")
    return lambda x: x.sum(), (x,), lambda y: close(torch, y, x.double().sum(), 1e-4)


def running_sums(torch):
    x = torch.rand(ELEMENTS, device="cuda")
    return lambda x: x.cumsum(0), (x,), lambda y: close(torch, y[-1], x.double().sum(), 1e-3)


def softmax(torch):
    x = random_rows(torch)
    return (lambda x: torch.softmax(x, -1), (x,),
            lambda y: close(torch, y[:64], torch.softmax(first(x), -1), 2 ** -7))


def norm(torch):
    x, weight = random_rows(torch), torch.rand(COLUMNS, device="cuda", dtype=torch.bfloat16)

    def right(y):
        wide = first(x)
        wanted = wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + 1e-5) * weight.double()
        return close(torch, y[:64], wanted, 2 ** -7)
    return lambda x, weight: norm_of(torch, x, weight), (x, weight), right


def norm_to_fp8(torch):
    x, weight = random_rows(torch), torch.rand(COLUMNS, device="cuda", dtype=torch.bfloat16)

    def right(y):
        wide = first(x)
        wanted = wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + 1e-5) * weight.double()
        off = (y[0][:64].double() * y[1][:64].double() - wanted).abs()
        return bool((off <= wanted.abs() / 8 + y[1][:64].double() / 256).all())
    return lambda x, weight: to_fp8(torch, norm_of(torch, x, weight).float()), (x, weight), right


def rows_to_fp8(torch):
    x = random_rows(torch)

    def right(y):
        off = (y[0][:64].double() * y[1][:64].double() - first(x)).abs()
        return bool((off <= first(x).abs() / 8 + y[1][:64].double() / 256).all())
    return lambda x: to_fp8(torch, x.float()), (x,), right


def silu_times(torch):
    x, y = random_rows(torch, 1), random_rows(torch, 2)
    return (lambda x, y: torch.nn.functional.silu(x) * y, (x, y),
            lambda z: close(torch, z[:64], torch.nn.functional.silu(first(x)) * first(y), 2 ** -6))


def rows_of_an_index(torch):
    table, index = random_rows(torch), torch.randint(ROWS, (ROWS,), device="cuda")
    return (torch.nn.functional.embedding, (index, table), lambda y: bool((y[:64] == table[index[:64]]).all()))


def matrix_times_vector(torch):
    side = 1 << 14
    a = torch.randint(-3, 4, (side, side), device="cuda").to(torch.bfloat16)
    x = torch.randint(-3, 4, (side,), device="cuda").to(torch.bfloat16)
    return lambda a, x: a @ x, (a, x), lambda y: close(torch, y[:64], a[:64].double() @ x.double(), 2 ** -7)


def decoder_layer(torch):
    """One token through a layer of the shape of chapter 39, with the names of its steps."""
    hidden, wide, heads, kv_heads, head, tokens = 4096, 14336, 32, 8, 128, 4096
    functional = torch.nn.functional
    torch.manual_seed(1)

    def random(*shape, spread):
        return ((torch.rand(shape, device="cuda") * 2 - 1) * spread).to(torch.bfloat16)
    spread = (3 / hidden) ** 0.5
    weights = [random(rows, columns, spread=spread) for rows, columns in
               ((hidden + 2 * kv_heads * head, hidden), (hidden, hidden), (2 * wide, hidden), (hidden, wide))]
    norms = [random(hidden, spread=0.5) + 1 for _ in range(2)]
    cache = [random(1, kv_heads, tokens, head, spread=3 ** 0.5) for _ in range(2)]
    angles = (tokens - 1) * 500_000.0 ** (torch.arange(head // 2, device="cuda", dtype=torch.float64) / (-head / 2))
    turns = [angles.cos().to(torch.bfloat16), angles.sin().to(torch.bfloat16)]

    def work(x, keys, values, qkv, out, gate_up, down, norm1, norm2, cosine, sine):
        def turn(heads_of_token):
            lower, upper = heads_of_token.view(-1, head).chunk(2, -1)
            return torch.cat((lower * cosine - upper * sine, upper * cosine + lower * sine), -1)
        q, k, v = functional.linear(functional.rms_norm(x, (hidden,), norm1, 1e-5), qkv).split(
            (hidden, kv_heads * head, kv_heads * head), -1)
        keys[0, :, -1] = turn(k)
        values[0, :, -1] = v.view(kv_heads, head)
        attended = functional.scaled_dot_product_attention(turn(q).view(1, heads, 1, head), keys, values,
                                                           enable_gqa=True)
        x1 = x + functional.linear(attended.reshape(1, hidden), out)
        gate, up = functional.linear(functional.rms_norm(x1, (hidden,), norm2, 1e-5), gate_up).chunk(2, -1)
        return x1 + functional.linear(functional.silu(gate) * up, down)
    arguments = (random(1, hidden, spread=2), *cache, *weights, *norms, *turns)

    def right(y):
        wanted = work(*(argument.double() for argument in arguments))
        return bool((y.double() - wanted).norm() <= 2 ** -6 * wanted.norm())
    return work, arguments, right


def attention(torch):
    """That step of the layer alone: 32 heads of one token's queries, 8 of the keys and values of 4,096 tokens."""
    torch.manual_seed(1)
    q, k, v = (torch.randn(1, heads, tokens, 128, device="cuda", dtype=torch.bfloat16)
               for heads, tokens in ((32, 1), (8, 4096), (8, 4096)))

    def work(q, k, v):
        return torch.nn.functional.scaled_dot_product_attention(q, k, v, enable_gqa=True)

    def right(y):
        scores = q.double().view(8, 4, 128) @ k[0].double().transpose(1, 2) / 128 ** 0.5
        wanted = (torch.softmax(scores, -1) @ v[0].double()).view(1, 32, 1, 128)
        return bool((y.double() - wanted).norm() <= 2 ** -6 * wanted.norm())
    return work, (q, k, v), right


def of_rows(result):
    return {"result": result, "columns": COLUMNS, "n": ROWS * COLUMNS}


BFLOATS = 2 * ROWS * COLUMNS
PEERS = [
    Peer("28_reduction", "sum of floats", 4 * ELEMENTS + 4, sum_of_floats,
         {"result": "sum of floats", "values": "random", "n": ELEMENTS}),
    Peer("29_scan", "running sums of floats", 8 * ELEMENTS, running_sums),
    Peer("32_matrix_vector", "matrix times vector of bf16 values", 2 * (1 << 28) + 4 * (1 << 14), matrix_times_vector,
         {"n": 1 << 28}),
    Peer("33_rows", "softmax", 2 * BFLOATS, softmax, of_rows("softmax"), "softmax"),
    Peer("33_rows", "norm", 2 * BFLOATS, norm, of_rows("norm"), "norm"),
    Peer("33_rows", "norm to fp8", BFLOATS + ROWS * COLUMNS + 4 * ROWS, norm_to_fp8, of_rows("norm to fp8"),
         "norm_to_fp8"),
    Peer("34_narrow_types", "rows to fp8", BFLOATS + ROWS * COLUMNS + 4 * ROWS, rows_to_fp8, of_rows("rows to fp8"),
         "rows_to_fp8"),
    Peer("34_narrow_types", "silu(x) y", 3 * BFLOATS, silu_times, of_rows("silu(x) y")),
    Peer("35_indexed_rows", "gathered rows", 2 * BFLOATS + 8 * ROWS, rows_of_an_index, of_rows("gathered rows")),
    Peer("39_decoder_layer", "decoder layer", 2 * 13 * 4096 ** 2 + 4 * 8 * 4096 * 128 + 12 * 4096, decoder_layer,
         {"n": ELEMENTS}),
    Peer("39_decoder_layer", "attention alone", 4 * 8 * 4096 * 128 + 4 * 4096, attention, attention=True),
]


def enclosing_rank(samples):
    """The k for which the k-th smallest and the k-th largest sample enclose the median with 95 % confidence."""
    below, k = 0, 0
    while k <= samples and (below + math.comb(samples, k)) / 2 ** samples <= 0.025:
        below += math.comb(samples, k)
        k += 1
    return max(k, 1)


def timing(samples, stop):
    """The order statistics of samples in milliseconds, as a row has them."""
    ordered = sorted(samples)
    k = enclosing_rank(len(ordered))
    p25, median, p75 = statistics.quantiles(samples, n=4, method="inclusive") if len(samples) > 1 else 3 * samples
    return {"median": median, "p25": p25, "p75": p75, "min": ordered[0], "interval": [ordered[k - 1], ordered[-k]], "samples": len(ordered), "retries": 0,
            "stop": stop}


def take_samples(sample, clock=time.monotonic):
    """Calls sample() until the median is known well enough, or the time is spent."""
    samples, begin = [], clock()
    while True:
        samples.append(sample())
        low, high = timing(samples, "")["interval"]
        if len(samples) >= MIN_SAMPLES and (high - low) / 2 <= RELATIVE_INTERVAL * statistics.median(samples):
            return timing(samples, "interval")
        if len(samples) >= FEWEST_SAMPLES and clock() - begin >= MAX_SECONDS:
            return timing(samples, "max-time")


def empty_row(peer, variant, versions, note=None):
    row = {"variant": variant, "task": peer.task, "parameters": {**peer.parameters, **versions}, "bytes": peer.moved,
           "verified": None, "library": True, "cache": "cold", "in_l2": False, "time_ms": None, "gb_per_s": None,
           "share_of_peak": None, "share_of_copy": None, "counts": None}
    return row if note is None else {**row, "note": note}


def measured_row(peer, variant, versions, time_ms):
    return {**empty_row(peer, variant, versions), "verified": True, "time_ms": time_ms, "gpu": machine.state(),
            "gb_per_s": peer.moved / (time_ms["median"] * 1e6)}


def measure(torch, work, arguments):
    """The time of one call on the device, cold."""
    flush = torch.zeros(FLUSH_BYTES // 8, dtype=torch.int64, device="cuda")
    start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)

    def sample():
        flush.sum()
        torch.cuda._sleep(HOLD_CYCLES)
        start.record()
        work(*arguments)
        stop.record()
        torch.cuda.synchronize()
        return start.elapsed_time(stop)

    for _ in range(3):
        sample()
    return take_samples(sample)


def chosen(peer, torch, variant, choice, work, arguments):
    """The work as that variant and choice do it."""
    if variant == "triton":
        from experiments.peers import triton_peers
        return getattr(triton_peers, peer.triton)
    if variant == "torch.compile":
        torch._dynamo.reset()
        for argument in arguments:  # so that a graph reads them where they are, as it would a layer's weights
            torch._dynamo.mark_static_address(argument)
        return torch.compile(work, dynamic=False, mode=choice)
    if peer.attention:
        from torch.nn.attention import SDPBackend, sdpa_kernel

        def by_kernel(*arguments):
            with sdpa_kernel(getattr(SDPBackend, choice)):
                return work(*arguments)
        return by_kernel
    return work


def row_of(peer, torch, variant, choice, versions):
    """The row of one choice; a failure is a row that says why."""
    try:
        work, arguments, right = peer.make(torch)
        work = chosen(peer, torch, variant, choice, work, arguments)
        if not right(work(*arguments)):
            return {**empty_row(peer, variant, versions, "its result is wrong"), "verified": False}
        return measured_row(peer, variant, versions, measure(torch, work, arguments))
    except Exception as error:  # a missing compiler, too little memory: PyTorch has a class for each
        return empty_row(peer, variant, versions, f"{type(error).__name__}: {str(error).splitlines()[0][:80]}")
    finally:
        work = arguments = right = None
        torch.cuda.empty_cache()


def fastest_first(rows):
    """The rows in the order of their times; those without one come last."""
    return sorted(rows, key=lambda row: row["time_ms"]["median"] if row["time_ms"] else math.inf)


def row_of_variant(peer, torch, versions, variant, chosen=()):
    """The row of a variant, of its fastest choice, or the one that an earlier round chose."""
    what, choices = peer.variants()[variant]
    before = {row["parameters"].get(what) for row in chosen if (row["variant"], row["task"]) == (variant, peer.task)}
    return fastest_first(row_of(peer, torch, variant, choice, {**versions, **({what: choice} if what else {})})
                         for choice in choices if not before or choice in before)[0]


def all_rows(chapters, chosen={}):
    """Of each chapter its rows; all chapters if none are named. `chosen`: those of an earlier round."""
    peers = [peer for peer in PEERS if not chapters or peer.chapter in chapters]
    found = {peer.chapter: [] for peer in peers}
    try:
        import torch
        missing = None if torch.cuda.is_available() else "PyTorch finds no GPU"
    except ImportError:
        missing = MISSING
    if missing:
        for peer in peers:
            found[peer.chapter] += [empty_row(peer, name, {}, missing) for name in peer.variants()]
        return found
    versions = {"torch": torch.__version__}
    try:
        import triton
        versions["triton"] = triton.__version__
    except ImportError:
        pass
    order = [(peer, variant) for peer in peers for variant in peer.variants()]
    if chosen:
        random.shuffle(order)
    for peer, variant in order:
        found[peer.chapter].append(row_of_variant(peer, torch, versions, variant, chosen.get(peer.chapter, ())))
        print(f"{peer.chapter}: {peer.task} by {variant}", file=sys.stderr, flush=True)
    return found


def main(arguments):
    if not arguments:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    output = pathlib.Path(arguments[0])
    chosen = json.loads(output.read_text()) if output.exists() else {}
    output.write_text(json.dumps(all_rows(arguments[1:], chosen), indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
