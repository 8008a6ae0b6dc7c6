import asyncio
import time
from pathlib import Path

import psutil
import pytest

from placet.errors import NobodyToAsk, ToolError
from placet.tools.bash import LIVE_CHARACTERS, TOOL
from tools_support.workbench import Workbench


def pid_in(path: Path) -> int:
    return int(path.read_text())


def is_gone(pid: int) -> bool:
    return not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE


async def shown(bench: Workbench, text: str) -> None:
    """Wait until the live output holds the text."""
    while not any(text in note.get("output", "") for note in bench.progress):
        bench.progressed.clear()
        await bench.progressed.wait()


async def test_the_output_and_errors_come_together(bench: Workbench) -> None:
    result = await bench.run(TOOL, command="echo out; echo err >&2; pwd", description="Say things")
    assert result.output == f"out\nerr\n{bench.root}"
    assert result.title == "Say things"
    assert result.metadata["exit"] == 0
    assert result.metadata["truncated"] is False
    assert bench.documents.reloads == 1
    assert list(bench.output_directory.iterdir()) == []


async def test_the_exit_code_is_told(bench: Workbench) -> None:
    result = await bench.run(TOOL, command="echo no; exit 3")
    assert result.output == "no\n\n<shell_metadata>\nexit code 3\n</shell_metadata>"
    assert result.metadata["exit"] == 3


async def test_silence_is_told(bench: Workbench) -> None:
    assert (await bench.run(TOOL, command="true")).output == "(no output)"


async def test_the_command_is_asked_for_as_it_is(bench: Workbench) -> None:
    await bench.run(TOOL, command="echo hello")
    request = bench.user.requests[0]
    assert (request.permission, request.patterns, request.command) == ("bash", ("echo hello",), "echo hello")
    assert request.always[0].patterns == ("echo hello",)


async def test_a_wildcard_in_a_command_does_not_widen_what_always_grants(bench: Workbench) -> None:
    await bench.run(TOOL, command="ls *.none || true")
    assert bench.user.requests[0].always == ()


async def test_nothing_runs_without_permission(bench: Workbench) -> None:
    bench.user.answers = []
    with pytest.raises(NobodyToAsk):
        await bench.run(TOOL, command="touch made")
    assert not (bench.root / "made").exists()


async def test_a_working_directory_can_be_named_and_outside_is_asked_for(bench: Workbench) -> None:
    bench.write("sub/a.txt", "")
    assert (await bench.run(TOOL, command="ls", workdir="sub")).output == "a.txt"
    outside = bench.root.parent / "out"
    outside.mkdir()
    await bench.run(TOOL, command="true", workdir=str(outside))
    assert ("external_directory", (f"{outside}/*",)) in bench.user.asked
    with pytest.raises(ToolError, match="no directory"):
        await bench.run(TOOL, command="true", workdir="nowhere")


async def test_the_input_is_closed(bench: Workbench) -> None:
    assert (await bench.run(TOOL, command="cat; echo done")).output == "done"


async def test_secrets_are_not_passed_on(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "GITHUB_TOKEN", "MY_SECRET", "PGPASSWORD", "AWS_ACCESS_KEY_ID"):
        monkeypatch.setenv(name, "hidden-value")
    monkeypatch.setenv("TOKENIZERS_PARALLELISM", "false")
    result = await bench.run(TOOL, command="env")
    assert "hidden-value" not in result.output
    assert "TOKENIZERS_PARALLELISM=false" in result.output


async def test_a_child_in_the_background_that_holds_the_output_does_not_hold_the_call(bench: Workbench) -> None:
    began = time.monotonic()
    result = await bench.run(TOOL, command="sleep 60 & echo $! > pid; echo started")
    assert result.output == "started"
    assert time.monotonic() - began < 10
    child = psutil.Process(pid_in(bench.root / "pid"))
    assert child.is_running()  # It was started to stay.
    child.kill()


async def test_the_time_limit_ends_the_command_and_its_children(bench: Workbench) -> None:
    result = await bench.run(TOOL, command="echo begun; sleep 60 & echo $! > pid; wait", timeout=300)
    assert result.output.startswith("begun\n\n<shell_metadata>\nEnded after its time limit of 300 ms.")
    assert result.metadata["exit"] is None
    assert is_gone(pid_in(bench.root / "pid"))


async def test_the_output_is_shown_while_the_command_runs(bench: Workbench) -> None:
    call = asyncio.create_task(bench.run(TOOL, command="echo first; until test -e go; do sleep 0.05; done; echo last"))
    await shown(bench, "first")
    assert not call.done()
    bench.write("go", "")
    assert (await call).output == "first\nlast"


async def test_live_output_is_the_bounded_tail(bench: Workbench) -> None:
    command = "seq 100000; echo tail; until test -e go; do sleep 0.05; done"
    call = asyncio.create_task(bench.run(TOOL, command=command))
    await shown(bench, "99999\n100000\ntail\n")
    bench.write("go", "")
    await call
    assert max(len(note.get("output", "")) for note in bench.progress) == LIVE_CHARACTERS


async def test_a_cancelled_call_ends_all_it_started_and_leaves_what_it_showed(bench: Workbench) -> None:
    call = asyncio.create_task(bench.run(TOOL, command="sleep 60 & echo $! > pid; echo begun; wait"))
    await shown(bench, "begun")
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert is_gone(pid_in(bench.root / "pid"))
    assert bench.progress[-1]["output"] == "begun\n"
    assert list(bench.output_directory.iterdir()) == []


async def test_an_abort_ends_all_it_started(bench: Workbench) -> None:
    call = asyncio.create_task(bench.run(TOOL, command="sleep 60 & echo $! > pid; echo begun; wait"))
    await shown(bench, "begun")
    bench.abort.set()
    assert "Ended because the user stopped the turn." in (await call).output
    assert is_gone(pid_in(bench.root / "pid"))


async def test_of_a_long_output_the_tail_is_shown_and_the_whole_kept(bench: Workbench) -> None:
    result = await bench.run(TOOL, command="seq 5000; exit 1")
    path = Path(result.metadata["outputPath"])
    assert path.read_text() == "".join(f"{number}\n" for number in range(1, 5001))
    assert result.output.startswith(f"...3000 lines truncated...\n\nThe whole output is in {path}. ")
    assert result.output.endswith("\n5000\n\n<shell_metadata>\nexit code 1\n</shell_metadata>")
    assert "\n3001\n" in result.output
    assert "\n3000\n" not in result.output
    assert result.metadata["truncated"] is True
    assert path.stat().st_mode & 0o077 == 0
