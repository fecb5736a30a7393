"""Figures that answer, in the site: their sections, and the module of browser/ that answers for them."""

import base64
import html
import json
import shutil
import subprocess

from tools.book.explore import figure
from tools.files import locked

NEEDED = ("cmake", "clang++", "wasm-ld")


def section(root, sources, name):
    """What the page holds; figures.js makes the rest, so that without scripts nothing stands there."""
    found = figure(root, sources, name)
    data = html.escape(json.dumps(found, ensure_ascii=False, separators=(",", ":")))
    return (f'<section class="explore" id="explore-{name}" aria-label="{html.escape(found["title"])}" '
            f'data-figure="{data}" hidden></section>')


def module(root):
    """The module as a script, so that a page that is opened from a disk can load it too; None with a sentence that says
    why there is none."""
    missing = [command for command in NEEDED if not shutil.which(command)]
    if missing:
        return None, f"The figures of the site do not answer: not installed: {', '.join(missing)}."
    source, build = root / "browser", root / "build" / "browser"
    build.mkdir(parents=True, exist_ok=True)
    ninja = ["-G", "Ninja"] if shutil.which("ninja") else []
    with locked(build, lambda: None), open(build / "build.log", "w", encoding="utf-8") as log:
        for command in (["cmake", "-S", source, "-B", build, "--toolchain", source / "wasm.cmake", *ninja],
                        ["cmake", "--build", build, "--parallel", "2"]):
            if subprocess.run(command, stdout=log, stderr=subprocess.STDOUT, check=False).returncode:
                return None, f"The figures of the site do not answer: their module was not built; {log.name} says why."
    text = base64.b64encode((build / "figures.wasm").read_bytes()).decode()
    return f'window.figuresModule = "{text}";\n', ""
