"""The message of a commit, by the hidden agent `commit`, in real repositories."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from changes_support.shell import git
from corpus_support import corpus
from placet.core.errors import ModelError, RequestError, TurnStopped
from placet.sessions.commit_messages import message_in
from services_support import TempServices

USAGE: dict[str, Any] = {"usage": {"input": 10, "output": 5}, "cost": 0.5}


@pytest.fixture
def services(tmp_path: Path) -> TempServices:
    return TempServices(tmp_path)


@pytest.fixture
def repository(services: TempServices) -> Path:
    git(services.project, "init", "--quiet")
    for name, subject in (("hello.py", "feat: greet"), ("other.py", "fix: say it twice")):
        (services.project / name).write_text("old\n")
        git(services.project, "add", name)
        git(services.project, "commit", "--quiet", "-m", subject)
    return services.project


def model(services: TempServices, *expect: str, text: str = "feat: greet louder\n\nAs nobody heard it.") -> str:
    """One that must be shown all of these."""
    file = services.directory / "commit.json"
    turn = {"expect": list(expect), "events": [{"text": text}, USAGE]}
    file.write_text(json.dumps({"turns": [turn]}), "utf-8")
    return f"scripted/{file}"


async def test_it_is_written_from_what_is_staged_and_follows_the_last_commits(
    services: TempServices, repository: Path
) -> None:
    (repository / "hello.py").write_text("staged\n")
    git(repository, "add", "hello.py")
    (repository / "hello.py").write_text("not staged\n")
    name = model(services, "+staged", "feat: greet", "fix: say it twice")
    async with services.open(agent={"commit": {"model": name}}) as sessions:
        assert await sessions.commit_message() == "feat: greet louder\n\nAs nobody heard it."
        today = await sessions._services.store.accounts.by_day(1)
        assert [(one.model, one.cost) for one in today] == [(name, 0.5)]
        assert (await sessions.list())[0] == []


async def test_with_nothing_staged_it_is_what_was_changed(services: TempServices, repository: Path) -> None:
    (repository / "hello.py").write_text("changed\n")
    async with services.open() as sessions:
        assert await sessions.commit_message(repository, model=model(services, "-old", "+changed"))


async def test_before_the_first_commit_there_is_no_style_to_follow(services: TempServices) -> None:
    git(services.project, "init", "--quiet")
    (services.project / "a.py").write_text("first\n")
    git(services.project, "add", "a.py")
    async with services.open() as sessions:
        assert await sessions.commit_message(model=model(services, "<diff>", "+first"))


async def test_a_diff_may_be_given(services: TempServices) -> None:
    async with services.open() as sessions:
        name = model(services, "+given")
        assert await sessions.commit_message(diff="diff --git a/x b/x\n+given\n", model=name)


async def test_what_may_not_be_read_is_not_shown(services: TempServices, repository: Path) -> None:
    (repository / ".env").write_text("TOKEN=secret-value\n")
    git(repository, "add", ".env")
    async with services.open() as sessions:
        assert await sessions.commit_message(model=model(services, ".env b/.env\n(changed; its content is not shown)"))
    assert "secret-value" not in (services.directory / "commit.json").read_text()


@pytest.mark.parametrize(
    ("agent", "said"),
    [
        ({}, "builtin/rules cannot write commit messages. Choose another model, or set `agent.commit.model`."),
        ({"disable": True}, "The agent `commit`, which writes commit messages, is disabled"),
    ],
)
async def test_where_nobody_can_write_it_the_reason_is_said(
    services: TempServices, agent: dict[str, Any], said: str
) -> None:
    async with services.open(agent={"commit": agent}) as sessions:
        with pytest.raises(RequestError, match=said):
            await sessions.commit_message()


async def test_where_there_is_nothing_to_commit_that_is_said(services: TempServices) -> None:
    name = model(services)
    async with services.open() as sessions:
        with pytest.raises(RequestError, match="the folder is in no repository"):
            await sessions.commit_message(model=name)
        with pytest.raises(RequestError, match="There is no folder"):
            await sessions.commit_message(services.project / "gone", model=name)
        git(services.project, "init", "--quiet")
        with pytest.raises(RequestError, match="nothing to commit"):
            await sessions.commit_message(model=name)


async def test_a_program_of_the_repositorys_configuration_is_not_run(services: TempServices, repository: Path) -> None:
    mark = services.directory / "ran"
    for key in ("diff.external", "core.fsmonitor", "diff.mine.textconv", "diff.mine.command"):
        git(repository, "config", key, f"touch {mark};")
    (repository / ".gitattributes").write_text("*.py diff=mine\n")
    (repository / "hello.py").write_text("new\n")
    async with services.open() as sessions:
        assert await sessions.commit_message(model=model(services, "+new"))
    assert not mark.exists()


async def test_an_empty_answer_is_an_error_and_a_cap_holds(services: TempServices, repository: Path) -> None:
    (repository / "hello.py").write_text("new\n")
    async with services.open(modelOptions={"maxRetryWaitSeconds": 0}) as sessions:
        with pytest.raises(ModelError, match="no commit message"):
            await sessions.commit_message(model=model(services, text="<think>hm</think>"))
    async with services.open(maxCost={"day": 0.4}) as sessions:
        with pytest.raises(TurnStopped, match="cap"):
            await sessions.commit_message(model=model(services))


async def test_it_can_be_cancelled(services: TempServices, repository: Path) -> None:
    (repository / "hello.py").write_text("new\n")
    name = services.script([{"wait": "never"}])
    async with services.open() as sessions:
        asking = asyncio.create_task(sessions.commit_message(model=name))
        done, _ = await asyncio.wait({asking}, timeout=0.5)
        assert not done
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking


@corpus(
    ("answer", "message"),
    [
        ("Add x", "Add x"),
        ("```\nAdd x\n\nAs y.  \n```\n", "Add x\n\nAs y."),
        ("<think>hm\n</think>\n\nAdd x\n", "Add x"),
        ("```text\nAdd `x`\n```", "Add `x`"),
        (" \n", ""),
    ],
)
def test_the_message_is_found_in_what_was_said(answer: str, message: str) -> None:
    assert message_in(answer) == message
