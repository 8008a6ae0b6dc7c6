"""`agent/models`, and the signs by which the model host is started before the prompt is there."""

import asyncio
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from lsp_link.links import OurLink
from model_support.hosts import host_processes, package
from placet.frontends.lsp.handlers.focus import AWAY_SECONDS, Focus
from placet.frontends.lsp.initialize import EditorSettings
from placet.model.client.host import ModelHost
from placet.sessions.bootstrap import open_sessions
from placet.settings import Locations, load_settings
from time_support import limited

LOOK = {"uri": "file:///a.py"}


class RestingHost(ModelHost):
    """Host that rests when the test says so."""

    async def rest(self) -> None:
        """End the process as after a while without a call."""
        self._let_go()
        await asyncio.gather(*self._letting_go)


class Editor:
    def __init__(self, directory: Path, host: RestingHost) -> None:
        self.directory = directory
        self.host = host
        self.link = OurLink(self._open)
        self._others = host_processes()

    def host_processes(self) -> set[int]:
        """Of this editor alone: those of other tests may live as long as the run."""
        return host_processes() - self._others

    async def _open(self, ports: Any, roots: tuple[Path, ...], editor_settings: EditorSettings, *_: Any) -> Any:
        locations = Locations(*(self.directory / name for name in ("config", "data", "cache", "log")))
        settings = load_settings(locations, environment={}, editor=editor_settings.user)
        return await open_sessions(ports(settings), roots, settings, locations, self.host)

    async def start(self, model: str) -> None:
        options = {"agent": {"protocol": 1}, "settings": {"model": model}}
        await self.link.start(rootUri=self.directory.as_uri(), initializationOptions=options)
        await self.result("agent/status")

    async def result(self, method: str, params: dict[str, Any] | None = None) -> Any:
        return (await self.link.call(method, params or {}))["result"]

    async def heard(self) -> None:
        """Return when what was sent has been taken."""
        await self.result("agent/status")

    async def host_has_started(self) -> None:
        async with limited(lambda: "the start of the model host"):
            while self.host.process_id is None:
                await self.heard()
        assert self.host_processes() == {self.host.process_id}

    async def host_rests(self) -> None:
        """As after a while without a call; return when its process has ended."""
        await self.host.rest()
        async with limited(lambda: f"the end of the model host {self.host_processes()}"):
            while self.host_processes():  # A killed process needs a processor to end.
                await self.heard()


@pytest_asyncio.fixture
async def editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Editor]:
    """Its host loads a library that never gets there, and rests when the test says so."""
    for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    environment = package(tmp_path / "modules", "httptools", "import time; time.sleep(60)")
    made = Editor(tmp_path, RestingHost(environment=environment, idle_seconds=0))
    yield made
    await made.link.stop()


async def test_typing_a_prompt_and_coming_back_start_a_resting_host(editor: Editor) -> None:
    await editor.start("openai/gpt-4o")
    for method, params in (("agent/didType", {}), ("agent/didFocus", LOOK)):
        await editor.host_rests()
        editor.link.notify(method, params)
        await editor.host_has_started()


async def test_going_on_in_the_editor_leaves_the_host_at_rest(editor: Editor) -> None:
    await editor.start("openai/gpt-4o")
    editor.link.notify("agent/didFocus", LOOK)
    await editor.host_has_started()
    await editor.heard()  # The host may have started for the session, before the focus was taken.
    await editor.host_rests()

    text = {"uri": "file:///a.py", "languageId": "python", "version": 1, "text": ""}
    editor.link.notify("textDocument/didOpen", {"textDocument": text})
    change = {"textDocument": {"uri": text["uri"], "version": 2}, "contentChanges": [{"text": "x"}]}
    editor.link.notify("textDocument/didChange", change)
    editor.link.notify("agent/didFocus", LOOK)
    await editor.heard()

    assert editor.host_processes() == set()


async def test_a_user_without_a_hosted_model_never_starts_the_host(editor: Editor) -> None:
    await editor.start("builtin/rules")
    editor.link.notify("agent/didType", {})
    editor.link.notify("agent/didFocus", LOOK)
    await editor.heard()

    assert editor.host_processes() == set()


def test_who_was_not_seen_for_a_while_has_come_back() -> None:
    now = [0.0]
    attention = Focus(lambda: now[0])
    seen: list[bool] = []
    for now[0] in (0.0, 1.0, AWAY_SECONDS, 2 * AWAY_SECONDS + 1, 2 * AWAY_SECONDS + 2):
        seen.append(attention.came_back())

    assert seen == [True, False, False, True, False]


async def test_models_are_told_while_the_daemon_goes_on(tmp_path: Path, editor: Editor) -> None:
    go = tmp_path / "go"
    held = f"import os, time\nwhile not os.path.exists({str(go)!r}): time.sleep(0.01)\n"
    environment = package(tmp_path / "held", "sitecustomize", held)
    plain = {name: value for name, value in environment.items() if not name.endswith("_API_KEY")}
    editor.host = RestingHost(environment={**plain, "ANTHROPIC_API_KEY": "the-key"})
    await editor.start("openai/gpt-4o")

    asked = editor.link.begin("agent/models", {"limit": 3})
    assert (await editor.result("agent/status"))["pid"]
    assert all(message.get("id") != asked for message in editor.link.sent.messages), "it is still waiting for the host"
    go.touch()
    answer = (await editor.link.answer(asked))["result"]

    assert [one["id"] for one in answer["models"][:2]] == ["openai/gpt-4o", "builtin/rules"]
    assert answer["models"][0] | {"transport": "fast"} == {
        "id": "openai/gpt-4o",
        "provider": "openai",
        "favourite": False,
        "recent": False,
        "default": True,
        "contextSize": 128_000,
        "contextSource": "of litellm's table",
        "outputLimit": 16_384,
        "vision": True,
        "tools": True,
        "inputPrice": 2.5,
        "outputPrice": 10.0,
        "efforts": [],
        "transport": "fast",
    }
    assert answer["models"][2]["id"].startswith("anthropic/")
    assert len(answer["models"]) == 3 < answer["total"]
    found = await editor.result("agent/models", {"query": "haiku"})
    assert found["total"] == len(found["models"])
    assert all("haiku" in one["id"] for one in found["models"])


async def test_without_a_host_what_is_known_is_listed_and_why_there_is_no_more(tmp_path: Path, editor: Editor) -> None:
    editor.host = RestingHost(environment=package(tmp_path / "modules", "httptools", "raise ImportError('not there')"))
    await editor.start("openai/gpt-4o")

    answer = await editor.result("agent/models")

    assert [one["id"] for one in answer["models"]] == ["openai/gpt-4o", "builtin/rules"]
    assert "not there" in answer["missing"]


async def test_a_favourite_and_a_chosen_model_stand_first(editor: Editor) -> None:
    editor.host = RestingHost(environment={n: v for n, v in os.environ.items() if not n.endswith("_API_KEY")})
    await editor.start("openai/gpt-4o")
    session = (await editor.result("agent/session/new"))["id"]
    await editor.result("agent/session/setModel", {"sessionId": session, "model": "ollama_chat/recent"})
    marked = await editor.result("agent/models/setFavourite", {"model": "corp/liked"})
    assert marked == {"favourites": ["corp/liked"]}
    models = (await editor.result("agent/models"))["models"]
    marks = [(one["id"], one["favourite"], one["recent"]) for one in models if one["favourite"] or one["recent"]]
    assert marks == [("corp/liked", True, False), ("ollama_chat/recent", False, True)]
    assert [one["id"] for one in models if not one["default"]][:2] == ["corp/liked", "ollama_chat/recent"]
    unmarked = await editor.result("agent/models/setFavourite", {"model": "corp/liked", "favourite": False})
    assert unmarked == {"favourites": []}


async def test_models_of_a_subscription_are_marked_and_have_no_price(editor: Editor) -> None:
    plain = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
    editor.host = RestingHost(environment={**plain, "CHATGPT_API_KEY": "signed-in", "OPENAI_API_KEY": "key"})
    await editor.start("openai/gpt-4o")
    models = (await editor.result("agent/models", {"limit": 1000}))["models"]
    covered = [model for model in models if model.get("subscription")]
    assert {model["provider"] for model in covered} == {"chatgpt"}
    assert all("inputPrice" not in model for model in covered)
