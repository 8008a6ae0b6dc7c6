"""Editor with our plugin, played over the wire in one project, with real sessions and a scripted model."""

import asyncio
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from lsp_link.links import OurLink
from placet.frontends.lsp.initialize import EditorSettings
from placet.model.client.host import ModelHost
from placet.sessions.bootstrap import open_sessions
from placet.settings import Locations, load_settings

Json = dict[str, Any]


class Editor:
    """An editor with our plugin, in a project with one file."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.project = directory / "project"
        self.project.mkdir()
        self.file = self.project / "hello.py"
        self.file.write_text("def greet():\n    return 1\n", "utf-8")
        self.link = OurLink(self._open)
        self.opened = asyncio.Event()
        self.opened.set()

    async def _open(self, ports: Any, roots: tuple[Path, ...], editor_settings: EditorSettings, *_: Any) -> Any:
        await self.opened.wait()
        locations = Locations(*(self.directory / name for name in ("config", "data", "cache", "log")))
        settings = load_settings(locations, environment={}, editor=editor_settings.user)
        return await open_sessions(ports(settings), roots, settings, locations, ModelHost())

    async def start(self, *turns: list[Json], ui: Sequence[str] = (), **settings: Any) -> None:
        """Shake hands; the model will play the turns."""
        script = self.directory / "script.json"
        script.write_text(json.dumps({"turns": [{"events": turn} for turn in turns]}), "utf-8")
        asked = ["editor/requestPermission", "editor/state"]
        agent = {"protocol": 1, "requests": asked, "ui": list(ui)}
        await self.link.start(
            rootUri=self.project.as_uri(),
            initializationOptions={"agent": agent, "settings": {"model": f"scripted/{script}", **settings}},
        )

    async def result(self, method: str, params: Json | None = None) -> Any:
        answer = await self.link.call(method, *([] if params is None else [params]))
        assert "error" not in answer, answer
        return answer["result"]

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
