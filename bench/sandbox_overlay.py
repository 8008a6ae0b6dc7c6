"""A contained command whose changes are proposed, beside the same command whose changes are journaled; and very many
changed files.
"""

import os
import shlex
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from statistics import median

from bench.report import Figure
from bench.sandbox import limits, timed
from bench.tools import CountedDocuments, UserAtHand
from language_server_support.no_features import NoFeatures
from placet.changes.call import ChangingCall
from placet.changes.journal.journal import Journal
from placet.changes.ledger import Ledger
from placet.changes.pipeline import ChangePipeline, Changes
from placet.changes.propose.diagnostics_delta import DiagnosticsTracker
from placet.changes.review.change_sets import ChangeSets
from placet.changes.review.decisions import Reviews
from placet.permissions.gate import Caller, Gate
from placet.permissions.rules import builtin_rules, from_config
from placet.permissions.shell import Findings, analyse
from placet.project.paths import Workspace
from placet.project.processes.child import Command
from placet.sandbox.containment import Containment
from placet.sandbox.sandbox import Sandbox
from placet.settings import DiagnosticsSettings
from placet.storage.database import Database
from placet.tools.shell.program import shell_command

ROUNDS = 30
FILES = 2000
IGNORED = 20_000
LINES = {"changes nothing": "true", "changes a file": "date +%N > package0/file0.py"}
_WRITE = f"""
import os
for d in range(1000):
    os.makedirs(f"node_modules/p{{d}}", exist_ok=True)
    for i in range({IGNORED // 1000}):
        open(f"node_modules/p{{d}}/{{i}}.js", "w").write("x")
"""
_IGNORED = f"/usr/bin/python3 -c {shlex.quote(_WRITE)}"
MANY = {
    f"{FILES} new files": f"for i in $(seq {FILES}); do echo $i > made$i.py; done",
    f"{FILES} changed files": "sed -i s/^/1/ made*.py",
    f"{IGNORED} new ignored files": _IGNORED,
    f"{IGNORED} changed ignored files": _IGNORED,
}


async def measure() -> list[Figure]:
    with tempfile.TemporaryDirectory(dir="/var/tmp") as directory:
        base = Path(directory)
        root = base / "project"
        _plant(root)
        containment, host = limits(base, root)
        database = Database(base / "store.db")
        pipeline = _pipeline(base, database)
        place = _Place(root, Sandbox(host, os.environ), containment, _bound(pipeline, base, root))
        figures = [await _beside(place, name, line) for name, line in LINES.items()]
        figures += [await _many(place, name, line) for name, line in MANY.items()]
        await pipeline.close()
        await database.close()
        return figures


class _Place:
    """Project, sandbox and changes of the measurements."""

    def __init__(self, root: Path, sandbox: Sandbox, containment: Containment, changes: Changes) -> None:
        self.root = root
        self.sandbox = sandbox
        self.containment = containment
        self.changes = changes

    async def journaled(self, line: str) -> None:
        async with (
            self.changes.around_command(self._findings(line)),
            self.sandbox.contained(self._command(line), self.containment, session_id="session") as contained,
        ):
            await timed(contained.command)

    async def proposed(self, line: str) -> float:
        """Run the line; return the milliseconds after the command's end."""
        async with self.changes.around_contained(self._findings(line), line) as change:
            context = self.sandbox.contained(
                self._command(line), self.containment, session_id="session", overlays=change.mounts
            )
            async with context as contained:
                await timed(contained.command)
            start = time.perf_counter()
        assert not change.left_out, change.left_out[:3]
        return (time.perf_counter() - start) * 1000

    def _findings(self, line: str) -> Findings:
        return analyse(line, directory=self.root, home=Path.home())

    def _command(self, line: str) -> Command:
        return Command(shell_command(line), self.root, {"PATH": os.environ["PATH"]})


async def _beside(place: _Place, name: str, line: str) -> Figure:
    proposed: list[float] = []
    journaled: list[float] = []
    for _ in range(ROUNDS):
        journaled.append(await _milliseconds(place.journaled, line))
        proposed.append(await _milliseconds(place.proposed, line))
    return Figure(f"a command {name}", median(proposed), "ms", floor=median(journaled), floor_name="without an overlay")


async def _many(place: _Place, name: str, line: str) -> Figure:
    return Figure(f"after a command: {name}", await place.proposed(line), "ms")


async def _milliseconds(run: Callable[[str], Awaitable[object]], line: str) -> float:
    start = time.perf_counter()
    await run(line)
    return (time.perf_counter() - start) * 1000


def _pipeline(base: Path, database: Database) -> ChangePipeline:
    database.write(
        "INSERT INTO session (id, title, agent, model, roots, created, updated)"
        " VALUES ('ses_1', '', 'build', '', '[]', 0, 0)"
    )
    diagnostics = DiagnosticsTracker(NoFeatures(), DiagnosticsSettings())
    gate = Gate(UserAtHand())
    documents = CountedDocuments()
    return ChangePipeline(
        documents, gate, Journal(database), diagnostics, Reviews(documents, ChangeSets(database)), base / "layers"
    )


def _bound(pipeline: ChangePipeline, base: Path, root: Path) -> Changes:
    rules = builtin_rules(base / "output") + from_config({"edit": "allow"}, "the bench")
    caller = Caller("ses_1", "msg_1", "call_1", "bash", (), rules)
    staging = pipeline.staging("ses_1", NoFeatures(), lambda: "ask", lambda _: None)
    return pipeline.bind(ChangingCall(caller, "msg_turn", Ledger(), lambda _: None, Workspace((root,))), staging)


def _plant(root: Path) -> None:
    content = "def compute(value): return value + other_value\n" * 50
    for number in range(FILES):
        path = root / f"package{number // 20}" / f"file{number}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    (root / ".gitignore").write_text("node_modules/\n")
