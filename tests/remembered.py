"""Runs a check, and not again while nothing that goes into it has changed.

    python3 tests/remembered.py [--input PATH]... -- COMMAND [ARGUMENT...]

MOVING_BYTES_REMEMBER names the folder of what passed: an empty file each, whose name is the SHA-256 of the command's
words, of every file among them and every input (of a folder, all files), of the shared libraries of programs, of this file
and of the environment's MOVING_BYTES_*. Without that variable the command is run and nothing is remembered. Nor is a check
that fails or is skipped.
"""

import hashlib
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
REMEMBER = "MOVING_BYTES_REMEMBER"
SAYS_NOTHING = (REMEMBER, "MOVING_BYTES_COMMIT")  # the commit is in the programs


def files_of(path):
    """The file if there is one; of a folder all that are in it, but what is printed, with its date; of a program its shared libraries, too."""
    if not path.is_file():
        return sorted(file for file in path.rglob("*") if file.is_file() and "__pycache__" not in file.parts and file.suffix != ".pdf")
    with open(path, "rb") as file:
        is_program = file.read(4) == b"\x7fELF"
    loaded = subprocess.run(["ldd", path], capture_output=True, text=True).stdout if is_program else ""
    return [path, *map(Path, sorted(re.findall(r"(/\S+) \(0x", loaded)))]


def key(command, inputs):
    digest = hashlib.sha256()

    def add(data):
        digest.update(b"%d:" % len(data) + data)

    words = [word for word in command if Path(word).is_file()]
    variables = (f"{name}={value}" for name, value in sorted(os.environ.items())
                 if name.startswith("MOVING_BYTES_") and name not in SAYS_NOTHING)
    for text in [*command, "", *inputs, "", *variables]:
        add(text.replace(str(ROOT), "").encode())
    for path in dict.fromkeys(file for one in [*words, *inputs, __file__] for file in files_of(Path(one))):
        add(str(path).replace(str(ROOT), "").encode())
        add(path.read_bytes())
    return digest.hexdigest()


def main(words):
    before, command = words[:words.index("--")], words[words.index("--") + 1:]
    inputs = [path for option, path in zip(before[::2], before[1::2]) if option == "--input"]
    folder = os.environ.get(REMEMBER)
    passed = Path(folder, key(command, inputs)) if folder else None
    if passed and passed.exists():
        print("remembered: the same passed before")
        return 0
    status = subprocess.run(command).returncode
    if passed and status == 0:
        passed.parent.mkdir(parents=True, exist_ok=True)
        passed.touch()
    return status if status >= 0 else 128 - status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
