"""python3 -m tests.exercises.answers EXERCISES OUTPUT.cu: one program of all answers to the exercises of a chapter.

EXERCISES is the chapter's folder of them. For each, its starter, its solution and the wrong answers (tools/answers.py),
with the goal that has to reject each.

In OUTPUT.cu each answer is a namespace of its own, because a program for each would be compiled and linked for
what they all share: the goals, and the checker.
"""
import re
import sys
from pathlib import Path

from tools import answers as known

INCLUDES = re.compile(r"^#\s*include\b.*\n", re.MULTILINE)
# What the goals ask of an answer: `void solve(const float* a, std::size_t n);`
ASKED = re.compile(r"^(\w[\w:*&<> ]*[ *&])(\w+)\(([^()]*)\);\n", re.MULTILINE)
# And the types by which it asks: `using Read = void (*)(const float* c, std::size_t n);`
TYPES = re.compile(r"^using \w+ = .*;\n", re.MULTILINE)

EXERCISE = """
namespace {space} {{
namespace {{
std::string_view answer;
}}
{answers}
{calls}
{goals}
}} // namespace {space}
"""

MAIN = """
int main(int argc, char** argv)
{{
    static const KnownAnswer answers[] = {{
{table}
    }};
    return check_answers(argc, argv, answers);
}}
"""


def check_head(exercise, goals, starter):
    """What ./run exercise reads."""
    number = exercise.name.partition("_")[0]
    title = goals.partition("\n")[0]
    head = goals.partition("#include")[0]
    counts = [len(re.findall(rf"^// {field}: \S", head, re.MULTILINE))
              for field in ("minutes", "difficulty", "practises", "hint")]
    if not title.startswith(f"// {number}: ") or counts != [1, 1, 1, 3]:
        sys.exit(f"{exercise / 'goals.cpp'} has to begin with '// {number}: TITLE', minutes, difficulty, practises and "
                 "three hints, in lines of at most 100 columns, or clang-format joins them.")
    for line in head.splitlines()[1:]:
        if not re.match(r"// (minutes|difficulty|practises|hint): |//     \S", line):
            sys.exit(f"{exercise / 'goals.cpp'}: '{line}' begins none of these and does not go on as '//     ...'.")
    if starter.partition("\n")[0] != title:
        sys.exit(f"{exercise / 'starter.cu'} has to begin with '{title}'.")


def dispatcher(declaration, names):
    """A function of the goals' namespace that calls that of the answer that is tried."""
    result, function, parameters = declaration
    passed = ", ".join(re.findall(r"(\w+)\s*(?:,|$)", parameters))
    tries = "".join(f'    if (answer == "{name}")\n        return {name}::{function}({passed});\n' for name in names)
    nothing = "" if result.strip() == "void" else "    return {};\n"
    return f"{result}{function}({parameters})\n{{\n{tries}{nothing}}}\n"


def main():
    folder, output = map(Path, sys.argv[1:3])
    includes, spaces, table = ['#include "tests/exercises/check_answers.hpp"\n'], [], []
    for exercise in sorted(path.parent for path in folder.glob("*/goals.cpp")):
        goals = (exercise / "goals.cpp").read_text(encoding="utf-8")
        check_head(exercise, goals, (exercise / "starter.cu").read_text(encoding="utf-8"))
        try:
            answers = known.answers(exercise)
        except known.Unfit as error:
            sys.exit(f"{exercise / 'answers.txt'}: {error}")
        for source in [goals, *(source for _, source, _, _ in answers)]:
            includes += [line for line in INCLUDES.findall(source) if line not in includes]
        number = exercise.name.partition("_")[0]
        space = "exercise_" + number.replace(".", "_")
        calls = TYPES.findall(goals)
        calls += [dispatcher(asked, [name for name, _, _, _ in answers]) for asked in ASKED.findall(goals)]
        spaces.append(EXERCISE.format(
            space=space, goals=INCLUDES.sub("", goals), calls="".join(calls),
            answers="\n".join(f"namespace {name} {{\n{INCLUDES.sub('', source)}}} // namespace {name}"
                              for name, source, _, _ in answers)))
        table += [f'        {{"{number}", "{name}", "{goal}", {str(chance).lower()}, {space}::goals, &{space}::answer}},'
                  for name, _, goal, chance in answers]
    output.write_text("".join(includes) + "".join(spaces) + MAIN.format(table="\n".join(table)), encoding="utf-8")


if __name__ == "__main__":
    main()
