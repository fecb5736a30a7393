#!/usr/bin/env python3
r"""run_program.py COMPILE_CUDA SOURCE.cu [FOLDER [CASE]]: compiles a program and checks what its comments claim.

    // RUN [NAME=value ...] => STATUS REGEX     a run, its exit status and what its output holds; a value may hold \x1b
    // RUN [...] >/dev/full => STATUS REGEX     the same with nowhere to print to
    // RUN [...] 2>&1 => STATUS REGEX           the same with the output in the order in which it is printed
    // COMPILE => STATUS REGEX                  the same for the compilation, if it fails
    // WITH OPTION...                           options and further files, beside the source
    // CASE NAME                                what follows is of this case: the program runs with its name as argument, and
                                                a compilation that fails defines it
    // SLOW                                     the program, or the case, is left out of `./run test`

In a REGEX @NAME is the number of the line that ends in `// @NAME`. Of a source with cases the program is compiled
into FOLDER, and each CASE is a call of its own. A run that ends by itself leaves a results file with a row for each
counted launch; one that a wrong setting, a library's call or a kernel's fault ends leaves none.
MOVING_BYTES_JSON=FILE is for a file that cannot be written.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

CLAIM = re.compile(r"// (RUN|COMPILE)((?: \w+=[\w./\\[]+)*)( >/dev/full| 2>&1)? => (-?\d+) (.*)")
WITH = re.compile(r"// WITH (.*)")
CASE = re.compile(r"^// CASE (\w+)$", re.MULTILINE)
ENDED_EARLY = (2, 4, 6, -6, -11)  # a wrong setting, a library's call, a fault of a kernel, abort(), a fault of the host


def check(what, result, status, pattern):
    output = (result.stdout or "") + (result.stderr or "")
    print(output)
    if result.returncode != status:
        sys.exit(f"{what}: exit status {result.returncode} instead of {status}")
    if not re.search(pattern, output):
        sys.exit(f"{what}: the output does not match: {pattern}")


def check_results(path, status, output):
    if status in ENDED_EARLY:
        if list(path.parent.glob(path.name + "*")):
            sys.exit(f"a run that ended with status {status} left a results file")
        return
    rows = json.loads(path.read_text())["rows"]
    counted = re.search(r"CPU device: ([\d,]+) kernel launch\w*, executed and (?:([\d,]+) of them )?counted", output)
    launches = int((counted[2] or counted[1]).replace(",", ""))
    if len(rows) != launches:
        sys.exit(f"{len(rows)} rows for {launches} counted launches")
    if any(row["counts"] is None or row["time_ms"] is not None for row in rows):
        sys.exit("a row of the CPU device has counts and no time")
    path.unlink()


def check_runs(program, arguments, claims, directory):
    results = Path(directory, "results.json")
    for _, variables, full, status, pattern in claims:
        environment = dict(os.environ, MOVING_BYTES_JSON=str(results))
        environment.update(variable.encode().decode("unicode_escape").split("=") for variable in variables.split())
        with open("/dev/full", "w", encoding="ascii") as nowhere:
            run = subprocess.run([program, *arguments], stdout=nowhere if "/dev/full" in full else subprocess.PIPE,
                                 stderr=subprocess.STDOUT if "2>&1" in full else subprocess.PIPE, text=True, env=environment,
                                 cwd=directory, timeout=240)
        check(f"run{variables}{full}", run, int(status), pattern)
        if not full and environment["MOVING_BYTES_JSON"] == str(results):
            check_results(results, int(status), run.stdout)


def compile_program(compiler, source, options, program, status=0, pattern="^$"):
    """Compiles, without a word unless something else is expected."""
    compiled = subprocess.run([compiler, source.name, *options, "-o", program], cwd=source.parent, capture_output=True, text=True)
    check("compilation", compiled, status, pattern)
    if status != 0 and program.exists():
        sys.exit("the failed compilation left a program")


def main():
    compiler, source, *where = sys.argv[1:]
    source = Path(source)
    text = source.read_text()
    lines = {name: str(text[:at.start()].count("\n") + 1) for at in re.finditer(r"// @(\w+)$", text, re.MULTILINE) for name in at.groups()}
    whole, *named = CASE.split(text)
    cases = dict(zip(named[::2], named[1::2]))
    options = [option for line in WITH.findall(whole) for option in line.split()]
    folder, case = [*where, None, None][:2]
    claims = [(*rest, re.sub(r"@(\w+)", lambda at: lines[at[1]], pattern))
              for *rest, pattern in CLAIM.findall(cases[case] if case else whole)]
    written = re.findall(r"^CASE\((\w+)\)", text, re.MULTILINE)
    if written and set(written) != set(cases):
        sys.exit(f"not both told of and written: {set(written) ^ set(cases)}")
    if bool(claims) == bool(folder and not case):
        sys.exit(f"{case or source} claims nothing, or too much")
    with tempfile.TemporaryDirectory(prefix="program ") as directory:
        if folder and not case:
            compile_program(compiler, source, options, Path(folder, source.stem))
        elif claims[0][0] == "COMPILE":
            *_, status, pattern = claims[0]
            compile_program(compiler, source, [*options, *(["-D", case] if case else [])], Path(directory, "program"), int(status), pattern)
        elif case:
            check_runs(Path(folder, source.stem), [case], claims, directory)
        else:
            compile_program(compiler, source, options, Path(directory, "the program"))
            check_runs(Path(directory, "the program"), [], claims, directory)


main()
