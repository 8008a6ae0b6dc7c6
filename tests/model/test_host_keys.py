"""Where the host has its keys from, and that it keeps them to itself."""

import asyncio
import json
import os
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Literal

import psutil
import pytest
import pytest_asyncio

from corpus_support import corpus
from keyring_support import with_keyring
from model_support.asking import answer, failure, text_of
from model_support.hosts import THROUGH_LITELLM, package
from placet.auth.keys import KeyStore
from placet.model.client.host import ModelHost
from placet.model.host.stored_keys import StoredKeys
from placet.settings import ModelSettings, Settings
from time_support import wait_seconds
from wire_servers.answers import Raw, Status, StreamError, Text
from wire_servers.server import WireServer

pytestmark = pytest.mark.asyncio(loop_scope="session")

FIRST, SECOND = "gsk_" + "first0" * 6, "odd.key/of+another=kind"
MISSING = "groq/llama-3.3-70b-versatile"

Transport = Literal["auto", "compatible"]
OpenHost = Callable[..., ModelHost]


@asynccontextmanager
async def hosts_in(tmp_path: Path) -> AsyncIterator[OpenHost]:
    """A host without keys in its environment but those given."""
    opened: list[ModelHost] = []
    plain = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}

    def open_host(environment: dict[str, str] | None = None, **variables: str) -> ModelHost:
        made = {**(environment or plain), **variables}
        opened.append(ModelHost(environment=made, keys=tmp_path / "keys.json", log=tmp_path / "host.log"))
        return opened[-1]

    yield open_host
    for host in opened:
        await host.close()


@pytest_asyncio.fixture(loop_scope="session")
async def open_host(tmp_path: Path) -> AsyncIterator[OpenHost]:
    async with hosts_in(tmp_path) as open_host:
        yield open_host


def settings(server: WireServer, transport: Transport = "auto") -> Settings:
    return Settings(model_options=ModelSettings(api_base=server.openai_base, transport=transport))


async def used_key(host: ModelHost, server: WireServer) -> str:
    """The key that the next call is made with."""
    server.play([(Text("hi"),)])
    assert text_of(await answer(host.model(MISSING, settings(server)))) == "hi"
    return server.requests[-1].headers["authorization"].removeprefix("Bearer ")


async def test_a_key_that_is_kept_replaced_or_removed_counts_from_the_next_call_on(open_host, server, tmp_path: Path):
    host = open_host()
    store = KeyStore(tmp_path / "keys.json")
    _, error = await failure(host.model(MISSING, Settings()))
    assert error.code == "authentication"
    assert "placet auth set GROQ_API_KEY" in error.hint

    store.keep("GROQ_API_KEY", FIRST)
    assert await used_key(host, server) == FIRST
    store.keep("GROQ_API_KEY", SECOND)
    assert await used_key(host, server) == SECOND
    store.forget("GROQ_API_KEY")
    _, error = await failure(host.model(MISSING, Settings()))
    assert error.code == "authentication"


async def test_the_keyring_is_read_by_the_host(open_host, server: WireServer, tmp_path: Path):
    ring = tmp_path / "ring.json"
    ring.write_text(json.dumps({"placet/GROQ_API_KEY": SECOND}))
    (tmp_path / "keys.json").write_text('{"GROQ_API_KEY": {}}')

    assert await used_key(open_host(with_keyring(dict(os.environ), ring)), server) == SECOND


async def test_a_locked_keyring_is_a_line_in_the_log_and_not_the_end(open_host, tmp_path: Path):
    (tmp_path / "keys.json").write_text('{"GROQ_API_KEY": {}}')
    host = open_host(with_keyring(dict(os.environ), "locked"))

    _, error = await failure(host.model(MISSING, Settings()))

    assert error.code == "authentication"
    assert "no key GROQ_API_KEY: KeyringLocked" in (tmp_path / "host.log").read_text()


class SlowStore(KeyStore):
    """A store whose keyring answers when `gate` is set; `asked` is set when it is asked."""

    asked, gate = threading.Event(), threading.Event()

    def values(self) -> tuple[dict[str, str], dict[str, str]]:
        self.asked.set()
        self.gate.wait(wait_seconds())
        return {"SLOW_API_KEY": "the-key"}, {}


async def test_every_call_waits_for_a_keyring_that_is_being_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("SLOW_API_KEY", raising=False)
    (tmp_path / "keys.json").write_text("{}")
    store = SlowStore(tmp_path / "keys.json")
    keys = StoredKeys(store)

    first = asyncio.create_task(keys.refresh())
    await asyncio.to_thread(store.asked.wait, wait_seconds())
    second = asyncio.create_task(keys.refresh())
    await asyncio.wait([second], timeout=0.05)  # There is no event for a call that goes on waiting.
    assert not second.done()
    store.gate.set()
    await asyncio.gather(first, second)

    assert os.environ.pop("SLOW_API_KEY") == "the-key"


async def test_the_environment_wins(open_host, server: WireServer, tmp_path: Path):
    KeyStore(tmp_path / "keys.json").keep("GROQ_API_KEY", FIRST)

    assert await used_key(open_host(GROQ_API_KEY=SECOND), server) == SECOND


UNSENDABLE = "gsk_third0third0\nfourth0fourth0"
KEYS = {"groq/x": FIRST, "deepseek/x": SECOND, "cerebras/x": UNSENDABLE}
"""Models whose providers have keys of three kinds: one that is shaped as keys are, an odd one, and one with a line."""


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def with_keys(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[tuple[ModelHost, Path]]:
    """A host which knows the keys, and its log."""
    directory = tmp_path_factory.mktemp("with-keys")
    async with hosts_in(directory) as open_host:
        variables = {f"{model.partition('/')[0].upper()}_API_KEY": key for model, key in KEYS.items()}
        yield open_host(**variables), directory / "host.log"


@corpus("transport", ["auto", "compatible"], server=WireServer)
@corpus("model", ["groq/x", "deepseek/x"])
async def test_an_error_that_echoes_the_key_is_told_without_it(
    with_keys: tuple[ModelHost, Path], server: WireServer, model: str, transport: Transport
):
    (host, log), key = with_keys, KEYS[model]
    opened = host.model(model, settings(server, transport))
    long = "x" * 280
    faults = [
        Status(401, f"Incorrect API key provided: {key}."),
        Status(400, f"{long} {key} in a message that is cut short"),
        Status(500, f"at https://host/?key={key}"),
        StreamError("api_error", f"key {key} was revoked"),
    ]
    server.play([(fault,) for fault in faults] + [(Raw({"error": {"message": f"key {key}", "code": 500}}),)])

    for _ in range(5):
        _, error = await failure(opened)
        assert key[:10] not in f"{error} {error.hint} {error!r}"
    assert len(server.requests) == 5
    assert key not in log.read_text()


@corpus("transport", ["auto", "compatible"], server=WireServer)
async def test_a_key_that_no_header_can_hold_is_not_told(
    with_keys: tuple[ModelHost, Path], server: WireServer, transport: Transport
):
    host, log = with_keys

    _, error = await failure(host.model("cerebras/x", settings(server, transport)))

    assert server.requests == []
    told = f"{error} {error.hint} {error!r} {log.read_text()}"
    assert "third0" not in told
    assert "fourth0" not in told


async def test_a_crash_in_a_call_is_logged_without_keys(open_host, server: WireServer, tmp_path: Path):
    crash = """
import os
def on_start(*_):
    raise RuntimeError("with " + os.environ["GROQ_API_KEY"])
class HttpResponseParser:
    feed_data = get_status_code = should_keep_alive = on_start
    def __init__(self, protocol):
        self.key = os.environ["GROQ_API_KEY"]
class HttpParserError(Exception): ...
class HttpParserUpgrade(Exception): ...
"""
    host = open_host(package(tmp_path, "httptools", crash), GROQ_API_KEY=SECOND)
    server.play([(Text("hi"),)])

    _, error = await failure(host.model(MISSING, settings(server)))

    log = (tmp_path / "host.log").read_text()
    assert "RuntimeError: with [key]" in log
    assert SECOND not in f"{log} {error} {error!r}"


async def test_what_libraries_print_is_logged_without_keys(open_host, tmp_path: Path):
    noise = """
import os, sys
print("on stdout:", os.environ["GROQ_API_KEY"])
print("on stderr:", os.environ["GROQ_API_KEY"], file=sys.stderr)
raise RuntimeError("with " + os.environ["GROQ_API_KEY"])
"""
    host = open_host(package(tmp_path, "litellm", noise), GROQ_API_KEY=SECOND)

    _, error = await failure(host.model(MISSING, THROUGH_LITELLM))

    log = (tmp_path / "host.log").read_text()
    assert "on stdout: [key]" in log
    assert "on stderr: [key]" in log
    assert "with [key]" in f"{error}"
    assert SECOND not in f"{log} {error} {error.hint} {error!r}"


@pytest.mark.skipif(sys.platform != "linux", reason="/proc")
async def test_nothing_in_proc_shows_the_keys_and_no_core_file_can(open_host, server: WireServer, tmp_path: Path):
    KeyStore(tmp_path / "keys.json").keep("OPENAI_API_KEY", FIRST)
    host = open_host(GROQ_API_KEY=SECOND)
    assert await used_key(host, server) == SECOND
    directory = Path(f"/proc/{host.process_id}")

    shown = b"".join((directory / name).read_bytes() for name in ("environ", "cmdline", "auxv"))
    assert b"PATH=" in shown, "the test may read it"
    assert FIRST.encode() not in shown
    assert SECOND.encode() not in shown
    assert psutil.Process(host.process_id).rlimit(psutil.RLIMIT_CORE) == (0, 0)
    command = [*UNPRIVILEGED, "cat", str(directory / "mem"), str(directory / "environ")]
    looking = await asyncio.to_thread(subprocess.run, command, capture_output=True, check=False, timeout=wait_seconds())
    assert looking.stderr.count(b"Permission denied") == 2


UNPRIVILEGED = ("setpriv", "--inh-caps=-all", "--bounding-set=-all") if os.name != "nt" and os.geteuid() == 0 else ()
"""Before a command: the same user without root's powers, as which an ordinary user's processes stand to each other."""
