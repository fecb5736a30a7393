#!/bin/sh
# Every C++ and CUDA file is as clang-format 14 leaves it (other versions break some lines elsewhere),
# but for tests/programs, which stand for what readers bring.
# Status 77: that version is not installed.
format=$(command -v clang-format-14 || command -v clang-format)
case $("${format:-true}" --version) in
*'version 14.'*) ;;
*) echo 'skipped: clang-format 14 is not installed' && exit 77 ;;
esac
cd "$(dirname "$0")/../.." || exit
find browser chapters common cpu_device own_program tests -path tests/programs -prune -o -regex '.*\.\(cu\|cuh\|cpp\|hpp\|h\)' -print0 |
    xargs -0 "$format" --dry-run --Werror
