"""Where the files that go with the package are: notebooks and experiment files.

In the repository they lie beside the package (``notebooks/``, ``data/experiments/``), where people look for them.
A wheel carries copies inside the package (``agentsim/_share/``), so that everything also works from an installed
wheel and from any folder.
"""

from __future__ import annotations

from pathlib import Path

from agentsim.errors import InputError

__all__ = ["experiments_dir", "notebooks_dir", "strategy_dir"]

_PACKAGE = Path(__file__).resolve().parent


def notebooks_dir() -> Path:
    """The folder of the ``*.ipynb`` files. Raises ``InputError`` if this installation has none."""
    return _find("notebooks", "notebooks")


def experiments_dir() -> Path:
    """The folder of the experiment files (``*.toml``). Raises ``InputError`` if this installation has none."""
    return _find("data/experiments", "experiments")


def strategy_dir() -> Path:
    """The folder of what ``make strategy`` measured. Raises ``InputError`` if this installation has none."""
    return _find("data/strategy", "strategy")


def _find(in_repository: str, in_wheel: str) -> Path:
    # The wheel's copies come first: beside an installed package, `notebooks/` could be anybody's folder.
    for folder in (_PACKAGE / "_share" / in_wheel, _PACKAGE.parent / in_repository):
        if folder.is_dir():
            return folder
    raise InputError(f"this installation has no {in_wheel}", allowed="a clone of the repository or a complete wheel")
