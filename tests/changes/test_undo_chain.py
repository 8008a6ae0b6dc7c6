"""Whatever turns did, undoing them one by one walks back through every state, and redoing walks forth again."""

import asyncio
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from changes_support.desk import Desk, plan
from corpus_support import examples
from placet.text.lines import to_lf
from placet.text.plan import PlannedFile

NAMES = ("a", "b", "c")
texts = st.lists(st.sampled_from(["x", "y", ""]), max_size=4).map(lambda lines: "".join(f"{it}\n" for it in lines))
steps = st.tuples(st.sampled_from(["create", "modify", "delete", "rename"]), st.sampled_from(NAMES), texts)


def state(desk: Desk) -> dict[str, bytes]:
    return {name: desk.path(name).read_bytes() for name in NAMES if desk.path(name).exists()}


async def take(desk: Desk, turn: int, kind: str, name: str, text: str) -> None:
    """One change, where it is possible."""
    path, free = desk.path(name), next((it for it in NAMES if not desk.path(it).exists()), None)
    if not path.exists():
        if kind == "create":
            await desk.turn(f"msg_{turn}").propose(plan(PlannedFile("create", path, None, text)))
        return
    base = to_lf((await desk.changes.read(path)).text)
    match kind:
        case "modify":
            file = PlannedFile("modify", path, base, text)
        case "delete":
            file = PlannedFile("delete", path, base, None)
        case "rename" if free is not None:
            file = PlannedFile("rename", path, base, text, desk.path(free))
        case _:
            return
    await desk.turn(f"msg_{turn}").propose(plan(file))


@settings(max_examples=examples(60), deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.lists(steps, min_size=1, max_size=4), min_size=1, max_size=4))
def test_undo_walks_back_and_redo_forth(turns: list[list[tuple[str, str, str]]]) -> None:
    async def run(directory: str) -> None:
        desk = Desk(Path(directory).resolve(), permission={"edit": "allow"})
        for name, content in (("a", b"x\r\ny\r\n"), ("b", b"\xef\xbb\xbfy\nx")):
            desk.path(name).write_bytes(content)
        states = [state(desk)]
        for number, turn in enumerate(turns):
            changes = len(await desk.journal.changes("ses_1"))
            for step in turn:
                await take(desk, number, *step)
            if len(await desk.journal.changes("ses_1")) > changes:
                states.append(state(desk))
        for expected in states[-2::-1]:
            assert "conflict" not in (await desk.undo()).values()
            assert state(desk) == expected
        for expected in states[1:]:
            assert "conflict" not in (await desk.redo()).values()
            assert state(desk) == expected
        await desk.database.close()

    with tempfile.TemporaryDirectory() as directory:
        asyncio.run(run(directory))
