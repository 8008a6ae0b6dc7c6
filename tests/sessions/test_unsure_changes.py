"""A session whose editor stands still and applies an edit later: what its model and its user are told."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from fake_editor.memory import MemoryPeer
from fake_editor.profiles import PLAIN, VSCODE, EditorProfile
from placet.core.messages import TextPart, UserMessage
from placet.frontends.lsp.ports import sent_edits
from placet.frontends.lsp.ports.documents import LspDocuments
from placet.sessions.session import Session
from placet.settings import Settings
from services_support import TempServices

OLD, NEW = "one\ntwo\n", "one\nTWO\n"
GO = [TextPart(text="Go on.")]
READ = {"call": "read", "arguments": {"filePath": "a.txt"}}
EDIT = {"call": "edit", "arguments": {"filePath": "a.txt", "oldString": "two", "newString": "TWO"}}
WAIT = {"call": "question", "arguments": {"questions": [{"question": "Does it go on?"}]}}
HAS_COME = "has been applied by the editor after all"
USUAL = {name: getattr(sent_edits, name) for name in ("APPLY_SECONDS", "LANDING_SECONDS")}
"""Time limits for an editor that gets to its edits."""


class Scene:
    """A services over an editor that gets to no edit until `move`; until then little patience is had with it."""

    def __init__(self, profile: EditorProfile, directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._monkeypatch = monkeypatch
        self._limit(dict.fromkeys(USUAL, 0.02))
        self.services = TempServices(directory)
        self.file = self.services.project / "a.txt"
        self.file.write_text(OLD)
        self.peer = MemoryPeer(profile, self.services.project)
        self.peer.editor.open(self.file)
        self._go_on = asyncio.Event()
        self.peer.editor.before["workspace/applyEdit"] = lambda params: self._go_on.wait()
        self.services.documents = LspDocuments(self.peer, self.peer.buffers, Settings())

    def move(self) -> None:
        """Let the editor get to its edits, with the usual time for them."""
        self._limit(USUAL)
        self._go_on.set()

    def _limit(self, seconds: Mapping[str, float]) -> None:
        for name, value in seconds.items():
            self._monkeypatch.setattr(sent_edits, name, value)

    def open(self, *turns: list[dict[str, Any]]) -> Any:
        return self.services.open(self.services.script(*turns), agent={"title": {"disable": True}})


def told(session: Session) -> list[str]:
    """What users' messages tell the model beside the users' own words."""
    users = [message for message in session.messages if isinstance(message, UserMessage)]
    return [part.text for user in users for part in user.parts if isinstance(part, TextPart) and part.synthetic]


@pytest.mark.parametrize("profile", [VSCODE, PLAIN], ids=lambda profile: profile.name)
async def test_the_model_is_told_with_the_next_step_and_the_user_at_once(
    profile: EditorProfile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = Scene(profile, tmp_path, monkeypatch)
    async with scene.open([READ], [EDIT], [WAIT], [{"text": "Done."}]) as sessions:
        session = await sessions.create(title="t")

        async def answer(session_id: str, questions: Any) -> list[list[str]]:
            assert not any(HAS_COME in text for text in told(session))
            scene.move()
            await scene.services.screen.wait_for("change_applied")
            return [["Yes"]]

        scene.services.user.ask = answer  # type: ignore[method-assign]
        assert (await session.prompt(GO)).stop_reason == "end_turn"
        assert [HAS_COME in text for text in told(session)] == [True]
        assert [file.status for file in await session.undo()] == ["restored"]
        assert scene.peer.editor.buffers[scene.file].text == OLD


async def test_the_model_is_told_with_the_next_prompt_what_was_applied_between_turns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = Scene(PLAIN, tmp_path, monkeypatch)
    async with scene.open([READ], [EDIT], [{"text": "Not known."}], [{"text": "I see."}]) as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        assert told(session) == []
        scene.move()
        await scene.services.screen.wait_for("change_applied")
        await session.prompt(GO)
        assert [HAS_COME in text for text in told(session)] == [True]


async def test_a_restarted_daemon_finds_by_the_text_that_the_edit_was_applied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = Scene(PLAIN, tmp_path, monkeypatch)
    async with scene.open([READ], [EDIT], [{"text": "Not known."}]) as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        session_id = session.info.id
        scene.peer.gone.set()
    again = Scene(PLAIN, tmp_path, monkeypatch)
    again.peer.editor.type(again.file, "TWO", instead_of="two")
    async with again.open([{"text": "I see."}]) as sessions:
        session = await sessions.load(session_id)
        await session.prompt(GO)
        assert [HAS_COME in text for text in told(session)] == [True]
        again.move()
        assert [file.status for file in await session.undo()] == ["restored"]
        assert again.peer.editor.buffers[again.file].text == OLD
