"""`textDocument/inlineCompletion` over the wire, with real sessions, the real model host and a server that fills."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from corpus_support import rows
from lsp_link.links import OurLink
from placet.frontends.lsp.initialize import EditorSettings
from placet.model.client.host import ModelHost
from placet.sessions.bootstrap import open_sessions
from placet.settings import Locations, load_settings
from time_support import wait_seconds
from wire_servers.fill_server import FillAnswer, FillServer

Json = dict[str, Any]
METHOD = "textDocument/inlineCompletion"
DYNAMIC: Json = {"textDocument": {"inlineCompletion": {"dynamicRegistration": True}}}
STATIC: Json = {"textDocument": {"inlineCompletion": {"dynamicRegistration": False}}}
INVOKED, AUTOMATIC = 1, 2


class Editor:
    """An editor in a project, whose model is the server."""

    def __init__(self, directory: Path, server: FillServer) -> None:
        self.directory = directory
        self.project = directory / "project"
        self.project.mkdir()
        self.server = server
        self.link = OurLink(self._open)
        self.host = ModelHost()
        self.version = 0

    async def _open(self, ports: Any, roots: tuple[Path, ...], editor_settings: EditorSettings, *_: Any) -> Any:
        locations = Locations(*(self.directory / name for name in ("config", "data", "cache", "log")))
        settings = load_settings(locations, environment={}, editor=editor_settings.user)
        return await open_sessions(ports(settings), roots, settings, locations, self.host)

    async def start(self, capabilities: Json = DYNAMIC, **settings: Any) -> Json:
        completion = {"model": "mine/qwen2.5-coder", **settings.pop("completion", {})}
        provider = {"mine": {"kind": "llamafile", "apiBase": f"{self.server.address}/v1", "key": False}}
        given = {"model": "builtin/rules", "providers": provider, "completion": completion, **settings}
        options = {"agent": {"protocol": 1, "requests": [], "ui": []}, "settings": given}
        answer = await self.link.start(
            rootUri=self.project.as_uri(), capabilities=capabilities, initializationOptions=options
        )
        await self.link.call("agent/status", {})  # The sessions are open.
        return answer["result"]["capabilities"]

    def opens(self, name: str, text: str, language: str = "python") -> str:
        """Write the file, open it with the text, and return its URI."""
        path = self.project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        document = {"uri": path.as_uri(), "languageId": language, "version": 1, "text": text}
        self.link.notify("textDocument/didOpen", {"textDocument": document})
        return path.as_uri()

    def asks(self, uri: str, line: int, character: int, trigger: int = INVOKED) -> int:
        place = {"line": line, "character": character}
        params = {"textDocument": {"uri": uri}, "position": place, "context": {"triggerKind": trigger}}
        return self.link.begin(METHOD, params)

    async def items(self, uri: str, line: int, character: int, trigger: int = INVOKED) -> list[Json] | None:
        answer = await self.link.answer(self.asks(uri, line, character, trigger))
        assert "error" not in answer, answer
        return None if answer["result"] is None else answer["result"]["items"]

    async def status(self) -> str:
        return (await self.link.call("agent/status", {}))["result"]["completion"]


@asynccontextmanager
async def opened(directory: Path) -> AsyncGenerator[Editor]:
    async with FillServer(lambda _: FillAnswer(["1"])) as server:
        editor = Editor(directory, server)
        yield editor
        await editor.link.stop()


@pytest.fixture(autouse=True)
def at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(tmp_path))


def registered(message: Json) -> bool:
    return message.get("method") == "client/registerCapability"


async def test_a_suggestion_is_an_item_with_its_range(tmp_path: Path):
    async with opened(tmp_path) as editor:
        editor.server.play(lambda _: FillAnswer(["foo", "(1)"]))
        await editor.start()
        uri = editor.opens("a.py", "s = '😀'\nx = \n")
        place = {"line": 1, "character": 4}
        assert await editor.items(uri, 1, 4) == [{"insertText": "foo(1)", "range": {"start": place, "end": place}}]
        (request,) = editor.server.requests
        assert (request.interface, request.body["prompt"]) == ("infill", "x = ")
        assert await editor.status() == "on, with mine/qwen2.5-coder"


async def test_the_capability_is_registered_only_while_completion_is_on(tmp_path: Path):
    async with opened(tmp_path) as editor:
        capabilities = await editor.start()
        assert "inlineCompletionProvider" not in capabilities
        message = await editor.link.sent.first(registered)
        (registration,) = message["params"]["registrations"]
        assert registration["method"] == METHOD
        assert registration["registerOptions"]["documentSelector"] == [{"scheme": "file"}, {"scheme": "untitled"}]


async def test_a_client_that_registers_nothing_later_gets_the_capability_at_once(tmp_path: Path):
    async with opened(tmp_path) as editor:
        assert (await editor.start(STATIC))["inlineCompletionProvider"] == {}


async def test_without_a_model_there_is_no_capability_no_request_and_one_line_in_the_status(tmp_path: Path):
    async with opened(tmp_path) as editor:
        await editor.start(completion={"model": None})
        uri = editor.opens("a.py", "x = \n")
        assert await editor.items(uri, 0, 4) is None
        assert await editor.items(uri, 0, 4, AUTOMATIC) is None
        assert await editor.status() == "off: no model is set (`completion.model`)"
        assert not editor.server.requests
        assert not any(map(registered, editor.link.sent.messages))


async def test_while_the_user_types_the_server_is_measured_first(tmp_path: Path):
    async with opened(tmp_path) as editor:
        await editor.start()
        uri = editor.opens("a.py", "mine = \n")
        assert await editor.items(uri, 0, 7, AUTOMATIC) is None
        warm = await editor.server.wait_for_requests(1)
        assert "mine" not in json.dumps(warm.body)


async def test_no_text_of_a_file_that_must_not_be_read_leaves(tmp_path: Path):
    cases: list[tuple[str, Json, str, str]] = [
        ("a read rule that denies", {"read": {"private/*": "deny"}}, "", "private/a.py"),
        ("a read rule that asks", {"read": {"private/*": "ask"}}, "", "private/a.py"),
        ("the built-in rule", {}, "", "prod.env"),
        ("an ignore file", {}, "build/\n", "build/a.py"),
        ("an ignore file below", {}, "", "lib/made.py"),
        ("a link out of the project", {}, "", "out.py"),
        ("a link to a file that must not be read", {"read": {"private/*": "deny"}}, "", "link.py"),
    ]
    with rows() as failures:
        for number, (name, permission, ignored, file) in enumerate(cases):
            with failures.row(name):
                directory = tmp_path / f"{number}"
                directory.mkdir()
                async with opened(directory) as editor:
                    (editor.project / ".gitignore").write_text(ignored, "utf-8")
                    (editor.project / ".git").mkdir()
                    (editor.project / "lib").mkdir()
                    (editor.project / "lib/.ignore").write_text("made.*\n", "utf-8")
                    (editor.project / "private").mkdir()
                    (editor.project / "private/real.py").write_text("x", "utf-8")
                    if file == "link.py":
                        (editor.project / file).symlink_to(editor.project / "private/real.py")
                    if file == "out.py":
                        (directory / "outside.py").write_text("x", "utf-8")
                        (editor.project / file).symlink_to(directory / "outside.py")
                    await editor.start(permission=permission)
                    uri = editor.opens(file, "x = \n")
                    assert await editor.items(uri, 0, 4) is None
                    assert not editor.server.requests
                    assert await editor.items(editor.opens("free.py", "x = \n"), 0, 4) is not None


async def test_a_file_outside_of_the_project_does_not_leave(tmp_path: Path):
    async with opened(tmp_path) as editor:
        await editor.start()
        assert await editor.items(editor.opens("../other.py", "x = \n"), 0, 4) is None
        assert not editor.server.requests


async def test_a_question_that_is_taken_back_ends_the_request_at_the_server(tmp_path: Path):
    async with opened(tmp_path) as editor:
        await editor.start()
        editor.server.play(lambda _: FillAnswer(["a"], waits=asyncio.Event()))
        question = editor.asks(editor.opens("a.py", "x = \n"), 0, 4)
        request = await editor.server.wait_for_requests(1)
        editor.link.notify("$/cancelRequest", {"id": question})
        assert (await editor.link.answer(question))["error"]["code"] == -32800
        async with asyncio.timeout(wait_seconds()):
            await request.disconnected.wait()


async def test_a_question_right_before_a_change_gets_nothing_for_the_older_text(tmp_path: Path):
    async with opened(tmp_path) as editor:
        await editor.start()
        uri = editor.opens("a.py", "x = \n")
        question = editor.asks(uri, 0, 4)
        change = {"range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}, "text": "y\n"}
        editor.link.notify(
            "textDocument/didChange", {"textDocument": {"uri": uri, "version": 2}, "contentChanges": [change]}
        )
        assert (await editor.link.answer(question))["result"] is None


async def test_a_failing_server_is_one_line_in_the_status_and_no_message(tmp_path: Path):
    async with opened(tmp_path) as editor:
        await editor.start()
        editor.server.play(lambda _: FillAnswer(status=500, error="out of memory"))
        assert await editor.items(editor.opens("a.py", "x = \n"), 0, 4) is None
        assert (await editor.status()).startswith("not available: ")
        assert not any(message.get("method") == "window/showMessage" for message in editor.link.sent.messages)


async def test_a_snooze_and_a_dismissal_are_told_by_a_request(tmp_path: Path):
    async with opened(tmp_path) as editor:
        await editor.start()
        state = (await editor.link.call("agent/inlineCompletion", {"snoozeMinutes": 10}))["result"]
        assert state == {"status": "on your key only: snoozed, with mine/qwen2.5-coder"}
        uri = editor.opens("a.py", "x = \n")
        assert await editor.items(uri, 0, 4, AUTOMATIC) is None
        assert await editor.items(uri, 0, 4) is not None, "the user's key works meanwhile"
        params = {"snoozeMinutes": 0, "dismissedUri": uri}
        assert (await editor.link.call("agent/inlineCompletion", params))["result"]["status"].startswith("on, with")


async def test_a_prompt_gets_no_inline_completion(tmp_path: Path):
    async with opened(tmp_path) as editor:
        await editor.start()
        document = {"uri": "placet://prompt/1", "languageId": "placet-chat", "version": 1, "text": "x = "}
        editor.link.notify("textDocument/didOpen", {"textDocument": document})
        assert await editor.items("placet://prompt/1", 0, 4) is None
