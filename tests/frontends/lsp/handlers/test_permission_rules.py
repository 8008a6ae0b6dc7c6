"""Rules, explanations and grants over the wire."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest_asyncio

from lsp_link.links import OurLink
from placet.frontends.lsp.initialize import EditorSettings
from placet.model.client.host import ModelHost
from placet.sessions.bootstrap import open_sessions
from placet.settings import Locations, load_settings

RULES = {"bash": {"make *": "allow", "*": "ask", "rm *": "deny"}}
REQUEST_FAILED = -32803


class Editor:
    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.project = directory / "project"
        self.project.mkdir()
        self.link = OurLink(self._open)

    async def _open(self, ports: Any, roots: tuple[Path, ...], editor_settings: EditorSettings, *_: Any) -> Any:
        locations = Locations(*(self.directory / name for name in ("config", "data", "cache", "log")))
        settings = load_settings(locations, environment={}, editor=editor_settings.user)
        self.sessions = await open_sessions(ports(settings), roots, settings, locations, ModelHost())
        return self.sessions

    async def result(self, method: str, **params: Any) -> Any:
        answer = await self.link.call(method, params)
        assert "error" not in answer, answer
        return answer["result"]


@pytest_asyncio.fixture
async def editor(tmp_path: Path) -> AsyncIterator[Editor]:
    editor = Editor(tmp_path)
    options = {"agent": {"protocol": 1, "requests": ["editor/requestPermission"]}, "settings": {"permission": RULES}}
    await editor.link.start(rootUri=editor.project.as_uri(), initializationOptions=options)
    yield editor
    await editor.link.stop()


async def test_the_rules_in_force_come_with_their_places_and_warnings(editor: Editor) -> None:
    rules = (await editor.result("agent/permission/rules"))["rules"]
    (make,) = (rule for rule in rules if rule["pattern"] == "make *")
    assert make["source"] == "the editor's options"
    assert "comes later" in make["warning"]
    assert {"permission": "read", "pattern": "*", "action": "allow", "source": "built in"} in rules
    planned = (await editor.result("agent/permission/rules", agent="plan"))["rules"]
    assert any(rule["permission"] == "edit" and rule["action"] == "deny" for rule in planned)


async def test_a_call_is_explained(editor: Editor) -> None:
    line = "cd src && make test && rm -rf build"
    explained = await editor.result("agent/permission/explain", permission="bash", subject=line)
    assert explained["outcome"] == "deny"
    assert [(one["pattern"], one["action"]) for one in explained["judged"]] == [
        ("make test", "ask"),
        ("rm -rf build", "deny"),
    ]
    assert explained["unasked"] == ["cd src"]
    assert explained["judged"][1]["rule"]["source"] == "the editor's options"


async def test_a_grant_is_listed_and_revoked(editor: Editor) -> None:
    session_id = (await editor.result("agent/session/new"))["id"]
    grants = editor.sessions.permissions.grants
    await grants.add("bash", ["make *"], scope="project", session_id=session_id)
    await grants.add("bash", ["ls *"], scope="session", session_id=session_id)
    await grants.add("bash", ["df *"], scope="session", session_id="ses_other")
    listed = (await editor.result("agent/permission/rules", sessionId=session_id))["grants"]
    assert {(grant["pattern"], grant["scope"]) for grant in listed} == {("make *", "project"), ("ls *", "session")}
    for grant in listed:
        assert await editor.result("agent/permission/revoke", id=grant["id"]) is None
    assert (await editor.result("agent/permission/rules", sessionId=session_id))["grants"] == []
    refused = await editor.link.call("agent/permission/revoke", {"id": listed[0]["id"]})
    assert refused["error"]["code"] == REQUEST_FAILED
    assert listed[0]["id"] in refused["error"]["message"]


async def test_what_there_is_not_is_refused_with_its_name(editor: Editor) -> None:
    for params in ({"agent": "nobody"}, {"sessionId": "ses_none"}):
        refused = await editor.link.call("agent/permission/rules", params)
        assert refused["error"]["code"] == REQUEST_FAILED
