"""Files of local models: found where other programs keep them, checked by their sum, fetched, added and removed."""

import asyncio
import hashlib
import os
import shutil
import socket
import sys
import threading
from collections.abc import Generator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace

import pytest
from filelock import FileLock

from corpus_support import corpus
from fork_support.completed import run_forked
from model_support.local_engine import MODEL as CATALOGED
from model_support.local_engine import Machine
from placet.core.values import replace
from placet.model.local import fetch as fetching
from placet.model.local.catalog import MODELS, LocalModel
from placet.model.local.fetch import add_file, fetch
from placet.model.local.files import LocalFiles, LocalModelError

DATA = bytes(range(256)) * 4096
MODEL = replace(CATALOGED, size_bytes=len(DATA), sha256=hashlib.sha256(DATA).hexdigest())
OTHER = DATA[::-1]


def nothing(_: int) -> None: ...


@pytest.fixture
def files(tmp_path: Path) -> LocalFiles:
    return LocalFiles(tmp_path / "data/models", {}, tmp_path)


def put(path: Path, data: bytes = DATA) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


# ---------------------------------------------------------------- files that are there


@corpus(
    ("place", "variables", "program"),
    [
        (f".ollama/models/blobs/sha256-{MODEL.sha256}", {}, "Ollama"),
        (f"elsewhere/blobs/sha256-{MODEL.sha256}", {"OLLAMA_MODELS": "elsewhere"}, "Ollama"),
        (".lmstudio/models/Qwen/Coder-GGUF/coder-q4_k_m.gguf", {}, "LM Studio"),
        (".cache/lm-studio/models/Qwen/Coder-GGUF/coder-q4_k_m.GGUF", {}, "LM Studio"),
        (f".cache/huggingface/hub/models--Qwen--Coder/blobs/{MODEL.sha256}", {}, "Hugging Face"),
        (f"hf/hub/models--Qwen--Coder/blobs/{MODEL.sha256}", {"HF_HOME": "hf"}, "Hugging Face"),
        (f"hub/models--Qwen--Coder/blobs/{MODEL.sha256}", {"HF_HUB_CACHE": "hub"}, "Hugging Face"),
        (f"xdg/huggingface/hub/models--Q--C/blobs/{MODEL.sha256}", {"XDG_CACHE_HOME": "xdg"}, "Hugging Face"),
    ],
)
def test_a_file_of_another_program_is_used_where_it_is(
    tmp_path: Path, place: str, variables: dict[str, str], program: str
):
    path = put(tmp_path / place)
    environment = {name: str(tmp_path / value) for name, value in variables.items()}
    files = LocalFiles(tmp_path / "data/models", environment, tmp_path)
    found = files.checked(MODEL)
    assert found is not None
    assert (found.path, found.program, found.is_own) == (path, program, False)
    assert not files.own_path(MODEL).exists()


def test_a_file_with_the_right_size_and_name_and_another_sum_is_passed_over(tmp_path: Path, files: LocalFiles):
    put(tmp_path / f".ollama/models/blobs/sha256-{MODEL.sha256}", OTHER)
    right = put(tmp_path / ".lmstudio/models/Qwen/Coder-GGUF/coder.gguf")
    found = files.checked(MODEL)
    assert found is not None
    assert found.path == right


def test_a_file_of_another_size_is_not_read(tmp_path: Path, files: LocalFiles):
    put(tmp_path / ".lmstudio/models/Qwen/Coder-GGUF/coder.gguf", DATA + b"x")
    assert files.find(MODEL) is None


def test_a_file_is_read_again_only_after_a_change(files: LocalFiles):
    read: list[int] = []
    path = put(files.own_path(MODEL))
    assert files.needs_reading(MODEL)
    files.checked(MODEL, read.append)
    assert read
    assert not files.needs_reading(MODEL)
    read.clear()
    LocalFiles(files.directory, {}, files.directory).checked(MODEL, read.append)
    assert read == []
    path.write_bytes(OTHER)
    with pytest.raises(LocalModelError, match="its sum is wrong") as wrong:
        files.checked(MODEL, read.append)
    assert read
    assert "placet models remove" in wrong.value.hint


@pytest.mark.skipif(sys.platform == "win32", reason="modes")
def test_fetched_files_are_the_users_alone(files: LocalFiles):
    os.close(files.open_part(MODEL))
    assert files.directory.stat().st_mode & 0o777 == 0o700
    assert files.part_path(MODEL).stat().st_mode & 0o777 == 0o600


@pytest.mark.skipif(sys.platform == "win32", reason="links")
def test_a_link_in_the_place_of_the_part_is_not_followed(tmp_path: Path, files: LocalFiles):
    target = put(tmp_path / "mine", b"mine")
    files.make_directory()
    files.part_path(MODEL).symlink_to(target)
    with pytest.raises(OSError, match="symbolic link"):
        files.open_part(MODEL)
    assert target.read_bytes() == b"mine"


def test_a_removed_model_is_gone_with_its_part_and_files_of_others_stay(tmp_path: Path, files: LocalFiles):
    others = put(tmp_path / ".lmstudio/models/Qwen/Coder-GGUF/coder.gguf")
    put(files.own_path(MODEL))
    put(files.part_path(MODEL))
    assert files.remove(MODEL)
    assert not files.own_path(MODEL).exists()
    assert not files.part_path(MODEL).exists()
    assert others.exists()
    assert not files.remove(MODEL)


# ---------------------------------------------------------------- files of the user


def test_a_file_of_the_user_is_linked_or_copied(tmp_path: Path, files: LocalFiles, monkeypatch: pytest.MonkeyPatch):
    source = put(tmp_path / "download/coder.gguf")
    own = add_file(MODEL, files, source, nothing)
    assert own.samefile(source)
    files.remove(MODEL)

    def no_links(*_: object) -> None:
        raise OSError

    monkeypatch.setattr(os, "link", no_links)
    own = add_file(MODEL, files, source, nothing)
    assert not own.samefile(source)
    assert own.read_bytes() == source.read_bytes() == DATA
    assert add_file(MODEL, files, own, nothing) == own


@corpus(
    ("data", "words"),
    [(OTHER, "its SHA-256 is not"), (DATA[:-1], "it has 1,048,575 bytes, not 1,048,576"), (None, "There is no file")],
)
def test_another_file_of_the_user_is_refused_and_stays(tmp_path: Path, data: bytes | None, words: str):
    files = LocalFiles(tmp_path / "data/models", {}, tmp_path)
    source = tmp_path / "coder.gguf"
    if data is not None:
        put(source, data)
    with pytest.raises(LocalModelError, match=words):
        add_file(MODEL, files, source, nothing)
    assert source.exists() == (data is not None)
    assert not files.own_path(MODEL).exists()


# ---------------------------------------------------------------- the network


class FileServer(ThreadingHTTPServer):
    """Server of one file; `breaks` holds the number of bytes after which each answer breaks off."""

    daemon_threads = True

    def __init__(self, data: bytes) -> None:
        super().__init__(("127.0.0.1", 0), _FileHandler)
        self.data = data
        self.knows_ranges = True
        self.breaks: list[int] = []
        self.status = 200
        self.ranges: list[str | None] = []
        self.address = f"http://127.0.0.1:{self.server_port}/model.gguf"


class _FileHandler(BaseHTTPRequestHandler):
    server: FileServer  # pyright: ignore[reportIncompatibleVariableOverride]

    def log_message(self, format: str, *args: object) -> None: ...

    def do_GET(self) -> None:
        server = self.server
        asked = self.headers.get("range")
        server.ranges.append(asked)
        if server.status != 200:
            self.send_response(server.status)
            self.end_headers()
            return
        start = int(asked.removeprefix("bytes=").removesuffix("-")) if asked and server.knows_ranges else 0
        self.send_response(206 if start else 200)
        self.send_header("content-length", str(len(server.data) - start))
        if start:
            self.send_header("content-range", f"bytes {start}-{len(server.data) - 1}/{len(server.data)}")
        self.end_headers()
        end = start + server.breaks.pop(0) if server.breaks else None
        self.wfile.write(server.data[start:end])


@pytest.fixture
def server() -> Generator[FileServer]:
    server = FileServer(DATA)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def fetched(files: LocalFiles, address: str, model: LocalModel = MODEL) -> tuple[Path, list[int]]:
    done: list[int] = []
    return fetch(model, files, address, done.append, pause=lambda _: None), done


def test_a_file_is_fetched_whole_with_its_progress(files: LocalFiles, server: FileServer):
    path, done = fetched(files, server.address)
    assert path.read_bytes() == DATA
    assert done == sorted(done)
    assert done[-1] == len(DATA)
    assert not files.part_path(MODEL).exists()
    assert not files.needs_reading(MODEL)


def test_a_broken_fetch_goes_on_where_it_broke_off(files: LocalFiles, server: FileServer):
    server.breaks = [300_000, 100_000]
    path, _ = fetched(files, server.address)
    assert path.read_bytes() == DATA
    assert server.ranges == [None, "bytes=300000-", "bytes=400000-"]


def test_a_fetch_of_another_process_is_gone_on_with(files: LocalFiles, server: FileServer):
    files.make_directory()
    put(files.part_path(MODEL), DATA[:500_000])
    path, _ = fetched(files, server.address)
    assert path.read_bytes() == DATA
    assert server.ranges == ["bytes=500000-"]


def test_a_server_without_ranges_begins_again(files: LocalFiles, server: FileServer):
    server.breaks, server.knows_ranges = [300_000], False
    path, _ = fetched(files, server.address)
    assert path.read_bytes() == DATA


def test_a_server_that_sends_nothing_more_is_given_up_and_the_part_stays(files: LocalFiles, server: FileServer):
    server.breaks = [300_000, *([0] * 50)]
    with pytest.raises(LocalModelError, match="cannot be fetched") as given_up:
        fetched(files, server.address)
    assert len(server.ranges) == 5
    assert "goes on after" in given_up.value.hint
    assert files.part_path(MODEL).read_bytes() == DATA[:300_000]


def test_a_wrong_file_is_removed_and_a_later_fetch_begins_anew(files: LocalFiles, server: FileServer):
    server.data = OTHER
    with pytest.raises(LocalModelError, match="its SHA-256 is"):
        fetched(files, server.address)
    assert sorted(path.name for path in files.directory.iterdir() if path.suffix != ".lock") == []
    server.data = DATA
    assert fetched(files, server.address)[0].read_bytes() == DATA


@corpus(("data", "words"), [(DATA + b"x", "it has 1,048,577 bytes"), (DATA[1:], "it has 1,048,575 bytes")])
def test_a_file_of_another_size_is_not_fetched(tmp_path: Path, data: bytes, words: str):
    files, server = LocalFiles(tmp_path / "models", {}, tmp_path), FileServer(data)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with pytest.raises(LocalModelError, match=words):
        fetched(files, server.address)
    server.shutdown()
    server.server_close()
    assert not files.own_path(MODEL).exists()


def test_an_answer_of_another_kind_is_told(files: LocalFiles, server: FileServer):
    server.status = 404
    with pytest.raises(LocalModelError, match="status 404") as told:
        fetched(files, server.address)
    assert "--from" in told.value.hint


def test_without_a_network_the_reason_is_told(files: LocalFiles):
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        with pytest.raises(LocalModelError, match=r"cannot be fetched: .*[Cc]onnect"):
            fetched(files, f"http://127.0.0.1:{nobody.getsockname()[1]}/m")


def test_without_room_nothing_is_fetched(files: LocalFiles, server: FileServer, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=len(DATA)))
    with pytest.raises(LocalModelError, match="too little room"):
        fetched(files, server.address)
    assert server.ranges == []


@pytest.mark.skipif(sys.platform == "win32", reason="a limit of files")
def test_a_disk_that_fills_up_is_told_and_the_part_stays(files: LocalFiles, server: FileServer):
    import resource

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (600_000, before[1]))
    try:
        with pytest.raises(LocalModelError, match="no room left"):
            fetched(files, server.address)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert fetched(files, server.address)[0].read_bytes() == DATA
    assert server.ranges[1] is not None


def test_two_processes_do_not_fetch_the_same_file(files: LocalFiles, server: FileServer):
    files.make_directory()
    with (
        FileLock(f"{files.part_path(MODEL)}.lock"),
        pytest.raises(LocalModelError, match="Another process of Placet is fetching"),
    ):
        fetched(files, server.address)


def test_the_catalog_names_addresses_with_tls_and_sums():
    assert fetching.__doc__
    for model in MODELS:
        assert model.address.startswith("https://")
        assert model.license_address.startswith("https://")
        assert len(bytes.fromhex(model.sha256)) == 32


# ---------------------------------------------------------------- the command


async def placet(machine: Machine, *arguments: str) -> tuple[int, str, str]:
    environment = {**machine.environment, "PYTHONPATH": ""}
    for name in ("CONFIG", "DATA", "STATE"):
        environment[f"XDG_{name}_HOME"] = str(machine.home / name.lower())
    done = await asyncio.to_thread(run_forked, "models", *arguments, directory=machine.home, environment=environment)
    return done.returncode, done.stdout, done.stderr


async def test_nothing_is_fetched_without_an_agreement_and_size_and_license_are_shown(tmp_path: Path):
    code, out, problems = await placet(Machine(tmp_path), "pull", CATALOGED.name)
    assert code == 4
    assert "1.1 GB" in out
    assert "Apache-2.0, https://" in out
    assert CATALOGED.abilities in out
    assert "`--yes` agrees" in problems
    assert not (tmp_path / "data/placet/models").exists()


async def test_a_wrong_name_and_a_wrong_file_are_told(tmp_path: Path):
    machine = Machine(tmp_path)
    code, _, problems = await placet(machine, "pull", "qwen2.5-coder-15b")
    assert (code, "did you mean `qwen2.5-coder-1.5b`?" in problems) == (2, True)
    put(tmp_path / "small.gguf", b"GGUF")
    code, _, problems = await placet(machine, "pull", CATALOGED.full_name, "--from", "small.gguf")
    assert (code, "it has 4 bytes, not 1,117,320,768" in problems) == (1, True)


async def test_the_list_says_where_the_file_is_and_remove_removes_it(tmp_path: Path):
    machine = Machine(tmp_path)
    code, out, problems = await placet(machine, "--local")
    assert code == 0
    assert "not on this machine" in out
    assert f"`placet models pull {CATALOGED.name}`" in problems
    assert 'pip install "placet[local]"' in problems
    machine.models = tmp_path / "data/placet/models"
    path = machine.put_file()
    _, out, _ = await placet(machine, "list", "--local")
    assert f"Placet: {path}" in out
    _, out, _ = await placet(machine, "pull", CATALOGED.name)
    assert f"is on this machine already: {path}" in out
    code, out, _ = await placet(machine, "remove", CATALOGED.name)
    assert (code, path.exists()) == (0, False)
