"""Mistakes that the text of a reader's file shows and no run on the CPU device does: it has one
memory, keeps the lanes of a warp apart, and has no time of its own."""

import re
from typing import Callable, NamedTuple

CLOCK = r"\b(?!cuda)(?P<{}>now|clock|\w*[tT]ime|\w*[tT]imeofday|\w*[sS]econds?)\s*\("
# A call that may wait for a kernel: none that only prints or returns an error does.
MAY_WAIT = (r"\b(?!(?:if|for|while|f?printf|exit"
            r"|cuda(?:GetLastError|PeekAtLastError|GetErrorString))\b)\w+\s*\(")
FIRST_LANE = r"\bif\s*\([^;{}]*(?:==\s*0|!\s*\w*(?:threadIdx|lane|tid))"
ON_HOST = r"(?P<at>[=,(])\s*&?\s*(?P<name>[A-Za-z_]\w*)(?=\s*[;,)])"
HEADER = re.compile(r"(?<![^;{}])[^;{}]*\b(\w+)\s*\([^;{}]*\)[^;{}()=]*{")


class Source:
    """The reader's own text; of its functions, by where they begin, the name and the text."""

    def __init__(self, text):
        self.text, self.functions, end = text, {}, 0
        while header := HEADER.search(text, end):
            depth, end = 1, header.end()
            while depth > 0 and end < len(text):
                depth += {"{": 1, "}": -1}.get(text[end], 0)
                end += 1
            self.functions[header.start()] = header[1], text[header.start():end]

    def named(self, name):
        return "".join(text for known, text in self.functions.values() if known == name)


def is_clock_of_host(match, source):
    return not any("cuda" in source.named(match[name]) for name in ("first", "last"))


def is_first_call(match, source):
    return not any(source.named(word) for word in re.findall(r"\w+", match["before"]))


def is_on_device_only(match, source):
    variable = rf"\w[\s*&]+{match['name']}\s*[=;,)\[]"
    return (re.match(r"[^{]*__device__(?![^{]*__host__)", source.named(match["name"]))
            and not re.search(variable, source.text))


def is_variable_of_device(match, source):
    """Not given to sizeof, nor to a call of CUDA: that tells itself whether it takes a symbol."""
    declared = rf"[^;{{}}()]*__(?:device|constant)__[^;{{}}()=]*\b{match['name']}\s*[\[,;={{]"
    of_its_own = rf"[\w>][\s*&]+{match['name']}\s*[\[=;,)(]"
    return (not re.search(r"\bcuda\w+[^;]*$|\b(?:sizeof|decltype)\s*$", match.string[:match.start("at")])
            and not re.search(of_its_own, match.string)
            and any("__managed__" not in found[0] for found in re.finditer(declared, source.text)))


def number(word, source):
    """A literal, or what the text sets a variable to wherever it does; 0 if nobody knows."""
    values = set(re.findall(rf"\b{word}\s*(?:=(?!=)|\()\s*([^;,)]+)", source.text)) or {word}
    literal = re.fullmatch(r"0x[\da-fA-F]+|[1-9]\d*", values.pop())
    return int(literal[0], 0) if literal and not values else 0


def is_no_byte(match, source):
    """Of the words that are set, the type is known, and the text does not mean their bytes."""
    value = number(match["value"], source)
    pointer = rf"(?:(?!char|bool|void|short)[\w\s*,])*\*\s*{match['name']}\b"
    return (value not in (0, 63, 127, 255) and (value > 255 or f"{value:02x}" * 4 not in source.text)
            and re.search(rf"\b(int|unsigned|long|float|double)\b{pointer}", source.text))


def is_odd_somewhere(match, source):
    """What is halved, the threads of a block or a constant, is no power of two."""
    launch = rf"\b{re.match(HEADER, match.string)[1]}\s*(?:<[^;<>]*>)?\s*<<<[^;]*?,\s*(\w+)\s*(?:,|>>>)"
    sizes = re.findall(launch, source.text) if "." in match["size"] else [match["size"]]
    return sizes and all(number(size, source) & (number(size, source) - 1) for size in sizes)


def is_taken_by_each_lane(match, source):
    """Neither the function itself, before it waits, nor one that calls it chooses one lane of a
    warp, and blocks have more threads than one."""
    own = re.match(HEADER, match.string)[1]
    before_it = [(own, match.string[:match.start()])]
    before_it += [(name, text[:call.start()]) for name, text in source.functions.values()
                  if name != own for call in re.finditer(rf"\b{own}\s*\(", text)]
    return not any(re.search(FIRST_LANE, text)
                   or re.search(rf"\b{name}\s*<<<[^;]*,\s*1\s*>>>", source.text)
                   for name, text in before_it)


def is_float(match, source):
    declared = re.findall(rf"\b(\w+)[\s*&]+{match['name']}\b", match.string + source.text)
    return any(kind == "float" or re.search(rf"\btypedef\s+float\s+{kind}\s*;|\busing\s+{kind}\s*=\s*float\b",
                                            source.text) for kind in declared)


def is_for_positive(match, source):
    return not ("atomicMax" in match.string and "atomicMin" in match.string)


def is_contracted(match, source):
    """The host computes sums of products, which a kernel of the file does, too."""
    computed = re.sub(r"\[[^][]*\]", "", match["computed"])
    return "*" in computed and re.search(r"[\w\])]\s*[-+]", computed) and "__global__" in source.text


def is_number_of_elements(match, source):
    size = r"\bsizeof\s*\(\s*(?!(?:unsigned |signed )?char|u?int8_t|bool)[^()]*\)"
    return any(re.search(rf"\bcudaMalloc\w*\s*\([^;]*\b{pointer}\s*,\s*"
                         rf"(?:{match['count']}\s*\*\s*{size}|{size}\s*\*\s*{match['count']})\s*\)", source.text)
               for pointer in (match["to"], match["from"]))


def is_lost(match, source):
    """Neither returned nor freed by the function itself."""
    return not re.search(rf"\breturn\s+{match['name']}\b|\bcudaFree\s*\(\s*{match['name']}\b", match.string)


class Rule(NamedTuple):
    is_of_kernel: bool  # else of the host: the functions in which it is looked for
    matches: str        # a function; the line that is told is that of the group `at`
    says: str           # {groups} of what matches are filled in
    page: str = ""
    holds: Callable = lambda match, source: True  # what no pattern says


RULES = (
    Rule(True,
         r"\bextern\b[^;]*__shared__[^;]*?\b(?P<one>\w+)\s*\[\s*\]"
         r".*?(?P<at>\bextern)\b[^;]*__shared__[^;]*?\b(?P<other>\w+)\s*\[\s*\]",
         "{one} and {other} overlap: both begin the dynamic shared memory. Let {other} point "
         "behind {one}", "book/07_shared_memory.md"),
    Rule(True,  # The sums of all blocks, by the one that counts last.
         r"\[[^\]]*blockIdx[^\]]*\]\s*=[^=](?:(?!fence).)*?"
         r"\b(?P<at>atomic(?:Add|Inc))\s*\((?=.*==\s*\(?\s*gridDim)",
         "the block that counts last may not see what others have stored before their {at}(): only "
         "__threadfence() between the two orders them. The CPU device runs blocks so that it sees "
         "them", "book/28_reduction.md"),
    Rule(True,
         r"(?P<at>\bif)\s*\(\s*(?:threadIdx\.x|tid|idx|i)\s*[%&]\s*\d+\b[^;{}]*\)"
         r".{0,400}?\b(?:for|while)\b.{0,400}?\belse\b",
         "the lanes of each warp take both branches, one after the other: let whole warps take one "
         "of them, as threadIdx.x / 32 % 2 does", "book/28_reduction.md"),
    Rule(True,  # A number next to an operator, in a kernel of floats.
         r"\A(?![^{]*\bdouble)(?=.*\bfloat).*?(?P<left>[A-Za-z_\])]\w*\s*[-+*/]\s*)?"
         r"(?<![\w.])(?P<at>\d+\.\d*|\.\d+)(?![\w.])(?(left)|\s*[-+*/]\s*[A-Za-z_(])",
         "{at} is a double, so that this is computed in double precision, on most GPUs at a 64th "
         "of the rate of float, on an H200 at half of it: append f"),
    Rule(True,  # A tree over as many elements as the block has threads.
         r"\b(?P<at>(?P<step>\w+)\s*=)\s*(?P<size>blockDim\.x|\w+)\s*(?:/\s*2|>>\s*1)\s*;"
         r"(?=.{0,400}?\+\s*(?P=step)\s*\])(?=.{0,400}?\b(?P=step)\s*(?:/=\s*2|>>=\s*1|"
         r"=\s*(?P=step)\s*(?:/\s*2|>>\s*1)))",
         "this halves {size}, which is no power of two: half of an odd number rounds down and "
         "leaves an element out. Use a power of two, or round up",
         "book/28_reduction.md", is_odd_somewhere),
    Rule(True, r"\bwhile\s*\(\s*!?\s*(?P<at>atomic(?:CAS|Exch))\s*\([^;{}]*\)\s*(?:;|{\s*})",
         "each lane waits for this lock, which another lane of its warp may hold: before compute "
         "capability 7.0 that never ends, and later the lanes go one after the other. Let one "
         "thread per block take it, or use another atomic", "book/25_contention.md",
         is_taken_by_each_lane),
    Rule(True, r"(?P<at>\batomicAdd)\s*\(\s*&?\s*(?P<name>\w+)[^,;()]*,\s*(?:\(\s*\w+\s*\)\s*)?1(?:\.0*)?f?\s*\)",
         "{name} is a float, which counts to 16777216 and stays there: 1 more is rounded away. Count "
         "in an int", "", is_float),
    Rule(True, r"(?P<at>\batomicM(?:ax|in))\s*\([^,;]*\bint\s*\*[^,;]*,\s*__float_as_u?int\b",
         "this is right for floats from 0 on only: as integers, negative ones have the opposite "
         "order. For those, call atomicMin() on unsigned for the maximum, atomicMax() for the minimum",
         "book/25_contention.md", is_for_positive),
    Rule(False,
         r"\b(?:float|double)\s+(?P<name>\w+)\s*=(?P<computed>[^;]*);[^;]*?(?P<at>\bif)\s*\("
         r"[^;()]*\[[^][]*\]\s*[!=]=\s*(?P=name)\b",
         "a GPU may differ from the host in the last bit: nvcc contracts a * b + c to one "
         "instruction, which rounds once. Compare with a tolerance", "", is_contracted),
    Rule(False, r"(?P<at>\bcudaMemcpy)(?:Async)?\s*\(\s*(?P<to>\w+)\s*,\s*(?P<from>\w+)\s*,\s*(?P<count>\w+)\s*,",
         "cudaMemcpy() copies {count} bytes, but {count} is the number of elements that "
         "cudaMalloc() multiplies: multiply by sizeof here, too", "book/00_introduction.md",
         is_number_of_elements),
    Rule(False,
         r"\A[^{]*?\b\w+\s*\*\s*(?P<name>\w+)\s*[,)][^{]*{.*?(?P<at>\bcudaMalloc)\w*\s*\("
         r"\s*(?:\(\s*void\s*\*\s*\*\s*\)\s*)?&\s*(?P=name)\b",
         "{name} is a copy of the caller's pointer, which stays as it was: declare the parameter "
         "as a reference, *&{name}, or return it", "book/00_introduction.md", is_lost),
    Rule(False,
         CLOCK.format("first") + r".*?<<<[^;]*;(?:(?:(?!" + MAY_WAIT + r")[^;])*;)*[^;]*?(?P<at>)"
         + CLOCK.format("last"),
         "this clock is read before the kernel ends: a launch returns at once, and nothing waits "
         "for it. Call cudaDeviceSynchronize() first, or time with events",
         "book/how_we_measure.md", is_clock_of_host),
    Rule(False,
         r"\bmain\b[^{]*{(?P<before>(?:(?!cuda).)*?)(?P<at>)" + CLOCK.format("first")
         + r"(?:(?!" + CLOCK.format("_") + r").)*?cudaMalloc.*?" + CLOCK.format("last"),
         "what this clock times includes the first call of CUDA, which creates a context on a GPU "
         "and takes tenths of a second. Call cudaFree(0) before, and time kernels apart",
         "book/how_we_measure.md", is_first_call),
    Rule(False, ON_HOST,
         "on the host {name} is another variable than on a GPU: let the kernel name it, or call "
         "cudaGetSymbolAddress()", "book/08_constant_memory.md", is_variable_of_device),
    Rule(False, ON_HOST,
         "the host takes the address of {name}(), which on a GPU is not that of the __device__ "
         "function: let a __device__ variable point to it, and copy that by cudaMemcpyFromSymbol()",
         "book/08_constant_memory.md", is_on_device_only),
    Rule(False, r"(?P<at>\bcudaMemset)(?:Async)?\s*\(\s*(?P<name>\w+)\s*,\s*(?P<value>\w+)(?:\.0*f?)?\s*,",
         "cudaMemset() sets each byte of {name} to the lowest 8 bits of {value}: no word becomes "
         "{value}. Set other values than 0 in a kernel, or copy them", "", is_no_byte),
)


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


def notes(preprocessed, file):
    """A line for each mistake, each kind once for what it names."""
    source, found = Source(own_text(preprocessed, file)), {}
    for start, (_, function) in source.functions.items():
        is_kernel = re.search("__(global|device)__", function.partition("{")[0]) is not None
        for rule in RULES:
            for match in re.finditer(rule.matches, function, re.DOTALL):
                if rule.is_of_kernel == is_kernel and rule.holds(match, source):
                    page = f" ({rule.page})" if rule.page else ""
                    said = f"{rule.says.format(**match.groupdict())}{page}."
                    line = source.text.count("\n", 0, start + match.start("at")) + 1
                    found.setdefault(said, f"{file}:{line}: {said}\n")
    return "".join(found.values())
