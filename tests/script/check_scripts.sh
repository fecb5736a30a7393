#!/bin/sh
# Every shell script of the repository passes shellcheck. Status 77: it is not installed.
command -v shellcheck || { echo 'skipped: shellcheck is not installed' && exit 77; }
cd "$(dirname "$0")/../.." || exit
grep -rlIZE --exclude-dir=build --exclude-dir=.git '^#!/.*\b(ba)?sh$' . | xargs -0 shellcheck
