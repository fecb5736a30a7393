"""The facts of the page "Installation and troubleshooting"."""

from tools.book.facts import *

page(
    "behind",
    afterwards=[
        "run the book's programs on the machine that you have",
        "say which results your machine can produce, and which it cannot",
    ],
)
