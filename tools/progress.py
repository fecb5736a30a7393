"""How far a reader is: the exercises and the predictions, in one file that git ignores, progress.json.

    {"exercises": {"03.1": {"state": "solved", "tries": 2, "hints": 1}},
     "predictions": {"03_coarsening.sectors": {"answer": "16", "near": true}}}

progress_schema.json has the fields of an entry and what each may be; the site's pages compare what they read and write with it too.
"""

import json
import re
import sys
from pathlib import Path

from tools.files import free_name, locked, write_whole
from tools.words import Refused

SCHEMA = json.loads(Path(__file__).with_name("progress_schema.json").read_text("utf-8"))
PARTS = ("exercises", "predictions")
MOST = SCHEMA["exercises"]["fields"]["tries"]["most"]


def empty():
    return {part: {} for part in PARTS}


def allowed(value, rule):
    """Whether a field may be that: one of a list, a text of so many letters or a whole number up to the most."""
    if isinstance(rule, list):
        return any(value is one or isinstance(value, str) and value == one for one in rule)
    if "letters" in rule:
        return isinstance(value, str) and len(value) <= rule["letters"]
    return type(value) is int and 0 <= value <= rule["most"]


def valid(part, name, entry):
    fields = SCHEMA[part]["fields"]
    return (re.search(SCHEMA[part]["name"], name) and isinstance(entry, dict) and entry.keys() == fields.keys()
            and all(allowed(entry[field], rule) for field, rule in fields.items()))


def parse(content):
    """What a progress.json holds, and whether all of it makes sense."""
    try:
        found = json.loads(content)
    except (ValueError, RecursionError):
        return empty(), False
    if not isinstance(found, dict):
        return empty(), False
    parts = {part: found.get(part) if isinstance(found.get(part), dict) else {} for part in PARTS}
    kept = {part: {name: entry for name, entry in entries.items() if valid(part, name, entry)} for part, entries in parts.items()}
    return kept, kept == found


class Progress:
    """The file of one clone."""

    def __init__(self, root):
        self.root, self.path = Path(root), Path(root) / "progress.json"

    def read(self):
        """What is known. A file that is damaged is kept under another name, and said; its sound entries count."""
        with locked(self.root):
            return self._read()

    def change(self, change):
        """Reads again, lets `change` alter what is known, and writes it: other terminals may have written since."""
        with locked(self.root):
            known = self._read()
            change(known)
            self._write(known)
            return known

    def note_exercise(self, number, state, tries, hints):
        """Once solved stays solved; tries and hints are added."""
        def change(known):
            entry = known["exercises"].setdefault(number, {"state": state, "tries": 0, "hints": 0})
            entry["state"] = state if entry["state"] != "solved" else "solved"
            entry["tries"] = min(entry["tries"] + tries, MOST)
            entry["hints"] = min(entry["hints"] + hints, MOST)
        return self.change(change)

    def take_over(self, file, numbers):
        """Adds what another progress.json holds of the exercises of these numbers: solved stays solved, and of tries and hints the
        larger numbers count; an answer that was given here stays. Returns how many it tells of, and how many others; None if it is
        no such file."""
        with open(file, "rb") as opened:  # of a device there may be no end
            content = opened.read(SCHEMA["bytes"] + 1)
        found, whole = parse(content)
        if not whole or len(content) > SCHEMA["bytes"]:
            return None
        told = {number: one for number, one in found["exercises"].items() if number in numbers}

        def change(known):
            for number, one in told.items():
                mine = known["exercises"].get(number, one)
                known["exercises"][number] = {
                    "state": "solved" if "solved" in (one["state"], mine["state"]) else "begun",
                    **{name: max(one[name], mine[name]) for name in ("tries", "hints")}}
            known["predictions"] = {**found["predictions"], **known["predictions"]}
        self.change(change)
        return len(told), len(found["exercises"]) - len(told)

    def note_prediction(self, name, answer, near):
        return self.change(lambda known: known["predictions"].update({name: {"answer": answer, "near": near}}))

    def refused(self, error):
        return Refused(f"{self.path} cannot be read or written ({error.strerror}), so your progress cannot be saved: "
                       "move it away, change its owner or permissions, or free disk space.")

    def _read(self):
        try:
            known, whole = parse(self.path.read_bytes())
            if not whole:
                aside = free_name(f"{self.path}.damaged")
                self.path.rename(aside)
                if any(known.values()):
                    self._write(known)
                print(f"{self.path} is damaged. It is kept as {aside.name}; its readable entries still count.", file=sys.stderr)
            return known
        except FileNotFoundError:
            return empty()
        except OSError as error:
            raise self.refused(error) from error

    def _write(self, known):
        text = json.dumps({part: dict(sorted(entries.items())) for part, entries in known.items()}, indent=1)
        try:
            write_whole(self.path, text + "\n")
        except OSError as error:
            raise self.refused(error) from error
