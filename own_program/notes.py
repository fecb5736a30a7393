"""What the text of a reader's file shows of mistakes that no run on the CPU device does: it has one memory, and no time of its own."""

import re

CLOCK = r"\b(?!cuda)(now|clock|\w*[tT]ime|\w*[tT]imeofday|\w*[sS]econds?)\s*\("
WAITS_FOR_NOTHING = {"if", "for", "while", "printf", "fprintf", "exit", "cudaGetLastError", "cudaPeekAtLastError", "cudaGetErrorString"}
DOUBLED = re.compile(r"[A-Za-z_\])]\w*\s*[-+*/]\s*(\d+\.\d*|\.\d+)(?![\w.])|(?<![\w.])(\d+\.\d*|\.\d+)\s*[-+*/]\s*[A-Za-z_(]")
HEADER = re.compile(r"(?<![^;{}])[^;{}]*\b(\w+)\s*\([^;{}]*\)[^;{}()=]*{")


def own_text(preprocessed, file):
    """The lines of `file` as the preprocessor leaves them, without what strings hold."""
    lines, name, number = [], "", 0
    for line in preprocessed.splitlines():
        if mark := re.match(r'# (\d+) "(.*?)"', line):
            number, name = int(mark[1]), mark[2]
            continue
        if name == file:
            lines += [""] * (number - len(lines))
            lines[number - 1] += line
        number += 1
    return re.sub(r'"(?:\\.|[^"\\\n])*"', '""', "\n".join(lines))


def functions(text):
    """Of each function: its name, what stands before its body, where that begins, and the body."""
    end = 0
    while header := HEADER.search(text, end):
        depth, end = 1, header.end()
        while depth > 0 and end < len(text):
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        yield header[1], header[0], header.end(), text[header.end():end]


def in_kernel(header, body):
    arrays = [*re.finditer(r"\bextern\b[^;]*__shared__[^;]*?\b(\w+)\s*\[\s*\]", body)]
    for first, other in zip(arrays, arrays[1:]):
        yield other.start(), f"{first[1]} and {other[1]} overlap: both begin the dynamic shared memory. Let {other[1]} point behind {first[1]}."
    if counts := re.search(r"\[[^\]]*blockIdx[^\]]*\]\s*=[^=](?:(?!fence).)*?\b(atomic(?:Add|Inc))\s*\((?=.*==\s*\(?\s*gridDim)", body, re.DOTALL):
        yield counts.start(1), (f"the block that counts last may not see what others have stored before their {counts[1]}(): only "
                                "__threadfence() between the two orders them. The CPU device runs blocks so that it sees them.")
    if parted := re.search(r"\bif\s*\(\s*(?:threadIdx\.x|tid|idx|i)\s*[%&]\s*\d+\b[^;{}]*\).{0,400}?\b(?:for|while)\b.{0,400}?\belse\b", body, re.DOTALL):
        yield parted.start(), ("the lanes of each warp take both branches, one after the other: let whole warps take one of them, as "
                               "threadIdx.x / 32 % 2 does.")
    if "double" not in header and re.search(r"\bfloat", header + body) and (doubled := DOUBLED.search(body)):
        yield doubled.start(), (f"{doubled[1] or doubled[2]} is a double, so that this is computed in double precision, on most GPUs at a 64th "
                                "of the rate of float, on an H200 at half of it: append f.")


def on_host(header, body, text, functions_by_name):
    reads = [read for read in re.finditer(CLOCK, body) if "cuda" not in functions_by_name.get(read[1], "")]
    for first, last in zip(reads, reads[1:]):
        before, between = body[:first.start()], body[first.end():last.start()]
        launch, end, behind = between[between.rfind("<<<"):].partition(";")
        if "<<<" in launch and end and set(re.findall(r"(\w+)\s*\(", behind.rpartition(";")[0])) <= WAITS_FOR_NOTHING:
            yield last.start(), ("this clock is read before the kernel ends: a launch returns at once, and nothing waits for it. Call "
                                 "cudaDeviceSynchronize() first, or time with events (book/how_we_measure.md).")
        if re.search(r"\bmain\b", header) and "cudaMalloc" in between and "cuda" not in before and not functions_by_name.keys() & {*re.findall(r"\w+", before)}:
            yield first.start(), ("what this clock times includes the first call of CUDA, which creates a context on a GPU and takes "
                                  "tenths of a second. Call cudaFree(0) before, and time kernels apart (book/how_we_measure.md).")
    for at in re.finditer(r"[=,(]\s*&?\s*(\w+)\s*[;,)]", body):
        if re.match(r"[^{]*__device__(?![^{]*__host__)", functions_by_name.get(at[1], "")) and not re.search(rf"\w[\s*&]+{at[1]}\s*[=;,)\[]", text):
            yield at.start(), (f"the host takes the address of {at[1]}(), which on a GPU is not that of the __device__ function: let a "
                               "__device__ variable point to it, and copy that by cudaMemcpyFromSymbol().")
    for at in re.finditer(r"\bcudaMemset(?:Async)?\s*\(\s*(\w+)\s*,\s*([1-9])\s*,", body):
        if at[2].zfill(2) * 4 not in text and (kind := re.search(rf"\b(int|unsigned|long)\b(?:(?!char|bool|void|short|float|double)[\w\s*,])*\*\s*{at[1]}\b", text)):
            yield at.start(), (f"cudaMemset() sets bytes: each {kind[1]} of {at[1]} becomes 0x{at[2].zfill(2) * 4}, not {at[2]}. Set "
                               "other values than 0 in a kernel, or copy them.")


def notes(preprocessed, file):
    text, found = own_text(preprocessed, file), {}
    every = [*functions(text)]
    by_name = {name: header + body for name, header, _, body in every}
    for _, header, start, body in every:
        for at, sentence in in_kernel(header, body) if re.search("__(global|device)__", header) else on_host(header, body, text, by_name):
            found.setdefault(sentence, f"{file}:{text.count(chr(10), 0, start + at) + 1}: {sentence}\n")
    return "".join(found.values())
