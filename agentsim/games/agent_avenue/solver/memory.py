"""Single whole numbers out of an array that a row of parameters points to.

Kernels that are compiled without numba's memory manager cannot make an array of an address
(:func:`..opened.array_at` does, elsewhere), but they can read.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

__all__ = ["number_32", "number_64"]


def _number(kind: Any) -> Any:
    """A function ``(address, index)``: a whole number out of an array of that kind, as int64."""
    def read(context: Any, address: Any, index: Any) -> Any:
        def make(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            start = builder.inttoptr(arguments[0], ir.IntType(kind.bitwidth).as_pointer())
            found = builder.load(builder.gep(start, [arguments[1]]))
            return found if kind.bitwidth == 64 else builder.sext(found, ir.IntType(64))

        return types.int64(types.uintp, types.int64), make

    return intrinsic(read)


number_32: Any = _number(types.int32)
number_64: Any = _number(types.int64)
