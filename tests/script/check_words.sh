#!/bin/sh
# Prose, comments and messages say things as the field does: words.txt has what is refused, and what to write instead.
cd "$(dirname "$0")/../.." && exec python3 -B tests/script/check_words.py
