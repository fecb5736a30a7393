"""The book's pages from results, traces and sources; docs/guide/writing.md describes the markers.

    docs/bookmaker            rewrites what stands between the markers of book/*.md, and book/figures/
    docs/bookmaker --check    changes nothing and names what is stale, false, missing or dead; exit 1
    docs/bookmaker --record   first runs the chapters on the CPU device, for counts and traces (with
                         --check: compares them)
    docs/bookmaker --site     the site, in build/docs/html; --pdf prints it too, --address says where it will be
"""

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

from pages import Book
from results import BookError

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
    parser.add_argument("--site", action="store_true", help="build the site")
    parser.add_argument("--pdf", action="store_true", help="with --site: all pages as one moving-bytes.pdf too")
    parser.add_argument("--address", default="", help="with --site: where it will be, for links that show a preview")
    parser.add_argument("--build", type=Path, help="where the chapters were built (build/cpu)")
    parser.add_argument("--root", type=Path, default=ROOT, help=argparse.SUPPRESS)
    options = parser.parse_args(words)
    try:
        problems = []
        if options.record:
            from counts import record
            problems = record(options.root, options.build or options.root / "build" / "cpu",
                              options.check)
        if options.record and options.check:
            pass  # the pages have a check of their own
        elif options.site:
            from site_pages import build_site
            problems += build_site(options.root, options.address, options.pdf)
        else:
            book = Book(options.root)
            book.update(check=options.check)
            problems += book.problems + spelling(options.root)
    except BookError as error:
        problems = [str(error)]
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
