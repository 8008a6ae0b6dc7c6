"""A managed child leaves nothing: ended politely, then by force, with its family, and with its last words."""

import asyncio
import os
import signal
import sys
from pathlib import Path

import pytest

from placet.project.processes import child as child_module
from placet.project.processes.child import Command, LastWords, ManagedChild, end_at_once, end_group, python_command
from placet.project.processes.child import started as started_process
from process_support import has_ended, written_pid

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the programs are shell scripts")


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for the last words until the pipe is closed, on any machine."""
    monkeypatch.setattr(child_module, "WORDS_SECONDS", 60.0)


async def started(directory: Path, line: str, words: LastWords | None = None) -> ManagedChild:
    command = Command(("/bin/sh", "-c", line), directory, dict(os.environ))
    return await ManagedChild.start_program(command, words or LastWords())


async def test_a_child_that_reads_its_input_ends_when_the_input_is_closed(tmp_path: Path):
    words = LastWords()
    child = await started(tmp_path, "cat; echo closed >&2; exit 3", words)

    await child.end(input_seconds=60)

    assert child.exit_code == 3
    assert words.line == "closed"


async def test_a_child_that_ignores_the_closed_input_is_requested_to_end(tmp_path: Path):
    child = await started(tmp_path, "trap 'exit 4' TERM; echo ready; while :; do sleep 0.02; done")
    assert await child.stdout.readline() == b"ready\n"

    await child.end(input_seconds=0.05, request_seconds=60)

    assert child.exit_code == 4


async def test_a_child_that_ignores_the_request_is_forced_with_its_family(tmp_path: Path):
    words = LastWords()
    # The shell itself may say "Killed" of the last sleep, and shall not be heard.
    quiet = "echo last >&2; exec 2>/dev/null"
    line = f"trap '' TERM; sleep 600 & {quiet}; echo $! > part; mv part pid; while :; do sleep 0.02; done"
    child = await started(tmp_path, line, words)
    descendant = await written_pid(tmp_path / "pid")

    await child.end(request_seconds=0.1)

    assert child.exit_code == -9
    assert has_ended(descendant)
    assert words.line == "last"


async def test_what_an_ended_child_left_running_is_ended_too(tmp_path: Path):
    child = await started(tmp_path, "sleep 600 >/dev/null 2>&1 & echo $! > part; mv part pid")
    descendant = await written_pid(tmp_path / "pid")
    assert await child.wait() == 0

    await child.end(input_seconds=1)

    assert has_ended(descendant)


async def test_cancelling_cuts_the_politeness_short_and_ends_the_child_all_the_same(tmp_path: Path):
    child = await started(tmp_path, "trap 'touch asked' TERM; echo ready; while :; do sleep 0.02; done")
    assert await child.stdout.readline() == b"ready\n"
    ending = asyncio.create_task(child.end(request_seconds=3600))
    while not (tmp_path / "asked").exists():  # noqa: ASYNC110 (made by another process)
        await asyncio.sleep(0.01)

    ending.cancel()
    await asyncio.wait((ending,))

    assert ending.cancelled()
    assert child.exit_code == -9


async def test_an_end_that_is_cancelled_again_and_again_ends_the_child_and_hears_the_last_words(tmp_path: Path):
    words = LastWords()
    child = await started(tmp_path, "trap '' TERM; echo last >&2; echo ready; while :; do sleep 0.02; done", words)
    assert await child.stdout.readline() == b"ready\n"

    ending = asyncio.create_task(child.end(request_seconds=3600))
    while not ending.done():
        await asyncio.sleep(0)
        ending.cancel()

    assert ending.cancelled()
    assert child.exit_code == -9
    assert words.tail.startswith(b"last\n")


async def test_only_the_end_of_many_words_is_kept(tmp_path: Path):
    words = LastWords()
    child = await started(tmp_path, "yes 'a line of many' | head -n 10000 >&2; printf 'the last one\\n\\n' >&2", words)
    await child.wait()

    await child.end()

    assert len(words.tail) == 4096
    assert words.line == "the last one"


async def test_a_program_that_cannot_start_is_an_error_of_the_system(tmp_path: Path):
    with pytest.raises(FileNotFoundError):
        await ManagedChild.start_program(Command(("/no/such/program",), tmp_path, {}), LastWords())


async def test_a_python_child_gets_our_id_and_is_forced_when_it_does_not_end(tmp_path: Path):
    (tmp_path / "stubborn.py").write_text("import sys, time\nprint(sys.argv[1:], flush=True)\ntime.sleep(600)\n")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    command = python_command("stubborn", "more", directory=tmp_path, environment=environment)
    child = await ManagedChild.start_python(command, log=None)
    assert await child.stdout.readline() == f"['{os.getpid()}', 'more']\n".encode()

    await child.end(input_seconds=0.05)

    assert child.exit_code == -9


async def test_the_end_at_once_waits_for_the_output_of_processes_that_have_the_pipe_too():
    script = "(while kill -0 $$ 2>/dev/null; do sleep 0.01; done) & echo ready; wait"
    process = await asyncio.create_subprocess_exec("sh", "-c", script, stdout=asyncio.subprocess.PIPE)
    assert process.stdout is not None
    assert await process.stdout.readline() == b"ready\n"
    await end_at_once(process)
    assert process.returncode == -signal.SIGKILL
    assert process.stdout.at_eof()


async def test_a_start_that_is_cancelled_again_and_again_ends_the_process_with_its_children(tmp_path: Path):
    is_up, may_return = asyncio.Event(), asyncio.Event()
    line = f"sleep 600 & echo $! > {tmp_path}/pid; wait"

    async def slow_start() -> asyncio.subprocess.Process:
        process = await asyncio.create_subprocess_exec("sh", "-c", line, start_new_session=True)
        is_up.set()
        await may_return.wait()
        return process

    starting = asyncio.create_task(started_process(slow_start(), end_group))
    await is_up.wait()
    pid = await written_pid(tmp_path / "pid")
    for _ in range(3):  # The second cancellation comes while the clean-up after the first waits.
        starting.cancel()
        await asyncio.sleep(0)
    may_return.set()
    while not starting.done():
        starting.cancel()
        await asyncio.sleep(0)
    assert starting.cancelled()
    assert has_ended(pid)
