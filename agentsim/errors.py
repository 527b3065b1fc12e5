"""The one kind of error that bad input raises, and the suggestion that goes with it."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

__all__ = ["InputError", "nearest", "shown"]


class InputError(ValueError):
    """Something the user gave cannot be used. ``str(error)`` is one line fit to be shown as it is.

    Parameters
    ----------
    problem : what was wrong, a clause without a full stop ("must be at least 1, got -3").
    where : the file or flag it stands in.
    key : the key within it (``rules.hand_size``).
    allowed : what would have been right ("1 to 8", "random, greedy, minmax").
    nearest : the valid name that the user most likely meant.

    The command line turns it into one line on stderr and exit code 2.
    """

    def __init__(self, problem: str, *, where: str = "", key: str = "", allowed: str = "", nearest: str = "") -> None:
        self.problem, self.where, self.key, self.allowed, self.nearest = problem, where, key, allowed, nearest
        text = ": ".join(part for part in (where, key, problem) if part)
        if allowed:
            text += f" (allowed: {allowed})"
        if nearest:
            text += f"; did you mean '{nearest}'?"
        super().__init__(" ".join(text.split()))

    def __reduce__(self) -> tuple[object, ...]:
        # Keyword arguments are lost by the default pickling of exceptions; worker processes need them back.
        return (_rebuild, (self.problem, self.where, self.key, self.allowed, self.nearest))

    def at(self, *, where: str = "", key: str = "") -> InputError:
        """The same error with its place filled in, for a caller that knows the file or key."""
        return InputError(self.problem, where=self.where or where, key=self.key or key, allowed=self.allowed,
                          nearest=self.nearest)


def _rebuild(problem: str, where: str, key: str, allowed: str, nearest_name: str) -> InputError:
    return InputError(problem, where=where, key=key, allowed=allowed, nearest=nearest_name)


def nearest(word: str, choices: Iterable[str]) -> str:
    """The choice closest in spelling to ``word``, or an empty string when none is close."""
    lowered = {choice.lower(): choice for choice in choices}
    found = difflib.get_close_matches(str(word).lower(), lowered, n=1, cutoff=0.6)
    return lowered[found[0]] if found else ""


def shown(value: object) -> str:
    """A value as a complaint shows it: at most sixty characters of what Python would print."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
