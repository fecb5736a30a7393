#!/bin/sh
# Every C++ and CUDA file is as clang-format 14 leaves it (other versions break some lines elsewhere),
# but for tests/programs, which stand for what readers bring; the solutions of the exercises, too.
# Status 77: that version is not installed.
format=$(command -v clang-format-14 || command -v clang-format)
case $("${format:-true}" --version) in
*'version 14.'*) ;;
*) echo 'skipped: clang-format 14 is not installed' && exit 77 ;;
esac
cd "$(dirname "$0")/../.." || exit
solutions=$(mktemp -d) && trap 'rm -r "$solutions"' EXIT || exit
cp .clang-format "$solutions" && python3 -B -c "
import pathlib, sys
from tools import answers
for file in pathlib.Path('chapters').glob('*/exercises/*/answers.txt'):
    pathlib.Path(sys.argv[1], file.parent.name + '.cu').write_text(answers.solution(file.parent))" "$solutions" || exit
find browser chapters common cpu_device experiments own_program tests "$solutions" -path tests/programs -prune -o -regex '.*\.\(cu\|cuh\|cpp\|hpp\|h\)' -print0 |
    xargs -0 "$format" --dry-run --Werror
