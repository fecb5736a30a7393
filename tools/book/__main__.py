"""The book's pages from results, traces and sources; docs/guide/writing.md describes the markers.

    ./run book            rewrites what stands between the markers of book/*.md, and book/figures/
    ./run book --check    changes nothing and names what is stale, false, missing or dead; exit 1
    ./run book --record   first runs the chapters on the CPU device, for counts and traces (with
                         --check: compares them)
"""

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

from tools.book.pages import Book
from tools.book.results import BadFile, BookError

ROOT = Path(__file__).resolve().parents[2]


def spelling(root):
    """The misspelt words of the prose, one line each."""
    if not shutil.which("codespell"):
        print("codespell is not installed: spelling was not checked.", file=sys.stderr)
        return []
    places = [p for p in ("book", "docs", "README.md") if (root / p).exists()]
    result = subprocess.run(["codespell", "--skip", "*.svg,*.json,*.csv", *places], cwd=root,
                            capture_output=True, text=True)
    return result.stdout.splitlines()


def main(words=None):
    parser = argparse.ArgumentParser(prog="./run book", description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="say what is stale, change nothing")
    parser.add_argument("--record", action="store_true",
                        help="count and trace the chapters on the CPU device first")
    parser.add_argument("--some", action="store_true", help="with --record --check: a sixth of each chapter's variants")
    parser.add_argument("--chapter", metavar="NAME", help="with --record: this one alone")
    parser.add_argument("--build", type=Path, help="where the chapters were built (build/cpu)")
    parser.add_argument("--root", type=Path, default=ROOT, help=argparse.SUPPRESS)
    options = parser.parse_args(words)
    try:
        problems = []
        if options.record:
            from tools.book.counts import record
            problems = record(options.root, options.build or options.root / "build" / "cpu",
                              options.check, options.some, options.chapter)
        if options.record and options.check:
            pass  # the pages have a check of their own
        else:
            book = Book(options.root)
            book.update(check=options.check)
            problems += book.problems + spelling(options.root)
    except BadFile as error:
        print(f"book: {error}", file=sys.stderr)
        return 2
    except BookError as error:
        problems = [str(error)]
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
