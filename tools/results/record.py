"""Record reference results: the times of every chapter at full length, or the hardware counters of each variant.

    python3 -m tools.results.record BINARIES OUTPUT [--again] [--rounds N] [--seconds N] [--hot CHAPTER,...] [CHAPTER...]
    python3 -m tools.results.record BINARIES OUTPUT --counters [CHAPTER...]

BINARIES is the folder of the chapters' programs built for the GPU, or of the claims' (experiments/claims). OUTPUT receives NN_name.json for
every chapter; that of several GPUs goes to OUTPUT-xN, where N are used, and is left out where there is
one. Each file is written when its chapter has been measured, and a record that was stopped goes on where it
was: what this GPU has at this commit is left out, unless --again is given. --seconds begins
nothing that would not end within so many, and says what is left. What fails is told, and the rest goes on.

Round 1 measures all rows at full length and verifies them; hot, too, those of --hot: ./run record names the chapters that a page shows hot. Each further one (--rounds) measures the rows of a plain ./run, cold, libraries among
them, by another process for each chapter: the chapters in an order that is drawn, and the rows, too. Round 2 of some chapters measures what
energy a launch takes. PyTorch's rows are one process of each round, where it is installed.

With --counters OUTPUT receives counters.json alone (hardware_counters.py), because counters take as long as times and
change only where kernels do.
"""

import argparse
import contextlib
import functools
import json
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

from experiments.peers import torch_peers
from tools.files import write_whole
from tools.results import machine, rounds
from tools.results.hardware_counters import SEVERAL, record_counters, run

# Elements, for chapters that do not sweep sizes themselves: those of a plain ./run, whose rows --full has
# too, so that ./run compare finds each of them here.
FULL_LENGTH = "2^28"
LONGEST = "2^30"  # too, for the chapters whose question is how fast a kernel can be
SECONDS_OF_A_ROW = "0.2"  # at most
SECONDS_OF_A_FURTHER_ROUND = "0.1"
LONGEST_FOR = re.compile("0[1-7]_")
# What an H200 took, where no earlier file says it: of each row and state of the cache, of the start of a program, and of the peers.
SECONDS_OF_FULL, SECONDS_OF_PLAIN, SECONDS_OF_START = 0.15, 0.1, 2
SECONDS_OF_PEERS = {True: 240, False: 60}  # in the first round, and in each other
PEERS = "PyTorch"
# Whose second round measures the energy of a launch, too: an addition, a wider one, and elements at random.
ENERGY_OF = re.compile("(01|05|17)_")


@functools.cache
def listed(program, *options):
    """The rows that a program would measure, a line for each."""
    listing = subprocess.run([program, "--list", *options], capture_output=True, text=True, check=True).stdout
    return [line for line in listing.splitlines() if re.search(r"\bn \d", line)]


def sweeps_sizes(program):
    """True if the chapter has more sizes than one --n leaves it. (Matrices of several shapes have
    several numbers of elements, whatever --n is.)"""
    def sizes(*options):
        return set(re.findall(r"\bn (\d+)", "\n".join(listed(program, *options))))

    return len(sizes("--full")) > len(sizes("--full", "--n", FULL_LENGTH))


def made_by(results):
    """Card and commit."""
    return results["device"].get("card"), results["environment"].get("commit")


class Measured:
    """Runs chapters' programs, and keeps what they measured."""

    def __init__(self, scratch, hot):
        self.scratch, self.hot = scratch, hot

    def rows(self, program, *options):
        """The results of one process."""
        file = self.scratch / "rows.json"
        run([program, "--json", file, *options], self.scratch / "log")
        results = json.loads(file.read_text())
        results["options"].pop("full", None)
        return results

    def chapter(self, program):
        """The first round of one chapter, all sizes in one file."""
        options = "--full", "--max-time", SECONDS_OF_A_ROW
        cache = "--cache", "both" if self.is_hot(program) else "cold"
        if sweeps_sizes(program):
            return self.rows(program, *options, *cache)
        results = self.rows(program, *options, *cache, "--n", FULL_LENGTH)
        results["options"].pop("n", None)
        # Longer still: cold alone, because no L2 holds any of it; and not what crosses the link to the
        # host, which is as fast with a quarter of the bytes.
        timed_on_device = {row["variant"]: None for row in results["rows"] if row["cache"]}
        if timed_on_device and LONGEST_FOR.match(program.name):
            variants = [word for name in timed_on_device for word in ("--variant", name)]
            longer = self.rows(program, *options, "--cache", "cold", "--n", LONGEST, *variants)
            results["rows"] += longer["rows"]
            results["environment"]["clocks"]["after"] = longer["environment"]["clocks"]["after"]
        return results

    def is_hot(self, program):
        """Whether rows are measured with their data in the L2, too."""
        return self.hot is None or program.name in self.hot

    def again(self, program, number):
        """A further round: the rows of a plain run."""
        sizes = [] if sweeps_sizes(program) else ["--n", FULL_LENGTH]
        energy = ["--energy"] if number == 2 and ENERGY_OF.match(program.name) else []
        return self.rows(program, "--round", str(number), "--max-time", SECONDS_OF_A_FURTHER_ROUND, "--cache", "cold", *sizes, *energy)


def with_shares(rows, device):
    """The rows with their shares of the GPU's peak and of its copy, as a chapter of the same run has found them."""
    peak, copy = device.get("peak_gb_per_s"), device.get("copy_gb_per_s")
    return [{**row, "share_of_peak": row["gb_per_s"] / peak if row["gb_per_s"] and peak else None,
             "share_of_copy": row["gb_per_s"] / copy if row["gb_per_s"] and copy else None} for row in rows]


def write(files):
    """Writes all results, each at once."""
    for path, results in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        # An array of numbers stays on one line: a column of five rounds would take seven.
        lines = re.sub(r'\[\s+([^][{}"]+?)\s+\]', lambda numbers: f"[{' '.join(numbers[1].split())}]", json.dumps(results, indent=1))
        write_whole(path, lines + "\n")


def say(*words):
    print(*words, file=sys.stderr, flush=True)


class Record:
    """The files of the chapters' times, in one folder, of one GPU and one commit."""

    def __init__(self, programs, output, options, scratch):
        self.output, self.options, self.facts = output, options, machine.describe()
        self.measured = Measured(scratch, options.hot)
        self.began = time.monotonic()
        self.made_by = None  # GPU and commit
        self.programs = list(self.identify(programs))

    def identify(self, programs):
        """Learns GPU and commit from launches that time nothing, and yields the programs that have GPUs enough."""
        file, devices = self.measured.scratch / "who.json", None
        for program in programs:
            several = SEVERAL.match(program.name)
            if not self.made_by or several and devices is None:
                run([program, "--launch-once", "--n", "1024", "--json", file], self.measured.scratch / "log")
                results = json.loads(file.read_text())
                self.check(program, results)
                devices = results["options"]["devices"] if several else None
            if several and devices == 1:
                say(f"{program.name}: skipped, it needs two GPUs")
            else:
                yield program

    def folder(self, program, results):
        devices = results["options"]["devices"] if SEVERAL.match(program.name) else 1
        return self.output.with_name(f"{self.output.name}-x{devices}") if devices > 1 else self.output

    def files(self, program):
        """What is recorded of the chapter, on whatever GPU."""
        folders = self.output.parent.glob(f"{self.output.name}-x*") if SEVERAL.match(program.name) else [self.output]
        for folder in folders:
            with contextlib.suppress(OSError, ValueError):
                yield json.loads((folder / f"{program.name}.json").read_text())

    def there(self, program):
        """What is recorded of the chapter on this GPU at this commit; None where nothing is."""
        return next((results for results in self.files(program) if made_by(results) == self.made_by), None)

    def has(self, program, key):
        """Whether a round of the chapter, or of its peers, is recorded."""
        results = self.there(program)
        return results is not None and key in results["environment"].get("rounds", {})

    def check(self, program, results):
        """Ends the recording where a file would be of another GPU or commit than the one before."""
        mine = made_by(results)
        if self.made_by is None and (mine[1] or "unknown").endswith(("unknown", "-dirty")):
            say(f"record: these programs are of commit {mine[1]}: they could not be built again.")
        self.made_by = self.made_by or mine
        if mine != self.made_by:
            sys.exit(f"record: {program.name} is of commit {mine[1]} on GPU {mine[0]}, the chapters before it are of "
                     f"{self.made_by[1]} on {self.made_by[0]}: nothing is mixed.")

    def peers(self):
        """The chapters that PyTorch is measured next to."""
        return [program for program in self.programs if program.name in {peer.chapter for peer in torch_peers.PEERS}]

    def steps(self):
        """What is to be measured, in its order: a round, and a program or PEERS."""
        for number in range(1, self.options.rounds + 1):
            order = [*self.programs, PEERS] if self.peers() else list(self.programs)
            if number > 1:
                random.Random(number).shuffle(order)
            for program in order:
                if self.options.again or not all(self.has(chapter, self.key(number, program)) for chapter in self.chapters(program)):
                    yield number, program

    @staticmethod
    def key(number, program):
        """The name of a step in the files."""
        return f"{PEERS} {number}" if program == PEERS else str(number)

    def chapters(self, program):
        """Those that a step measures."""
        return self.peers() if program == PEERS else [program]

    def seconds(self, number, program):
        """What a step took in an earlier record, or will take."""
        for results in self.files(self.chapters(program)[0]):
            if said := results["environment"].get("rounds", {}).get(self.key(number, program)):
                return said
        if program == PEERS:
            return SECONDS_OF_PEERS[number == 1]
        if number > 1:
            return SECONDS_OF_START + len(listed(program)) * SECONDS_OF_PLAIN
        return SECONDS_OF_START + len(listed(program, "--full")) * SECONDS_OF_FULL * (1 + self.measured.is_hot(program))

    def announce(self, steps):
        minutes = {}
        for number, program in steps:
            minutes[number] = minutes.get(number, 0) + self.seconds(number, program) / 60
        full, plain, cold = (sum(len(listed(program, *options)) for program in self.programs if not which or not self.measured.is_hot(program))
                             for options, which in ((["--full"], 0), ([], 0), (["--full"], 1)))
        say(f"{full} rows, of which {plain} in every round; {cold} only cold, because no page shows them hot. It takes about "
            f"{sum(minutes.values()):.0f} minutes: " + ", ".join(f"round {number} {time:.1f}" for number, time in minutes.items()) + ".")

    def measure(self):
        """Measures what there is time for; returns the steps that are left."""
        steps = list(self.steps())
        self.announce(steps)
        failed = []
        while steps and (self.options.seconds is None or time.monotonic() - self.began + self.seconds(*steps[0]) <= self.options.seconds):
            number, program = steps.pop(0)
            started = time.monotonic()
            try:
                if program == PEERS:
                    self.measure_peers(number, started)
                elif number == 1 or self.there(program):
                    self.measure_chapter(program, number, started)
            except SystemExit as failure:
                say(failure.code)
                failed.append((number, program))
        return steps, failed

    def measure_chapter(self, program, number, started):
        new = self.measured.chapter(program) if number == 1 else self.measured.again(program, number)
        self.check(program, new)
        results, found = (new, len(new["rows"])) if number == 1 else (self.there(program), 0)
        if number == 1:
            results["environment"].update(machine=self.facts, rounds={})
        else:
            found = rounds.merge(results, new, number)
        self.finish(program, results, self.key(number, program), started)
        say(f"{program.name}: round {number}, {found} rows in {time.monotonic() - started:.0f} s")

    def finish(self, program, results, key, started):
        results["environment"]["rounds"][key] = round(time.monotonic() - started, 1)
        write({self.folder(program, results) / f"{program.name}.json": results})

    def measure_peers(self, number, started):
        """Adds PyTorch's rows to the chapters that have such peers. In a process of its own: a GPU's memory that it
        holds is free again, and a Python without PyTorch is nobody's failure."""
        chapters = {program.name: (program, self.there(program)) for program in self.peers() if self.there(program)}
        table = self.measured.scratch / "peers.json"
        write({table: {} if number == 1 else {name: results["rows"] for name, (_, results) in chapters.items()}})
        run(["python3", "-m", "experiments.peers.torch_peers", table, *chapters], self.measured.scratch / "log")
        for name, rows in json.loads(table.read_text()).items():
            program, results = chapters[name]
            rows = with_shares(rows, results["device"])
            if number == 1:
                known = {rounds.identity(row) for row in rows}
                results["rows"] = [row for row in results["rows"] if rounds.identity(row) not in known] + rows
            else:
                rounds.merge(results, {"rows": rows, "device": {}}, number)
            self.finish(program, results, self.key(number, PEERS), started)
        say(f"{PEERS}: round {number} in {time.monotonic() - started:.0f} s")


def record_times(programs, output, options, scratch):
    left, failed = Record(programs, output, options, scratch).measure()
    if left:
        say(f"{len(left)} steps remain, from round {left[0][0]} on: the same command continues.")
    if failed:
        say(f"{len(failed)} steps failed: the same command repeats them.")
    return 1 if failed else 0


def arguments_for(build, root, chapters):
    """The arguments of main() for this machine's GPU, and a build with all chapters."""
    card = subprocess.run(["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"], capture_output=True, text=True, check=True)
    name = card.stdout.splitlines()[0].lower().replace(" ", "-")
    return [str(build.bin), str(root / "book/results" / name), *chapters]


def parsed(arguments):
    parser = argparse.ArgumentParser(prog="./run record", description=__doc__.splitlines()[0], allow_abbrev=False)
    parser.add_argument("--counters", action="store_true", help="record hardware counters by Nsight Compute instead of times")
    parser.add_argument("--again", action="store_true", help="also repeat chapters already recorded on this GPU at this commit")
    parser.add_argument("--rounds", type=int, default=5, metavar="N", help="rounds that measure the rows of a run without --full (5)")
    parser.add_argument("--hot", type=lambda names: names.split(","), metavar="CHAPTER,...",
                        help="chapters to measure hot, too, in the first round (all)")
    parser.add_argument("--seconds", type=float, metavar="N", help="start no step that would not end within N seconds")
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
    try:
        with tempfile.TemporaryDirectory() as folder:
            if options.counters:
                write(record_counters(programs, options.output, pathlib.Path(folder)))
                return 0
            return record_times(programs, options.output, options, pathlib.Path(folder))
    except KeyboardInterrupt:
        say("record: interrupted; the same command continues.")
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
