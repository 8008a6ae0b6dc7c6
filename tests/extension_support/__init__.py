"""A services with tools and plugins of the user's and of a project, a scripted model, and the examples of the docs."""

import re
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from language_server_support.no_features import NoFeatures
from placet.core.messages import TextPart, ToolCompleted, ToolFailed, ToolPart
from placet.core.ports import Ports
from placet.extensions.plugins.manager import CustomExtensions
from placet.permissions.trust import Trust
from placet.project.inventory import inventory
from placet.sessions.bootstrap import open_sessions
from placet.sessions.registry import Sessions
from placet.sessions.services.config import ConfigLoader
from placet.sessions.session import Session
from services_support import TempServices

DOCS = Path(__file__).parents[2] / "docs"


class Workshop(TempServices):
    """`own` and `brought` write files; what is set up is read as an editor would have it."""

    def __init__(self, directory: Path) -> None:
        super().__init__(directory)
        (self.project / ".git").mkdir()

    def own(self, name: str, text: str) -> Path:
        return _written(self.locations.config / name, text)

    def brought(self, name: str, text: str) -> Path:
        return _written(self.project / ".placet" / name, text)

    def trust(self) -> None:
        Trust(self.locations.trust).decide(inventory(self.project), trusted=True)

    @asynccontextmanager
    async def sessions(self, *turns: list[dict[str, Any]], **settings: Any) -> AsyncGenerator[Sessions]:
        """Open the services, without a session yet."""
        values = {"plugins": {"waitSeconds": 30}, "model": self.script(*turns), **settings}
        loader = ConfigLoader(self.locations, (self.project,), editor=values, environment=dict)
        ports = Ports(self.documents, NoFeatures(), self.user, self.screen)
        sessions = await open_sessions(ports, (self.project,), loader.read(), self.locations, loader=loader)
        try:
            yield sessions
        finally:
            await sessions.close()

    @asynccontextmanager
    async def work(self, *turns: list[dict[str, Any]], **settings: Any) -> AsyncGenerator["Work"]:
        async with self.sessions(*turns, **settings) as sessions:
            work = Work(sessions)
            sessions.extensions.on_trouble(work.told.append)
            work.session = await sessions.create(title="Work")
            await work.custom.settled()
            yield work


class Work:
    """What goes on in the services."""

    session: Session

    def __init__(self, sessions: Sessions) -> None:
        self.sessions = sessions
        self.told: list[str] = []
        """What the user was told of tools and plugins."""

    @property
    def custom(self) -> CustomExtensions:
        custom = self.sessions.extensions.custom
        assert custom is not None
        return custom

    async def prompt(self, text: str = "Please.") -> "list[ToolCompleted | ToolFailed]":
        """Run a turn; what became of its calls."""
        result = await self.session.prompt([TextPart(text=text)])
        assert result.error is None, result.error
        parts = [part for message in self.session.messages for part in message.parts]
        states = [part.state for part in parts if isinstance(part, ToolPart)]
        return [state for state in states if isinstance(state, ToolCompleted | ToolFailed)]

    async def tools(self) -> list[str]:
        return [tool.id for tool in await self.custom.tools()]

    @property
    def said(self) -> str:
        """The last text of the model's."""
        texts = [part.text for message in self.session.messages for part in message.parts if isinstance(part, TextPart)]
        return texts[-1]


def call(tool: str, **arguments: Any) -> list[dict[str, Any]]:
    """An answer that calls the tool."""
    return [{"call": tool, "arguments": arguments}]


DONE = [{"text": "Done."}]


def output(state: "ToolCompleted | ToolFailed") -> str:
    assert isinstance(state, ToolCompleted), state
    return state.output


def error(state: "ToolCompleted | ToolFailed") -> str:
    assert isinstance(state, ToolFailed), state
    return state.error


def examples(page: str) -> Iterator[tuple[str, str]]:
    """The files of a page of the docs: each named in the line before its block."""
    text = (DOCS / page).read_text("utf-8")
    for example in re.finditer(r"`((?:tools|plugin)/\w+\.py)`:\n\n```python\n(.*?)```", text, re.DOTALL):
        yield example[1], example[2]


def _written(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path
