#!/bin/sh
# Every Python file passes flake8 with the committed configuration. Status 77: it is not installed.
# Debian's, if it is there: another Python that comes first on PATH may have none.
cd "$(dirname "$0")/../.." || exit
for python in python3 /usr/bin/python3; do
    "$python" -m flake8 --version >/dev/null 2>&1 && exec "$python" -m flake8
done
echo 'skipped: flake8 is not installed' && exit 77
