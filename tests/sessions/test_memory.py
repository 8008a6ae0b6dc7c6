"""A memory in sessions: read beside the rules, and written only by a change that the user has seen."""

from pathlib import Path
from typing import Any

import pytest

from placet.core.messages import TextPart
from placet.model.scripted import ScriptedModel
from services_support import TempServices

DONE = [{"text": "Done."}]
GO = [TextPart(text="Please go on.")]


@pytest.fixture
def services(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TempServices:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("USERPROFILE", str(tmp_path / "home"))
    return TempServices(tmp_path)


def remember(**arguments: str) -> list[dict[str, Any]]:
    return [{"call": "remember", "arguments": arguments}]


def rules_told(session: Any) -> str:
    """The rules in the first request of the session."""
    [model] = session.models.values()
    assert isinstance(model, ScriptedModel)
    return model.requests[0].system[-1]


@pytest.mark.parametrize("review", ["ask", "apply"])
@pytest.mark.parametrize("permission", [{}, {"*": "allow", "edit": "allow"}])
async def test_both_memories_are_asked_about_once_a_note_and_read_by_the_next_session(
    services: TempServices, review: str, permission: dict[str, str]
) -> None:
    notes = (remember(note="Use tabs."), remember(note="Be brief.", scope="user"))
    model = services.script(*notes, DONE)
    async with services.open(model, review=review, permission=permission) as sessions:
        session = await sessions.create(title="t")
        assert (await session.prompt(GO)).stop_reason == "end_turn"
    shown = [request.change.files[0].path for request in services.user.asked if request.change is not None]
    ours, own = services.project / "MEMORY.md", services.locations.config / "MEMORY.md"
    assert shown == [ours, own]
    assert len(services.user.asked) == 2
    (services.project / "AGENTS.md").write_text("Ours.\n")
    async with services.open(services.script(DONE)) as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        assert rules_told(session) == (
            f"Instructions from {services.project / 'AGENTS.md'}:\nOurs.\n\n"
            f"Instructions from {own}:\n# Memory\n\n- Be brief.\n\n"
            f"Instructions from {ours}:\n# Memory\n\n- Use tabs."
        )


async def test_collected_notes_stand_in_one_staged_memory_and_in_no_file(services: TempServices) -> None:
    model = services.script(remember(note="One."), remember(note="Two."), DONE)
    async with services.open(model, review="stage", permission={"edit": "allow"}) as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        [view] = await session.change_set.views()
        assert services.user.asked == []
        assert not (services.project / "MEMORY.md").exists()
        assert view.proposed is not None
        assert view.proposed.new_text == "# Memory\n\n- One.\n- Two.\n"


async def test_the_command_has_the_agent_propose_the_users_words(services: TempServices) -> None:
    async with services.open(services.script(remember(note="Use tabs."), DONE)) as sessions:
        session = await sessions.create(title="t")
        await session.prompt([TextPart(text="/remember we use tabs")])
        [model] = session.models.values()
        assert isinstance(model, ScriptedModel)
        parts = model.requests[0].messages[-1].parts
        assert any("<note>\nwe use tabs\n</note>" in part.text for part in parts if isinstance(part, TextPart))
    assert [request.permission for request in services.user.asked] == ["edit"]
