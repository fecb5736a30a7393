"""What a compiler or linker says of a reader's program, in as few lines as help."""

import io
import re

from own_program.gaps import GAPS
from tools.words import Refused

MOST_SENTENCES = 5
ORIGIN = re.compile(r"^In file included from |^ +from |(required|instantiation|instantiated|expansion).* (from|here|of)")
LEAD = re.compile(r"^(In file included)? *from *")
ERROR = re.compile(r": (fatal )?error: |undefined reference to|multiple definition of")
MARK = re.compile(r": (?:fatal )?error: ")
EXCERPT = re.compile(r"^ +[0-9]* \|")
LINKER = re.compile(r"(^|/)(ld|gold|mold)[.a-z0-9]*: ")
OF_LINKER = re.compile(r"^collect2: |: In function ")
# What is no error of a compiler's at all, but for sentences of the rewriter.
OTHER = re.compile(r": (note|warning): |^ |^In file|: In |^cc1|^collect2|ld: |ld returned|compilation terminated|^[0-9]+ errors? generated")
MISSING_FILE = re.compile(r":? (No such file or directory|file not found)")
UNDECLARED = re.compile("not (been )?declared|not a member|does not name|has no member|unknown type|undeclared|no member|not a class|not declare")


def place_of(line):
    """"file.cu:12" of "file.cu:12:34: error: ..."."""
    return (re.findall("^[^:]+:[0-9]+", line) or [""])[0]


def first_quoted(text):
    """`name` of "... 'name' ..."."""
    return (re.findall("'([^']+)'", text) or [""])[0]


class Explanation:
    def __init__(self, own):
        self.own = own  # folders
        self.sentences = []
        self.told = set()      # gaps, and names that nothing defines
        self.origin = ""       # of the next error, if that is in a header
        self.first = ""        # error, with the line of source under it
        self.lacks = ""        # the name that it says is not declared
        self.errors = 0
        self.excerpt_lines = 0
        self.in_excerpt = False
        self.linker = ""       # what it says next to names that are missing or defined twice
        self.others = ""

    def read(self, line):
        if ORIGIN.search(line):
            self.note_origin(line)
        if OF_LINKER.search(line):
            return
        if ERROR.search(line):
            self.read_error(line)
        elif linker := LINKER.search(line):
            what = line[linker.end():]
            if not OTHER.search(": " + what) and ": in function" not in what:
                self.linker += f"the linker says: {what}\n"
        elif self.in_excerpt and EXCERPT.search(line) and self.excerpt_lines < 3:
            self.first += "\n" + line
            self.excerpt_lines += 1
        else:
            self.in_excerpt = self.in_excerpt and self.excerpt_lines == 0
            if not OTHER.search(line):
                self.others += line + "\n"

    def text(self, nvcc_compiles):
        if self.sentences:
            more = len(self.sentences) - MOST_SENTENCES
            return "".join(f"{sentence}\n" for sentence in self.sentences[:MOST_SENTENCES]) + (f"... and {more} more of these.\n" if more > 0 else "")
        if not self.first:
            return self.linker + self.others
        more = self.errors - 1
        return (f"{self.first}\n" + (f"(and {more} more error{'s' if more > 1 else ''})\n" if more else "")
                + (f"nvcc compiles this{f': the CPU device lacks {self.lacks}' if self.lacks else ', the compiler of the CPU device does not'}.\n" if nvcc_compiles else ""))

    def is_own(self, place):
        return place.startswith(self.own)

    def note_origin(self, line):
        """Where an error inside a header comes from: the reader's last line before it."""
        place = place_of(LEAD.sub("", line))
        if place and not self.is_own(place):
            self.origin = place

    def read_error(self, line):
        place, text = place_of(line), MARK.split(line)[-1]
        reader = self.origin if self.is_own(place) and self.origin else place
        if missing := MISSING_FILE.search(text):
            name = text[:missing.start()].strip("'")
            self.tell(place, name) or self.say(f"{place}: there is no '{name}': give its folder with -I DIR.")
        elif undefined := re.search("undefined reference to [`'](.*)'", text):
            of_object = not place or ".o:" in place
            where = "the program" if of_object or self.is_own(place) else place
            if not self.tell(where, undefined[1]) and undefined[1] not in self.told:
                self.told.add(undefined[1])
                self.say(f"{where}: nothing defines {undefined[1]}, which the program calls: add the file that does, "
                         "or its library with -l.")
        elif twice := re.search("multiple definition of [`']([^']*)", text):
            self.say(f"Two of the files define {twice[1]}: give only one of them.")
        elif not UNDECLARED.search(text) or not self.tell(reader, first_quoted(text)):
            self.errors += 1
            self.in_excerpt = self.errors == 1
            if self.in_excerpt:
                self.first = f"{reader}: error: {text}"
                self.lacks = first_quoted(text) if UNDECLARED.search(text) else ""
                self.in_excerpt = not self.is_own(place)
                return  # the origin is of the lines that follow, too
        self.origin = ""

    def tell(self, place, name):
        """One sentence a gap: the first name stands for all of its kind. False if there is none."""
        sentence = next((sentence for names, sentence in GAPS if re.fullmatch(names, name)), None)
        if sentence and sentence not in self.told:
            self.told.add(sentence)
            self.say(f"{place}: {sentence.replace('NAME', name)}")
        return sentence is not None

    def say(self, sentence):
        if sentence not in self.sentences:
            self.sentences.append(sentence)


def full_disk(messages):
    """Of `messages`, the first line that says that a disk is full; empty without one."""
    found = re.search(r"^.*(No space left on device|Disk quota exceeded)'?$", messages, re.MULTILINE)
    return found[0] if found else ""


def why_none(messages, program):
    """Why there is no `program` where a compiler or linker says `messages` and fails: on a full disk the reader's files are not at
    fault, which has another status."""
    if full_disk(messages):
        return Refused(f"cannot write {program}: its disk or that of temporary files is full, as the line above says; the program is not the cause.")
    return Refused("this does not compile; the lines above say why.", 1)


def explain(messages, own, nvcc_compiles=False):
    """Of `messages`, full_disk(); else a sentence for each known gap, with file, line and remedy, at most five; else the first error, at the
    reader's own line; else the lines that are neither an error nor a note. `own` are the folders of headers that are not the
    reader's; `nvcc_compiles` it, so that a name that is not declared is CUDA's. Lines end in a line break."""
    if full := full_disk(messages):
        return full + "\n"
    explanation = Explanation(tuple(own))
    for line in io.StringIO(messages):
        explanation.read(line.rstrip("\n"))
    return explanation.text(nvcc_compiles)


def refusal(file, messages):
    """Of what nvcc says of a file that the CPU device runs, the first error, in a sentence; empty without one."""
    # So its own front end writes errors of the source; those of an installation look different.
    error = re.search(r".*\([0-9]+\): error.*", messages)
    return f"This machine's nvcc rejects {file}: {error[0]}\n" if error else ""
