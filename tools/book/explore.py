"""Figures that answer: what the marker `explore` names. browser/ has the rest of them."""

import json

from tools.book.results import BookError

FIGURES = "browser/figures.json"


def figure(root, sources, name):
    """The figure's title, kind and settings, with the source of its kernels."""
    try:
        figures = json.loads((root / FIGURES).read_text("utf-8"))
    except FileNotFoundError:
        figures = {}
    if name not in figures:
        raise BookError(f"there is no figure '{name}' in {FIGURES}; there are {', '.join(figures) or 'none'}.")
    found = figures[name]

    def source(chapter, region):
        if region not in sources.regions(chapter):
            raise BookError(f"the figure '{name}' shows //! [{region}] of {chapter}, which is not there.")
        first, lines = sources.regions(chapter)[region]
        return {"file": sources.file(chapter, region).name, "first": first, "lines": lines}

    code = {}
    for kernel, (chapter, region, *more) in found.pop("kernels", {}).items():
        code[kernel] = source(chapter, region)
        if more:  # how it is called, and what stands before it: for whoever edits it
            code[kernel] |= {"call": more[0], "before": [source(chapter, other) for other in more[1:]]}
    return found | {"code": code}
