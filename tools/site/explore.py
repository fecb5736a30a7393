"""Figures that answer, in the site: their sections, and the module of browser/ that answers for them."""

import base64
import concurrent.futures
import gzip
import hashlib
import html
import json
import os
import re
import shutil
import subprocess

from tools import answers
from tools.book.explore import figure, programs
from tools.files import locked
from tools.results import cards

NEEDED = ("cmake", "clang++", "wasm-ld", "wasm-opt", "node")
BUILD = ("nice", "cmake", "--build")  # next to Doxygen, for which a reader waits
FIGURES = ("figures", "figures_waiting")  # whose threads do not wait for each other, or do
# Where the compiler of the page writes 4 KiB of a file: it copies the whole file each time, half of the time in which headers are
# precompiled. In its place: into room for twice as much.
COPIED = """    const newData = new Uint8Array(Math.max(this.file.data.length, offset + contents.length));
    newData.set(this.file.data);
"""
APPENDED = """    const { file } = this, size = Math.max(file.data.length, offset + contents.length);
    if (file.data.buffer !== file.room?.buffer || file.room.length < size) (file.room = new Uint8Array(2 * size)).set(file.data);
    const newData = file.room.subarray(0, size);
"""


def holder(kind, label, data, name="", **attributes):
    """An empty section, of which a script of browser/ makes what its data says; without scripts nothing stands there."""
    told = {"class": f"explore {kind}".strip(), "id": name, "aria-label": label, **attributes}
    if data is not None:
        told[f"data-{kind or 'figure'}"] = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return "<section " + " ".join(f'{key}="{html.escape(value)}"' for key, value in told.items() if value) + " hidden></section>"


def section(root, sources, name, edit):
    """The figure of that name. `edit`: whether kernels can be edited."""
    found = figure(root, sources, name) | {"edit": edit}
    return holder("", found["title"], found, f"explore-{name}")


def exercises(root, chapter):
    """The sections of a chapter's exercises, and sentences about those that a page cannot check."""
    elsewhere = json.loads((root / "browser" / "exercises" / "elsewhere.json").read_text("utf-8"))
    made, told = [], []
    for goals in sorted(root.glob(f"chapters/{chapter}_*/exercises/*/goals.cpp")):
        (number, title), *fields = answers.head(goals)
        if number in elsewhere:
            told.append(f'<p class="elsewhere">{number}, {html.escape(title)}, is not in this page: {html.escape(elsewhere[number])}. '
                        f'On your machine, <code>./run exercise {number}</code> begins it.</p>')
            continue
        data = {"number": number, "title": title, "starter": (goals.parent / "starter.cu").read_text("utf-8"),
                "helps": [value for name, value in fields if name == "hint"], **{
                    name: value for name, value in fields if name in ("minutes", "difficulty", "practises")}}
        made.append(holder("exercise", f"Exercise {number}", data, f"exercise-{number}"))
    if made:
        known = {"schema": json.loads((root / "tools" / "progress_schema.json").read_text("utf-8")),
                 "numbers": [answers.head(goals)[0][0] for goals in sorted(root.glob("chapters/[0-9][0-9]_*/exercises/*/goals.cpp"))]}
        made.append(holder("exercise-file", "", None, **{"data-progress": json.dumps(known)}))
    return "".join(made + told)


def told_of_chapters(root):
    """Which chapters do not run in their pages and why, and why variants of the others count otherwise there."""
    return json.loads((root / "browser" / "whole" / "chapters.json").read_text("utf-8"))


def chapter(root, name, missing):
    """The section that runs all variants of a chapter; a sentence where a page does not run it, nothing where what it needs is
    `missing` or nothing of it is recorded yet."""
    told, number = told_of_chapters(root), name[:2]
    recorded = root / "book" / "results" / "cpu" / f"{name}.json"
    if missing:
        return ""
    if number in told["elsewhere"]:
        return (f'<p class="elsewhere">This chapter does not run in its page: {html.escape(told["elsewhere"][number])}. On your machine, '
                f"<code>./run {number}</code> runs it.</p>")
    if not recorded.exists():
        return ""
    rows = [row for row in json.loads(recorded.read_text("utf-8"))["rows"] if not row["library"]]
    values = {parameter: sorted({row["parameters"][parameter] for row in rows if parameter in row["parameters"]})
              for parameter in told["choices"]}
    data = {"chapter": name, "variants": list(dict.fromkeys(row["variant"] for row in rows)), "cards": cards.options(),
            "choices": [[parameter, words, values[parameter]] for parameter, words in told["choices"].items() if len(values[parameter]) > 1],
            "differing": told["differing"].get(number, {})}
    return holder("chapter", "All variants of this chapter", data, f"chapter-{number}")


def offered(root):
    """The programs that the playground begins with, titles in their first lines: that of page 00, and its own."""
    introduction = (root / "book" / "00_introduction.md").read_text("utf-8").split("```cpp\n")[1].split("```")[0]
    own = (path.read_text("utf-8") for path in sorted((root / "book" / "playground").glob("*.cu")))
    return [f"// Addition: every thread one element\n{introduction}", *own]


def playground(root, missing):
    """The section of the playground; a paragraph where what it needs is `missing`."""
    if missing:
        return f"<p>On this site no program runs: {html.escape(missing)} On your machine, <code>./run FILE</code> runs one.</p>"
    programs = [{"title": text.partition("\n")[0].lstrip("/ "), "text": text} for text in offered(root)]
    return holder("playground", "Playground", {"programs": programs}, "playground")


def modules(root, sources):
    """The modules of the figures as scripts, by name, so that a page that is opened from a disk can load them too; None with a
    sentence that says why there are none."""
    missing = [command for command in NEEDED if not shutil.which(command)]
    if missing:
        return None, f"The figures of the site do not answer: not installed: {', '.join(missing)}."
    source, build = root / "browser", root / "build" / "browser"
    build.mkdir(parents=True, exist_ok=True)
    ninja = ["-G", "Ninja"] if shutil.which("ninja") else []
    with locked(build, lambda: None), open(build / "build.log", "w", encoding="utf-8") as log:
        write(build, {f"{name}.cu": program for name, program in programs(root, sources).items()})
        for command in (["cmake", "-S", source, "-B", build, "--toolchain", source / "wasm.cmake", *ninja],
                        [*BUILD, build, "--parallel", "2", "--target", *FIGURES]):
            if fails(log, *command):
                return None, f"The figures of the site do not answer: their modules were not built; {log.name} says why."
            write(build / "headers", headers(root))  # the first command has made some of them
    host = (source / "edit" / "checking.js").read_text("utf-8").replace("\nexport ", "\n")
    made = {f"{name}_module.js": {"engine": base64.b64encode(gzip.compress((build / f"{name}.wasm").read_bytes(), 9, mtime=0)).decode(),
                                  "about": json.loads((build / f"{name}.json").read_text("utf-8"))} for name in FIGURES}
    return {file: f"window.figuresModule = (() => {{\n{host}return {{ figures, ...{json.dumps(data)} }};\n}})();\n"
            for file, data in made.items()}, ""


def fails(log, *command, **options):
    """Whether a command fails; what it says goes to the log."""
    return subprocess.run(command, stdout=log, stderr=subprocess.STDOUT, check=False, **options).returncode != 0


def write(folder, tree):
    """Writes the files of a tree that have other content."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in tree.items():
        if isinstance(content, dict):
            write(folder / name, content)
        elif not (folder / name).exists() or (folder / name).read_text("utf-8") != content:
            (folder / name).write_text(content, "utf-8")


def editor(root, out):
    """Puts into the folder what a page loads when a kernel is edited: the editor and the compiler, from npm. A sentence that
    says why it is not there, or ''."""
    if not shutil.which("npm"):
        return "Kernels on the site cannot be edited: npm is not installed."
    source, build = root / "browser" / "edit", root / "build" / "browser" / "edit"
    build.mkdir(parents=True, exist_ok=True)
    with locked(build, lambda: None), open(build / "build.log", "w", encoding="utf-8") as log:
        wanted = (source / "package.json").read_text("utf-8")
        have = build / "package.json"
        if not (have.exists() and have.read_text("utf-8") == wanted and (build / "installed").exists()):
            have.write_text(wanted, "utf-8")
            if fails(log, "npm", "install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", cwd=build):
                return f"Kernels on the site cannot be edited: their compiler could not be fetched; {log.name} says why."
            (build / "installed").touch()
        shutil.copy(source / "editor.js", build)
        if fails(log, *BUILD, build.parent, "--parallel", "2", "--target", "waiting"):
            return f"Kernels on the site cannot be edited: the check of exercises was not built; {log.name} says why."
        if fails(log, "node_modules/.bin/esbuild", "editor.js", "--bundle", "--minify", "--format=iife", "--outfile=bundled.js",
                 "--legal-comments=eof", cwd=build):
            return f"Kernels on the site cannot be edited: the editor could not be bundled; {log.name} says why."
    out.mkdir()
    modules = build / "node_modules"
    for made in (*(modules / "@yowasp" / "clang" / "gen").glob("*.wasm"), modules / "binaryen" / "index.js"):
        os.link(made, out / ("binaryen.js" if made.parent.name == "binaryen" else made.name))  # ninety megabytes
    if not packed(modules / "@yowasp" / "clang" / "gen", out):
        return "Kernels on the site cannot be edited: this version of the compiler is written otherwise."
    shutil.copy(build / "bundled.js", out / "editor.js")
    for script in ("answer.js", "checker.js", "checking.js", "compiler.js", "figure.js", "program.js"):
        shutil.copy(source / script, out)
    for name in ("exercises", "waiting", "chapters", "chapters_waiting", *FIGURES):
        shutil.copy(build.parent / f"{name}.wasm", out)
    (out / "headers.json").write_text(json.dumps(headers(root), sort_keys=True), "utf-8")
    (out / "package.json").write_text('{"type": "module"}\n', "utf-8")  # to Node
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        header = pool.submit(precompiled, root, build, out)
        said = chapters(root, build.parent, out)
    said = header.result() or said
    (out / "package.json").unlink()
    if not said:
        size = sum(path.stat().st_size for path in out.iterdir() if not path.name.startswith("chapters"))
        with open(out / "editor.js", "a", encoding="utf-8") as file:
            file.write(f"\nwindow.figuresEditorBytes = {size};\n")
    return said


def packed(compiler, out):
    """The compiler's own headers and libraries, compressed, and the script that opens them; whether it could be told to."""
    headers = compiler / "llvm-resources.tar"
    smaller = gzip.compress(headers.read_bytes(), 6, mtime=0)
    (out / f"{headers.name}.gz").write_bytes(smaller)
    script = (compiler / "bundle.js").read_text("utf-8")
    total = re.search(r"^var totalSize = (\d+);$", script, re.MULTILINE)
    whole = "then((resp) => resp.arrayBuffer()).then(unpackTarFilesystem)"
    if not total or any(script.count(text) != 1 for text in (whole, f'"./{headers.name}"', COPIED)):
        return False
    opened = 'then((resp) => new Response(resp.body.pipeThrough(new DecompressionStream("gzip"))).arrayBuffer()).then(unpackTarFilesystem)'
    told = f"var totalSize = {int(total[1]) - headers.stat().st_size + len(smaller)};"  # what is still to come is shown
    (out / "bundle.js").write_text(script.replace(whole, opened).replace(f'"./{headers.name}"', f'"./{headers.name}.gz"')
                                   .replace(total[0], told).replace(COPIED, APPENDED), "utf-8")
    return True


def headers(root):
    """What a program may include, next to the C++ library: folders as tables."""
    def tree(folder):
        return {path.name: tree(path) if path.is_dir() else path.read_text("utf-8") for path in folder.iterdir()}
    own = root / "browser" / "exercises"
    made = tree(root / "cpu_device" / "cuda")
    forwarding = tree(root / "build" / "browser" / "cuda")
    made["cuda"] |= forwarding.pop("cuda")
    made |= forwarding
    made["cpu_device"] |= tree(root / "cpu_device" / "api" / "cpu_device")
    made["cpu_device"]["detail"]["built_in_variables.hpp"] = (own / "built_in_variables.hpp").read_text("utf-8")
    return made | {name: (own / name).read_text("utf-8") for name in ("program.hpp", "stack.s")} | {"browser": {
        "figure.hpp": (root / "browser" / "figure.hpp").read_text("utf-8"),
        "exercises": {"heap.hpp": (own / "heap.hpp").read_text("utf-8")}}}


def precompiled(root, build, out):
    """Compiles the headers in front of every program, again where they have changed; a sentence, or ''."""
    source = root / "browser" / "edit"
    said = b"".join((folder / name).read_bytes() for folder, name in (
        (out, "headers.json"), (source, "answer.js"), (source, "precompile.js"), (source, "package.json")))
    name = f"program-{hashlib.sha256(said).hexdigest()[:16]}.pch.gz"
    with locked(build, lambda: None):
        if not (build / name).exists():
            for old in build.glob("program-*.pch.gz"):
                old.unlink()
            with open(build / "precompile.log", "w", encoding="utf-8") as log:
                if fails(log, "node", source / "precompile.js", out):
                    return f"Kernels on the site cannot be edited: their headers could not be compiled; {log.name} says why."
            shutil.move(out / "program.pch.gz", build / name)
    shutil.copy(build / name, out / "program.pch.gz")
    return ""


def chapters(root, build, out):
    """Compiles the chapters, those again that have changed or what they are made of; a sentence, or ''."""
    source, made = root / "browser" / "edit", build / "chapters"
    shared = [build / "chapters.wasm", out / "headers.json", *(source / name for name in (
                  "answer.js", "chapters.js", "checking.js", "clang14.js", "package.json")), root / os.path.realpath(shutil.which("clang++")),
              root / "browser" / "whole" / "chapter.hpp", root / "browser" / "exercises" / "library.hpp",
              *sorted(root.glob("common/**/*.hpp")), *sorted(root.glob("chapters/*/*.[ch][up][hp]"))]
    common = hashlib.sha256(b"".join(path.read_bytes() for path in shared))
    with locked(build, lambda: None):
        made.mkdir(exist_ok=True)
        stale, now = [], {}
        elsewhere = told_of_chapters(root)["elsewhere"]
        for program in sorted(path for path in root.glob("chapters/*/*.cu") if path.stem[:2] not in elsewhere):
            sum_of = common.copy()
            sum_of.update(program.read_bytes())
            name = now[program.stem] = f"{sum_of.hexdigest()}\n"
            told = made / f"{program.stem}.sum"
            if not told.exists() or told.read_text("utf-8") != name:
                stale.append(program.stem)
        if stale:
            with open(build / "chapters.log", "w", encoding="utf-8") as log:
                failed = fails(log, "node", source / "chapters.js", root, build, made, *stale)
            if failed:
                return f"Kernels on the site cannot be edited: the chapters could not be compiled; {log.name} says why."
            for name in stale:
                (made / f"{name}.sum").write_text(now[name], "utf-8")
    (out / "chapters").mkdir()
    for name in now:
        for file in (made / f"{name}.json", made / f"{name}.wasm"):
            if file.exists():
                shutil.copy(file, out / "chapters")
    return ""
