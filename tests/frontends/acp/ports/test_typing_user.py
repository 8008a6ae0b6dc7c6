"""Whatever a client of ACP gets wrong, and whenever the user types: no word of the user is lost.

The report is true, and the file keeps encoding, BOM and line ends.
"""

import asyncio
import random
import tempfile
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, assume, event, example, given, settings
from hypothesis import strategies as st

from acp_support.editor import AcpPeer, Quirks
from changes_support.approver import ScriptedApprover
from changes_support.desk import Desk, plan
from corpus_support import examples
from placet.core.errors import EditError
from placet.frontends.acp.ports import client_files, client_writes
from placet.text.encoding import decode, encode
from placet.text.lines import dominant_line_ending, to_lf
from placet.text.plan import PlannedFile

LINES = 8

flags = st.booleans()
unknown_clients = st.builds(
    Quirks,
    writes=st.sampled_from([True, True, True, False]),
    answers_reads=st.sampled_from([True, True, True, False]),
    reads_disk=flags,
    reads_raw=flags,
    drops_final_newline=flags,
    empty_for_missing=flags,
    opens=flags,
    write=st.sampled_from(["replace", "merge", "disk", "nothing"]),
    saves=flags,
    doubles_final_newline=flags,
    spoils=st.sampled_from(["", "lf", "cr", "bom", "encoding"]),
    answer=st.sampled_from(["result", "error", "none"]),
)
faults: Any = {
    "drops_final_newline": flags,
    "saves": flags,
    "doubles_final_newline": flags,
    "spoils": st.sampled_from(["", "lf", "cr"]),
    "answer": st.sampled_from(["result", "error", "none"]),
}
reviewing_clients = st.one_of(
    st.builds(Quirks, name=st.just("zed"), write=st.just("merge"), opens=st.just(True), **faults),
    st.builds(Quirks, name=st.just("agent-shell"), reads_raw=flags, **faults),
)
files = st.sampled_from(
    [("utf-8", False, "\n"), ("utf-8", False, "\r\n"), ("utf-8", True, "\r\n"), ("utf-16-le", True, "\n")]
)


class TypingUser:
    """Types lines of their own at any moment, and saves at some."""

    def __init__(self, peer: AcpPeer, path: Path, seed: int, chance: float, ending: str) -> None:
        self.peer, self.path, self.chance, self.ending = peer, path, chance, ending
        self.random = random.Random(seed)
        self.typed: list[str] = []
        self.has_saved = False
        self.has_saved_spoilt = False
        """Whether the user may have saved a buffer whose line ends and encoding a write of the client had spoilt."""

    def __call__(self) -> None:
        if self.path in self.peer.editor.buffers and self.random.random() < self.chance:
            self.type()
            if self.random.random() < 0.3:
                self.has_saved = True
                is_spoiling = self.peer.quirks.write == "disk" or bool(self.peer.quirks.spoils)
                self.has_saved_spoilt |= is_spoiling and bool(self.peer.written())
                self.peer.editor.save(self.path)

    def type(self) -> None:
        text = self.peer.editor.buffers[self.path].text
        lines = text.splitlines(keepends=True)
        at = self.random.randint(0, max(len(lines) - 1, 0))
        offset = sum(map(len, lines[:at]))
        word = f"user {len(self.typed)}"
        self.typed.append(word)
        self.peer.editor.edit(self.path, [(offset, offset, word + self.ending)])


@pytest.fixture(autouse=True, scope="module")
def quick() -> Any:
    """Waiting for what does not come is the same when it is short."""
    with (
        patch.object(client_files, "READ_SECONDS", 0.5),
        patch.object(client_files, "WRITE_SECONDS", 0.05),
        patch.object(client_writes, "SETTLE_SECONDS", 0.02),
        patch.object(client_writes, "LATE_LOOKS_SECONDS", (0.01,)),
    ):
        yield


@settings(max_examples=examples(100), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    quirks=st.one_of(unknown_clients, reviewing_clients),
    file=files,
    has_final_newline=flags,
    is_open=flags,
    is_dirty=flags,
    places=st.lists(st.integers(0, LINES - 1), min_size=1, max_size=3, unique=True),
    seed=st.integers(0, 2**32),
    chance=st.sampled_from([0.0, 0.05, 0.2, 0.5]),
)
@example(
    quirks=Quirks(name="agent-shell", saves=False, doubles_final_newline=True, answer="error"),
    file=("utf-8", False, "\n"),
    has_final_newline=True,
    is_open=True,
    is_dirty=False,
    places=[1],
    seed=3,
    chance=0.5,
)
@example(
    quirks=Quirks(reads_disk=True, opens=True, write="replace"),
    file=("utf-8", False, "\n"),
    has_final_newline=False,
    is_open=False,
    is_dirty=False,
    places=[0],
    seed=3123,
    chance=0.05,
)
def test_no_word_is_lost(
    quirks: Quirks,
    file: tuple[str, bool, str],
    has_final_newline: bool,
    is_open: bool,
    is_dirty: bool,
    places: list[int],
    seed: int,
    chance: float,
) -> None:
    assume(quirks.spoils != "bom" or file[0] == "utf-8")  # Without the BOM nobody can read the file any more.

    async def run(directory: str) -> None:
        encoding, bom, ending = file
        root = Path(directory).resolve()
        peer = AcpPeer(quirks, root)
        desk = Desk(root, approver=ScriptedApprover(), editor=peer.documents)  # type: ignore[arg-type]
        path = root / "a.txt"
        text = "".join(f"line {number}{ending}" for number in range(LINES))
        path.write_bytes(encode(text if has_final_newline else text.removesuffix(ending), encoding, bom))
        user = TypingUser(peer, path, seed, chance, ending)
        if is_open:
            peer.editor.open(path)
            if is_dirty:
                user.type()
        peer.user = desk.approver.meanwhile = user
        applied, account = await propose(desk, path, places)
        check(peer, user, file, places, applied=applied, account=account)
        event(f"applied: {applied}, through the client: {bool(peer.written())}")
        if applied:
            status = await undo(desk)
            words = check_words(peer, user, file)
            if quirks.reads_disk and user.typed:  # The client tells nothing of the buffer, which keeps what it shows.
                words = [] if user.has_saved else to_lf(decode(path.read_bytes()).text).split("\n")
            assert status != "restored" or not [word for word in words if word.startswith("agent")]
        await desk.database.close()

    with tempfile.TemporaryDirectory() as directory:
        asyncio.run(run(directory))


async def propose(desk: Desk, path: Path, places: list[int]) -> tuple[bool, str]:
    base = to_lf((await desk.changes.read(path)).text)
    wanted = base
    for place in places:
        wanted = wanted.replace(f"line {place}", f"agent {place}")
    try:
        return bool((await desk.changes.propose(plan(PlannedFile("modify", path, base, wanted)))).applied), ""
    except EditError as error:
        return False, str(error)


async def undo(desk: Desk) -> str:
    try:
        [status] = (await desk.undo()).values()
    except EditError as error:
        return str(error)
    return status


def on_screen(peer: AcpPeer, path: Path) -> str:
    peer.editor.look_at_disk()
    if path in peer.editor.buffers:
        return peer.editor.buffers[path].text
    return decode(path.read_bytes()).text


def check_words(peer: AcpPeer, user: TypingUser, file: tuple[str, bool, str]) -> list[str]:
    """The words on screen, after a look at everything that must never be lost."""
    encoding, bom, ending = file
    words = on_screen(peer, user.path).split("\n")
    words = [word.strip("\r") for word in words]
    assert sorted(word for word in words if word.startswith("user")) == sorted(user.typed), "lost or doubled"
    assert peer.editor.violations == []
    if user.has_saved_spoilt:
        return words
    disk = decode(user.path.read_bytes())
    assert (disk.encoding, disk.bom) == (encoding, bom)
    assert to_lf(disk.text).replace("\n", ending) == disk.text, "line ends"
    assert dominant_line_ending(disk.text) == ending
    return words


def check(
    peer: AcpPeer,
    user: TypingUser,
    file: tuple[str, bool, str],
    places: list[int],
    *,
    applied: bool,
    account: str,
) -> None:
    screen = check_words(peer, user, file)
    disk = to_lf(decode(user.path.read_bytes()).text).split("\n")
    ours = {f"agent {place}" for place in places}
    for words in (screen, disk):
        agents = [word for word in words if word.startswith("agent")]
        assert len(agents) == len(set(agents)), "doubled"
    if applied:
        assert ours <= set(screen) or ours <= set(disk), "told to be applied, and is not there"
    elif "COULD NOT BE PUT BACK" not in account and "NOT KNOWN" not in account:
        # A user may save the edit in the moment before the edit is taken back.
        assert not ours & {*screen, *(() if user.has_saved else disk)}, (
            f"told not to be applied, and is there: {account}"
        )
