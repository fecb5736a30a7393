"""The facts of the page "Installation and troubleshooting"."""

from tools.book.facts import *

page(
    "behind",
    afterwards=[
        "run the book's programs on the machine that you have",
        "say which of its results your machine can tell, and which it cannot",
    ],
)
