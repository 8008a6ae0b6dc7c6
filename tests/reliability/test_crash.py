"""Daemons killed at points spread over all they do, and what the next one finds. PLACET_CRASH_POINTS: how many."""

import asyncio
import json
import os
import random
import sys
from pathlib import Path

import pytest

from crash_support import acp, stdio
from crash_support.campaign import run_campaign

POINTS = int(os.environ.get("PLACET_CRASH_POINTS", "200"))
SEED = int(os.environ.get("PLACET_CRASH_SEED", "1"))
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


@pytest.mark.timeout(60 + 3 * POINTS)
async def test_whenever_a_daemon_is_killed_the_next_one_finds_all_whole_and_goes_on(tmp_path: Path):
    campaign = await run_campaign(tmp_path, POINTS, SEED)

    if file := os.environ.get("PLACET_CRASH_FIGURES"):
        Path(file).write_text(json.dumps(campaign.figures(), indent=2) + "\n")
    assert not campaign.problems, "\n".join(campaign.problems)
    assert campaign.points == POINTS
    assert campaign.killed > POINTS * 0.9
    assert POINTS < 200 or set(campaign.phases) >= PHASES


@pytest.mark.timeout(60 + POINTS)
@pytest.mark.parametrize("kill_after", [stdio.kill_after, acp.kill_after], ids=["lsp", "acp"])
async def test_whenever_a_daemon_with_an_editor_is_killed_the_next_one_finds_all_whole(tmp_path: Path, kill_after):
    chance = random.Random(SEED)
    most, problems = await kill_after(tmp_path / "whole", None, 0.0)
    assert not problems
    moments = iter([(chance.randint(1, most), chance.uniform(0, 0.02)) for _ in range(POINTS // 20)])

    async def work() -> None:
        for messages, delay_seconds in moments:
            directory = tmp_path / f"after-{messages}-{delay_seconds}"
            _, found = await kill_after(directory, messages, delay_seconds)
            problems.extend(f"killed after {messages} messages, {directory}: {problem}" for problem in found)

    async with asyncio.TaskGroup() as group:
        for _ in range(2):
            group.create_task(work())
    assert not problems, "\n".join(problems)
