"""Work counted in lines of Python: the same number on every machine, however busy the machine is."""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


def steps(action: Callable[[], object]) -> int:
    """Return how many lines of Python the action runs. The work of C, as in a regular expression, is not counted.

    What the action loads or compiles once is counted too, so an action of the same kind runs before.
    """
    count = 0

    def step(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal count
        count += 1
        return step

    before = sys.gettrace()
    sys.settrace(step)
    try:
        action()
    finally:
        sys.settrace(before)
    return count
