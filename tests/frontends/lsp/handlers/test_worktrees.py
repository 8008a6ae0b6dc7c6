"""Worktrees over the wire: made, listed, brought back and removed."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest_asyncio

from lsp_link.own_editor import LinkedEditor
from placet.project.paths import from_uri
from worktree_support import Repository
from worktree_support.fixtures import repository as repository

Json = dict[str, Any]


@pytest_asyncio.fixture
async def editor(tmp_path: Path, repository: Repository) -> AsyncIterator[LinkedEditor]:
    editor = LinkedEditor(tmp_path)
    agent = {"protocol": 1, "requests": [], "ui": []}
    await editor.link.start(
        rootUri=repository.top.as_uri(),
        initializationOptions={"agent": agent, "settings": {"worktree": {"setup": "npm ci"}}},
    )
    yield editor
    await editor.link.stop()


async def test_a_worktree_is_made_listed_brought_back_and_removed(editor: LinkedEditor, repository: Repository) -> None:
    repository.put("mine.txt", "mine\n")
    created = await editor.result("agent/worktree/create", name="one", takesChanges=True)
    assert (created["takesChanges"], created["hasSetup"]) == (True, True)
    path = from_uri(created["worktree"]["uri"])
    assert path is not None
    repository.put("a.txt", "one\n2\nthree\n", path)
    repository.put("a.txt", "one\nTWO\nthree\n")
    (listed,) = (await editor.result("agent/worktree/list"))["worktrees"]
    assert (listed["name"], listed["state"], listed["changedFiles"]) == ("one", "changed", 1)
    refused = await editor.link.call("agent/worktree/remove", {"name": "one"})
    assert "has changes that were not brought back" in refused["error"]["message"]
    brought = await editor.result("agent/worktree/bringBack", name="one")
    assert (brought["files"], brought["conflicts"]) == (1, [(repository.top / "a.txt").as_uri()])
    session_id = brought["session"]["id"]
    assert (brought["session"]["title"], brought["session"]["toReview"]) == ("Changes of one", 1)
    (file,) = (await editor.result("agent/review/list", sessionId=session_id, contents=True))["files"]
    assert file["newText"] == "one\n2\nthree\n"
    assert "<<<<<<< the file now\nTWO\n" in file["bothTexts"]
    decision = {"uri": file["uri"], "version": file["version"], "outcome": "accept", "text": "one\n2 TWO\nthree\n"}
    decided = await editor.result("agent/review/decide", sessionId=session_id, decisions=[decision])
    assert [entry["status"] for entry in decided["files"]] == ["written"]
    assert (repository.top / "a.txt").read_text() == "one\n2 TWO\nthree\n"
    assert await editor.result("agent/worktree/remove", name="one") == {}
    assert (await editor.result("agent/worktree/list"))["worktrees"] == []


async def test_a_branch_holds_the_changes(editor: LinkedEditor, repository: Repository) -> None:
    created = await editor.result("agent/worktree/create")
    path = from_uri(created["worktree"]["uri"])
    assert path is not None
    repository.put("new.txt", "new\n", path)
    brought = await editor.result("agent/worktree/bringBack", name="work-1", branch=True, message="Mine")
    assert brought["branch"] == "placet/work-1"
    assert repository.git("log", "-1", "--format=%s", "placet/work-1") == "Mine"
    assert await editor.result("agent/worktree/remove", name="work-1", force=True) == {"keptBranch": "placet/work-1"}
