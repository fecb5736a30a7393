"""The answers to an exercise whose fate is known, from its answers.txt: its solution, and wrong ones.

    starter: load_sectors

    solution
    // Why it is right: this stands in the place of the task.
    - * per_thread + k
    + + k * blockDim.x

    one_element_a_thread: threads
    - constexpr unsigned per_thread = 4;
    + constexpr unsigned per_thread = 1;

The solution is the starter, a wrong answer the solution, in which the text after `-`, where it first stands,
becomes that after `+`. Lines of one sign are one text of several lines, and there may be several such pairs.
What follows a name is the goal that has to reject the answer; `order|right`, one of the two.
"""

import re

LINE = "(?: .*)?\n"
PAIR = re.compile(rf"((?:-{LINE})+)((?:\+{LINE})*)")
SOLUTION = re.compile(rf"^solution\n((?://{LINE})+)((?:[-+]{LINE})+)", re.MULTILINE)
WRONG = re.compile(rf"^(\w+): ([\w|]+)(, on a GPU by chance)?\n((?:[-+]{LINE})*)", re.MULTILINE)
TASK = re.compile(rf"// (.*)\n//\n(?://{LINE})*")  # what a starter begins with


class Unfit(Exception):
    """What is wrong with an answers.txt, in a sentence."""


def text_of(lines):
    return "\n".join(line[2:] for line in lines.splitlines())


def changed(text, edits, name):
    """The text with those changes; Unfit where it does not hold what goes, or where one changes nothing."""
    for old, new in PAIR.findall(edits):
        if text_of(old) not in text:
            raise Unfit(f"{name}: there is no '{text_of(old)}' (any more) in what it changes; give it the new text.")
        if text_of(old) == text_of(new):
            raise Unfit(f"{name}: what becomes of '{text_of(old)}' is the same; say what is wrong in it.")
        text = text.replace(text_of(old), text_of(new), 1)
    return text


def read(folder):
    """The starter of an exercise, and its answers.txt; Unfit where they do not have the form."""
    starter, listed = ((folder / name).read_text(encoding="utf-8") for name in ("starter.cu", "answers.txt"))
    if not TASK.match(starter):
        raise Unfit("starter.cu has to begin with '// NN.K: TITLE', '//' and the task.")
    if not SOLUTION.search(listed):
        raise Unfit("it needs the solution: a line 'solution', lines '// why it is right' and changes of the starter.")
    return starter, listed


def head(goals):
    """Pairs of a name and its value, at the head of goals.cpp: `// 03.1: Title`, then lines `// name: value`, which may go on."""
    fields = []
    for line in goals.read_text(encoding="utf-8").splitlines():
        if not line.startswith("//"):
            break
        if match := re.fullmatch(r"// ([a-z]+|\d\d\.\d+): (.*)", line):
            fields.append([match[1], match[2]])
        elif fields:
            fields[-1][1] += " " + line.lstrip("/ ")
    return fields


def solution(folder):
    """The source of an exercise's solution."""
    starter, listed = read(folder)
    comment, edits = SOLUTION.search(listed).groups()
    return TASK.sub(lambda task: f"// A solution of {task[1]}\n//\n{comment}", changed(starter, edits, "solution"), count=1)


def answers(folder):
    """Each answer's name, source, the goal that it misses, '' for the solution, and whether it may hold on a GPU."""
    starter, listed = read(folder)
    right = solution(folder)
    found = [("solution", right, "", False)]
    for name, goal, chance, edits in WRONG.findall(listed):
        found.append((name, starter if name == "starter" else changed(right, edits, name), goal, bool(chance)))
    names = [name for name, *_ in found]
    if "starter" not in names or len(names) < 5 or len(set(names)) < len(names):
        raise Unfit("it needs the goal that the starter misses and at least three wrong answers, of different names; "
                    f"it has: {', '.join(names[1:])}.")
    return found
