"""What a reader typed, and the nearest word that is known."""


class Refused(Exception):
    """What cannot be done, as a sentence, and the exit status that says so."""

    def __init__(self, sentence, status=2):
        super().__init__(sentence)
        self.status = status


# The forms of ./run beside the chapters; those of `run` itself are held against them by a test.
FORMS = ("list", "test", "setup", "exercise", "predict", "docs", "book", "compare", "counters", "record", "calibrate", "help")


def distance(word, other, limit):
    """Insertions, deletions and replacements between two words; `limit` where they are that many or more."""
    if abs(len(word) - len(other)) >= limit:
        return limit
    row = range(len(other) + 1)
    for i, letter in enumerate(word, 1):
        above, row = row, [i]
        for j, its in enumerate(other, 1):
            row.append(min(above[j - 1] + (letter != its), above[j] + 1, row[j - 1] + 1))
        if min(row) >= limit:
            return limit
    return min(row[-1], limit)


def nearest(word, known):
    """The known word that is nearest, the first of several; None if all are further off than a slip is."""
    found, least = None, len(word) // 3 + 2
    for other in known:
        if (apart := distance(word, other, least)) < least:
            found, least = other, apart
    return found


def did_you_mean(word, known):
    """` Did you mean X?`, or nothing."""
    found = nearest(word, known)
    return f" Did you mean {found}?" if found else ""


def printable(text):
    """The text as a terminal can show it: what a reader typed may hold an escape sequence."""
    return "".join(letter if letter.isprintable() else "?" for letter in str(text))


def quoted(word):
    """A word that a reader typed, as a sentence can hold it."""
    plain = printable(word)
    return f"'{plain if len(plain) <= 60 else plain[:57] + '...'}'"
