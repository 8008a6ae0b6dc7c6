"""Rules, explanations and grants over the wire."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio

from lsp_link.own_editor import LinkedEditor

RULES = {"bash": {"make *": "allow", "*": "ask", "rm *": "deny"}}
REQUEST_FAILED = -32803


@pytest_asyncio.fixture
async def editor(tmp_path: Path) -> AsyncIterator[LinkedEditor]:
    editor = LinkedEditor(tmp_path)
    options = {"agent": {"protocol": 1, "requests": ["editor/requestPermission"]}, "settings": {"permission": RULES}}
    await editor.link.start(rootUri=editor.project.as_uri(), initializationOptions=options)
    yield editor
    await editor.link.stop()


async def test_the_rules_in_force_come_with_their_places_and_warnings(editor: LinkedEditor) -> None:
    rules = (await editor.result("agent/permission/rules"))["rules"]
    (make,) = (rule for rule in rules if rule["pattern"] == "make *")
    assert make["source"] == "the editor's options"
    assert "comes later" in make["warning"]
    assert {"permission": "read", "pattern": "*", "action": "allow", "source": "built in"} in rules
    planned = (await editor.result("agent/permission/rules", agent="plan"))["rules"]
    assert any(rule["permission"] == "edit" and rule["action"] == "deny" for rule in planned)


async def test_a_call_is_explained(editor: LinkedEditor) -> None:
    line = "cd src && make test && rm -rf build"
    explained = await editor.result("agent/permission/explain", permission="bash", subject=line)
    assert explained["outcome"] == "deny"
    assert [(one["pattern"], one["action"]) for one in explained["judged"]] == [
        ("make test", "ask"),
        ("rm -rf build", "deny"),
    ]
    assert explained["unasked"] == ["cd src"]
    assert explained["judged"][1]["rule"]["source"] == "the editor's options"


async def test_a_grant_is_listed_and_revoked(editor: LinkedEditor) -> None:
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


async def test_what_there_is_not_is_refused_with_its_name(editor: LinkedEditor) -> None:
    for params in ({"agent": "nobody"}, {"sessionId": "ses_none"}):
        refused = await editor.link.call("agent/permission/rules", params)
        assert refused["error"]["code"] == REQUEST_FAILED
