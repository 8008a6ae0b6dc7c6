"""Neovim with the plugin, Emacs with eglot and no plugin, and `placet run`, on one session at once."""

import json
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from editor_support.emacs import EGLOT, LIBRARY, emacs_command
from editor_support.place import Place, make_place
from fork_support import placet_command
from neovim_support.daemon import current_session, page, wait_for_page, wait_for_session
from neovim_support.editor import Editor, open_editor
from placet.frontends.terminal.setup.editor_texts import EMACS
from time_support import wait_seconds

pytestmark = pytest.mark.skipif(
    shutil.which("emacs") is None or not EGLOT, reason="needs Emacs with eglot (Debian: emacs-nox elpa-eglot)"
)

BASE = "one\nold\nthree\n"
READ = {"call": "read", "arguments": {"filePath": "a.txt"}}
EDIT = {"call": "edit", "arguments": {"filePath": "a.txt", "oldString": "old", "newString": "new"}}
JOURNEY = r"""
(find-file "a.txt")
(apply #'eglot (eglot--guess-contact))
(test-wait "connected" #'eglot-current-server)
(test-wait "the session" (lambda () (file-exists-p "../session")))
(placet 'placet.sessions (string-trim (test-text "../session")))
(test-wait "the session here" (lambda () (test-said-p "continues the session")))
(write-region "" nil "../joined")
(test-wait "the ask" (lambda () (test-said-p "still waits for your answer")))
(placet 'placet.answer "once")
(test-wait "the answer" (lambda () (test-said-p "Allowed")))
(test-wait "the end" (lambda () (file-exists-p "../over")))
(placet 'placet.answer "once")
(test-wait "nothing waits" (lambda () (test-said-p "No request waits")))
(test-note 'buffer (buffer-string))
(test-note 'asked (length test-asked))
(with-temp-file "../seen.json" (insert (json-encode test-seen)))
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    joined = {"wait_for_file": str(tmp_path / "joined")}
    place = make_place(tmp_path, [READ], [joined, EDIT], [{"text": "Done in the editor."}])
    settings = place.home / ".config" / "placet" / "placet.json"
    settings.write_text(
        json.dumps({**json.loads(settings.read_text()), "daemon": {"shared": True, "idleSeconds": 0.2}})
    )
    (place.project / "a.txt").write_text(BASE)
    (place.project / ".git").mkdir()
    monkeypatch.setenv("HOME", str(place.home))
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    yield place
    socket = place.home / ".local" / "share" / "placet" / "daemon" / "socket"
    until_gone(socket)


@pytest.fixture
def neovim(place: Place) -> Iterator[Editor]:
    with open_editor(place.project) as editor:
        editor.lua("vim.g.placet = { cmd = ..., review = { mode = 'ask' } }", placet_command("--stdio"))
        yield editor


def emacs(place: Place) -> subprocess.Popen[str]:
    init, journey = place.root / "init.el", place.root / "journey.el"
    init.write_text(EMACS.snippet)
    journey.write_text(LIBRARY + JOURNEY)
    return place.start(emacs_command(init, journey))


def until_gone(socket: Path) -> None:
    """Wait until the shared daemon has left: files tell nobody."""
    deadline = time.monotonic() + wait_seconds()
    while socket.exists():
        assert time.monotonic() < deadline, "the shared daemon is still there"
        time.sleep(0.05)


def test_both_hear_the_same_one_answers_and_the_shell_goes_on(place: Place, neovim: Editor, tmp_path: Path) -> None:
    neovim.open(place.project / "a.txt")
    neovim.command("normal! Gounsaved")
    neovim.command("Placet go")
    session = wait_for_session(neovim, "true")
    (tmp_path / "session").write_text(session)
    other = emacs(place)
    wait_for_page(neovim, session, "Done in the editor.")
    (tmp_path / "over").touch()
    said, _ = other.communicate(timeout=wait_seconds())
    assert other.returncode == 0, said[-4000:]
    seen = json.loads((tmp_path / "seen.json").read_text())

    assert neovim.text() == "one\nnew\nthree\nunsaved\n", "the edit is where the unsaved text is, once"
    assert seen["buffer"] == BASE == (place.project / "a.txt").read_text()
    assert seen["asked"] == 0, "Emacs does not stand still for what another is asked"

    neovim.wait("require('placet.sessions.known').running_turn(...) == nil", session)
    script = tmp_path / "shell.json"
    live = tmp_path / "live"
    turns = [{"text": "Begun in the shell."}, READ], [{"wait_for_file": str(live)}, {"text": "Done in the shell."}]
    script.write_text(json.dumps({"turns": [{"events": events} for events in turns]}))
    command = ["placet", "run", "--continue", "--model", f"scripted/{script}", "and more"]
    with place.start(command) as shell:
        try:
            wait_for_page(neovim, session, "Begun in the shell.")
        finally:
            live.touch()  # Until now it has stood still.
        assert "Done in the shell." in shell.communicate(timeout=wait_seconds())[0]
    wait_for_page(neovim, session, "Done in the shell.")
    assert page(neovim, session).count("and more") == 1
    assert current_session(neovim) == session
