"""Copies of immutable values with changed fields.

A value that every start makes is a msgspec Struct, because the definition of a dataclass takes 30 times as long (half a
millisecond). Any other value is a dataclass.
"""

import dataclasses
from typing import Any, TypeVar, cast

import msgspec

T = TypeVar("T")


def replace(value: T, /, **changes: Any) -> T:
    """Return a copy of the Struct or dataclass `value` with the fields in `changes`. Raises TypeError."""
    if isinstance(value, msgspec.Struct):
        return msgspec.structs.replace(value, **changes)
    return cast("T", dataclasses.replace(cast("Any", value), **changes))
