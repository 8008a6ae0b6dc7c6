"""`placet auth` as a user runs it: piped, at a terminal, with a keyring and without."""

import json
import os
import pty
import select
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from fork_support.completed import run_forked
from fork_support.started import start_placet
from keyring_support import LOCKED, with_keyring
from time_support import wait_seconds

KEY = "sk-ant-api03-abcdefghijklmnop"


class Home:
    """A user with a configuration directory of their own."""

    def __init__(self, directory: Path) -> None:
        self.file = directory / "placet" / "keys.json"
        kept = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
        self.environment = {
            **kept,
            "XDG_CONFIG_HOME": str(directory),
            "PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring",
        }

    def auth(self, *arguments: str, typed: str = "") -> subprocess.CompletedProcess[str]:
        done = run_forked("auth", *arguments, environment=self.environment, stdin=typed)
        assert KEY not in done.stdout + done.stderr
        return done


@pytest.fixture
def home(tmp_path):
    return Home(tmp_path)


@pytest.fixture
def ring(home, tmp_path):
    """The file of a keyring that the home has."""
    file = tmp_path / "ring.json"
    home.environment = with_keyring(home.environment, file)
    return file


def test_without_a_keyring_a_file_for_the_user_alone_keeps_the_key_and_it_says_so(home):
    done = home.auth("set", "anthropic", typed=f"{KEY}\n")

    assert done.returncode == 0, done.stderr
    assert "no keyring" in done.stdout
    assert str(home.file) in done.stdout
    assert json.loads(home.file.read_text()) == {"ANTHROPIC_API_KEY": {"value": KEY}}
    assert stat.S_IMODE(home.file.stat().st_mode) == 0o600


def test_the_keyring_keeps_the_key_and_the_file_only_its_name(home, ring):
    done = home.auth("set", "ANTHROPIC_API_KEY", typed=KEY)

    assert "keyring" in done.stdout
    assert json.loads(ring.read_text()) == {"placet/ANTHROPIC_API_KEY": KEY}
    assert json.loads(home.file.read_text()) == {"ANTHROPIC_API_KEY": {}}


def test_a_keyring_that_refuses_is_replaced_by_the_file(home):
    home.environment = with_keyring(home.environment, LOCKED)

    done = home.auth("set", "anthropic", typed=KEY)

    assert "rejected" in done.stdout
    assert KEY in home.file.read_text()


def test_list_shows_names_and_places_and_never_a_value(home, ring):
    home.auth("set", "anthropic", typed=KEY)
    home.environment["PYTHON_KEYRING_BACKEND"] = "keyring.backends.fail.Keyring"
    home.auth("set", "groq", typed=KEY)
    home.environment["GROQ_API_KEY"] = KEY

    shown = home.auth("list").stdout

    assert [line.split()[0] for line in shown.splitlines()] == ["ANTHROPIC_API_KEY", "GROQ_API_KEY"]
    assert "keyring" in shown.splitlines()[0]
    assert f"{home.file} (the environment's value is used)" in shown.splitlines()[1]


def test_list_without_keys_says_how_to_keep_one(home):
    assert "placet auth set" in home.auth("list").stdout


def test_remove_forgets_the_key_wherever_it_is(home, ring):
    home.auth("set", "anthropic", typed=KEY)

    assert home.auth("remove", "anthropic").returncode == 0
    assert json.loads(ring.read_text()) == json.loads(home.file.read_text()) == {}
    again = home.auth("remove", "anthropic")
    assert again.returncode == 2
    assert "ANTHROPIC_API_KEY" in again.stderr


@pytest.mark.parametrize("typed", ["", "\n", "a\tb\n", "a\0b"])
def test_what_is_no_key_is_not_kept(home, typed):
    done = home.auth("set", "anthropic", typed=typed)

    assert done.returncode == 2
    assert not home.file.exists()


@pytest.mark.parametrize(("name", "hint"), [("../x", "ANTHROPIC_API_KEY"), ("bedrock", "AWS_SECRET_ACCESS_KEY")])
def test_a_name_that_means_no_single_key_is_told(home, name, hint):
    done = home.auth("set", name, typed=KEY)

    assert done.returncode == 2
    assert hint in done.stderr


def test_a_file_that_is_no_json_is_named_and_not_quoted(home):
    home.file.parent.mkdir()
    home.file.write_text(f'{{"X": "{KEY}')

    done = home.auth("list")

    assert done.returncode == 2
    assert str(home.file) in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="a terminal of POSIX")
def test_at_a_terminal_what_is_typed_is_not_shown(home):
    controller, terminal = pty.openpty()
    streams = {"stdin": terminal, "stdout": terminal, "stderr": terminal}
    process = start_placet(["auth", "set", "anthropic"], Path.cwd(), home.environment, leads_session=True, **streams)
    os.close(terminal)
    shown = ""
    try:
        while "is kept in" not in shown:
            assert select.select([controller], [], [], wait_seconds())[0], shown
            before, shown = shown, shown + os.read(controller, 4096).decode("utf-8", "replace")
            if "ANTHROPIC_API_KEY: " in shown and "ANTHROPIC_API_KEY: " not in before:
                os.write(controller, f"{KEY}\n".encode())
        assert process.wait() == 0
    finally:
        process.kill()
        process.wait()
        os.close(controller)

    assert KEY not in shown
    assert KEY in home.file.read_text()
