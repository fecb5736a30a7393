"""The GPUs that are built in: common/model/cards/, one JSON file each, in the format of a card file (README.md)."""

import functools
import json
import pathlib

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "common/model/cards"
MEASURED = "h200"  # the GPU that every constant was measured on, and that the others' are scaled from


@functools.cache
def card(option):
    return json.loads((FOLDER / f"{option}.json").read_text(encoding="utf-8"))


def options():
    """The GPUs that --card knows without a file."""
    return (FOLDER / "order.txt").read_text(encoding="utf-8").split()


def constants():
    """The constants of the H200: name -> {"value", "meaning", "source", "scales" unless it does not}."""
    return card(MEASURED)["constants"]


def doubt_of(name):
    """How far off the times of the GPU of that name are, a sentence; nothing of the H200 and of a GPU that no file describes."""
    return next((found["doubt"] for found in map(card, options()) if found["name"] == name), "")
