"""How long a user waits in the real VS Code, beside waits of the same window without what is measured."""

import asyncio
import json
import sys
import tempfile
from pathlib import Path

from bench.report import Figure

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from vscode_support.code_server import missing
from vscode_support.windows import ONE_FOLDER, Windows

SUITE = Path(__file__).with_suffix(".cjs")


async def measure() -> list[Figure]:
    """Nothing where VS Code or Chromium is missing."""
    if missing():
        return []
    with tempfile.TemporaryDirectory() as directory:
        return await asyncio.to_thread(_measured, Path(directory))


def _measured(directory: Path) -> list[Figure]:
    windows = Windows(directory)
    try:
        failure = windows.failure(SUITE, ONE_FOLDER)
        assert failure is None, str(failure)
    finally:
        windows.close()
    (told,) = directory.glob("*/figures.json")
    return [
        Figure(one["name"], one["value"], "ms", floor=one["floor"], floor_name=one["floorName"], goal=one["goal"])
        for one in json.loads(told.read_text())
    ]
