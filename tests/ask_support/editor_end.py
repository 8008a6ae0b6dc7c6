"""The editor's end: prompts begun, asks that stand open, answers sent. All as messages of the wire."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lsp_link.links import OurLink
from placet.frontends.lsp.initialize import EditorSettings
from placet.model.client.host import ModelHost
from placet.sessions.bootstrap import open_sessions
from placet.sessions.registry import Sessions
from placet.settings import Locations, load_settings
from time_support import limited

Json = dict[str, Any]

INITIALIZE: Json = {
    "initializationOptions": {"agent": {"protocol": 1, "requests": ["editor/requestPermission", "editor/question"]}}
}
PERMISSION = {"bash": {"touch *": "ask"}}
"""Rule by which one kind of command is asked although the sandbox holds the command."""
ASKS = ("editor/requestPermission", "editor/question")


@dataclass
class ShownAsk:
    """A request of the daemon, as it stands on the screen."""

    wire_id: str
    method: str
    params: Json
    is_open: bool = True
    is_withdrawn: bool = False

    @property
    def session_id(self) -> str:
        return self.params["sessionId"]

    @property
    def request_id(self) -> str:
        return self.params.get("requestId", "")

    @property
    def deed(self) -> int:
        """Number of the deed that is asked about."""
        number = re.search(r"deed-(\d+)\.", str(self.params))
        return int(number[1]) if number is not None else 0

    def says(self, name: str) -> bool:
        return name in str(self.params)


class EditorEnd:
    """One connection, until it is lost."""

    def __init__(self, directory: Path, project: Path) -> None:
        self._locations = Locations(*(directory / name for name in ("config", "data", "cache", "log")))
        self._project = project
        self.sessions: Sessions | None = None
        self.asks: list[ShownAsk] = []
        """All there ever were."""
        self.results: dict[int, Json] = {}
        """Answers to our requests."""

    async def connect(self) -> None:
        async def open_house(ports: Any, roots: tuple[Path, ...], editor_settings: EditorSettings, *_: Any) -> Sessions:
            settings = load_settings(
                self._locations, environment={}, editor={**editor_settings.user, "permission": PERMISSION}
            )
            self.sessions = await open_sessions(ports(settings), roots, settings, self._locations, ModelHost())
            return self.sessions

        self.link = OurLink(open_house)
        self._read = 0
        root = self._project.as_uri()
        await self.link.start(**INITIALIZE, rootUri=root, workspaceFolders=[{"uri": root, "name": "project"}])
        await self.call("agent/status")  # Then the agent is loaded.

    async def disconnect(self) -> None:
        """The editor goes without a word; the daemon notices, and ends."""
        await self.link.stop()
        self._take_news()

    async def until(self, fact: Callable[[], bool]) -> None:
        """Wait for the messages that make the fact true."""

        def holds() -> bool:
            self._take_news()
            return fact()

        async with limited(lambda: f"messages; the last were {self.link.sent.messages[-3:]}"), self.link.sent._news:
            await self.link.sent._news.wait_for(holds)

    async def call(self, method: str, **params: Any) -> Any:
        answer = await self.link.call(method, params)
        assert "error" not in answer, answer
        return answer["result"]

    def prompt(self, session_id: str) -> int:
        return self.link.begin("agent/prompt", {"sessionId": session_id, "parts": [{"type": "text", "text": "Go."}]})

    async def answer(self, ask: ShownAsk, result: Json | None) -> None:
        """Also one that is over, as happens when an answer and its withdrawal cross."""
        ask.is_open = False
        self.link.send({"id": ask.wire_id, "result": result})

    async def notify(self, method: str, **params: Any) -> None:
        self.link.notify(method, params)

    def pending(self) -> set[str]:
        """What the gate still waits for."""
        return set() if self.sessions is None else set(self.sessions._services.gate._pending)

    @property
    def open_asks(self) -> list[ShownAsk]:
        """Open asks by their deeds: subagents ask side by side, so the order of asking differs from run to run."""
        return sorted((ask for ask in self.asks if ask.is_open), key=lambda ask: ask.deed)

    @property
    def ended_asks(self) -> list[ShownAsk]:
        """Asks that are over, by their deeds."""
        return sorted((ask for ask in self.asks if not ask.is_open), key=lambda ask: ask.deed)

    def _take_news(self) -> None:
        news, self._read = self.link.sent.messages[self._read :], len(self.link.sent.messages)
        for message in news:
            match message:
                case {"method": method, "id": id, "params": params} if method in ASKS:
                    self.asks.append(ShownAsk(id, method, params))
                case {"method": "$/cancelRequest", "params": {"id": id}}:
                    for ask in self.asks:
                        if ask.wire_id == id and ask.is_open:
                            ask.is_open, ask.is_withdrawn = False, True
                case {"id": int(id), "result": result} if "method" not in message:
                    self.results[id] = result
                case {"id": int(id), "error": error}:
                    self.results[id] = {"error": error}
                case _:
                    pass
