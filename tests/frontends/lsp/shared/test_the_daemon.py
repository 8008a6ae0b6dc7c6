"""The daemon that editors share: who may come, which of several it is, and when it ends."""

import asyncio
import os
import signal
import stat
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from fake_editor.client import DaemonEditor
from fake_editor.profiles import VSCODE
from fork_support import ForkedProcess, start_forked
from listen_support import Home, home, until_gone
from placet import __version__
from placet.frontends.lsp.shared import endpoint_address
from time_support import limited

OTHER_VERSION = "import sys, placet; placet.__version__ = '0.0.1'; from placet.__main__ import main; sys.exit(main({}))"
HELLO = endpoint_address.Greeting(__version__, "", "/").line()
INITIALIZE = (
    b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"processId":null,"rootUri":null,"capabilities":{}}}'
)


@asynccontextmanager
async def daemon_of(place: Home, *arguments: str, program: str = "") -> AsyncIterator[Process | ForkedProcess]:
    """A daemon that was started by hand, once it listens; with `program` the daemon of another Python."""
    process: Process | ForkedProcess
    if program:
        words = (sys.executable, "-c", program.format(["--listen", *arguments]))
        process = await asyncio.create_subprocess_exec(*words, env=place.environment, stdout=PIPE)
        assert process.stdout is not None
    else:
        process = await start_forked(["--listen", *arguments], Path.cwd(), place.environment, has_input=False)
    try:
        assert b"listening" in await process.stdout.readline()
        yield process
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


async def pid_of(desk: DaemonEditor) -> int:
    return (await desk.request("agent/status", {}))["pid"]


async def exchanged(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, said: bytes) -> bytes:
    """The line that is answered; nothing when the other side closes."""
    writer.write(said)
    async with limited(lambda: f"an answer of the daemon to {said}"):
        return await reader.readline()


async def left(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Leave, and wait until the daemon has put this editor away and closes as well."""
    writer.write_eof()
    async with limited(lambda: "the end of the connection"):
        assert await reader.read() == b""
    writer.close()
    await writer.wait_closed()


async def test_the_socket_is_the_users_alone_and_speaks_lsp_with_and_without_a_greeting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with home(tmp_path) as place, daemon_of(place):
        at = place.place / "socket"
        assert stat.S_IMODE(at.stat().st_mode) == 0o600
        assert stat.S_IMODE(place.place.stat().st_mode) == 0o700
        monkeypatch.chdir(place.place)  # The name of a socket is short.
        framed = b"Content-Length: %d\r\n\r\n%b" % (len(INITIALIZE), INITIALIZE)
        for greeting in (b"", HELLO):
            reader, writer = await asyncio.open_unix_connection("socket")
            if greeting:
                assert await exchanged(reader, writer, greeting) == endpoint_address.answer_line("welcome", __version__)
            assert (await exchanged(reader, writer, framed)).startswith(b"Content-Length: ")
            writer.close()
            await writer.wait_closed()


async def test_on_the_machines_network_nobody_comes_in_without_the_token(tmp_path: Path) -> None:
    async with home(tmp_path) as place, daemon_of(place, "loopback"):
        address = place.place / "address"
        assert stat.S_IMODE(address.stat().st_mode) == 0o600
        found = endpoint_address.read_address(str(place.place))
        assert found is not None
        port, token = found
        for wrong in (HELLO, endpoint_address.Greeting(__version__, token[:-1], "/").line()):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            assert await exchanged(reader, writer, wrong) == endpoint_address.answer_line("refused", "-")
            assert await reader.read() == b""
            writer.close()
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        assert await exchanged(reader, writer, b"Content-Length: 2\r\n\r\n{}") == b""
        writer.close()
        async with place.editor(VSCODE) as desk:
            assert await pid_of(desk) == place.daemon_pid()


async def test_the_socket_of_a_daemon_that_was_killed_is_taken_over(tmp_path: Path) -> None:
    async with home(tmp_path) as place:
        async with place.editor(VSCODE) as desk:
            dead = await pid_of(desk)
            os.kill(dead, signal.SIGKILL)
            assert await desk.process.wait() == 1, "the editor sees that its server is gone"
        assert (place.place / "socket").exists()
        async with place.editor(VSCODE) as one, place.editor(VSCODE) as two:
            assert dead != await pid_of(one) == await pid_of(two)


async def test_of_daemons_begun_at_once_one_listens(tmp_path: Path) -> None:
    async with home(tmp_path) as place:
        started = [await start_forked(["--listen"], Path.cwd(), place.environment, has_input=False) for _ in range(3)]
        said = [await process.stdout.readline() for process in started]
        assert sorted(line.split()[1] for line in said) == [b"another", b"another", b"listening"]
        await place.end()
        assert [await process.wait() for process in started] == [0, 0, 0]


async def test_a_daemon_of_another_version_is_replaced_once_it_is_idle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with home(tmp_path) as place, daemon_of(place, program=OTHER_VERSION) as other:
        monkeypatch.chdir(place.place)
        reader, writer = await asyncio.open_unix_connection("socket")
        welcome = endpoint_address.answer_line("welcome", "0.0.1")
        assert await exchanged(reader, writer, endpoint_address.Greeting("0.0.1").line()) == welcome
        async with place.editor(VSCODE) as desk:
            assert await pid_of(desk) == desk.process.pid, "it has a daemon of its own"
        assert other.returncode is None
        await left(reader, writer)
        async with place.editor(VSCODE) as desk:
            assert await pid_of(desk) not in (desk.process.pid, other.pid)
        assert await other.wait() == 0


async def test_it_ends_when_nobody_has_been_there_for_long_enough(tmp_path: Path) -> None:
    go = tmp_path / "go"
    async with home(tmp_path, [{"wait_for_file": str(go)}, {"text": "Done."}], idleSeconds=0.3) as place:
        async with place.editor(VSCODE) as desk:
            session_id = await desk.new_session()
            desk.begin_prompt(session_id, "go")
            await desk.editor.wait_until(lambda: bool(desk.updates("turn_started")))
            pid = await pid_of(desk)
        async with place.editor(VSCODE) as desk:
            assert await pid_of(desk) == pid, "a turn was running"
            go.touch()
            await desk.editor.wait_until(lambda: bool(desk.updates("turn_ended")))
        await until_gone(pid)
        assert not (place.place / "socket").exists()


async def test_a_directory_that_others_can_write_is_not_used(tmp_path: Path) -> None:
    async with home(tmp_path) as place:
        place.place.mkdir(parents=True)
        place.place.chmod(0o777)
        async with place.editor(VSCODE) as desk:
            assert await pid_of(desk) == desk.process.pid
