"""Renew ``requirements.lock`` and ``requirements-bench.lock`` from ``pyproject.toml`` (``make lock``).

One file serves every supported Python from 3.11.0 on: the versions chosen install on the oldest, and what only some
versions or systems need carries a marker. Pins that still satisfy ``pyproject.toml`` stay; ``--upgrade`` takes the
newest.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HEADER = "# Every package, pinned, for Python >= 3.11; made by `make lock` from pyproject.toml (extras: {extras}).\n"
OPTIONS = ["--quiet", "--universal", "--python-version=3.11", "--fork-strategy=fewest", "--no-header",
           "--annotation-style=line"]  # fmt: skip


def compile_lock(name: str, extras: list[str], *options: str) -> None:
    command = [sys.executable, "-m", "uv", "pip", "compile", *OPTIONS, *options]
    command += [f"--extra={extra}" for extra in extras] + [f"--output-file={name}", "pyproject.toml"]
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    lock = ROOT / name
    pins = [line for line in lock.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    lock.write_text(HEADER.format(extras=", ".join(extras)) + "\n".join(pins) + "\n", encoding="utf-8")


def main() -> int:
    upgrade = ["--upgrade"] if "--upgrade" in sys.argv[1:] else []
    compile_lock("requirements.lock", ["notebook", "dev"], *upgrade)
    # The peers go into the same environment, so they have to live with the versions chosen above.
    compile_lock("requirements-bench.lock", ["bench"], "--constraint=requirements.lock", *upgrade)
    return 0


if __name__ == "__main__":
    sys.exit(main())
