import asyncio
from pathlib import Path

from placet.core.messages import Tokens
from placet.project.processes.background_jobs import Jobs
from placet.project.processes.commands import Ending
from placet.sessions.session_text import cost_lines, job_lines
from placet.sessions.store.usage import SessionUsage, Spent


def test_the_cost_of_a_session_names_tokens_cache_price_and_the_share_of_subagents() -> None:
    usage = SessionUsage(
        tokens=Tokens(input=1000, cache_write=200, cache_read=5000, output=300),
        cost=0.25,
        subagents=Spent(tokens=Tokens(input=400), cost=0.05),
    )
    assert cost_lines(usage) == [
        "Tokens       6,500",
        "Input        1,200, and 5,000 from the cache",
        "Output       300",
        "Cost         $0.25",
        "Subagents    400 of the tokens, $0.0500",
    ]


def test_a_session_without_a_known_price_says_so_and_an_unused_session_has_spent_nothing() -> None:
    assert cost_lines(SessionUsage(tokens=Tokens(input=5)))[-1] == "Cost         no known price"
    assert cost_lines(SessionUsage()) == cost_lines(None) == ["This session has spent nothing."]


async def test_each_command_in_the_background_has_a_line_with_its_state(tmp_path: Path) -> None:
    async def until_killed(abort: asyncio.Event) -> Ending:
        await abort.wait()
        return Ending("abort", None)

    async def at_once(_abort: asyncio.Event) -> Ending:
        return Ending("exit", 3)

    jobs = Jobs()
    for name, run in (("one", until_killed), ("two", at_once)):
        (tmp_path / name).touch()
        jobs.start("ses_a", f"{name} --flag", run, tmp_path / name)
    await asyncio.wait([jobs.of_session("ses_a")[1].task])
    assert [line.split() for line in job_lines(jobs.of_session("ses_a"))] == [
        ["job_1", "runs", "one", "--flag"],
        ["job_2", "ended,", "exit", "3", "two", "--flag"],
    ]
    assert job_lines([]) == ["This session has no command in the background."]
    await jobs.close()
