"""The parts of the book, as chapters/parts.txt has them."""


def parts(root):
    """The first number and the name of each part."""
    text = (root / "chapters/parts.txt").read_text(encoding="utf-8")
    return [(int(line[:2]), line[2:].strip()) for line in text.splitlines() if line[:2].isdigit()]
