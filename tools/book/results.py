"""What was measured, counted, traced and published, read once and looked up by name."""

import math
import re
from pathlib import Path

from tools.results import schema
from tools.results.accuracy import DEVICE_OWN
from tools.results.rounds import medians
from tools.words import Refused


class BookError(Refused):
    """Something that a writer or a reader has to fix; str() is a sentence that names it."""


class BadFile(BookError):
    """A file of results that does not hold any."""


USUAL_SIZE = 2**28  # elements: what is meant where a page names no size
CPU = "cpu"  # the device whose rows hold counts
REFERENCE = "nvidia-h200"  # the device that the book speaks of unless it names another
SEVERAL = f"{REFERENCE}-x2"  # and of a chapter that takes several of it


def read_json(path, reads=schema.read):
    """The content of a JSON file, or what else `reads` makes of it."""
    try:
        return reads(path)
    except schema.NotResults as error:
        raise BadFile(str(error)) from error


def flat(row, data):
    """One row of a result file as plain names: variant, parameters, times, shares and counts."""
    counts = row.get("counts") or {}
    time = row.get("time_ms") or {}
    for name, value in {**time, "gb_per_s": row.get("gb_per_s")}.items():
        if isinstance(value, float) and not math.isfinite(value):
            raise BookError(f"{data['chapter']} {row['variant']}: {name} is not finite.")
    result = {**row["parameters"], **counts}
    for kind in ("load", "store"):
        if counts.get(f"{kind}_requests"):
            result[f"{kind}_sectors_per_request"] = (
                counts[f"{kind}_sectors"] / counts[f"{kind}_requests"])
        if counts.get(f"{kind}_sectors") and counts.get(f"{kind}_bytes"):
            result[f"{kind}_efficiency"] = counts[f"{kind}_bytes"] / 32 / counts[f"{kind}_sectors"]
        if f"shared_{kind}_conflicts" in counts:
            # A request of 16 bytes per lane takes four wavefronts, conflicts or not.
            result[f"shared_{kind}_wavefronts"] = (
                counts[f"shared_{kind}_requests"] * max(1, row["parameters"].get("word", 4) // 4)
                + counts[f"shared_{kind}_conflicts"])
    if "shared_atomic_requests" in counts:  # both are left out where they are 0
        result["shared_atomic_wavefronts"] = counts["shared_atomic_requests"] + counts.get("shared_atomic_conflicts", 0)
    result.update(
        variant=row["variant"], task=row.get("task"), cache=row.get("cache"), library=row.get("library", False),
        in_l2=bool(row.get("in_l2")), bytes=row.get("bytes"), verified=row.get("verified"),
        gb=row.get("gb_per_s"), ms=time.get("median"), p25=time.get("p25"), p75=time.get("p75"),
        share=row.get("share_of_peak"), copy=row.get("share_of_copy"), counted=bool(counts),
        chapter=data["chapter"], parameters=row["parameters"], rounds=medians(time), interval=time.get("interval"))
    if row.get("peer_bytes"):
        result["peer_mib"] = row["peer_bytes"] / 2**20
    if row.get("operations") and time:
        result["ns"] = time["median"] * 1e6 / row["operations"]
    if row.get("modelled"):
        result["timeline"] = row["modelled"]
        result["limited_by"] = row["modelled"].get("limited_by")
    if result["p25"]:
        result["spread"] = (result["p75"] - result["p25"]) / result["ms"]
    if time.get("interval") and row.get("bytes"):
        result["high"], result["low"] = (row["bytes"] / ms / 1e6 for ms in time["interval"])
    return result


class Results:
    """All results below a directory, by device and chapter; `yours` holds a reader's own."""

    def __init__(self, directory, build=None):
        self.directory = Path(directory)
        self.data = {}
        self.names = {}  # of chapters, by what they were requested
        self.hot = set()  # chapters of which a page shows what finds its data in the L2
        self.counted = {}  # by device: what counters() has read
        files = [*self.directory.glob("*/*.json"), *self.directory.glob("second/*/*.json")]
        for path in sorted(path for path in files if re.match(r"\d\d_|claim_", path.name)):
            name, device = path.stem, path.parent.relative_to(self.directory).as_posix()
            if device == "published":
                name, _, device = name.partition(".")
            self._add(device, name, path)
        for backend in ("cpu", "gpu"):
            for path in sorted(Path(build or "/nonexistent").glob(f"{backend}/results/*.json")):
                self._add(f"yours-{backend}", path.stem, path)

    def _add(self, device, chapter, path):
        data = read_json(path, schema.load)
        if data["chapter"] != chapter:
            raise BadFile(f"{path}: is not a result of {chapter}; run the chapter again.")
        if several := re.fullmatch(r".*-x(\d+)", device):
            data["device"]["name"] = f"{several[1]} x {data['device']['name']}"
        self.data[device, chapter] = (data, [flat(row, data) for row in data["rows"]])

    def chapter_name(self, asked):
        """The full name of a chapter given by number or name."""
        if asked not in self.names:
            names = {name for _, name in self.data if name == asked or name.startswith(asked + "_")}
            if len(names) != 1:
                raise BookError(f"there are no results of a chapter '{asked}'.")
            self.names[asked] = names.pop()
        return self.names[asked]

    def home(self, chapter):
        """The device that is meant where none is named."""
        return SEVERAL if self.has(SEVERAL, chapter) else REFERENCE

    def has(self, device, chapter):
        return (device, chapter) in self.data

    def rows(self, device, chapter):
        if (device, chapter) not in self.data:
            raise BookError(f"there are no results of {chapter} on {device} in book/results/.")
        return self.data[device, chapter][1]

    def device(self, device, chapter=None):
        """The `device` object of a device's results, of that chapter if one is named: the copy
        bandwidth was measured next to its rows."""
        for (name, of), (data, _) in self.data.items():
            if name == device and chapter in (None, of):
                return data["device"]
        raise BookError(f"there are no results of {device} in book/results/.")

    def find(self, device, chapter, variant, every_size=False, **where):
        """The rows of a variant whose columns have the given values, of the usual size unless it is
        every size that is wanted."""
        rows = [row for row in self.rows(device, chapter)
                if variant in (None, row["variant"])
                and all(row.get(name) == value for name, value in where.items())]
        if "n" not in where and not every_size:
            rows = usual_size(rows)
        if not rows:
            wanted = ", ".join([str(variant), *(f"{k}={v}" for k, v in where.items())])
            raise BookError(f"{chapter} on {device} has no row {wanted}.")
        self.hot.update(chapter for row in rows if row["cache"] == "hot")
        return rows

    def one(self, device, chapter, variant, **where):
        rows = self.find(device, chapter, variant, **where)
        if len(rows) > 1:
            names = sorted({name for row in rows for name in row["parameters"]
                            if len({str(other["parameters"].get(name)) for other in rows}) > 1})
            raise BookError(f"{chapter} on {device} has {len(rows)} rows of {variant}; "
                            f"say which by {', '.join(names) or 'cache'}.")
        return rows[0]

    def environment(self, device, chapter):
        """The `environment` object of a chapter's results: compilers, driver, date."""
        self.rows(device, chapter)
        return self.data[device, chapter][0]["environment"]

    def counters(self, device, chapter, large=False):
        """The rows of a chapter in DEVICE/counters.json: at the sizes of the CPU device, or large."""
        if device not in self.counted:
            path = self.directory / device / "counters.json"
            if not path.exists():
                raise BookError(f"there are no hardware counters of {device} in book/results/.")
            self.counted[device] = [(row["large"], {**flat({**row, "cache": None}, row), **row["hardware"]})
                                    for row in schema.harmless(read_json(path)["rows"])]
        return [row for of_large, row in self.counted[device]
                if row["chapter"] == chapter and of_large == large]

    def noted(self, device, chapter, name, at=0):
        """The number that the record of a change to try keeps, the first unless `at` says another."""
        path = self.directory / device / "try_it.json"
        tried = read_json(path)["tried"] if path.exists() else []
        lines = [line for one in tried if (one["page"], one["name"]) == (chapter, name) for line in one["lines"]]
        notes = [float(match[1]) for line in lines if (match := re.fullmatch(r".*: (-?[0-9.]+)", line))]
        if not 0 <= at < len(notes):
            raise BookError(f"{path} has {len(notes)} notes of the change {name} of {chapter}; there is no number {at}.")
        return notes[at]

    def trace(self, chapter, variant):
        """The requests of the first warp of the variant's first launch."""
        path = self.directory / CPU / "traces" / f"{chapter}.{variant}.json"
        if not path.exists():
            raise BookError(f"there is no trace of {chapter} {variant}; run ./run book --record.")
        return schema.harmless(read_json(path)["launches"][0])


def modelled_ms(rows, n):
    """The modelled time at n elements, from rows of one variant that differ in their size alone: that
    of the row with so many, or the largest row's with its bytes scaled. None if there is none."""
    rows = sorted((row for row in rows if row.get("timeline")), key=lambda row: row["n"])
    for row in rows:
        if (row["timeline"].get("n") or row["n"]) == n:
            return row["timeline"]["ms"]
    at = rows[-1]["timeline"]["at"] if rows else []
    return next((size["ms"] for size in at if size["n"] == n), None)


def usual_size(rows):
    """Of rows at several sizes those at the usual one, if it is among them; else all of them."""
    usual = [row for row in rows if row.get("n") == USUAL_SIZE]
    return usual or rows


def identity(row, without=()):
    """What tells a row from the others. A fraction, such as the occupancy, is the device's own."""
    return (row["chapter"], row["variant"],
            tuple(sorted((k, v) for k, v in row["parameters"].items()
                         if k not in (*without, *DEVICE_OWN) and not isinstance(v, float))))


def counterpart(row, rows):
    """The row of another device for the same variant: at the same size, else at its only size."""
    for without in ((), ("n",)):
        found = [other for other in rows if identity(other, without) == identity(row, without)
                 and other["cache"] in (row["cache"], None)]
        if found:
            return found[0] if len({identity(o) for o in found}) == 1 else None
    return None
