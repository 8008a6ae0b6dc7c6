"""Parts that are made by their first use, so that no start pays for the parts."""

from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Lazy(Generic[T]):
    """Part that the first `get` makes; the owner of the part owns this object, and both live equally long."""

    __slots__ = ("_make", "made")

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self.made: T | None = None
        """The part, or None as long as nobody has used the part."""

    def get(self) -> T:
        """Return the part; the first call makes the part."""
        if self.made is None:
            self.made = self._make()
        return self.made
