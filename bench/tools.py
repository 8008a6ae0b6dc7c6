"""Tools beside what they cannot do without: searches beside rg, an edit beside a bare write, ten reads beside one."""

import asyncio
import os
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from bench.report import Figure
from placet.changes.journal.journal import Journal
from placet.changes.pipeline import ChangePipeline
from placet.changes.propose.diagnostics_delta import DiagnosticsTracker
from placet.changes.review.change_sets import ChangeSets
from placet.changes.review.decisions import Reviews
from placet.core.messages import TextPart
from placet.permissions.gate import Gate
from placet.project.search import ripgrep
from placet.settings import DiagnosticsSettings
from placet.storage.database import Database
from placet.tools import edit, glob, grep, read
from placet.tools.framework.define import Tool

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from language_server_support.no_features import NoFeatures
from services_support import TempServices
from tools_support.workbench import CountedDocuments, UserAtHand, Workbench

FILES = 50_000
FILES_A_DIRECTORY = 250
FILES_A_NEEDLE = 5000
LINES_A_FILE = 20
SEARCHES = 7
LINES_OF_EDITED = 10_000
EDITS = 31
READS = 10
READ_ROUNDS = 31
LIMIT_EDIT = "(limit: 30 ms)"


async def measure() -> list[Figure]:
    with tempfile.TemporaryDirectory() as directory:
        return [*await _searches(Path(directory)), *await _edits(Path(directory)), *await _reads(Path(directory))]


async def _searches(directory: Path) -> list[Figure]:
    """Beside rg that answers the same question, the newest files first; and beside rg that needs no order."""
    tree = directory / "tree"
    _plant(tree)
    listing = ("--files", "--hidden", "--glob=!.git")
    lines = ("--hidden", "--glob=!.git", "--line-number")
    searches = (
        (grep.TOOL, "grep, 10 matches", "needle", (*lines, "needle", ".")),
        (grep.TOOL, "grep, 100,000 matches", "common", (*lines, "common", ".")),
        (glob.TOOL, "glob, all files", "**/*", listing),
        (glob.TOOL, "glob, half of the files", "**/*.py", (*listing, "--glob=**/*.py")),
    )
    async with opened(directory / "searches", tree) as bench:
        return [figure for search in searches for figure in await _search(bench, *search)]


async def _search(bench: Workbench, tool: Tool, name: str, pattern: str, bare: tuple[str, ...]) -> list[Figure]:
    """The tool beside rg by itself, its answer read and dropped; in turns."""

    def ours() -> Awaitable[Any]:
        return bench.run(tool, pattern=pattern)

    newest, floor = await in_turns(SEARCHES, ours, lambda: _ripgrep_alone(bench.root, ("--sortr=modified", *bare)))
    again, unsorted = await in_turns(SEARCHES, ours, lambda: _ripgrep_alone(bench.root, bare))
    return [
        Figure(name, newest, "ms", floor=floor, floor_name="rg, the newest first", goal=1.3),
        Figure(f"{name}, again", again, "ms", floor=unsorted, floor_name="rg in any order"),
    ]


async def _ripgrep_alone(root: Path, arguments: tuple[str, ...]) -> None:
    process = await asyncio.create_subprocess_exec(
        *(str(ripgrep()), "--no-config", *arguments), cwd=root, stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    while await process.stdout.read(1 << 18):
        pass
    await process.wait()


async def _edits(directory: Path) -> list[Figure]:
    """One line after another of one file: looked at, asked for, journaled, written, looked at again, journaled."""
    text = "".join(f"    value_{number} = compute({number}, other_{number})\n" for number in range(LINES_OF_EDITED))
    steps = iter(range(LINES_OF_EDITED // 2, LINES_OF_EDITED))
    async with opened(directory / "edits") as bench:
        path = bench.write("long.py", text)
        beside = bench.write("beside.py", text)
        await bench.run(read.TOOL, filePath="long.py", limit=1)

        async def edited() -> None:
            step = next(steps)
            old, new = f"compute({step}, ", f"computed({step}, "
            await bench.run(edit.TOOL, filePath="long.py", oldString=old, newString=new)
            assert new in path.read_text("utf-8")

        async def written() -> None:
            _write_and_read(beside, text.encode())

        ours, floor = await in_turns(EDITS, edited, written)
    name = f"a verified edit, {LINES_OF_EDITED:,} lines"
    return [Figure(name, ours, "ms", floor=floor, floor_name="write, fsync, rename, read", note=LIMIT_EDIT)]


def _write_and_read(path: Path, data: bytes) -> None:
    temporary = path.with_suffix(".new")
    with temporary.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)
    assert path.read_bytes() == data


async def _reads(directory: Path) -> list[Figure]:
    """A turn in which the model asks for ten files at once, beside one in which it asks for one."""
    services = TempServices(directory)
    names = [f"file{number}.py" for number in range(READS)]
    for name in names:
        (services.project / name).write_text("some words in a line\n" * 500, "utf-8")

    def reading(files: list[str]) -> list[dict[str, Any]]:
        return [{"call": "read", "arguments": {"filePath": name}} for name in files]

    done = [{"text": "Done."}]
    turns = [turn for _ in range(READ_ROUNDS + 1) for turn in (reading(names), done, reading(names[:1]), done)]
    async with services.open(services.script(*turns)) as sessions:
        session = await sessions.create()

        async def prompted() -> None:
            assert (await session.prompt([TextPart(text="go")])).stop_reason == "end_turn"

        ours, floor = await in_turns(READ_ROUNDS, prompted, prompted)
    name = f"a turn with {READS} reads at once, 500 lines each"
    return [Figure(name, ours, "ms", floor=floor, floor_name="a turn with one", goal=2)]


async def in_turns(
    rounds: int, ours: Callable[[], Awaitable[Any]], floor: Callable[[], Awaitable[Any]]
) -> tuple[float, float]:
    """Medians in milliseconds, the two taken alternately so that whatever else runs slows both; one of each first."""
    times: tuple[list[float], list[float]] = ([], [])
    for number in range(rounds + 1):
        for work, taken in zip((ours, floor), times, strict=True):
            start = time.perf_counter()
            await work()
            if number:
                taken.append((time.perf_counter() - start) * 1000)
    return statistics.median(times[0]), statistics.median(times[1])


@asynccontextmanager
async def opened(directory: Path, root: Path | None = None) -> AsyncGenerator[Workbench, None]:
    """A workbench whose journal is on disk."""
    root = root or directory / "project"
    root.mkdir(parents=True, exist_ok=True)
    database = Database(directory / "store.db")
    database.write(
        "INSERT INTO session (id, title, agent, model, roots, created, updated)"
        " VALUES ('ses_1', '', 'build', '', '[]', 0, 0)"
    )
    documents, user = CountedDocuments(), UserAtHand()
    gate = Gate(user)
    pipeline = ChangePipeline(
        documents,
        gate,
        Journal(database),
        DiagnosticsTracker(NoFeatures(), DiagnosticsSettings()),
        Reviews(documents, ChangeSets(database)),
    )
    bench = Workbench(root, directory / "output", user, documents, pipeline, gate, "ses_1")
    try:
        yield bench
    finally:
        await bench.jobs.close()
        await database.close()


def _plant(tree: Path) -> None:
    """FILES files, half of them `.py`; two lines of each say `common`, and one file in FILES_A_NEEDLE says `needle`."""
    line = b"def compute(value): return value + other_value\n"
    content = line * (LINES_A_FILE - 2) + b"a common line\n" * 2
    for first in range(0, FILES, FILES_A_DIRECTORY):
        directory = tree / f"package{first // FILES_A_DIRECTORY}"
        directory.mkdir(parents=True)
        for number in range(first, first + FILES_A_DIRECTORY):
            name = directory / f"file{number}.{'py' if number % 2 else 'txt'}"
            name.write_bytes(content if number % FILES_A_NEEDLE else content + b"a needle\n")
