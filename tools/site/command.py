"""The book as a site, in build/docs/html, with your own results next to the reference."""

import argparse
import sys
from pathlib import Path

from tools.site.serve import serve
from tools.site.site_pages import build_site

ROOT = Path(__file__).resolve().parents[2]


def main(words=None):
    parser = argparse.ArgumentParser(prog="./run docs", description=__doc__)
    parser.add_argument("--pdf", action="store_true", help="all pages as one moving-bytes.pdf too")
    parser.add_argument("--address", default="", help="where the site will be, for links that show a preview")
    parser.add_argument("--serve", action="store_true", help="then show it on this machine: kernels can be edited there")
    options = parser.parse_args(words)
    problems = build_site(ROOT, options.address, options.pdf)
    for problem in problems:
        print(problem, file=sys.stderr)
    if options.serve and not problems:
        serve(ROOT / "build" / "docs" / "html")
    return 1 if problems else 0
