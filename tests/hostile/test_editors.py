"""A hostile repository, opened and prompted in an editor: until it is trusted nothing runs, and then what should."""

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from fake_editor.client import DaemonEditor, daemon
from fake_editor.profiles import PLAIN, VSCODE, EditorProfile
from hostile_support import ALIVE, BOLD, LANGUAGE_SERVER, UNCONTAINED, WAITING, HostileRepository

PLACET = str(Path(sys.executable).with_name("placet"))
both = pytest.mark.parametrize("profile", [VSCODE, PLAIN], ids=lambda profile: profile.name)


class Desk:
    """An editor open on the repository. Its user says yes to every ask, and puts the question of trust off."""

    def __init__(self, repository: HostileRepository, placet: DaemonEditor, profile: EditorProfile) -> None:
        self.repository = repository
        self.placet = placet
        self.is_generic = profile is PLAIN
        self.asked: list[str] = []
        """For what permission was asked."""
        placet.editor.on_permission = self._allow
        placet.editor.on_message = self._allow_in_words

    async def turn(self, text: str, session_id: str) -> None:
        answer = await self.placet.prompt(session_id, text)
        assert answer["stopReason"] == "end_turn", answer

    async def command_of_plain_editors(self, text: str) -> None:
        """Without a session: the editor's own, which is made."""
        said = len(self.placet.messages())
        await self.placet.command("placet.prompt", text)
        await self.placet.editor.wait_until(lambda: any("one." in one for one in self.placet.messages()[said:]))

    async def prompts(self) -> None:
        """All that a user does, once: a prompt, a command of the project, a message for a commit."""
        if self.is_generic:
            await self.placet.command("placet.new")
            await self.command_of_plain_editors("Begin.")
            await self.command_of_plain_editors("/go")
        else:
            session_id = (await self.request("agent/session/new", {"title": "t"}))["id"]
            await self.turn("Begin.", session_id)
            await self.turn("/go", session_id)
        message = self.repository.script([{"text": "It goes on."}])
        assert await self.request("agent/commitMessage", {"model": message}) == {"text": "It goes on."}
        await self.request("agent/complete", {"text": "/g", "position": {"line": 0, "character": 2}})

    async def request(self, method: str, params: Any) -> Any:
        return await self.placet.request(method, params)

    async def would(self, permission: str, subject: str) -> str:
        """What would become of it."""
        params = {"permission": permission, "subject": subject}
        return (await self.request("agent/permission/explain", params))["outcome"]

    async def names(self, of: str) -> set[str]:
        key = "id" if of == "tools" else "name"
        listed = await self.request(f"agent/{of}", {})
        return {one[key] for one in listed["servers" if of == "mcp" else of]}

    async def until_server_has_started(self) -> None:
        while "mcp" not in self.repository.ran():
            await self.request("agent/mcp", {})

    async def until(self, permission: str, subject: str, outcome: str) -> None:
        while await self.would(permission, subject) != outcome:
            pass

    def _allow(self, params: dict[str, Any]) -> dict[str, str]:
        self.asked.append(params["permission"])
        return {"outcome": "once"}

    def _allow_in_words(self, params: dict[str, Any]) -> str | None:
        titles = [action["title"] for action in params["actions"]]
        if "Allow once" not in titles:
            return None
        self.asked.append(params["message"])
        return "Allow once"


@asynccontextmanager
async def opened(repository: HostileRepository, profile: EditorProfile) -> AsyncIterator[Desk]:
    """By the command that users have, started in the repository."""
    home = repository.directory / "home"
    settings: dict[str, Any] = {
        "model": repository.script(),
        "agent": {"title": {"disable": True}},
        **WAITING,
        **UNCONTAINED,
    }
    started = daemon(
        profile,
        repository.folder,
        home,
        command=(PLACET, "--stdio"),
        cwd=repository.folder,
        environment=repository.environment(home),
        **settings,
    )
    async with started as placet:
        placet.editor.open(repository.folder / "a.txt")
        yield Desk(repository, placet, profile)


@both
async def test_nothing_of_it_runs_and_no_right_is_wider_until_it_is_trusted(
    tmp_path: Path, profile: EditorProfile
) -> None:
    repository = HostileRepository(tmp_path)
    async with opened(repository, profile) as desk:
        await desk.prompts()

        assert len(desk.asked) == 2, "for the edit and the command"
        assert await desk.would("bash", "make x") == "ask"
        assert await desk.would("edit", "b.txt") == "ask"
        assert not (BOLD | {"bold-outside"}) & await desk.names("agents")
        assert await desk.names("mcp") == set()
        assert "evil" not in await desk.names("tools")
        assert await desk.names("commands") == {"init", "remember", "review"}
        assert repository.ran() == set()

        repository.trust(tmp_path / "home" / "config" / "placet" / "trust.json")
        await desk.until("bash", "make x", "allow")
        desk.asked.clear()
        await desk.prompts()
        await desk.until_server_has_started()

        assert desk.asked == []
        assert await desk.names("agents") >= BOLD
        assert "bold-outside" not in await desk.names("agents")
        assert await desk.names("mcp") == {"evil", "evil-too"}
        assert "evil" in await desk.names("tools")
        assert {"go", "set", "claude", "opencode", "evil"} <= await desk.names("commands")
        assert not {"linked", "command"} & await desk.names("commands")
    assert repository.ran() - {LANGUAGE_SERVER} == ALIVE
