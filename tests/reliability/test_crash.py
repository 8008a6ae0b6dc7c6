"""Daemons killed at points spread over all they do, and what the next one finds."""

import asyncio
import random
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from crash_support import acp, stdio
from crash_support.campaign import run_campaign
from crash_support.points import Point

SEED = 1
MANY = 200
EACH_KIND = (
    Point("store:opened", 1, 0.0),
    Point("event:agent_message_chunk", 9, 0.0),
    Point("event:tool_call_update read running", 2, 0.0),
    Point("command:running", 7, 0.0),
    Point("ask:waiting", 4, 0.0),
    Point("store:INSERT change_file", 5, 0.0),
    Point("disk:rename", 3, 0.0),
    Point("disk:remove", 12, 0.001),
    Point("event:tool_call_update write running", 1, 0.0),
    Point("store:UPDATE change_file", 5, 0.0),
    Point("store:UPDATE change_file", 14, 0.0),
    Point("event:compaction", 1, 0.0),
    Point("event:change_applied", 1, 0.0),
)
"""A point of each phase, and three more of a change that is being applied."""
PHASES = {
    "text streaming",
    "tool running",
    "command running",
    "ask open",
    "change being applied",
    "subagent at work",
    "undo",
    "redo",
    "compaction",
    "between steps",
}

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="forks, and looks at /proc")


async def test_a_daemon_killed_in_any_phase_leaves_all_whole_and_the_next_one_goes_on(tmp_path: Path) -> None:
    campaign = await run_campaign(tmp_path, EACH_KIND, SEED)
    assert not campaign.problems, "\n".join(campaign.problems)
    assert campaign.killed == campaign.points == len(EACH_KIND)
    assert set(campaign.phases) >= PHASES


@pytest.mark.long
@pytest.mark.timeout(60 + 3 * MANY)
async def test_whenever_a_daemon_is_killed_the_next_one_finds_all_whole_and_goes_on(tmp_path: Path) -> None:
    campaign = await run_campaign(tmp_path, MANY, SEED)
    assert not campaign.problems, "\n".join(campaign.problems)
    assert campaign.points == MANY
    assert campaign.killed > MANY * 0.9
    assert set(campaign.phases) >= PHASES


KillAfter = Callable[[Path, int | None, float], Awaitable[tuple[int, list[str]]]]


@pytest.mark.parametrize("kills", [2, pytest.param(10, marks=pytest.mark.long)])
@pytest.mark.parametrize("kill_after", [stdio.kill_after, acp.kill_after], ids=["lsp", "acp"])
async def test_whenever_a_daemon_with_an_editor_is_killed_the_next_one_finds_all_whole(
    tmp_path: Path, kill_after: KillAfter, kills: int
) -> None:
    chance = random.Random(SEED)
    most, problems = await kill_after(tmp_path / "whole", None, 0.0)
    assert not problems
    moments = iter([(chance.randint(1, most), chance.uniform(0, 0.02)) for _ in range(kills)])

    async def work() -> None:
        for messages, delay_seconds in moments:
            directory = tmp_path / f"after-{messages}-{delay_seconds}"
            _, found = await kill_after(directory, messages, delay_seconds)
            problems.extend(f"killed after {messages} messages, {directory}: {problem}" for problem in found)

    async with asyncio.TaskGroup() as group:
        for _ in range(2):
            group.create_task(work())
    assert not problems, "\n".join(problems)
