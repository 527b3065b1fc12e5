"""Names as people type them: whole, with spaces, or the beginning of a word where that is plain."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from agentsim.errors import InputError, nearest

__all__ = ["find_name", "name_list"]


def find_name(word: str, names: Iterable[str], *, what: str = "an agent", where: str = "", key: str = "") -> str:
    """The one of ``names`` that a word means: case, spaces and hyphens do not matter, a clear beginning will do.

    ``da`` stands for double_agent where no other name has these initials. Raises InputError with the nearest name.
    """
    known = list(dict.fromkeys(names))
    tidy = "_".join(word.strip().lower().replace("-", " ").replace("_", " ").split())
    if tidy in known:
        return tidy
    meant = [name for name in known if tidy and name.startswith(tidy)]
    meant = meant or [name for name in known if "_" in name and "".join(part[0] for part in name.split("_")) == tidy]
    if len(meant) == 1:
        return meant[0]
    if meant:
        raise InputError(f"'{word}' may be {' or '.join(meant)}", where=where, key=key)
    raise InputError(f"'{word}' is not {what}", where=where, key=key, allowed=", ".join(known),
                     nearest=nearest(tidy, known))


def name_list(text: str, names: Sequence[str], *, what: str = "an agent", where: str = "", key: str = "",
              unknown: str = "") -> tuple[str, ...]:
    """Names separated by commas, ``2 enforcer`` for two of them; "nothing" or "" is none.

    The word ``unknown``, if there is one, is taken for itself.
    """
    found: list[str] = []
    for item in text.split(","):
        word = item.strip()
        if not word or (word.lower() in ("nothing", "none", "-") and text.strip() == word):
            continue
        copies, _, rest = word.partition(" ")
        times = int(copies) if copies.isdigit() and rest.strip() and len(copies) < 3 else 1
        name = rest.strip() if times != 1 or copies == "1" else word
        found += [name if unknown and name == unknown else
                  find_name(name, names, what=what, where=where, key=key)] * times
    return tuple(found)
