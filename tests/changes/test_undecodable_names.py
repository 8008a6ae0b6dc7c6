"""Files whose names are not UTF-8, touched by commands."""

import os
import sys
from pathlib import Path

import pytest

from placet.core.messages import TextPart
from services_support import TempServices

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere names are Unicode")
GO = [TextPart(text="Go on.")]


async def test_what_a_command_does_to_such_a_file_and_to_others_is_journaled_and_undone(tmp_path: Path) -> None:
    services = TempServices(tmp_path)
    odd = os.fsencode(services.project) + b"/caf\xe9.txt"
    made = os.fsencode(services.project) + b"/new\xff.txt"
    Path(os.fsdecode(odd)).write_text("odd\n")
    (services.project / "gone.txt").write_text("gone\n")
    (services.project / "kept.txt").write_text("old\n")
    command = "rm gone.txt && echo new > kept.txt && echo changed > caf*.txt && echo made > $'new\\xff.txt'"
    script = services.script([{"call": "bash", "arguments": {"command": command}}], [{"text": "Done."}])
    async with services.open(script, agent={"title": {"disable": True}}) as sessions:
        session = await sessions.create(title="t")
        result = await session.prompt(GO)
        assert (result.stop_reason, result.error) == ("end_turn", None)
        assert not (services.project / "gone.txt").exists()
        changes = await session.changes()
        assert changes
        undone = await session.undo()
        assert {file.status for file in undone} == {"restored"}
        assert (services.project / "gone.txt").read_text() == "gone\n"
        assert (services.project / "kept.txt").read_text() == "old\n"
        assert Path(os.fsdecode(odd)).read_text() == "odd\n"
        assert not os.path.exists(made)
