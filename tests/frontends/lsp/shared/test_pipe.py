"""The pipe to a shared daemon: what it imports, what it reads of the settings, and where it looks."""

import asyncio
import json
import os
import re
import socket
import sys
import threading
from pathlib import Path

import platformdirs.macos
import platformdirs.unix
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus_support import corpus
from fake_editor.profiles import VSCODE
from listen_support import home
from placet.frontends.lsp import start
from placet.frontends.lsp.shared import endpoint_address, proxy
from placet.settings import jsonc

NAMES = st.sampled_from(["daemon", "shared", "other", 'a "quoted" \\ one', "// no comment", "{"])
VALUES = st.recursive(
    st.booleans() | st.none() | st.integers() | NAMES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=12,
)
NOISE = st.sampled_from(["", " ", "\n", '// a comment: "daemon": {"shared": true}\n', '/* { " */'])


async def test_it_imports_nothing_but_the_standard_library_and_little_of_that(tmp_path: Path) -> None:
    async with home(tmp_path) as place, place.editor(VSCODE):
        command = [sys.executable, "-X", "importtime", "-m", "placet", "--stdio"]
        told = await what_it_tells(command, place.environment)
    loaded = imported(told) - imported(await what_it_tells([sys.executable, "-X", "importtime", "-c", ""], {}))
    ours = {name for name in loaded if name.partition(".")[0] == "placet"}
    packages = {"placet", "placet.frontends", "placet.frontends.lsp", "placet.frontends.lsp.shared"}
    assert ours == {*packages, start.__name__, proxy.__name__, endpoint_address.__name__}
    assert {name.partition(".")[0] for name in loaded - ours} <= sys.stdlib_module_names
    assert loaded & {"json", "re", "socket", "threading", "argparse", "pathlib", "typing", "subprocess"} == set()


async def what_it_tells(command: list[str], environment: dict[str, str]) -> str:
    """On stderr, in front of an editor that has nothing to say."""
    nothing, told = asyncio.subprocess.DEVNULL, asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        *command, stdin=nothing, stdout=nothing, stderr=told, env={**os.environ, **environment}
    )
    return (await process.communicate())[1].decode()


def imported(told: str) -> set[str]:
    return set(re.findall(r"^import time:\s+\d+ \|\s+\d+ \|\s+(\S+)$", told, re.MULTILINE))


@given(st.dictionaries(NAMES, VALUES, max_size=4), st.data())
def test_it_reads_the_setting_as_who_reads_all_settings(settings: dict[str, object], data: st.DataObject) -> None:
    text = "".join(piece + data.draw(NOISE) for piece in json.JSONEncoder().iterencode(settings))
    section = jsonc.parse(text).get("daemon")
    shared = section.get("shared") if isinstance(section, dict) else None
    assert proxy.shared_in(text) is (shared is True)
    assert proxy.shared_in(text, otherwise=True) is (shared is not False)


@corpus(
    ("files", "wanted"),
    [
        ({}, False),
        ({"placet.json": '{"daemon": {"shared": true}}'}, True),
        ({"placet.json": '{"daemon": {"shared": true}}', "placet.jsonc": '{"daemon": {"shared": false}} // no'}, False),
        ({"placet.json": '{"daemon": {"shared": true}}', "placet.jsonc": '{"daemon": {"idleSeconds": 3}}'}, True),
        ({"placet.json": '{"mcp": {"daemon": {"shared": true}}, "daemon": ['}, False),
    ],
)
def test_of_two_files_of_settings_the_later_outweighs(tmp_path: Path, files: dict[str, str], wanted: bool) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    assert proxy.shares_daemon(str(tmp_path)) is wanted


@corpus(
    "environment",
    [
        {},
        {"XDG_DATA_HOME": "/data", "XDG_CONFIG_HOME": "/config"},
        {"XDG_DATA_HOME": "no/root", "XDG_CONFIG_HOME": " "},
    ],
)
@corpus(("platform", "directories"), [("linux", platformdirs.unix.Unix), ("darwin", platformdirs.macos.MacOS)])
def test_it_looks_where_all_of_placet_does(
    platform: str,
    directories: type[platformdirs.PlatformDirsABC],
    environment: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    usual = directories("placet", appauthor=False)
    assert endpoint_address.meeting_place(platform=platform) == str(Path(usual.user_data_dir) / "daemon")
    assert endpoint_address.config_directory(platform=platform) == usual.user_config_dir


def test_without_a_home_there_is_no_place_below_the_working_directory(monkeypatch):
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)
    with pytest.raises(endpoint_address.Unsafe, match="set HOME"):
        endpoint_address.meeting_place({}, "linux")


def test_on_windows_it_looks_in_the_local_application_data() -> None:
    place = endpoint_address.meeting_place({"LOCALAPPDATA": "C:/Users/me/Local"}, "win32")
    assert Path(place) == Path("C:/Users/me/Local/placet/daemon")


@corpus(
    ("said", "code"),
    [
        ([b'{"jsonrpc": "2.0", "id": 1, "method": "shutdown"}'], 0),
        ([b'{"method":"shut', b'down"}'], 0),
        ([b'{"method" : "', b'shutdown" }', b"more" * 100], 0),
        ([b'{"method": "x", "params": {"text": "\\"method\\": \\"shutdown\\""}}'], 1),
        ([b'{"method":"exit"}'], 1),
    ],
)
def test_its_exit_code_says_whether_the_editor_had_said_shutdown(said: list[bytes], code: int) -> None:
    ours, daemons = socket.socketpair()
    read, editor = os.pipe()
    screen, write = os.pipe()
    whole = b"".join(said)
    daemons.sendall(b"x" * 1000)

    def daemon() -> None:
        heard = b""
        while len(heard) < len(whole):
            heard += daemons.recv(1 << 16)
        assert heard == whole
        daemons.close()

    serving = threading.Thread(target=daemon)
    serving.start()
    for piece in said:
        os.write(editor, piece)
    assert proxy.carry(ours, read, write) == code
    serving.join()
    assert os.read(screen, 2000) == b"x" * 1000
    os.close(editor)
    for end in (screen, write):
        os.close(end)
    ours.close()


def test_a_greeting_says_who_comes_and_whatever_the_directory_is_called() -> None:
    for directory in ("", "/home/me/a b\n", "/\udcff"):
        greeting = endpoint_address.Greeting("1.2.3", "", directory)
        assert endpoint_address.Greeting.may_begin(greeting.line()[:5])
        read = endpoint_address.Greeting.read(greeting.line())
        assert read is not None
        assert (read.version, read.token, read.directory) == ("1.2.3", "", directory)
    assert not endpoint_address.Greeting.may_begin(b"Content-Length: 2")
    assert endpoint_address.Greeting.read(b"placet-pipe 1 1.2.3 - zz") is None
    assert endpoint_address.read_answer(endpoint_address.answer_line("busy", "2.0")) == ("busy", "2.0")
    assert endpoint_address.read_answer(b"HTTP/1.1 400 Bad Request") == ("?", "")


def test_a_socket_is_found_however_long_its_name_is(tmp_path: Path) -> None:
    place = tmp_path / ("long" * 30) / "daemon"
    place.mkdir(parents=True, mode=0o700)
    listening = socket.socket(socket.AF_UNIX)
    here = Path.cwd()
    endpoint_address.near(str(place / "socket"), listening.bind)
    (place / "socket").chmod(0o600)
    listening.listen()
    assert Path.cwd() == here
    found = endpoint_address.connected(str(place))
    assert found is not None
    found[0].close()
    (place / "socket").chmod(0o660)
    with pytest.raises(endpoint_address.Unsafe, match="not yours alone"):
        endpoint_address.connected(str(place))
    listening.close()
    assert endpoint_address.connected(str(tmp_path)) is None
