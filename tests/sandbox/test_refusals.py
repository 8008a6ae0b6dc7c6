"""Refusals are taken out of the output of a command, and judged by the limits of the command."""

import shutil
import sys
from pathlib import Path

import pytest

from corpus_support import corpus
from placet.sandbox.containment import Containment
from placet.sandbox.protections import Protections
from placet.sandbox.refusals import Refusal, find_refusals, has_failed_rename
from sandbox.workshop import Workshop

needs_bubblewrap = pytest.mark.skipif(sys.platform != "linux" or not shutil.which("bwrap"), reason="needs bubblewrap")


@pytest.fixture
def workshop(tmp_path: Path) -> Workshop:
    return Workshop(tmp_path)


async def refused(workshop: Workshop, line: str) -> set[tuple[str, str]]:
    _, output = await workshop.run(line, containment=workshop.containment())
    assert workshop.contained is not None
    return {(refusal.kind, refusal.target) for refusal in workshop.contained.refusals(output)}


@needs_bubblewrap
@pytest.mark.parametrize(
    "line",
    [
        "echo x > $HOME/new",
        "cp file $HOME/new",
        '/usr/bin/python3 -c \'import os; open(os.environ["HOME"] + "/new", "w")\'',
        "mkdir $HOME/new",
        "cd $HOME && touch new",
    ],
)
async def test_a_write_outside_is_a_refusal(workshop: Workshop, line: str) -> None:
    (workshop.project / "file").touch()
    expected = {("write", str(workshop.home / "new"))}
    assert await refused(workshop, line) in (expected, set()) if "cd" in line else expected


@needs_bubblewrap
async def test_reading_a_secret_is_a_refusal(workshop: Workshop) -> None:
    (workshop.home / ".ssh").mkdir()
    (workshop.home / ".netrc").touch()
    assert await refused(workshop, "cat $HOME/.ssh/id $HOME/.netrc") == {
        ("read", str(workshop.home / ".ssh/id")),
        ("read", str(workshop.home / ".netrc")),
    }


@needs_bubblewrap
async def test_a_write_to_a_protected_file_is_a_refusal(workshop: Workshop) -> None:
    (workshop.project / "pkg").mkdir()
    (workshop.project / "pkg/.envrc").touch()
    assert await refused(workshop, "echo x > pkg/.envrc; mv pkg other") == {
        ("write", str(workshop.project / "pkg/.envrc")),
        ("write", str(workshop.project / "pkg")),
    }


@needs_bubblewrap
async def test_the_settings_of_git_are_named_by_the_refusal_of_git(workshop: Workshop) -> None:
    line = "git init -q sub && true"
    await workshop.run(line)
    assert (
        await refused(workshop, "git -C sub config a.b c; cd sub && git config a.b c")
        == {("write", str(workshop.project / "sub/.git/config"))}
        or shutil.which("git") is None
    )


@needs_bubblewrap
@pytest.mark.parametrize(
    "line",
    [
        "chmod 000 file; cat file",
        "cat /etc/passwd > /dev/null; echo permission denied: nothing here",
        "ls /nonexistent",
        "echo 'error: read-only file system'",
        "echo 'could not resolve conflicts in main.py'",
        "kill -0 1234567",
    ],
)
async def test_words_alone_are_no_refusal(workshop: Workshop, line: str) -> None:
    (workshop.project / "file").touch()
    assert await refused(workshop, line) == set()


@corpus(
    ("line", "target"),
    [
        ("curl: (6) Could not resolve host: example.com", "example.com"),
        ("fatal: unable to access 'https://github.com/a/b.git/': Could not resolve host: github.com", "github.com"),
        (
            "npm error request to https://registry.npmjs.org/x failed, reason: getaddrinfo EAI_AGAIN",
            "registry.npmjs.org",
        ),
        ("ssh: Could not resolve hostname git.example.org: Temporary failure in name resolution", "git.example.org"),
        ("connect to 192.0.2.1:5432: Network is unreachable", "192.0.2.1:5432"),
        ("dial tcp: lookup proxy.golang.org: no such host", "proxy.golang.org"),
    ],
)
def test_a_host_that_is_out_of_reach_is_a_refusal(line: str, target: str) -> None:
    containment = Containment(roots=(), writable=())
    assert find_refusals(line, containment, Protections(), Path("/")) == (Refusal("connect", target, "not allowed"),)
    open_network = Containment(roots=(), writable=(), network="allow")
    assert find_refusals(line, open_network, Protections(), Path("/")) == ()


@corpus(
    "line",
    [
        "requests.exceptions.ConnectionError: h (Caused by NameResolutionError: Temporary failure in name resolution)",
        "socket.gaierror: [Errno -3] Temporary failure in name resolution",
        "urllib.error.URLError: <urlopen error [Errno -3] Temporary failure in name resolution>",
        "java.net.UnknownHostException: registry: Name or service not known",
        '  File "/usr/lib/python3.11/socket.py", line 962, in getaddrinfo',
        "httpx.ConnectError: [Errno -2] Name or service not known",
    ],
)
def test_a_name_in_a_program_is_no_host(line: str) -> None:
    assert find_refusals(line, Containment(roots=(), writable=()), Protections(), Path("/")) == ()


@corpus(
    "line",
    [
        "/usr/bin/bash: line 1: {}: Read-only file system",
        "/bin/sh: 1: cannot create {}: Permission denied",
        "/usr/bin/touch: cannot touch '{}': Read-only file system",
        "{}: Read-only file system",
        "PermissionError: [Errno 13] Permission denied: '{}'",
        "Error: EACCES: permission denied, open '{}'",
    ],
)
def test_the_program_that_tells_of_a_refusal_is_not_the_refused_file(tmp_path: Path, line: str) -> None:
    told = line.format(tmp_path / "new")
    refusals = find_refusals(told, Containment(roots=(), writable=()), Protections(shown=(tmp_path,)), Path("/"))
    assert [refusal.target for refusal in refusals] == [str(tmp_path / "new")]


def test_a_host_of_the_list_is_no_refusal() -> None:
    containment = Containment(roots=(), writable=(), network="ask", domains=("example.com", "*.example.org"))
    for host in ("example.com", "a.example.org"):
        line = f"Could not resolve host: {host}"
        assert find_refusals(line, containment, Protections(), Path("/")) == ()


def test_a_long_output_gives_few_refusals(workshop: Workshop) -> None:
    lines = "\n".join(f"cannot open '{workshop.home}/{number}': Permission denied" for number in range(5000))
    protections = Protections(shown=(workshop.home,))
    assert len(find_refusals(lines, workshop.containment(), protections, workshop.project)) == 10


@corpus(
    ("line", "is_rename"),
    [
        ("fatal: renaming 'a' failed: Invalid cross-device link", True),
        ("OSError: [Errno 18] Invalid cross-device link: 'a' -> 'b'", True),
        ("Error: EXDEV: cross-device link not permitted, rename 'a' -> 'b'", True),
        ("cp: cannot create hard link '/tmp/b' to 'a': Invalid cross-device link", False),
        ("ln: failed to create hard link '/tmp/b' => 'a': Invalid cross-device link", False),
    ],
)
def test_the_way_to_rename_is_told_for_a_rename_and_for_no_hard_link(line: str, is_rename: bool) -> None:
    assert has_failed_rename(f"before\n{line}\nafter") == is_rename
