"""Numbers that know where they come from, how they are written, and how far the next record may have them elsewhere."""

import builtins
import math
import re
from dataclasses import dataclass

from tools.results.rounds import quantile

Z = 2


class Fact(float):
    """A number; with arithmetic it stays one.

    `form` is a Python format; `reads` holds (what, device) for each look-up that it rests on; `moves` says how far it moves,
    in its own unit, with each thing that a new record may have otherwise: a round of a chapter's programs that were run
    several times, and else a row."""

    def __new__(cls, value, reads=frozenset(), moves=None, form=None):
        self = super().__new__(cls, value)
        self.reads, self.moves, self.form = frozenset(reads), moves or {}, form
        return self

    def _with(self, other, value, mine, its):
        """A value of two, with its derivatives by both."""
        moves = {key: mine * far for key, far in self.moves.items()}
        for key, far in getattr(other, "moves", {}).items():
            moves[key] = moves.get(key, 0) + its * far
        return Fact(value, self.reads | getattr(other, "reads", frozenset()), moves)

    def __add__(self, other):
        return self._with(other, float(self) + float(other), 1, 1)

    def __sub__(self, other):
        return self._with(other, float(self) - float(other), 1, -1)

    def __rsub__(self, other):
        return self._with(other, float(other) - float(self), -1, 1)

    def __mul__(self, other):
        return self._with(other, float(self) * float(other), float(other), float(self))

    def __truediv__(self, other):
        value = float(self) / float(other)
        return self._with(other, value, 1 / float(other), -value / float(other))

    def __rtruediv__(self, other):
        value = float(other) / float(self)
        return self._with(other, value, -value / float(self), 1 / float(self))

    def __pow__(self, power):
        value = float(self) ** float(power)
        return self._with(power, value, float(power) * float(self) ** (float(power) - 1), 0)

    def __mod__(self, other):
        return self._with(other, float(self) % float(other), 1, 0)

    def __floordiv__(self, other):
        return self._with(other, float(self) // float(other), 0, 0)

    def __neg__(self):
        return self * -1

    def __abs__(self):
        return self if self >= 0 else -self

    def __round__(self, digits=None):
        return self._with(0, round(float(self), digits or 0), 1, 0)

    __radd__, __rmul__ = __add__, __mul__

    def __index__(self):
        if self != int(self):
            raise TypeError(f"{float(self)} is not a whole number")
        return int(self)

    def __format__(self, form):
        return format(int(self) if not form and self == int(self) else float(self), form)

    def spread(self):
        """How far from the value the truth lies at most, nineteen times of twenty."""
        rounds, total = {}, 0
        for (kind, *key), far in self.moves.items():
            if kind == "round":
                rounds.setdefault(tuple(key[:-1]), []).append(far)
            else:
                total += (Z * far) ** 2
        for (*_, count), far in rounds.items():
            total += quantile(count - 1) ** 2 * sum(each**2 for each in far) / (count - 1) / count
        return math.sqrt(total)


def show(value, form=None):
    """A value as a sentence writes it; `form` is a Python format such as `.0%`, by default its own."""
    form = form or getattr(value, "form", None)
    if form:
        text = format(float(value), form)
        return text if re.search("[1-9]", text) else text.lstrip("-")
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value)
    if value == int(value) and (isinstance(value, int) or abs(value) < 1000):
        return f"{int(value):,}"
    size = abs(value)
    digits = 0 if size >= 100 else 1 if size >= 10 else 2 if size >= 0.1 else None
    return f"{float(value):.2g}" if digits is None else f"{float(value):,.{digits}f}"


@dataclass
class Verdict:
    """What became of a comparison: whether it holds, whether another record would say so, too, and both sides in numbers."""
    holds: bool
    sure: bool
    said: str
    facts: list  # that it compares

    @property
    def reads(self):
        return frozenset().union(*(fact.reads for fact in self.facts if isinstance(fact, Fact)))

    def __bool__(self):
        return self.holds


def _compare(a, b, holds, sign):
    apart = a - b if isinstance(a, Fact) or isinstance(b, Fact) else None
    sure = apart is None or abs(float(apart)) > apart.spread() or not apart.moves
    shown = [show(a), show(b)] if a == b or show(a) != show(b) else [f"{float(each):.5g}" for each in (a, b)]
    return Verdict(holds, sure, f" {sign} ".join(shown), [a, b])


def more(a, b):
    """Whether a is more than b."""
    return _compare(a, b, a > b, ">")


def less(a, b):
    """Whether a is less than b."""
    return _compare(a, b, a < b, "<")


def at_least(a, b):
    """Whether a is b or more."""
    return _compare(a, b, a >= b, ">=")


def at_most(a, b):
    """Whether a is b or less."""
    return _compare(a, b, a <= b, "<=")


def equal(a, *others):
    """Whether all are the same: counts, or words."""
    return Verdict(all(a == b for b in others), True, " == ".join(map(show, (a, *others))), [a, *others])


def faster(a, b):
    """Whether a is faster than b: the higher of two bandwidths, the lower of two times."""
    kinds = {what for fact in (a, b) for what, _ in fact.reads}
    return less(a, b) if kinds <= {"ms", "ns"} else more(a, b)


def level(a, b, within):
    """Whether a and b are the same to a share of b: to `within=0.02`, two percent."""
    return between(1 - within, a / b, 1 + within)


def between(low, value, high):
    """Whether a value is one bound at least and less than another."""
    return both(at_least(value, low), less(value, high))


def ascending(*values):
    """Whether each is less than the next."""
    return both(*(less(one, other) for one, other in zip(values, values[1:])))


def _rests_on_all(choose):
    def chosen(*values):
        made = choose(*values)
        return Fact(made, frozenset().union(*(getattr(one, "reads", ()) for one in values)), getattr(made, "moves", None))
    return chosen


max, min = _rests_on_all(builtins.max), _rests_on_all(builtins.min)  # of facts; what they give rests on all of them


def how_many(*verdicts):
    """The number of those that hold."""
    return Fact(sum(map(bool, verdicts)), frozenset().union(*(one.reads for one in verdicts)))


def both(*verdicts):
    """Whether all hold; it is sure where all are, or where one that fails is."""
    failed = [one for one in verdicts if not one]
    sure = any(one.sure for one in failed) or all(one.sure for one in verdicts)
    return Verdict(not failed, sure, (failed or verdicts)[0].said, [fact for one in verdicts for fact in one.facts])
