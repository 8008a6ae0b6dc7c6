"""`placet run`, `auth`, `trust` and `doctor` where there is no home, none that can be written to, or no network."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from run_support import Place

NO_HOME = """
import os, pwd
def unknown(uid): raise KeyError(uid)
os.environ.pop("HOME", None)
pwd.getpwuid = unknown
"""
GUARD = """
import sys
def watch(event, arguments):
    if event in ("socket.getaddrinfo", "socket.gethostbyname"):
        raise OSError(101, "the network was asked for a name")
    if event == "socket.connect" and isinstance(arguments[1], tuple):
        raise OSError(101, f"the network was asked for {arguments[1]}")
sys.addaudithook(watch)
"""
COMMANDS = """
import io, json, sys
from contextlib import redirect_stderr, redirect_stdout
from placet.__main__ import main
results = []
for arguments in json.loads(sys.argv[1]):
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main(arguments)
    results.append((int(code), out.getvalue(), err.getvalue()))
print(json.dumps(results))
"""
READ_ONLY = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"'
SET_HOME = "placet: this user has no home directory: set HOME, or the XDG_*_HOME variables\n"


class Done(NamedTuple):
    code: int
    out: str
    err: str


def placets(
    place: Place, *commands: Sequence[str], before: str = "", within: Sequence[str] = (), **environment: str
) -> list[Done]:
    """Each command line, one after the other in one process, with no place of its own to write but the temporary one.

    `before` runs first in the process, which is started by `within`.
    """
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "PLACET_"))}
    temporary = place.directory / "temporary"
    temporary.mkdir(exist_ok=True)
    kept |= {"PLACET_MODEL": place.environment["PLACET_MODEL"], "TMPDIR": str(temporary)}
    kept |= {"PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring", **environment}
    result = subprocess.run(
        [*within, sys.executable, "-c", before + COMMANDS, json.dumps(commands)],
        input="sk-a-key\n",
        capture_output=True,
        text=True,
        env=kept,
        cwd=place.project,
        timeout=100,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    return [Done(*one) for one in json.loads(result.stdout)]


def can(*command: str) -> bool:
    """Whether the system lets us."""
    try:
        return subprocess.run([*command, "true"], capture_output=True, check=False).returncode == 0
    except OSError:
        return False


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_without_a_home_it_runs_commands_too_and_a_later_run_goes_on(place: Place) -> None:
    command = {"call": "bash", "arguments": {"command": "cat ~/none; echo there", "description": "look"}}
    place.script([command], [{"text": "Yes."}])
    run = ("run", "--quiet", "--allow", "bash", "--allow", "external_directory")
    first, again = placets(place, (*run, "one"), (*run, "--continue", "two"), before=NO_HOME)

    assert (first.code, first.out, again.code) == (0, "Yes.\n", 0), first.err + again.err
    assert "no home directory" in first.err
    assert "sessions are stored in" in first.err
    assert (place.directory / "temporary" / f"placet-{os.getuid()}").stat().st_mode & 0o777 == 0o700


def test_without_a_home_auth_and_trust_say_what_to_set(place: Place) -> None:
    (place.project / "AGENTS.md").write_text("Be kind.\n")
    commands = (
        ("auth", "set", "anthropic"),
        ("auth", "list"),
        ("auth", "remove", "anthropic"),
        ("trust",),
        ("trust", "--yes"),
        ("trust", "--forget"),
        ("trust", "--list"),
    )
    *done, doctor = placets(place, *commands, ("doctor",), before=NO_HOME)

    assert done == [Done(2, "", SET_HOME)] * len(commands)
    assert doctor.code == 1
    assert "This user has no home directory." in doctor.out


def test_with_places_of_its_own_no_home_is_needed(place: Place) -> None:
    places = {f"XDG_{name}_HOME": str(place.directory / name) for name in ("DATA", "CONFIG", "CACHE", "STATE")}
    listed, trusted, ran = placets(
        place, ("auth", "list"), ("trust",), ("run", "--quiet", "--yes", "go"), before=NO_HOME, **places
    )

    assert (listed.code, trusted.code, ran.code, ran.err) == (0, 0, 0, ""), (listed, trusted, ran)


def test_a_home_that_is_read_only_is_told_and_changed_by_nothing(place: Place) -> None:
    home = place.directory / "home"
    home.mkdir()
    within = ("unshare", "--map-root-user", "--mount", "sh", "-c", READ_ONLY, str(home))
    if not can(*within):
        pytest.skip("this system lets nobody mount in a namespace of their own")
    (place.project / ".placet" / "agent").mkdir(parents=True)
    (place.project / ".placet" / "agent" / "kind.md").write_text("---\ndescription: kind\n---\nBe kind.\n")
    kept, listed, shown, trusted, doctor, ran = placets(
        place,
        ("auth", "set", "anthropic"),
        ("auth", "list"),
        ("trust",),
        ("trust", "--yes"),
        ("doctor",),
        ("run", "--quiet", "--yes", "put new for old"),
        within=within,
        HOME=str(home),
    )

    assert kept.code == 2
    assert "cannot be written" in kept.err, kept
    assert (listed.code, shown.code) == (0, 0)
    assert trusted.code == 2
    assert "cannot be written" in trusted.err, trusted
    assert doctor.code == 1
    assert "not writable" in doctor.out
    assert (ran.code, ran.out) == (0, "All done.\n"), ran.err
    assert "is not writable, so sessions are stored in" in ran.err
    assert place.file.read_text() == "one\nnew\nthree\n"
    assert list(home.iterdir()) == []


def test_without_a_network_nothing_is_missed(place: Place) -> None:
    within = next(
        (one for one in (("unshare", "--net"), ("unshare", "--map-root-user", "--net")) if can(*one)),
        (),
    )
    done = placets(
        place,
        ("auth", "set", "anthropic"),
        ("auth", "list"),
        ("trust",),
        ("doctor",),
        ("run", "--quiet", "--yes", "put new for old"),
        before="" if within else GUARD,
        within=within,
        HOME=str(place.directory),
    )

    assert [one.code for one in done] == [0] * 5, done
    assert [one.err for one in done] == [""] * 5
    assert done[-1].out == "All done.\n"
    assert place.file.read_text() == "one\nnew\nthree\n"
