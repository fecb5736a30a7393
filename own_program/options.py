"""The words behind `./run` that are a reader's own program: files, options of the compiler, what is taken for the count, and
the program's arguments."""

import os
import re
from dataclasses import dataclass, field
from pathlib import Path

from tools.words import Refused, printable

SOURCES = (".cu", ".cpp", ".cc", ".cxx", ".c")
# Options of nvcc without a meaning here, and those of them that have the next word as value.
OF_NVCC = re.compile("-(O[0-3]|g|G|lineinfo|m64|dc|-?use_fast_math|(rdc|arch|gencode)=.*|-.*(extended-lambda|relaxed-constexpr))")
OF_NVCC_WITH_VALUE = ("-arch", "-gencode", "-Xptxas")
FOR_COMPILER = ("-I", "-D", "-U", "-l", "-L")
# What is taken for the count: a variable of the program's environment, the values that it may have, and what is said of others.
FOR_COUNT = {
    "--json": ("MOVING_BYTES_JSON", bool, "needs a file to write."),
    "--card": ("MOVING_BYTES_CARD", bool, "needs the name of a GPU."),
    "--seed": ("MOVING_BYTES_SEED", lambda value: re.fullmatch("[0-9]+", value) and int(value) < 2**64,
               "is '{}'; it must be a whole number from 0 to 18446744073709551615."),
    "--count": ("MOVING_BYTES_COUNT", lambda value: re.fullmatch("all|[1-9][0-9]{,8}", value),
                "is '{}'; it must be all, or the number of launches to count per configuration, from 1 on."),
    "--devices": ("MOVING_BYTES_DEVICES", lambda value: re.fullmatch("[1-4]", value),
                  "is '{}'; it must be a whole number from 1 to 4."),
}


@dataclass
class Request:
    files: list = field(default_factory=list)         # .cu, .cpp, .cc, .cxx and .c, as they were named
    options: list = field(default_factory=list)       # FOR_COMPILER, each with its value, in order
    arguments: list = field(default_factory=list)     # of the program
    environment: dict = field(default_factory=dict)   # of the program
    archive: str = ""          # takes the place of the report at the program's end; or empty
    program: str = ""          # where it becomes; empty if it is to run
    standard_20: bool = False  # else C++17
    openmp: bool = False
    registers: bool = False    # ask nvcc, where it is installed


def refuse(sentence):
    raise Refused(printable(sentence))


def parse(words):
    """Takes the words for what they are. Refused if nothing can be made of them."""
    request, only_compiles, json, rest = Request(), "-o" in words, "", iter(words)
    for word in rest:
        name, equals, behind = word.partition("=")
        is_option = len(word) > 1 and word[0] == "-"
        if word == "--" and not only_compiles:
            request.arguments += rest
        elif name in FOR_COUNT:
            variable, is_valid, sentence = FOR_COUNT[name]
            value = behind if equals else next(rest, "")
            if not is_valid(value):
                refuse(f"{name} {sentence.format(value)}")
            if name == "--json":
                json, value = value, os.path.realpath(value)
            request.environment[variable] = value
        elif word == "--no-model":
            request.environment["MOVING_BYTES_CARD"] = "none"
        elif word == "-o":
            request.program = next(rest, None) or refuse("-o needs the name of the program.")
        elif word == "--registers":
            request.registers = True
        elif word == "-fopenmp":
            request.openmp = True
        elif word.startswith("-std="):
            standard = re.fullmatch(r"-std=(?:c|gnu)\+\+(?:1[147]|(2[0a]))", word) or refuse(
                f"-std is '{word[5:]}'; it must be c++17 (the default, also used for older standards) or c++20.")
            request.standard_20 = standard[1] is not None
        elif word[:2] in FOR_COMPILER and not OF_NVCC.fullmatch(word):
            value = word[2:] or next(rest, "") or refuse(f"{word} needs a value, as in {word} NAME.")
            request.options.append(word[:2] + value)
        elif is_option and not only_compiles and request.files:
            request.arguments.append(word)
        elif word in OF_NVCC_WITH_VALUE:
            next(rest, None) or refuse(f"{word} needs a value.")
        elif is_option:
            OF_NVCC.fullmatch(word) or refuse(
                f"'{word}' is not an option that ./run passes to the compiler; it passes -I, -D, -U, -l, -L, -std= and -fopenmp. See ./run --help.")
        elif only_compiles and word.endswith(".a"):
            request.archive = word
        elif only_compiles or word.endswith(SOURCES) and (not request.files or os.path.isfile(word)):
            request.files.append(word)
        else:
            request.arguments.append(word)
    if not request.files and json:
        refuse(f"--json writes to '{json}', so no program is left to run: ./run --json counts.json mine.cu.")
    return request if request.files else refuse("name the .cu file of your program: ./run mine.cu.")


def require_no_output(request, files):
    """Refused if what the request writes would take the place of one of them: the same device and inode, under whatever name."""
    for option, output in (("-o", request.program), ("--json", request.environment.get("MOVING_BYTES_JSON", ""))):
        for file in filter(os.path.isfile, files if os.path.exists(output) else ()):
            if os.path.samefile(file, output):
                refuse(f"{option} would overwrite the input '{file}': give it another name.")


def check_files(request):
    """Refused if a file cannot be read or is no text, or if what is requested cannot be written, or is among what is read."""
    for file in request.files:
        if "\n" in file:
            refuse("a file name contains a line break: rename the file.")
        if not os.path.isfile(file) or not os.access(file, os.R_OK):
            refuse(f"cannot read '{file}'.")
        with open(file, "rb") as content:
            if b"\0" in content.read(1 << 16):
                refuse(f"'{file}' is not a source file: it contains binary data. Give the .cu file, not the compiled program.")
    require_no_output(request, (*request.files, request.archive, *request.arguments, request.environment.get("MOVING_BYTES_CARD", "")))
    # As root, what is linked would take the place of /dev/null.
    if os.path.exists(request.program) and not os.path.isfile(request.program):
        refuse(f"'{request.program}' is not a regular file: give -o another name.")
    if json := request.environment.get("MOVING_BYTES_JSON"):
        # A file is replaced, which its folder has to allow; a device is written to.
        is_device = os.path.exists(json) and not os.path.isfile(json)
        if os.path.isdir(json) or not os.access(json if is_device else Path(json).parent, os.W_OK):
            refuse(f"cannot write '{json}'.")
