"""What a reader typed, and the nearest word that is known."""

import argparse
import difflib
import re
import textwrap


class Refused(Exception):
    """What cannot be done, as a sentence, and the exit status that says so."""

    def __init__(self, sentence, status=2):
        super().__init__(sentence)
        self.status = status


class Parser(argparse.ArgumentParser):
    """One whose complaint is a sentence, with the nearest option that there is."""

    def error(self, message):
        unknown = re.match("unrecognized arguments: (--[^ ]+)", message)
        near = did_you_mean(unknown[1], re.findall("--[a-z]+", self.format_usage())) if unknown else ""
        raise Refused(f"{printable(message)}.{near} See {self.prog} --help.")


# The forms of ./run next to the chapters; those of `run` itself are compared with them by a test.
FORMS = ("list", "test", "setup", "exercise", "predict", "docs", "book", "compare", "counters", "record", "calibrate", "help")


def nearest(word, known):
    """The known word that is most like it, the first of several; None if all are further off than a slip is."""
    def likeness(other):
        return difflib.SequenceMatcher(None, word, other).ratio()
    found = max(known, key=likeness, default="")
    return found if likeness(found) >= 0.5 else None


def did_you_mean(word, known):
    """` Did you mean X?`, or nothing."""
    found = nearest(word, known)
    return f" Did you mean {found}?" if found else ""


def printable(text):
    """The text as a terminal can show it: what a reader typed may hold an escape sequence."""
    return "".join(letter if letter.isprintable() else "?" for letter in str(text))


def short(text):
    """What a reader typed, printable and of 60 letters at most."""
    plain = printable(text)
    return plain if len(plain) <= 60 else plain[:57] + "..."


def quoted(word):
    """A word that a reader typed, as a sentence can hold it."""
    return f"'{short(word)}'"


def wrapped(text, width, indent=""):
    """The text in lines that no word and no hyphen is broken for."""
    return textwrap.fill(text, width, initial_indent=indent, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
