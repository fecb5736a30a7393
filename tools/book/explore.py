"""Figures that answer: what the marker `explore` names. browser/ has the rest of them."""

import itertools
import json
import re

from tools.book.results import BookError

FIGURES = "browser/figures.json"
HEAD = '#include "browser/figure.hpp"\n'
TAIL = "\nint main() {}\n"


def figures(root):
    """All of them, by name."""
    try:
        return json.loads((root / FIGURES).read_text("utf-8"))
    except FileNotFoundError:
        return {}


def figure(root, sources, name):
    """The figure's title, kind and settings, with the source of its kernels, and the part of a program that launches them."""
    known = figures(root)
    if name not in known:
        raise BookError(f"there is no figure '{name}' in {FIGURES}; there are {', '.join(known) or 'none'}.")
    found = known[name]
    kernels = found.pop("kernels", {})

    def source(region):
        if region not in sources.regions(found["chapter"]):
            raise BookError(f"the figure '{name}' shows //! [{region}] of {found['chapter']}, which is not there.")
        first, lines = sources.regions(found["chapter"])[region]
        return {"file": sources.file(found["chapter"], region).name, "first": first, "lines": lines}

    regions = dict.fromkeys(region for kernel in kernels.values() for region in kernel["regions"])
    code = {kernel: source(about["regions"][-1]) | {"chosen": chosen(about)} for kernel, about in kernels.items()}
    part = [f"namespace figure_{name} {{"] if kernels else []
    for one in map(source, regions):
        part += [f'#line {one["first"]} "{one["file"]}"', *one["lines"]]
    part += launches(name, found, kernels) if kernels else []
    return {key: value for key, value in found.items() if key not in ("arrays", "bytes")} | {"code": code, "part": "\n".join(part) + "\n",
                                                                                    "waits": "__syncthreads" in "\n".join(part)}


def chosen(kernel):
    """The settings that decide which instance of the kernel's template is launched."""
    return list(dict.fromkeys(re.findall(r"{(\w+)}", kernel["launch"])))


def launches(name, found, kernels):
    """A function that launches the kernel that the engine requests, with the settings that it tells: a line for each instance."""
    numbers = [*found["fixed"], *(setting["name"] for setting in found["settings"])]
    lines = ['#line 1 "the launches of the kernels"',
             f'extern "C" __attribute__((export_name("{name}"))) double launch_{name}()', "{", "using namespace figure;",
             *(f'[[maybe_unused]] const std::size_t {number} = figure_number("{number}");' for number in numbers)]
    values = {setting["name"]: setting.get("values", []) for setting in found["settings"]}
    means = {setting["name"]: dict(zip(setting["values"], setting["means"])) for setting in found["settings"] if "means" in setting}
    for kernel, about in kernels.items():
        (arrays, size), = about.get("arrays", found["arrays"]).items()
        made = ", ".join(f"{array}({'abc'.index(array)}, {size})" for array in arrays)
        for instance in itertools.product(*(values[setting] for setting in chosen(about))):
            instance = dict(zip(chosen(about), instance))
            instance = {setting: instance["fields"] if value == "all" else value for setting, value in instance.items()}
            key = " ".join([kernel, *map(str, instance.values())])
            launch = about["launch"]
            for setting, value in instance.items():
                launch = launch.replace(f"{{{setting}}}", means.get(setting, {}).get(value, str(value)))
            lines.append(f'if (figure_asks_for("{key}")) {{ const Array {made}; {launch}; return {about.get("bytes", found["bytes"])}; }}')
    return [*lines, "return 0;", "}", "}"]


def programs(root, sources):
    """The programs that launch the kernels of all figures: one in which threads wait for each other, and one of the others."""
    parts = [figure(root, sources, name) for name, about in figures(root).items() if "kernels" in about]
    return {name: HEAD + "".join(one["part"] for one in parts if one["waits"] == waits) + TAIL
            for name, waits in (("figures", False), ("figures_waiting", True))}
