"""A user who types at any moment loses nothing and gets nothing twice, and the model is told the truth.

The user and the agent write lines nobody else writes, so that each can be looked for in the end.
"""

import asyncio
import random
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from changes_support.answers import answering
from changes_support.approver import ScriptedApprover
from changes_support.desk import SESSION, Desk, plan
from corpus_support import examples
from placet.core.errors import EditError
from placet.text.lines import to_lf
from placet.text.plan import PlannedFile

LINES = 12


class TypingUser:
    """Types, with some chance at every moment, a line of their own somewhere, or takes one of the file's away."""

    def __init__(self, desk: Desk, paths: list[Path], seed: int, chance: float) -> None:
        self.desk, self.paths, self.chance = desk, paths, chance
        self.random = random.Random(seed)
        self.typed: dict[Path, list[str]] = {path: [] for path in paths}
        self.removed: dict[Path, list[str]] = {path: [] for path in paths}

    def __call__(self) -> None:
        if self.random.random() < self.chance:
            self.type(self.random.choice(self.paths))

    def type(self, path: Path) -> None:
        ending = "\r\n" if "\r\n" in self.desk.editor.open[path].text else "\n"
        lines = self.desk.editor.open[path].text.splitlines(keepends=True)
        theirs = [number for number, line in enumerate(lines) if line.startswith("line")]
        if theirs and self.random.random() < 0.3:
            self.removed[path].append(lines.pop(self.random.choice(theirs)).strip())
        else:
            word = f"user {len(self.typed[path])}"
            self.typed[path].append(word)
            lines.insert(self.random.randint(0, len(lines)), word + ending)
        self.desk.editor.type(path, "".join(lines))


@settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    seed=st.integers(0, 2**32),
    chance=st.sampled_from([0.02, 0.1, 0.3, 0.7]),
    places=st.lists(st.integers(0, LINES - 1), min_size=1, max_size=4, unique=True),
    crlf=st.booleans(),
    files=st.integers(1, 3),
    some_hunks=st.booleans(),
)
def test_nothing_is_lost_or_doubled(
    seed: int, chance: float, places: list[int], crlf: bool, files: int, some_hunks: bool
) -> None:
    async def run(directory: str) -> None:
        desk = Desk(Path(directory).resolve(), approver=ScriptedApprover())
        ending = "\r\n" if crlf else "\n"
        text = "".join(f"line {number}{ending}" for number in range(LINES))
        paths = [desk.write(f"{name}.py", text) for name in range(files)]
        for path in paths:
            desk.editor.open_buffer(path)
        base = to_lf(text)
        wanted = base
        for place in places:
            wanted = wanted.replace(f"line {place}\n", f"agent {place}\n")
        planned = plan(*[PlannedFile("modify", path, base, wanted) for path in paths])
        if some_hunks:
            desk.approver.answers = [answering({path: frozenset({1}) for path in paths})]
        user = desk.editor.user = TypingUser(desk, paths, seed, chance)
        desk.approver.meanwhile = user
        applied, account = False, ""
        try:
            result = await desk.changes.propose(planned)
            applied = bool(result.applied)
            for file in result.files:
                is_left = file.status == "conflict"
                assert not (is_left and "agent" in desk.editor.open[file.file.path].text), "left out, and applied"
        except EditError as error:
            account = str(error)
        desk.editor.user = lambda: None
        await check(desk, user, paths, places, applied=applied, account=account)
        if applied or "COULD NOT BE PUT BACK" in account:
            await check_undo(desk, user, paths)
        await desk.database.close()

    with tempfile.TemporaryDirectory() as directory:
        asyncio.run(run(directory))


async def check(
    desk: Desk, user: TypingUser, paths: list[Path], places: list[int], *, applied: bool, account: str
) -> None:
    for path in paths:
        lines = desk.editor.open[path].text.splitlines()
        assert [line for line in lines if line.startswith("user")] == sorted_as_typed(lines, user.typed[path])
        agents = [line for line in lines if line.startswith("agent")]
        assert len(agents) == len(set(agents)), "doubled"
        if not applied:
            assert agents == [] or f"{path}: COULD NOT BE PUT BACK" in account, "applied, and not said"
        for number in range(LINES):
            here = f"line {number}" in lines or f"agent {number}" in lines
            assert here != (f"line {number}" in user.removed[path])
            if f"agent {number}" in lines:
                assert number in places
                assert f"line {number}" not in lines
    states = [change.state for change in await desk.journal.changes(SESSION)]
    stands = applied or "COULD NOT BE PUT BACK" in account
    assert states == (["applied"] if stands else ["failed"] * len(states))


async def check_undo(desk: Desk, user: TypingUser, paths: list[Path]) -> None:
    """What is undone is all undone, what is in conflict is all left, and the user's lines stay in both."""
    before = {path: desk.editor.open[path].text for path in paths}
    statuses = await desk.undo()
    for path in paths:
        lines = desk.editor.open[path].text.splitlines()
        assert sorted_as_typed(lines, user.typed[path]) == [line for line in lines if line.startswith("user")]
        match statuses.get(path.name):
            case "restored":
                assert not [line for line in lines if line.startswith("agent")]
            case _:
                assert desk.editor.open[path].text == before[path]


def sorted_as_typed(lines: list[str], typed: list[str]) -> list[str]:
    """The user's lines, each once, in the order in which they stand."""
    assert {line for line in lines if line.startswith("user")} == set(typed), "lost"
    return sorted(typed, key=lines.index)
