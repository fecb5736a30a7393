"""The facts of the page "Moving Bytes: contents and reading paths"."""

from tools.book.facts import *

basic_ms = value(ms("basic", chapter="01", threads=256), ".2f")
guarded_ms = value(ms("guarded", chapter="05", threads=256), ".2f")

# One addition in four chapters

ladder_chart = chart(
    "01,02,03,05", best="chapter", name="ladder", title="The best of each chapter that adds two vectors"
)
claim(
    "chapter 02 gains nothing on chapter 01, and chapter 03 more than a quarter",
    level(best(chapter="02"), best(chapter="01"), within=0.01),
    at_least(best(chapter="03") / best(chapter="01"), 1.25),
)
claim("an addition passes the copy bandwidth", more(copy_share("guarded", chapter="05", threads=256), 1.01))
claim(
    "reads with fewer writes among them are faster",
    faster(gb("stream", chapter="24", mix="2:1"), gb("stream", chapter="24", mix="1:1")),
)
