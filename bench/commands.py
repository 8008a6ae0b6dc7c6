"""A command under the eye of undo beside the same command run bare, in a project of 2,000 files."""

import asyncio
import tempfile
import time
from pathlib import Path

from bench.report import Figure
from bench.tools import in_turns, opened
from placet.project.processes.child import Command
from placet.project.processes.commands import run_command
from placet.tools import bash
from placet.tools.shell.program import shell_command

FILES = 2000
FILES_A_DIRECTORY = 20
LINES_A_FILE = 200
ROUNDS = 31
LIMIT = "(limit: 30 ms more than bare)"
LINES = {
    "only reads (`ls`)": "ls > /dev/null",
    "might write, and does not": "env > /dev/null",
    "changes a file": "date +%N > package0/file0.py",
    "makes a file": "date +%N > made$RANDOM$RANDOM.py",
}


async def measure() -> list[Figure]:
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory) / "project"
        _plant(root)
        async with opened(Path(directory), root) as bench:
            start = time.perf_counter()
            await bench.run(bash.TOOL, command=LINES["might write, and does not"])
            figures = [Figure("the first that might write", (time.perf_counter() - start) * 1000, "ms")]
            for name, line in LINES.items():
                ours, floor = await in_turns(
                    ROUNDS, lambda line=line: bench.run(bash.TOOL, command=line), lambda line=line: _bare(line, root)
                )
                note = f"{ours - floor:.1f} ms more {LIMIT}"
                figures.append(Figure(name, ours, "ms", floor=floor, floor_name="bare", note=note))
            return figures


async def _bare(line: str, root: Path) -> None:
    """As the tool runs it, and nothing around."""
    with tempfile.TemporaryFile(buffering=0) as output:
        command = Command(shell_command(line), root, {})
        await run_command(command, output, timeout_seconds=10, abort=asyncio.Event(), max_output_bytes=1 << 20)


def _plant(root: Path) -> None:
    content = "def compute(value): return value + other_value\n" * LINES_A_FILE
    for number in range(FILES):
        path = root / f"package{number // FILES_A_DIRECTORY}" / f"file{number}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
