"""The core over real files with a scripted model and a user who answers by rule: for tests of sessions."""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from language_server_support.no_features import NoFeatures
from placet.core.events import SessionEvent
from placet.core.ports import (
    Approver,
    Documents,
    PermissionAnswer,
    PermissionRequest,
    Ports,
    Question,
    SessionLanguages,
)
from placet.model.client.host import ModelHost
from placet.project.files.disk import DiskDocuments
from placet.sessions.bootstrap import open_sessions
from placet.sessions.registry import Sessions
from placet.settings import Locations, Settings

Answer = Callable[[PermissionRequest], PermissionAnswer]


class AnsweringUser:
    """ports.Approver: answers every ask by `answer`, and keeps them."""

    def __init__(self, answer: Answer = lambda _: PermissionAnswer("once")) -> None:
        self.answer = answer
        self.asked: list[PermissionRequest] = []

    async def request_permission(self, request: PermissionRequest) -> PermissionAnswer:
        self.asked.append(request)
        return self.answer(request)

    async def ask(self, session_id: str, questions: Sequence[Question]) -> list[list[str]] | None:
        return None


class Screen:
    """ports.EventSink that keeps what it hears."""

    def __init__(self) -> None:
        self.events: list[SessionEvent] = []
        self._heard = asyncio.Event()

    def emit(self, event: SessionEvent) -> None:
        self.events.append(event)
        self._heard.set()

    async def wait_for(self, kind: str) -> None:
        """Until an event of the kind was heard."""
        while kind not in self.kinds():
            await self.wait_for_more()

    async def wait_for_more(self) -> None:
        """Until another event is heard."""
        self._heard.clear()
        await self._heard.wait()

    def kinds(self) -> list[str]:
        return [event.update.kind for event in self.events]


class TempServices:
    """What a test of sessions has to hand. `project` is the workspace's root."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.project = directory / "project"
        self.project.mkdir(exist_ok=True)
        self.user = AnsweringUser()
        self.screen = Screen()
        self.documents: Documents = DiskDocuments()
        self.features: SessionLanguages = NoFeatures()
        self.locations = Locations(*(directory / name for name in ("config", "data", "cache", "log")))

    def script(self, *turns: list[dict[str, Any]], name: str = "script.json") -> str:
        """Write a script of answers, each a list of events; the model's name."""
        file = self.directory / name
        file.write_text(json.dumps({"turns": [{"events": turn} for turn in turns]}), "utf-8")
        return f"scripted/{file}"

    @asynccontextmanager
    async def open(
        self,
        model: str = "builtin/rules",
        *,
        roots: tuple[Path, ...] = (),
        user: Approver | None = None,
        **settings: Any,
    ) -> AsyncGenerator[Sessions]:
        """With these settings; without others in `project`, and without a sandbox."""
        ports = Ports(self.documents, self.features, user or self.user, self.screen)
        values = Settings.model_validate({"model": model, "sandbox": {"mode": "off"}, **settings})
        sessions = await open_sessions(ports, roots or (self.project,), values, self.locations, ModelHost())
        try:
            yield sessions
        finally:
            await sessions.close()
