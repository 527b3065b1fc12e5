"""Renew ``requirements.lock`` and ``requirements-bench.lock`` from ``pyproject.toml`` (``make lock``).

The pins are found with Python 3.11, the oldest one supported; packages that only some Python versions need then are
in the file, and the versions chosen exist for all of them. Versions already in a lock file are kept as long as they
satisfy ``pyproject.toml``; ``--upgrade`` takes the newest.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HEADER = """\
# Every package, pinned, for Python 3.11 to 3.13 on Linux; made by `make lock` from pyproject.toml (extras: {extras}).
"""
# No index addresses in the file: it is to work with whatever index the machine is set up for.
OPTIONS = [
    "--quiet", "--no-header", "--strip-extras", "--annotation-style=line",
    "--no-emit-index-url", "--no-emit-find-links", "--no-emit-trusted-host", "--no-emit-options",
]  # fmt: skip


def compile_lock(name: str, extras: list[str], *options: str) -> None:
    lock = ROOT / name
    command = [sys.executable, "-m", "piptools", "compile", *OPTIONS, *options]
    command += [f"--extra={extra}" for extra in extras] + ["--output-file", name, "pyproject.toml"]
    subprocess.run(command, cwd=ROOT, check=True)
    # The closing remark about pip and setuptools holds for any lock file and tells nothing.
    pins = [line for line in lock.read_text().splitlines() if line and not line.startswith("#")]
    lock.write_text(HEADER.format(extras=", ".join(extras)) + "\n".join(pins) + "\n")


def main() -> int:
    if sys.version_info[:2] != (3, 11):
        print("error: not Python 3.11 (make distclean; make lock PYTHON=python3.11)", file=sys.stderr)
        return 1
    upgrade = ["--upgrade"] if "--upgrade" in sys.argv[1:] else []
    compile_lock("requirements.lock", ["notebook", "dev"], *upgrade)
    # The peer goes into the same environment, so it has to live with the versions chosen above.
    compile_lock("requirements-bench.lock", ["bench"], "--constraint=requirements.lock", *upgrade)
    return 0


if __name__ == "__main__":
    sys.exit(main())
