"""How the project compiles: one decorator, one cache folder that cannot serve stale code.

Numba's own file cache looks at the file that defines a function, not at what that file imports, so an edit in an
imported module would leave an old kernel running. The cache folder is therefore named after a hash of all jitted
sources of the package together with the versions of Python, numba and numpy: any edit starts a fresh folder.

``AGENTSIM_CACHE=off`` turns the disk cache off, ``AGENTSIM_CACHE=/some/folder`` moves it. The default is
``$XDG_CACHE_HOME/agentsim`` or ``~/.cache/agentsim``. ``NUMBA_DISABLE_JIT=1`` and ``NUMBA_BOUNDSCHECK=1`` work as usual
(the latter gets a cache folder of its own).
"""

from __future__ import annotations

import hashlib
import os
import platform
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import numpy
from numba.core.errors import NumbaExperimentalFeatureWarning

__all__ = ["cache_folder", "jit", "source_hash"]

_PACKAGE = Path(__file__).parent
_CONFIG: Any = numba.config  # its settings come into being at run time
_ENABLED = os.environ.get("AGENTSIM_CACHE", "").lower() not in ("off", "0", "no")

# Policies written by users are passed to the kernel as first-class functions, a feature that numba labels experimental.
warnings.filterwarnings("ignore", category=NumbaExperimentalFeatureWarning)


def source_hash() -> str:
    """Hash of every source that may end up in compiled code, and of the versions that compile it."""
    digest = hashlib.blake2b(digest_size=10)
    for path in sorted([_PACKAGE / "jit.py", _PACKAGE / "rng.py", *(_PACKAGE / "games").rglob("*.py")]):
        digest.update(path.relative_to(_PACKAGE).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    bounds = os.environ.get("NUMBA_BOUNDSCHECK", "0")
    digest.update(f"{platform.python_version()} {numba.__version__} {numpy.__version__} {bounds}".encode())
    return digest.hexdigest()


def cache_folder() -> Path | None:
    """The folder for compiled code, or None when the cache is off."""
    if not _ENABLED:
        return None
    chosen = os.environ.get("AGENTSIM_CACHE")
    root = Path(chosen) if chosen else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "agentsim"
    return root / source_hash()


def _use_cache_folder() -> bool:
    folder = cache_folder()
    if folder is None:
        return False
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        # A read-only home must not stop anybody from playing; compiled code then lives as long as the machine's temp.
        owner = os.getuid() if hasattr(os, "getuid") else "user"
        folder = Path(tempfile.gettempdir()) / f"agentsim-{owner}" / folder.name
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            return False
    _CONFIG.CACHE_DIR = str(folder)
    return True


_CACHE = _use_cache_folder()


def jit(*args: Any, **options: Any) -> Any:
    """``numba.njit`` with the project's settings; use as ``@jit``, ``@jit(signature)`` or ``@jit(inline="always")``.

    ``error_model="numpy"``: a float division must not add a branch that raises (it stops vectorisation).
    ``nogil=True``: kernels run side by side in threads.
    ``_nrt=False``: no memory manager. Kernels make no arrays and keep none, and their callers hold those that they
    lend, so there are no references to count; a kernel that allocates does not compile. That is 31 % of a game of
    ``random``, 13 % of one of ``greedy``. Numba has no documented name for it; without the switch all works, slower.
    """
    settings: dict[str, Any] = {"cache": _CACHE, "nogil": True, "error_model": "numpy", "_nrt": False} | options
    if not hasattr(numba.core.options.DefaultOptions, "_nrt"):
        settings.pop("_nrt")
    if _CONFIG.DISABLE_JIT:
        # Hashes wrap around in 64 bits, of which NumPy's scalars warn and compiled code does not.
        quiet = numpy.errstate(over="ignore")
        return quiet(args[0]) if _is_function(args) else quiet
    if _is_function(args):
        function: Callable[..., Any] = args[0]
        return numba.njit(**settings)(function)
    return numba.njit(*args, **settings)


def _is_function(args: tuple[Any, ...]) -> bool:
    return len(args) == 1 and callable(args[0]) and not isinstance(args[0], numba.core.types.Type)
