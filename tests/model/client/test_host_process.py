"""The host's process: its start, its death, and what it must never do to the daemon."""

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from corpus_support import corpus
from model_support.asking import answer, failure, request, text_of
from model_support.hosts import package
from placet.core.errors import ModelError
from placet.model import frames
from placet.model.base import TextDelta
from placet.model.client.host import ModelHost
from placet.model.client.host_child import HostSpec, start_host
from placet.model.client.host_process import HostProcess
from placet.settings import Settings
from process_support import has_ended
from time_support import wait_seconds
from wire_servers.answers import Text, Wait
from wire_servers.server import WireServer

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_the_loop_goes_on_while_the_host_starts():
    turns = 0

    async def count() -> None:
        nonlocal turns
        while True:
            await asyncio.sleep(0)
            turns += 1

    counting = asyncio.create_task(count())
    host = ModelHost()
    try:
        await host.start()
        started = turns
        await host.ready()
        assert turns > started + 100
    finally:
        counting.cancel()
        await host.close()


async def test_a_host_killed_in_mid_answer_is_one_failed_call(open_model, host: ModelHost, server: WireServer):
    server.play([(Text("one", pieces=1), Wait()), (Text("again"),)])
    model = open_model("openai")
    stream = model.stream(request("hello"))
    assert await anext(stream) == TextDelta("one")
    killed = host.process_id
    assert killed is not None

    os.kill(killed, signal.SIGKILL)

    with pytest.raises(ModelError, match="killed by SIGKILL") as caught:
        await anext(stream)
    assert (caught.value.code, caught.value.before_first_delta) == ("host_died", False)
    assert "next call" in caught.value.hint
    assert text_of(await answer(model)) == "again"
    assert host.process_id not in (None, killed)


async def test_all_calls_in_progress_fail_when_the_host_dies(open_model, host: ModelHost, server: WireServer):
    server.play(lambda _: (Wait(),))
    model = open_model("anthropic")
    calls = [asyncio.create_task(failure(model)) for _ in range(3)]
    await server.wait_for_requests(3)
    assert host.process_id is not None

    os.kill(host.process_id, signal.SIGKILL)

    errors = [error for _, error in await asyncio.gather(*calls)]
    assert [(error.code, error.before_first_delta) for error in errors] == [("host_died", True)] * 3


async def test_closing_ends_the_process_even_while_it_loads(tmp_path: Path):
    host = ModelHost(environment=package(tmp_path, "httptools", "import time; time.sleep(1000)"))
    await host.start()
    assert host.process_id is not None
    process = psutil.Process(host.process_id)

    async with asyncio.timeout(wait_seconds()):
        await host.close()

    assert not process.is_running()


DAEMON = """
import asyncio, sys
from placet.model.client.host import ModelHost
from placet.model.client.host_child import HostSpec, start_host
from placet.model.client.host_process import HostProcess

async def main():
    host = ModelHost()
    await host.start()
    if sys.argv[1] == "ready":
        await host.ready()
    print(host.process_id, flush=True)
    await asyncio.Event().wait()

asyncio.run(main())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@corpus("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV])
@corpus("moment", ["loading", "ready"])
async def test_the_host_does_not_outlive_the_daemon(number: signal.Signals, moment: str):
    daemon = await asyncio.create_subprocess_exec(sys.executable, "-c", DAEMON, moment, stdout=subprocess.PIPE)
    assert daemon.stdout is not None
    host = psutil.Process(int(await daemon.stdout.readline()))

    daemon.send_signal(number)
    await daemon.wait()

    await ended(host)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends a process with its parent")
@corpus("moment", ["loading", "ready"])
async def test_the_host_ends_with_the_daemon_even_while_a_third_holds_its_pipe(moment: str):
    daemon = await asyncio.create_subprocess_exec(sys.executable, "-c", DAEMON, moment, stdout=subprocess.PIPE)
    assert daemon.stdout is not None
    host = psutil.Process(int(await daemon.stdout.readline()))
    ends = [end for end in Path(f"/proc/{daemon.pid}/fd").iterdir() if end.readlink().name.startswith("pipe:")]
    # Not its own stdout, which leads here.
    held = [os.open(end, os.O_RDWR | os.O_NONBLOCK) for end in ends if int(end.name) > 2]
    assert len(held) >= 2, "the pipes to the host are not among them"

    daemon.kill()
    await daemon.wait()

    await ended(host)
    for descriptor in held:
        os.close(descriptor)


async def ended(process: psutil.Process) -> None:
    await asyncio.to_thread(psutil.wait_procs, [process], wait_seconds())
    assert has_ended(process.pid)


@pytest.mark.skipif(sys.platform == "win32", reason="signals of a terminal")
async def test_an_interrupt_from_the_terminal_does_not_end_the_host(open_model, host: ModelHost, server: WireServer):
    go = asyncio.Event()
    server.play([(Text("one", pieces=1), Wait(go), Text(" two"))])
    stream = open_model("openai").stream(request("hello"))
    assert await anext(stream) == TextDelta("one")
    assert host.process_id is not None

    os.kill(host.process_id, signal.SIGINT)
    go.set()

    assert text_of([event async for event in stream]) == " two"


async def test_a_host_without_its_libraries_says_which_one_is_missing(tmp_path: Path):
    environment = package(tmp_path, "httptools", "raise ImportError('httptools was not installed')")
    host = ModelHost(environment=environment, log=tmp_path / "logs" / "host.log")

    _, error = await failure(host.model("openai/gpt-4o", Settings()))
    await host.close()

    assert error.code == "host_died"
    assert "httptools was not installed" in error.message
    assert "Reinstall Placet" in error.hint


async def test_a_host_that_ends_while_it_starts_says_so_in_its_log(tmp_path: Path):
    environment = package(tmp_path, "httptools", "raise RuntimeError('broken by the test')")
    log = tmp_path / "host.log"
    host = ModelHost(environment=environment, log=log)

    _, error = await failure(host.model("openai/gpt-4o", Settings()))
    await host.close()

    assert error.code == "host_died"
    assert "during its start (exit code 1)" in error.message
    assert "broken by the test" in log.read_text("utf-8")


async def test_a_host_of_another_version_is_refused(tmp_path: Path):
    hello = frames.REPORTS.pack(frames.Hello(frames.VERSION + 1))
    program = f"import sys; sys.stdout.buffer.write({hello!r}); sys.stdout.flush(); sys.stdin.read()"
    host = ModelHost(environment=package(tmp_path, "placet.model.host.__main__", program))

    _, error = await failure(host.model("openai/gpt-4o", Settings()))
    await host.close()

    assert error.code == "host_died"
    assert f"its version ({frames.VERSION + 1}) differs from the daemon's version ({frames.VERSION})" in error.message
    assert "Restart the editor" in error.hint


async def test_what_a_library_prints_does_not_reach_the_frames(tmp_path: Path):
    # Loaded by every Python at its start, it prints once httptools is imported.
    noise = """
import importlib.abc, os, sys

class Noise(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == "httptools":
            print("noise of a library", flush=True)
            os.system("echo noise of a child")

sys.meta_path.insert(0, Noise())
"""
    log = tmp_path / "host.log"
    host = ModelHost(environment=package(tmp_path, "sitecustomize", noise), log=log)

    assert await host.ready() > 0
    await host.close()

    assert "noise of a library" in log.read_text("utf-8")
    assert "noise of a child" in log.read_text("utf-8")


async def test_modules_in_the_working_directory_are_not_taken_for_the_hosts(tmp_path: Path, monkeypatch):
    (tmp_path / "litellm.py").write_text("raise ImportError('from the project')", "utf-8")
    monkeypatch.chdir(tmp_path)
    host = ModelHost()

    assert await host.ready() > 0
    await host.close()


async def test_the_daemons_side_imports_neither_litellm_nor_mcp():
    program = """
import sys
import placet.model.client.host, placet.model.select, placet.model.scripted
print(*[name for name in ("litellm", "mcp", "openai", "httpx", "aiohttp") if name in sys.modules])
"""
    done = await asyncio.to_thread(
        subprocess.run, [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )

    assert done.stdout.strip() == ""


async def test_a_call_to_a_host_that_has_ended_fails_at_once():
    child = await start_host(HostSpec.of(os.environ, None, None))
    life = HostProcess(child, lambda _: None, lambda: None)
    await life.ready
    await life.close()

    answers = life.begin(frames.ListModels(1))

    error = answers.get_nowait()
    assert isinstance(error, ModelError)
    assert error.code == "host_died"
