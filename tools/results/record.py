"""Record reference results: the times of every chapter at full length, or the hardware counters of each variant.

    python3 -m tools.results.record BINARIES OUTPUT [--again] [--processes N] [--seconds N] [CHAPTER...]
    python3 -m tools.results.record BINARIES OUTPUT --counters [CHAPTER...]

BINARIES is the folder of the chapters' programs built for the GPU, or of the claims' (experiments/claims). OUTPUT receives NN_name.json for
every chapter; that of several GPUs goes to OUTPUT-xN, where N are used, and is left out where there is
one. Each file is written when its chapter has been measured, and a record that was stopped goes on where it
was: chapters that this GPU has at this commit are left out, unless --again is given. --seconds begins no
chapter after so many, and says what is left.

A chapter is measured at full length by one process; then the rows of a plain ./run, cold, by as many more as make
three (--processes): all chapters in an order that is drawn, and the variants of a chapter in two halves that are
drawn, a process for each. The second process of some chapters measures what energy a launch takes, too. A process that saw the GPU hold its clocks down is thrown away, and measures again.
At the end PyTorch's rows are measured, where it is installed.

With --counters OUTPUT receives counters.json alone (hardware_counters.py), because counters take as long as times and
change only where kernels do.
"""

import argparse
import json
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

from tools.files import write_whole
from tools.results import machine, processes
from tools.results.hardware_counters import SEVERAL, record_counters, run
from tools.results.torch_peers import with_shares

# Elements, for chapters that do not sweep sizes themselves: those of a plain ./run, whose rows --full has
# too, so that ./run compare finds each of them here.
FULL_LENGTH = "2^28"
LONGEST = "2^30"  # too, for the chapters whose question is how fast a kernel can be
SECONDS_OF_A_ROW = "0.5"  # at most; a plain ./run has less patience
LONGEST_FOR = re.compile("0[1-7]_")
# Whose second process measures the energy of a launch, too: an addition, a wider one, and elements at random.
ENERGY_OF = re.compile("(01|05|17)_")


def sweeps_sizes(program):
    """True if the chapter has more sizes than one --n leaves it. (Matrices of several shapes have
    several numbers of elements, whatever --n is.)"""
    def sizes(*options):
        listing = subprocess.run([program, "--list", *options], capture_output=True, text=True,
                                 check=True).stdout
        return set(re.findall(r"\bn (\d+)", listing))

    return len(sizes("--full")) > len(sizes("--full", "--n", FULL_LENGTH))


def made_by(results):
    """Card and commit."""
    return results["device"].get("card"), results["environment"].get("commit")


class Measured:
    """Runs chapters' programs, and keeps what they measured."""

    def __init__(self, scratch):
        self.scratch = scratch
        self.thrown_away = 0

    def rows(self, program, *options):
        """The results of one process that held its clocks; the second that did not is taken as it is."""
        file = self.scratch / "rows.json"
        for last in (False, True):
            with machine.watched() as throttled:
                run([program, "--json", file, "--max-time", SECONDS_OF_A_ROW, *options], self.scratch / "log")
            if not throttled():
                break
            if not last:
                self.thrown_away += 1
        results = json.loads(file.read_text())
        results["options"].pop("full", None)
        if throttled() is not None:
            results["environment"]["throttled"] = throttled()
        return results

    def chapter(self, program):
        """The results of one chapter, all sizes in one file."""
        if sweeps_sizes(program):
            return self.rows(program, "--full", "--cache", "both")
        results = self.rows(program, "--full", "--cache", "both", "--n", FULL_LENGTH)
        results["options"].pop("n", None)
        # Longer still: cold alone, because no L2 holds any of it; and not what crosses the link to the
        # host, which is as fast with a quarter of the bytes.
        timed_on_device = {row["variant"]: None for row in results["rows"] if row["cache"]}
        if timed_on_device and LONGEST_FOR.match(program.name):
            variants = [word for name in timed_on_device for word in ("--variant", name)]
            longer = self.rows(program, "--full", "--cache", "cold", "--n", LONGEST, *variants)
            results["rows"] += longer["rows"]
            results["environment"]["clocks"]["after"] = longer["environment"]["clocks"]["after"]
        return results

    def again(self, program, draw, *options):
        """The results of a plain run, by two processes that have half of the variants each."""
        listing = subprocess.run([program, "--list"], capture_output=True, text=True, check=True).stdout
        variants = sorted({line.split()[0] for line in listing.splitlines() if line.strip()})
        draw.shuffle(variants)
        half = (len(variants) + 1) // 2
        sizes = [] if sweeps_sizes(program) else ["--n", FULL_LENGTH]
        for part in filter(None, (variants[:half], variants[half:])):
            chosen = [word for name in part for word in ("--variant", name)]
            yield self.rows(program, "--usual", "--cache", "cold", *sizes, *chosen, *options)


def write(files):
    """Writes all results, each at once."""
    for path, results in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, json.dumps(results, indent=1) + "\n")


def tell(program, what, started):
    print(f"{program.name}: {what} in {time.monotonic() - started:.0f} s", file=sys.stderr, flush=True)


class Record:
    """The files of the chapters' times, in one folder, of one GPU and one commit."""

    def __init__(self, output, options, scratch):
        self.output, self.options, self.facts = output, options, machine.describe()
        self.measured = Measured(scratch)
        self.began = time.monotonic()
        self.begun_with = None  # GPU and commit

    def path(self, program, results=None):
        devices = results["options"]["devices"] if results and SEVERAL.match(program.name) else 0
        folder = self.output.with_name(f"{self.output.name}-x{devices}") if devices > 1 else self.output
        return folder / f"{program.name}.json"

    def is_late(self):
        return self.options.seconds is not None and time.monotonic() - self.began > self.options.seconds

    def check(self, program, results):
        """Ends the recording where a file would be of another GPU or commit than the one before."""
        mine = made_by(results)
        if self.begun_with is None and (mine[1] or "unknown").endswith(("unknown", "-dirty")):
            print(f"record: these programs are of commit {mine[1]}: nobody can build them again.", file=sys.stderr)
        self.begun_with = self.begun_with or mine
        if mine != self.begun_with:
            sys.exit(f"record: {program.name} is of commit {mine[1]} on GPU {mine[0]}, the chapters before it are of "
                     f"{self.begun_with[1]} on {self.begun_with[0]}: nothing is mixed.")

    def there(self, program):
        """What an earlier call has recorded of this chapter; None where it is to be measured."""
        results = None if self.options.again or SEVERAL.match(program.name) else self.file_of(program)
        return results if results and all(self.begun_with) and made_by(results) == self.begun_with else None

    def first(self, programs):
        """Measures each chapter once; returns those for which there was no time."""
        if not self.options.again and programs:
            self.identify(programs[0])
        for program in programs:
            if self.is_late():
                yield program
            elif self.there(program):
                print(f"{program.name}: recorded before", file=sys.stderr, flush=True)
            else:
                self.measure(program)

    def identify(self, program):
        """Learns GPU and commit from a launch that times nothing."""
        file = self.measured.scratch / "who.json"
        run([program, "--launch-once", "--n", "1024", "--json", file], self.measured.scratch / "log")
        self.check(program, json.loads(file.read_text()))

    def measure(self, program):
        started = time.monotonic()
        results = self.measured.chapter(program)
        if SEVERAL.match(program.name) and results["options"]["devices"] == 1:
            print(f"{program.name}: left out, it needs two GPUs", file=sys.stderr, flush=True)
            return
        self.check(program, results)
        results["environment"]["machine"] = self.facts
        write({self.path(program, results): results})
        tell(program, f"{len(results['rows'])} rows", started)

    def repeat(self, programs):
        """Measures the rows of a plain run again, by further processes; returns how many chapters had no time."""
        draw = random.Random(len(programs))
        left = 0
        for number in range(2, self.options.processes + 1):
            order = [program for program in programs if not SEVERAL.match(program.name)]
            draw.shuffle(order)
            for program in order:
                results = self.file_of(program)
                if results is None or results["environment"].get("processes", 1) >= number:
                    continue
                if self.is_late():
                    left += 1
                    continue
                started = time.monotonic()
                energy = ["--energy"] if number == 2 and ENERGY_OF.match(program.name) else []
                found = sum(processes.merge(results, more) for more in self.measured.again(program, draw, *energy))
                results["environment"]["processes"] = number
                write({self.path(program): results})
                tell(program, f"{found} rows again, process {number},", started)
        return left

    def file_of(self, program):
        """The results that are there of this chapter; None where there are none."""
        try:
            return json.loads(self.path(program).read_text())
        except (OSError, ValueError):
            return None

    def add_peers(self, programs):
        """Adds PyTorch's rows to the chapters that have such peers. In a process of its own: a GPU's memory that it
        holds is free again, and a Python without PyTorch is nobody's failure."""
        names = [program.name for program in programs if self.path(program).exists()]
        if not names:
            return
        table = self.measured.scratch / "peers.json"
        run(["python3", "-m", "tools.results.torch_peers", table, *names], self.measured.scratch / "log")
        for name, rows in json.loads(table.read_text()).items():
            path = self.output / f"{name}.json"
            results = json.loads(path.read_text())
            rows = with_shares(rows, results["device"])
            known = {processes.identity(row) for row in rows}
            results["rows"] = [row for row in results["rows"] if processes.identity(row) not in known] + rows
            write({path: results})


def record_times(programs, output, options, scratch):
    record = Record(output, options, scratch)
    left = list(record.first(programs))
    again = 0 if left else record.repeat(programs)
    if record.measured.thrown_away:
        print(f"Processes thrown away, because the GPU held its clocks down: {record.measured.thrown_away}.", file=sys.stderr)
    if left or again:
        print(f"No time was left for {len(left) or again} of {len(programs)} chapters{'' if left else ' again'}: the same "
              "command goes on.", file=sys.stderr)
        return
    record.add_peers(programs)


def arguments_for(build, root, chapters):
    """The arguments of main() for this machine's GPU, and a build with all chapters."""
    card = subprocess.run(["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"], capture_output=True, text=True, check=True)
    name = card.stdout.splitlines()[0].lower().replace(" ", "-")
    return [str(build.bin), str(root / "book/results" / name), *chapters]


def parsed(arguments):
    parser = argparse.ArgumentParser(prog="./run record", description=__doc__.splitlines()[0], allow_abbrev=False)
    parser.add_argument("--counters", action="store_true", help="hardware counters, by Nsight Compute, and no times")
    parser.add_argument("--again", action="store_true", help="also chapters that this GPU has at this commit")
    parser.add_argument("--processes", type=int, default=3, metavar="N", help="that measure a row of a plain run (3)")
    parser.add_argument("--seconds", type=float, metavar="N", help="begin no chapter after so many")
    parser.add_argument("binaries", type=pathlib.Path, help=argparse.SUPPRESS)
    parser.add_argument("output", type=pathlib.Path, help=argparse.SUPPRESS)
    parser.add_argument("chapters", nargs="*", metavar="CHAPTER")
    return parser.parse_intermixed_args(arguments)


def main(arguments):
    options = parsed(arguments)
    if options.counters and shutil.which("ncu") is None:
        print("record: Nsight Compute is not installed: `ncu` comes with the CUDA toolkit.",
              file=sys.stderr)
        return 3
    programs = [path for kind in ("[0-9][0-9]_*", "claim_*") for path in sorted(options.binaries.glob(kind))
                if not options.chapters or path.name in options.chapters]
    if not programs:
        print(f"record: no chapter's program in {options.binaries}.", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        if options.counters:
            write(record_counters(programs, options.output, pathlib.Path(folder)))
        else:
            record_times(programs, options.output, options, pathlib.Path(folder))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
