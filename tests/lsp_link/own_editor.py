"""Editor with our plugin, played over the wire in one project, with real sessions and a scripted model."""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

import pytest

from lsp_link.links import OurLink
from placet.frontends.lsp.initialize import EditorSettings
from placet.model.client.host import ModelHost
from placet.sessions.bootstrap import open_sessions
from placet.settings import Locations, load_settings

Json = dict[str, Any]
Made = TypeVar("Made", bound="LinkedEditor")


class LinkedEditor:
    """An editor with our plugin in a project without files; Placet's own files lie in the directory."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.project = directory / "project"
        self.project.mkdir(exist_ok=True)
        self.link = OurLink(self._open)
        self.may_open = asyncio.Event()
        """Event for which the opening of the sessions waits."""
        self.may_open.set()

    async def _open(self, ports: Any, roots: tuple[Path, ...], editor_settings: EditorSettings, *_: Any) -> Any:
        await self.may_open.wait()
        locations = Locations(*(self.directory / name for name in ("config", "data", "cache", "log")))
        settings = load_settings(locations, environment={}, editor=editor_settings.user)
        self.sessions = await open_sessions(ports(settings), roots, settings, locations, ModelHost())
        return self.sessions

    async def result(self, method: str, params: Json | None = None, **more: Any) -> Any:
        answer = await self.link.call(method, {**(params or {}), **more})
        assert "error" not in answer, answer
        return answer["result"]

    def script(self, *turns: list[Json]) -> str:
        """Return the name of a model that plays the turns."""
        file = self.directory / "script.json"
        file.write_text(json.dumps({"turns": [{"events": turn} for turn in turns]}), "utf-8")
        return f"scripted/{file}"


@asynccontextmanager
async def at_home(editor: Made, monkeypatch: pytest.MonkeyPatch) -> AsyncGenerator[Made]:
    """Yield the editor of a user whose home is the editor's directory, and end the link."""
    for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(editor.directory))
    yield editor
    await editor.link.stop()


class Editor(LinkedEditor):
    """An editor with our plugin, in a project with one file."""

    def __init__(self, directory: Path) -> None:
        super().__init__(directory)
        self.file = self.project / "hello.py"
        self.file.write_text("def greet():\n    return 1\n", "utf-8")

    async def start(self, *turns: list[Json], ui: Sequence[str] = (), **settings: Any) -> None:
        """Shake hands; the model will play the turns."""
        asked = ["editor/requestPermission", "editor/state"]
        agent = {"protocol": 1, "requests": asked, "ui": list(ui)}
        await self.link.start(
            rootUri=self.project.as_uri(),
            initializationOptions={"agent": agent, "settings": {"model": self.script(*turns), **settings}},
        )

    async def new_session(self) -> str:
        return (await self.result("agent/session/new", {}))["id"]

    def begin_prompt(self, session_id: str, text: str = "go") -> int:
        return self.link.begin("agent/prompt", {"sessionId": session_id, "parts": [{"type": "text", "text": text}]})

    async def prompt(self, session_id: str) -> Json:
        return (await self.link.answer(self.begin_prompt(session_id)))["result"]

    async def update(self, kind: str) -> Json:
        """The first update of the kind."""
        message = await self.link.sent.first(
            lambda one: one.get("method") == "agent/update" and one["params"]["update"]["kind"] == kind
        )
        return message["params"]["update"]

    async def request(self, method: str, number: int = 1) -> Json:
        """The `number`th request of the server."""
        asked = self._asked(method)
        await self.link.sent.first(lambda _: len(asked()) >= number)
        return asked()[number - 1]

    def _asked(self, method: str) -> Callable[[], list[Json]]:
        return lambda: [one for one in self.link.sent.messages if one.get("method") == method]

    def give(self, request: Json, result: Any) -> None:
        self.link.send({"id": request["id"], "result": result})
