#!/usr/bin/env python3
r"""run_program.py COMPILE_CUDA SOURCE.cu: compiles a program and checks what its comments claim.

    // RUN [NAME=value ...] => STATUS REGEX     a run, its exit status and what its output holds; a value may hold \x1b
    // RUN [...] >/dev/full => STATUS REGEX     the same with nowhere to print to
    // COMPILE => STATUS REGEX                  the same for the compilation, if it fails
    // WITH OPTION...                           options and further files, beside the source

A run that ends by itself leaves a results file with a row for each counted launch; one that a wrong setting,
a library's call or a kernel's fault ends leaves none. MOVING_BYTES_JSON=FILE is for a file that cannot be written.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

CLAIM = re.compile(r"// (RUN|COMPILE)((?: \w+=[\w/\\[]+)*)( >/dev/full)? => (-?\d+) (.*)")
WITH = re.compile(r"// WITH (.*)")
ENDED_EARLY = (2, 4, 6, -11)  # a wrong setting, a library's call, a fault of a kernel or of the host


def check(what, result, status, pattern):
    output = (result.stdout or "") + result.stderr
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
    counted = re.search(r"CPU device: ([\d ]+) kernel launch\w*, executed and (?:([\d ]+) of them )?counted", output)
    launches = int((counted[2] or counted[1]).replace(" ", ""))
    if len(rows) != launches:
        sys.exit(f"{len(rows)} rows for {launches} counted launches")
    if any(row["counts"] is None or row["time_ms"] is not None for row in rows):
        sys.exit("a row of the CPU device has counts and no time")
    path.unlink()


def main():
    compiler, source = sys.argv[1:]
    text = Path(source).read_text()
    claims = CLAIM.findall(text)
    options = [option for line in WITH.findall(text) for option in line.split()]
    if not claims:
        sys.exit(f"{source} claims nothing")
    with tempfile.TemporaryDirectory(prefix="program ") as directory:
        program, results = Path(directory, "the program"), Path(directory, "results.json")
        compiled = subprocess.run([compiler, Path(source).name, *options, "-o", program],
                                  cwd=Path(source).parent, capture_output=True, text=True)
        kind, _, _, status, pattern = claims[0]
        if kind == "COMPILE":
            check("compilation", compiled, int(status), pattern)
            if program.exists():
                sys.exit("the failed compilation left a program")
            return
        check("compilation", compiled, 0, "")
        if compiled.stdout or compiled.stderr:
            sys.exit("the compilation says something")
        for _, variables, full, status, pattern in claims:
            environment = dict(os.environ, MOVING_BYTES_JSON=str(results))
            environment.update(variable.encode().decode("unicode_escape").split("=") for variable in variables.split())
            with open("/dev/full", "w", encoding="ascii") as nowhere:
                run = subprocess.run([program], stdout=nowhere if full else subprocess.PIPE,
                                     stderr=subprocess.PIPE, text=True, env=environment,
                                     cwd=directory, timeout=60)
            check(f"run{variables}{full}", run, int(status), pattern)
            if not full and environment["MOVING_BYTES_JSON"] == str(results):
                check_results(results, int(status), run.stdout)


main()
