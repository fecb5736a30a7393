"""The field's English: words of our own that came back too often are refused in prose, comments and messages.

words.txt in this folder has what is refused, what to write instead, and the exceptions with their reasons.
"""

import fnmatch
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PROSE = {".md", ".txt"}
CODE = {".cu", ".cuh", ".cpp", ".hpp", ".h", ".js", ".py"}
NO_PROSE = re.compile(r"^( *)(```|~~~).*?^\1\2[^\n]*$|`[^`\n]+`|<!--.*?-->|\]\([^)\s]*\)|https?://\S+|\{[^{}\s]*\}", re.MULTILINE | re.DOTALL)
COMMENT = {True: r"#[^\n]*|\"\"\".*?\"\"\"", False: r"//[^\n]*|/\*.*?\*/"}  # of Python, of the others
STRING = r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'"


def rules():
    """What is refused, by name; and the exceptions: name, files."""
    refused, exceptions = {}, []
    for line in (HERE / "words.txt").read_text(encoding="utf-8").splitlines():
        kind, *parts = [part.strip() for part in line.split(" | ")]
        if kind == "refuse":
            name, pattern, instead = parts
            # A blank may be the end of a line, with the sign of a comment on the next.
            refused[name] = (re.compile(pattern.replace(" ", r"[\s/#*]+"), re.MULTILINE), instead)
        elif kind == "except":
            names, files, _ = parts
            exceptions += [(name, files) for name in (refused if names == "all" else names.split(", "))]
        elif line and not line.startswith("#"):
            sys.exit(f"words.txt: a line begins with 'refuse | ' or 'except | ', and not so: {line}")
    return refused, exceptions


def prose(path, text):
    """The text with all that is no prose blanked out, so that lines stay where they are."""
    def blank(part):
        return re.sub(r"[^\n]", " ", part)

    if path.suffix in PROSE:
        return NO_PROSE.sub(lambda match: blank(match[0]), text)
    parts = re.compile(COMMENT[path.suffix == ".py"] + "|" + STRING, re.DOTALL)
    kept, at = [], 0
    for match in parts.finditer(text):
        words = match[0] if " " in match[0].strip() else blank(match[0])
        kept += [blank(text[at:match.start()]), NO_PROSE.sub(lambda code: blank(code[0]), words)]
        at = match.end()
    return "".join([*kept, blank(text[at:])])


def main():
    refused, exceptions = rules()
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    wrong = []
    for name in sorted(filter(None, listed.decode().split("\0"))):
        path = ROOT / name
        if path.suffix not in PROSE | CODE or not path.is_file():
            continue
        text = prose(path, path.read_text(encoding="utf-8", errors="replace"))
        for rule, (pattern, instead) in refused.items():
            for match in pattern.finditer(text):
                if not any(one == rule and fnmatch.fnmatch(name, files) for one, files in exceptions):
                    found = re.sub(r"\s+", " ", match[0])
                    wrong.append(f"{name}:{text.count(chr(10), 0, match.start()) + 1}: '{found}': {instead}")
    print(*wrong, sep="\n", end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
