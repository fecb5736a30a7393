#!/usr/bin/env python3
"""mutants.py SOURCE.cu MUTANTS.txt OUTPUT.cu: one program of all wrong copies of a chapter.

MUTANTS.txt holds one mistake after another, each with the variant that it breaks:

    missing_guard: basic
    - if (i < n)
    + if (i < n + blockDim.x)

The text after `-` becomes that after `+` where it first stands in the chapter; lines of one sign are
one text of several lines, and without a `+` the text goes.

In OUTPUT.cu the chapter stands once, and a function that mistakes change has its body once more for
each: the program's first argument says which of them runs, `unchanged` none. That takes a text within
the body of one function, behind its `__shared__` variables, which would add up, and a function that
is not constexpr, because it asks at run time. A mistake whose text is in no such place is left out,
and requesting it fails: a failing test and not a failing build, because who edits a chapter may not
care for its mutants yet.
"""
import re
import sys
from pathlib import Path

MUTANT = re.compile(r"^(\w+): \w+\n((?:- .*\n)+)((?:\+ .*\n)*)", re.MULTILINE)
INCLUDE = re.compile(r"^#\s*include\b.*$", re.MULTILINE)
KERNELS = re.compile(r'^#include "([\w./]+\.cuh)"$', re.MULTILINE)  # of chapters, which are copied too
# With the conditions that they stand under.
INCLUDES = re.compile(r"^#\s*(?:include|if|ifdef|ifndef|elif|else|endif)\b.*$", re.MULTILINE)
# clang-format gives the braces of a function lines of their own, and of nothing else that ends without `;`.
BODY = re.compile(r"^( *)\{\n"
                  r"(?:(?:(?!\1\}).*\n)*^\1    (?:extern |static )?__shared__\b[^;]*;.*\n)?"
                  r"(?P<choice>(?:(?!\1\}).*\n)*)"
                  r"\1\}$", re.MULTILINE)
CONSTEXPR = re.compile(r"\bconst(?:expr|eval)\b[^;}]*$")  # in what stands before a body

# Kernels ask, too, and that is no access of theirs.
ASK = """
namespace {
int mutant = 0;
__attribute__((no_sanitize("thread"))) __host__ __device__ bool mutant_is(int number)
{
    return mutant == number;
}
} // namespace
"""
CALL = """    if (name == "{name}") {{
        mutant = {number};
        return chapter::main(argc - 1, argv + 1);
    }}"""
MAIN = """
int main(int argc, char** argv)
{{
    const std::string_view name = argc > 1 ? argv[1] : "";
{calls}
    std::printf("There is no '%s' here: the text that it replaces is not in {source} any more, or not within the "
                "body of one function, behind its __shared__ variables; give {mutants} another one.\\n", name.data());
    return 2;
}}
"""


def text_of(lines):
    return "\n".join(line[2:] for line in lines.splitlines())


def whole(path, read=None):
    """A source with the kernels that it includes from its own folder or another's, each where it is first named."""
    read = set() if read is None else read

    def kernels(match):
        other = (path.parent / match[1]).resolve()
        if other in read:
            return ""
        read.add(other)
        return whole(other, read).replace("#pragma once\n", "")

    return KERNELS.sub(kernels, path.read_text(encoding="utf-8"))


def choice_at(chapter, begin, end):
    """From where to where a function's body may stand in it several times and holds those characters."""
    for body in BODY.finditer(chapter):
        if body.start("choice") <= begin and end <= body.end("choice"):
            allowed = "__shared__" not in body["choice"] and not CONSTEXPR.search(chapter[:body.start()])
            return body.span("choice") if allowed else None
    return None


def main():
    source, mutants, output = map(Path, sys.argv[1:])
    chapter = whole(source)
    includes = INCLUDES.findall(chapter)
    chapter = INCLUDE.sub("", chapter)
    choices = {}  # by where they stand: what may be there instead
    calls = [CALL.format(name="unchanged", number=0)]
    for number, (name, old, new) in enumerate(MUTANT.findall(mutants.read_text(encoding="utf-8")), 1):
        begin = chapter.find(text_of(old))
        end = begin + len(text_of(old))
        if begin >= 0 and (choice := choice_at(chapter, begin, end)):
            first, last = choice
            instead = chapter[first:begin] + text_of(new) + chapter[end:last]
            choices.setdefault(choice, []).append(f"if (mutant_is({number})) {{\n{instead}}} else ")
            calls.append(CALL.format(name=name, number=number))
    for (first, last), instead in sorted(choices.items(), reverse=True):
        chapter = chapter[:first] + "".join(instead) + f"{{\n{chapter[first:last]}}}\n" + chapter[last:]
    parts = ["#include <cstdio>", "#include <string_view>", *includes, ASK,
             f"namespace chapter {{\n{chapter}}} // namespace chapter",
             MAIN.format(calls="\n".join(calls), source=source.name, mutants=mutants.name)]
    output.write_text("\n".join(parts), encoding="utf-8")


main()
