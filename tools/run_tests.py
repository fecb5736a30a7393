"""./run test: builds the tests of one device or two, runs them, and says what was skipped and left out."""

import collections
import json
import os
import subprocess
from pathlib import Path

from tools.build import ROOT, Build, call
from tools.words import Refused, printable


def left(log):
    """The sentences of tests that cannot run here or passed before, each with how often it was said."""
    try:
        text = log.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return []
    said = collections.Counter(line for line in text.splitlines() if line.startswith(("skipped: ", "remembered: ")))
    return [f"{count} {line}" for line, count in sorted(said.items())]


def programs_of(tests):
    """What tests alone run: tests/CMakeLists.txt says so of slow ones."""
    properties = (entry for test in tests for entry in test["properties"])
    return sorted({Path(file).name for entry in properties if entry["name"] == "REQUIRED_FILES" for file in entry["value"]})


def run_tests(build, options):
    """Status 0 if all tests pass that the options choose: those of ctest, --all, or none for all that are not slow."""
    build.make(f"the tests ({build.device})", "all", tests=True)
    # Of all tests, one counts each chapter whole: none needs to count a part of each as well.
    whole = ["--label-exclude", "^part$", "--fixture-exclude-setup", "^counts$"]
    chosen = whole + options[1:] if options[:1] == ["--all"] else options
    ctest = ["ctest", "--test-dir", build.directory]
    listed = subprocess.run([*ctest, "--show-only=json-v1", *chosen, "--label-regex", "^slow$", "--fixture-exclude-any", "."],
                            capture_output=True, text=True).stdout
    slow = json.loads(listed)["tests"] if listed.startswith("{") else []  # where options are none of ctest, it says so below
    if options and (programs := programs_of(slow)):
        build.make("what slow tests run", *programs)
    log = build.directory / "Testing/Temporary/LastTest.log"
    log.unlink(missing_ok=True)
    jobs = str(len(os.sched_getaffinity(0)) + 1)  # some wait for what does not come
    chosen = chosen if options else ["--label-exclude", "^slow$"]
    status = call([*ctest, "--parallel", jobs, "--output-on-failure", "--no-tests=error", *chosen])
    for line in left(log):
        print(line)
    if slow and not options:
        print(f"left out: the slow tests ({len(slow)}), which ./run test --all runs too")
    return 1 if status else 0


def main(devices, options):
    if not (ROOT / "tests").is_dir():
        raise Refused("this copy was made without tests, for a class; a clone has them.")
    if options[:1] in (["-h"], ["--help"]):
        return call(["ctest", "--help"])
    if options and not options[0].startswith("-"):  # ctest would run all tests
        raise Refused(f"{printable(options[0])} is no option of ctest. ./run test -R {printable(options[0])} runs the tests that have it in their "
                      "names.")
    return max([run_tests(Build(device), options) for device in devices])
