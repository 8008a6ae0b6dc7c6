import asyncio
import os
import subprocess
from pathlib import Path

import psutil
import pytest

from corpus_support import corpus
from placet.core.errors import InvalidArguments, NobodyToAsk, PermissionDenied, ToolError
from placet.project.processes import commands
from placet.tools.bash import LIVE_CHARACTERS, TOOL
from placet.tools.shell import background
from process_support import has_ended, has_written, written_pid
from time_support import HeldClock, LoopClock
from tools_support.workbench import Workbench, open_workbench


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
    await bench.run(TOOL, command="mkdir hello")
    request = bench.user.requests[0]
    assert (request.permission, request.patterns, request.command) == ("bash", ("mkdir hello",), "mkdir hello")
    assert request.directory == bench.root
    assert request.always[0].patterns == ("mkdir *",)


async def test_a_command_that_only_reads_is_not_asked(bench: Workbench) -> None:
    bench.write("a.txt", "text\n")
    assert (await bench.run(TOOL, command="cat a.txt | head -n 1")).output == "text"
    assert bench.user.requests == []


async def test_every_command_of_a_line_is_asked_for_and_offered_by_what_it_does(bench: Workbench) -> None:
    await bench.run(TOOL, command="cd . && git init -q x && git -C x log | head -n 1; ls *.none > out")
    request = bench.user.requests[0]
    assert request.patterns == ("git init -q x", "git -C x log", "head -n 1", "ls *.none", "> out")
    assert request.always[0].patterns == ("git init *", "git -C x log", "head *", "ls *", "> out")


async def test_a_wildcard_in_a_command_does_not_widen_what_always_grants(bench: Workbench) -> None:
    await bench.run(TOOL, command="./no*ne || true")
    assert bench.user.requests[0].always == ()


async def test_what_is_unproved_is_said_and_never_offered(bench: Workbench) -> None:
    bench.permission = {"bash": {"python3 *": "allow"}}
    await bench.run(TOOL, command="python3 -c 'print(1)'")
    request = bench.user.requests[0]
    assert request.patterns[1] == "unproved: python3 -c 'print(1)': it runs code that -c gives it"
    assert request.always == ()


async def test_a_rule_for_everything_lets_the_unproved_pass(bench: Workbench) -> None:
    bench.permission = {"bash": "allow"}
    bench.user.answers = []
    assert (await bench.run(TOOL, command="x=1; echo $((x + 1))")).output == "2"


async def test_allowed_commands_do_not_let_another_pass_beside_them(bench: Workbench) -> None:
    bench.permission = {"bash": {"echo *": "allow", "cat *": "allow"}}
    bench.user.answers = []
    assert (await bench.run(TOOL, command="echo a | cat")).output == "a"
    for line in ("echo a; touch made", "echo $(touch made)", "echo a > made", "echo a | sh", "cat <(touch made)"):
        with pytest.raises(NobodyToAsk):
            await bench.run(TOOL, command=line)
    assert not (bench.root / "made").exists()


@corpus(
    "line",
    ["git push", "true; git push", "(cd . && git  push)", "/usr/bin/git push", "git 'push'"],
    bench=open_workbench,
)
async def test_a_rule_that_denies_a_command_holds_wherever_it_stands(bench: Workbench, line: str) -> None:
    bench.permission = {"bash": {"*": "allow", "git push *": "deny"}}
    with pytest.raises(PermissionDenied, match="git push"):
        await bench.run(TOOL, command=line)


async def test_a_rule_may_deny_a_line_as_it_is_written(bench: Workbench) -> None:
    bench.permission = {"bash": {"*": "allow", "*| head*": "deny"}}
    with pytest.raises(PermissionDenied):
        await bench.run(TOOL, command="echo a | head -n 1")
    bench.permission = {"bash": {"*": "deny", "echo *": "allow"}}
    assert (await bench.run(TOOL, command="(echo a)")).output == "a"


async def test_places_outside_are_asked_for_first(bench: Workbench) -> None:
    outside = bench.root.parent / "out"
    outside.mkdir()
    (bench.root / "link").symlink_to(outside)
    await bench.run(TOOL, command="cd .. && echo a > out/x; cp out/x ../y; cat link/x")
    assert bench.user.asked[0][0] == "external_directory"
    assert f"{outside}/*" in bench.user.asked[0][1]
    assert bench.user.asked[1][0] == "bash"


async def test_colours_and_overwritten_lines_do_not_reach_the_model(bench: Workbench) -> None:
    result = await bench.run(TOOL, command=r"printf '\033[1;31mred\033[0m\n10%%\r100%%\n\033]0;title\007end\r\n'")
    assert result.output == "red\n100%\nend"


async def test_files_that_were_read_and_have_changed_are_named_once(bench: Workbench) -> None:
    for name in ("a.txt", "b.txt", "c.txt"):
        bench.write(name, "old\n")
        await bench.changes().read(bench.root / name)
    result = await bench.run(TOOL, command="echo new > a.txt; rm b.txt")
    assert "Changed since you read them: a.txt. Read them again" in result.output
    assert "No longer there since you read them: b.txt." in result.output
    assert (await bench.run(TOOL, command="true")).output == "(no output)"
    assert "a.txt." in (await bench.run(TOOL, command="echo newer > a.txt")).output


async def test_unsaved_text_of_the_user_is_not_saved_and_is_told(bench: Workbench) -> None:
    path = bench.write("a.txt", "old\n")
    bench.documents.type(path, "typed\n")
    result = await bench.run(TOOL, command="tee copy < a.txt")
    assert result.output.startswith("old\n\n<shell_metadata>\nNot on the disk (unsaved")
    [request] = bench.user.requests
    assert (request.title, request.note) == ("tee copy < a.txt", "Not saved, so not seen by it: a.txt")
    assert path.read_text() == "old\n"


async def test_what_only_the_agent_left_unsaved_is_saved_before(bench: Workbench) -> None:
    path = bench.write("a.txt", "old\n")
    bench.documents.type(path, "edited\n")
    bench.ledger.note(await bench.documents.read(path), left_unsaved=True)
    assert (await bench.run(TOOL, command="cat a.txt")).output == "edited"


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
    result = await bench.run(TOOL, command="sleep 600 & echo $! > pid; echo started")
    assert result.output == "started"
    child = psutil.Process(await written_pid(bench.root / "pid"))
    assert child.is_running()  # It was started to stay.
    child.kill()


async def test_the_time_limit_ends_the_command_and_its_children(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commands, "time", HeldClock(lambda: has_written(bench.root / "pid")))
    result = await bench.run(TOOL, command="echo begun; sleep 60 & echo $! > pid; wait", timeout=300)
    assert result.output.startswith("begun\n\n<shell_metadata>\nEnded after its time limit of 300 ms.")
    assert result.metadata["exit"] is None
    assert has_ended(await written_pid(bench.root / "pid"))


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
    assert has_ended(await written_pid(bench.root / "pid"))
    assert bench.progress[-1]["output"] == "begun\n"
    assert list(bench.output_directory.iterdir()) == []


async def test_an_abort_ends_all_it_started(bench: Workbench) -> None:
    call = asyncio.create_task(bench.run(TOOL, command="sleep 60 & echo $! > pid; echo begun; wait"))
    await shown(bench, "begun")
    bench.abort.set()
    assert "Ended because the user stopped the turn." in (await call).output
    assert has_ended(await written_pid(bench.root / "pid"))


async def test_of_a_long_output_the_tail_is_shown_and_the_whole_kept(bench: Workbench) -> None:
    result = await bench.run(TOOL, command="seq 5000; exit 1")
    path = Path(result.metadata["outputPath"])
    assert path.read_text() == "".join(f"{number}\n" for number in range(1, 5001))
    assert result.output.startswith(f"...3000 lines truncated...\n\nThe whole output is in {path}. ")
    assert result.output.endswith("\n5000\n\n<shell_metadata>\nexit code 1\n</shell_metadata>")
    assert "\n3001\n" in result.output
    assert "\n3000\n" not in result.output
    assert result.metadata["truncated"] is True
    assert result.metadata["originalSize"] == path.stat().st_size == 23_893
    assert result.metadata["truncatedSize"] == 2000 * 5
    assert path.stat().st_mode & 0o077 == 0


async def test_a_job_runs_on_and_is_read_piece_by_piece(bench: Workbench) -> None:
    line = "echo one; touch begun; until test -e go; do sleep 0.05; done; echo two; exit 3"
    started = await bench.run(TOOL, command=line, background=True)
    job = started.metadata["job"]
    assert f"Job {job} was started" in started.output
    assert started.metadata["running"] is True
    while not (bench.root / "begun").exists():  # noqa: ASYNC110 - another process makes it
        await asyncio.sleep(0.02)
    first = await bench.run(TOOL, job=job)
    assert first.output.startswith("one\n\n<shell_metadata>\nIt is running.")
    bench.write("go", "")
    last = await bench.run(TOOL, job=job, timeout=100_000)
    assert last.output == "two\n\n<shell_metadata>\nIt has ended with exit code 3.\n</shell_metadata>"
    assert last.metadata["exit"] == 3
    assert (await bench.run(TOOL, job=job)).output.startswith("(no new output)")


async def test_a_killed_job_takes_all_it_started_with_it(bench: Workbench) -> None:
    started = await bench.run(TOOL, command="setsid sleep 60 & echo $! > pid; wait", background=True)
    pid = await written_pid(bench.root / "pid")
    killed = await bench.run(TOOL, job=started.metadata["job"], action="kill")
    assert "It was killed." in killed.output
    assert has_ended(pid)


async def test_a_session_that_is_closed_leaves_no_job_behind(bench: Workbench) -> None:
    await bench.run(TOOL, command="sleep 60 & echo $! > pid; wait", background=True)
    pid = await written_pid(bench.root / "pid")
    await bench.jobs.end_session(bench.session_id)
    assert has_ended(pid)
    assert list(bench.output_directory.iterdir()) == []


async def test_a_job_is_known_to_its_own_session_only(bench: Workbench) -> None:
    started = await bench.run(TOOL, command="sleep 60", background=True)
    bench.session_id = "ses_2"
    with pytest.raises(ToolError, match="no job"):
        await bench.run(TOOL, job=started.metadata["job"], action="kill")


async def test_a_job_needs_permission_as_any_command_does(bench: Workbench) -> None:
    bench.user.answers = []
    with pytest.raises(NobodyToAsk):
        await bench.run(TOOL, command="touch made", background=True)


@corpus(
    "arguments", [{}, {"command": " "}, {"command": "a", "job": "job_1"}, {"command": "a\0b"}], bench=open_workbench
)
async def test_a_call_is_a_command_or_a_job(bench: Workbench, arguments: dict[str, str]) -> None:
    with pytest.raises(InvalidArguments):
        await bench.run(TOOL, **arguments)


async def test_what_a_command_changed_is_told_to_the_screen_and_can_be_undone(bench: Workbench) -> None:
    path = bench.write("a.txt", "old\n")
    result = await bench.run(TOOL, command="echo new > a.txt; echo b > b.txt")
    assert result.metadata["changedFiles"] == [path.as_uri(), (bench.root / "b.txt").as_uri()]
    assert result.metadata["changeId"].startswith("chg_")
    assert "undo" not in result.output


async def test_a_command_that_changed_nothing_tells_of_nothing(bench: Workbench) -> None:
    bench.write("a.txt", "old\n")
    for line in ("cat a.txt", "env > /dev/null"):
        assert "changeId" not in (await bench.run(TOOL, command=line)).metadata


async def test_what_undo_does_not_cover_is_told_to_the_model(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("placet.changes.commands.snapshot.MOST_FILE_BYTES", 10)
    path = bench.write("a.txt", "a line that is too long\n")
    result = await bench.run(TOOL, command="echo more >> a.txt")
    assert "not covered by the user's undo: a.txt (it is too large, or cannot be read)." in result.output
    assert result.metadata["notCoveredByUndo"][0]["uri"] == path.as_uri()


async def test_a_command_that_fails_or_is_ended_has_its_changes_journaled(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = bench.write("a.txt", "old\n")
    failed = await bench.run(TOOL, command="echo new > a.txt; false")
    monkeypatch.setattr(commands, "time", HeldClock(lambda: path.read_text() == "newer\n"))
    ended = await bench.run(TOOL, command="echo newer > a.txt; sleep 60", timeout=300)
    assert [result.metadata["changedFiles"] for result in (failed, ended)] == [[path.as_uri()]] * 2


async def test_a_job_is_covered_until_the_call_returns_and_that_is_said(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = bench.write("a.txt", "old\n")
    clock = LoopClock(monkeypatch)
    with monkeypatch.context() as patch:
        patch.setattr(background, "FIRST_LOOK_SECONDS", 3600)
        call = asyncio.create_task(bench.run(TOOL, command="echo new > a.txt; sleep 60", background=True))
        while path.read_text() != "new\n":  # noqa: ASYNC110 - another process writes it
            await asyncio.sleep(0.02)
        clock.skip(3600)
        result = await call
    assert result.metadata["changedFiles"] == [path.as_uri()]
    assert "What the job changes from now on is not covered by the user's undo." in result.output
    result = await bench.run(TOOL, command="sleep 60", background=True)
    assert "undo" not in result.output


async def test_git_that_only_reads_leaves_the_index_alone(bench: Workbench) -> None:
    bench.write("a.txt", "old\n")
    for words in ("init -q", "add .", "-c user.name=u -c user.email=u@e commit -qm first"):
        await asyncio.to_thread(subprocess.run, ("git", *words.split()), cwd=bench.root, check=True)
    (bench.root / "a.txt").touch()
    index = bench.root / ".git" / "index"
    os.utime(bench.root / "a.txt", (1, 1))
    before = index.read_bytes()
    await bench.run(TOOL, command="git status --short")
    assert index.read_bytes() == before
    await bench.run(TOOL, command="git status --short; touch b.txt")
    assert index.read_bytes() != before
