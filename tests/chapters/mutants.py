#!/usr/bin/env python3
"""mutants.py SOURCE.cu MUTANTS.txt OUTPUT.cu: one program of all wrong copies of a chapter.

MUTANTS.txt holds one mistake after another, each with the variant that it breaks:

    missing_guard: basic
    - if (i < n)
    + if (i < n + blockDim.x)

The text after `-` becomes that after `+` where it first stands in the chapter; lines of one sign are
one text of several lines, and without a `+` the text goes. Without either the copy is a true one.

In OUTPUT.cu each copy is a namespace of its own, because a program for each would be compiled and
linked for what they all share. The program's first argument says which copy is the chapter now. A
copy whose text is not in the chapter any more is left out, and asking for it fails: a failing test
and not a failing build, because who edits a chapter may not care for its mutants yet.
"""
import re
import sys
from pathlib import Path

MUTANT = re.compile(r"^(\w+): \w+\n((?:- .*\n)*)((?:\+ .*\n)*)", re.MULTILINE)
INCLUDE = re.compile(r"^#\s*include\b.*$", re.MULTILINE)
KERNELS = re.compile(r'^#include "(\w+\.cuh)"$', re.MULTILINE)  # the chapter's own, which are copied too
# With the conditions that they stand under.
INCLUDES = re.compile(r"^#\s*(?:include|if|ifdef|ifndef|elif|else|endif)\b.*$", re.MULTILINE)

MAIN = """
int main(int argc, char** argv)
{{
    const std::string_view name = argc > 1 ? argv[1] : "";
{calls}
    std::printf("There is no '%s' here: the text that it replaces is not in {source} any more; "
                "give {mutants} the new one.\\n", name.data());
    return 2;
}}
"""


def text_of(lines):
    return "\n".join(line[2:] for line in lines.splitlines())


def whole(path, read=None):
    """A source with the kernels that it includes from its own folder, each where it is first named."""
    read = set() if read is None else read

    def kernels(match):
        if match[1] in read:
            return ""
        read.add(match[1])
        return whole(path.parent / match[1], read).replace("#pragma once\n", "")

    return KERNELS.sub(kernels, path.read_text(encoding="utf-8"))


def main():
    source, mutants, output = map(Path, sys.argv[1:])
    chapter = whole(source)
    parts = ["#include <cstdio>", "#include <string_view>", *INCLUDES.findall(chapter)]
    chapter = INCLUDE.sub("", chapter)
    calls = []
    for name, old, new in MUTANT.findall(mutants.read_text(encoding="utf-8")):
        if text_of(old) in chapter:
            copy = chapter.replace(text_of(old), text_of(new), 1)
            parts.append(f"namespace {name} {{\n{copy}}} // namespace {name}")
            calls.append(f'    if (name == "{name}")\n        return {name}::main(argc - 1, argv + 1);')
    parts.append(MAIN.format(calls="\n".join(calls), source=source.name, mutants=mutants.name))
    output.write_text("\n".join(parts), encoding="utf-8")


main()
