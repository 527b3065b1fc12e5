#!/bin/sh
# Makes .venv ready: creates it if there is none that works, installs the lock file and the project itself (editable).
# Called by the Makefile from the root of the repository, as `sh scripts/setup-venv.sh [PYTHON]`. Every path here is
# relative, so that the repository may lie anywhere, spaces included.
set -eu

lock=requirements.lock
usable='import sys, venv, ensurepip; raise SystemExit(sys.version_info < (3, 11))'

# By running it: a command of that name may be there and do nothing but complain (version managers install such shims).
find_python() {
    # What was asked for by name is not replaced by something else.
    [ -n "$1" ] || set -- python3.13 python3.12 python3.11 python3 python
    for candidate in "$@"; do
        if "$candidate" -c "$usable" >/dev/null 2>&1; then
            printf '%s\n' "$candidate"
            return
        fi
    done
    echo "error: none of these is a Python >= 3.11 with its venv module: $* (install one, or name it:" \
        "make PYTHON=/path/to/python3)" >&2
    exit 1
}

# A virtual environment holds absolute paths: one that was moved along with its folder is as good as none.
here=$(pwd -P)
works() {
    [ -x .venv/bin/python ] && .venv/bin/python -c "
import os, sys
raise SystemExit(sys.version_info < (3, 11) or not os.path.samefile(sys.prefix, '.venv'))" >/dev/null 2>&1 &&
        .venv/bin/python -m pip --version >/dev/null 2>&1 &&
        { [ ! -f .venv/.ready ] || [ "$(cat .venv/.ready)" = "$here" ]; }
}

if ! works; then
    python=$(find_python "${1:-}")
    echo "Creating .venv with $("$python" --version)"
    "$python" -m venv --clear .venv
fi

rm -f .venv/.ready
echo "Installing $(grep -c '==' "$lock") pinned packages into .venv (a minute or two the first time)"
.venv/bin/python -m pip install --quiet --disable-pip-version-check --requirement "$lock"
.venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
printf '%s\n' "$here" >.venv/.ready
echo "Ready: .venv"
