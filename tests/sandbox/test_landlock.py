"""Rules of Landlock from a containment, and the launcher that lays the rules around real programs."""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus_support import corpus, examples
from placet.sandbox.containment import Containment, Network, opened
from placet.sandbox.fallbacks import landlock_launcher
from placet.sandbox.fallbacks.landlock import (
    Ruleset,
    Surroundings,
    landlock_abi,
    landlock_rules,
    launcher_words,
    system_directories,
    unusable,
    weaknesses,
)

EXECUTE, WRITE_FILE, READ_FILE, READ_DIRECTORY, MAKE_FILE = 1, 2, 4, 8, 1 << 8
REFER, TRUNCATE, RESOLVE_SOCKET = 1 << 13, 1 << 14, 1 << 16
HOME = Path("/home/ada")
ROOT = HOME / "project"
TEMPORARY = Path("/var/placet/tmp")

needs_landlock = pytest.mark.skipif(unusable(landlock_abi()) is not None, reason=str(unusable(landlock_abi())))


def containment(
    *,
    writable: bool = True,
    unreadable: tuple[Path, ...] = (),
    network: Network = "off",
    sockets: tuple[Path, ...] = (),
) -> Containment:
    return Containment(
        roots=(ROOT,),
        writable=(ROOT,) if writable else (),
        unreadable=unreadable,
        network=network,
        sockets=sockets,
    )


def surroundings(abi: int = 7, *, programs: tuple[str, ...] = (), proxy_port: int | None = None) -> Surroundings:
    return Surroundings(
        abi=abi,
        home=HOME,
        system=(Path("/usr"), Path("/etc")),
        programs=tuple(map(Path, programs)),
        temporary=TEMPORARY,
        proxy_port=proxy_port,
    )


def tree(*files: str) -> Mapping[Path, set[Path]]:
    """Return the entries of each directory of a tree with these files."""
    entries: dict[Path, set[Path]] = {}
    for path in map(Path, files):
        for directory in path.parents:
            entries.setdefault(directory, set()).add(directory / path.relative_to(directory).parts[0])
    return entries


def rights(ruleset: Ruleset, path: Path) -> int:
    """Return the rights to a path, as the kernel sums up the rules of the path and of all directories above."""
    return sum_of(right for rule, right in ruleset.rules if path.is_relative_to(rule))


def sum_of(values: Iterator[int]) -> int:
    total = 0
    for value in values:
        total |= value
    return total


def test_the_project_is_written_and_the_system_and_home_are_read() -> None:
    ruleset = landlock_rules(containment(), surroundings())
    assert rights(ruleset, ROOT / "src/a.py") & WRITE_FILE
    for path in (ROOT / "a", HOME / ".profile", Path("/usr/bin/git"), Path("/etc/passwd")):
        assert rights(ruleset, path) & READ_FILE
    for path in (HOME / ".profile", Path("/usr/bin/git"), Path("/etc/passwd")):
        assert not rights(ruleset, path) & (WRITE_FILE | MAKE_FILE | TRUNCATE | REFER)
    assert not rights(ruleset, Path("/srv/other")) & READ_FILE


def test_an_agent_that_only_reads_writes_temporary_files_alone() -> None:
    ruleset = landlock_rules(containment(writable=False), surroundings())
    assert not rights(ruleset, ROOT / "a") & WRITE_FILE
    assert rights(ruleset, ROOT / "a") & READ_FILE
    assert rights(ruleset, TEMPORARY / "a") & WRITE_FILE


def test_a_directory_with_a_secret_is_read_in_pieces() -> None:
    entries = tree(f"{HOME}/.ssh/id", f"{HOME}/.config/gh/hosts", f"{HOME}/.config/git/config", f"{HOME}/.profile")
    secrets = (HOME / ".ssh", HOME / ".config/gh")
    ruleset = landlock_rules(containment(unreadable=secrets), surroundings(), lambda path: entries.get(path, ()))
    assert not rights(ruleset, HOME / ".ssh/id")
    assert not rights(ruleset, HOME / ".config/gh/hosts")
    assert rights(ruleset, HOME / ".config/git/config") & READ_FILE
    assert rights(ruleset, HOME / ".profile") & READ_FILE
    assert not rights(ruleset, HOME / ".ssh") & READ_DIRECTORY, "names of keys are not listed either"


def test_a_secret_of_the_system_leaves_its_directory_listed() -> None:
    entries = tree("/etc/shadow", "/etc/passwd")
    secrets = (Path("/etc/shadow"),)
    ruleset = landlock_rules(containment(unreadable=secrets), surroundings(), lambda path: entries.get(path, ()))
    assert rights(ruleset, Path("/etc/shadow")) & READ_FILE == 0
    assert rights(ruleset, Path("/etc/passwd")) & READ_FILE
    assert rights(ruleset, Path("/etc")) & READ_DIRECTORY


def test_a_secret_inside_the_project_is_not_read() -> None:
    entries = tree(f"{ROOT}/.env", f"{ROOT}/src/a.py")
    ruleset = landlock_rules(
        containment(unreadable=(ROOT / ".env", HOME / "project/none")),
        surroundings(),
        lambda path: entries.get(path, ()),
    )
    assert not rights(ruleset, ROOT / ".env") & READ_FILE
    assert rights(ruleset, ROOT / "src/a.py") & READ_FILE


names = st.sampled_from(["a", "b", "c"])
paths = st.lists(names, min_size=1, max_size=4).map(lambda parts: HOME.joinpath(*parts))


@settings(max_examples=examples(100))
@given(files=st.lists(paths, max_size=12), secrets=st.lists(paths, max_size=4))
def test_no_secret_is_read_and_nothing_else_in_home_is_lost(files: list[Path], secrets: list[Path]) -> None:
    # A path that is a directory of another path is a directory.
    entries = tree(*map(str, files))
    files = [path for path in files if path not in entries]
    ruleset = landlock_rules(
        Containment(roots=(), writable=(), unreadable=tuple(secrets)),
        surroundings(),
        lambda path: entries.get(path, ()),
    )
    for path in files:
        is_secret = any(path.is_relative_to(secret) for secret in secrets)
        holds_secret = any(secret.is_relative_to(path) for secret in secrets)
        assert bool(rights(ruleset, path) & READ_FILE) is not is_secret or holds_secret


@pytest.mark.parametrize(
    ("programs", "read"),
    [
        ("/srv/tools/node/bin", "/srv/tools/node/lib/npm.js"),
        ("/srv/scripts/x", "/srv/scripts/x/run"),
    ],
)
def test_the_libraries_of_a_program_on_the_path_are_read(programs: str, read: str) -> None:
    assert rights(landlock_rules(containment(), surroundings(programs=(programs,))), Path(read)) & READ_FILE


@pytest.mark.parametrize("programs", ["/srv/bin", "/bin", "/home/bin"])
def test_no_wide_directory_is_read_because_programs_lie_in_it(programs: str) -> None:
    ruleset = landlock_rules(containment(), surroundings(programs=(programs,)))
    assert not rights(ruleset, Path(programs).parent / "other/file") & READ_FILE
    assert rights(ruleset, Path(programs, "tool")) & EXECUTE


@corpus("abi", range(3, 11))
def test_no_right_is_asked_of_a_kernel_that_does_not_know_it(abi: int) -> None:
    everything = containment(network="ask", sockets=(Path("/run/agent"),))
    ruleset = landlock_rules(everything, surroundings(abi, proxy_port=8080))
    assert all(right & ~ruleset.files == 0 and right for _, right in ruleset.rules)
    assert ruleset.files < 1 << (15 if abi < 5 else 16 if abi < 9 else 17)
    assert bool(ruleset.network) is (abi >= 4)
    assert bool(ruleset.scopes) is (abi >= 6)


def test_sockets_are_reached_by_path_where_the_kernel_holds_them() -> None:
    agent = Path("/run/user/1/agent")
    ruleset = landlock_rules(containment(sockets=(agent,)), surroundings(9))
    assert rights(ruleset, agent) == RESOLVE_SOCKET
    assert rights(ruleset, ROOT / "own.sock") & RESOLVE_SOCKET
    assert not rights(ruleset, HOME / "other.sock") & RESOLVE_SOCKET


@corpus(
    ("network", "abi", "port", "sockets", "ports"),
    [
        ("off", 7, 8080, "local", ()),
        ("ask", 7, 8080, "tcp", (8080,)),
        ("ask", 7, None, "local", ()),
        ("ask", 3, 8080, "local", ()),
        ("allow", 7, 8080, "ordinary", ()),
    ],
)
def test_the_network_is_the_proxy_or_none(
    network: Network, abi: int, port: int | None, sockets: str, ports: tuple[int, ...]
) -> None:
    ruleset = landlock_rules(containment(network=network), surroundings(abi, proxy_port=port))
    assert (ruleset.sockets, ruleset.ports) == (sockets, ports)
    assert bool(ruleset.network) is (network != "allow" and abi >= 4)


def test_a_worktree_reaches_its_git_directory_outside_of_the_project() -> None:
    common = Path("/srv/repository/.git")
    around = surroundings()
    for writable in (True, False):
        ruleset = landlock_rules(
            containment(writable=writable),
            Surroundings(
                around.abi, around.home, around.system, around.programs, around.temporary, git_directories=(common,)
            ),
        )
        assert rights(ruleset, common / "HEAD") & READ_FILE
        assert bool(rights(ruleset, common / "HEAD") & WRITE_FILE) is writable


def test_landlock_is_refused_by_old_kernels_and_strange_machines() -> None:
    assert unusable(0, "x86_64")
    assert unusable(2, "x86_64")
    assert unusable(3, "x86_64") is None
    assert unusable(7, "riscv64")


def test_the_weaknesses_are_those_of_the_kernel_and_of_the_containment() -> None:
    assert len(weaknesses(5, containment())) > len(weaknesses(7, containment())) > len(weaknesses(9, containment()))
    assert not any("project" in line for line in weaknesses(7, containment(writable=False)))
    assert not any("loopback" in line for line in weaknesses(7, containment(network="allow")))


# The launcher, around real programs.


class Box:
    """A home with a secret, a project and a place for temporary files, in which a line runs inside Landlock."""

    def __init__(self, directory: Path) -> None:
        self.home = directory / "home"
        self.root = self.home / "project"
        self.temporary = directory / "tmp"
        for path in (self.root, self.temporary, self.home / ".ssh"):
            path.mkdir(parents=True)
        (self.home / ".ssh/id").write_text("key")
        (self.home / ".profile").write_text("profile")

    def ruleset(
        self,
        *,
        writable: bool = True,
        network: Network = "off",
        proxy_port: int | None = None,
        lifted: tuple[Path, ...] = (),
    ) -> Ruleset:
        limits = Containment(
            roots=(self.root,),
            writable=(self.root,) if writable else (),
            unreadable=(self.home / ".ssh",),
            network=network,
        )
        return landlock_rules(
            opened(limits, lifted),
            Surroundings(
                abi=landlock_abi(),
                home=self.home,
                system=system_directories(),
                programs=(Path(sys.base_prefix, "bin"),),
                temporary=self.temporary,
                proxy_port=proxy_port,
            ),
        )

    def run(self, *command: str, ruleset: Ruleset | None = None) -> subprocess.CompletedProcess[str]:
        words = launcher_words(ruleset or self.ruleset())
        environment = {**os.environ, "HOME": str(self.home), "TMPDIR": str(self.temporary)}
        return subprocess.run(
            [*words, *command], cwd=self.root, env=environment, capture_output=True, text=True, check=False
        )

    def shell(self, line: str, ruleset: Ruleset | None = None) -> subprocess.CompletedProcess[str]:
        return self.run("bash", "-c", line, ruleset=ruleset)


@pytest.fixture
def box(tmp_path: Path) -> Box:
    return Box(tmp_path.resolve())


@needs_landlock
def test_files_are_written_in_the_project_and_nowhere_else(box: Box) -> None:
    result = box.shell('echo a > in; mv in out; mktemp; echo b > "$HOME/mark"; ln "$HOME/.profile" linked')
    assert (box.root / "out").read_text() == "a\n"
    assert sorted(path.name for path in box.root.iterdir()) == ["out"]
    assert list(box.temporary.iterdir())
    assert not (box.home / "mark").exists()
    assert "Permission denied" in result.stderr


@needs_landlock
def test_secrets_are_not_read(box: Box) -> None:
    assert box.shell("cat ~/.profile").stdout == "profile"
    result = box.shell("cat ~/.ssh/id; ls ~/.ssh; cat /proc/$PPID/environ; ln -s ~/.ssh link; cat link/id")
    assert result.stdout == ""
    assert result.stderr.count("Permission denied") == 4


@needs_landlock
@pytest.mark.parametrize("name", [".ssh/id", ".ssh"])
def test_a_secret_that_the_user_opens_is_read(box: Box, name: str) -> None:
    (box.home / ".ssh/other").write_text("other")
    text = box.shell("cat ~/.ssh/id ~/.ssh/other", box.ruleset(lifted=(box.home / name,))).stdout
    assert text == ("key" if name == ".ssh/id" else "keyother")


@needs_landlock
def test_an_agent_that_only_reads_is_held_by_the_kernel(box: Box) -> None:
    result = box.shell("echo a > mark; mktemp", box.ruleset(writable=False))
    assert not (box.root / "mark").exists()
    assert result.stdout.startswith(str(box.temporary))


@needs_landlock
def test_a_stream_into_a_file_is_opened_anew(box: Box) -> None:
    """Scripts write to `/dev/stderr`; the file of the daemon lies in no directory of the rules."""
    with (box.home / "output").open("w+b") as output:
        subprocess.run(
            [*launcher_words(box.ruleset()), "bash", "-c", "echo a > /dev/stderr && exit 3"],
            cwd=box.root,
            stdout=output,
            stderr=output,
            check=False,
        )
        output.seek(0)
        assert output.read() == b"a\n"


@needs_landlock
@pytest.mark.parametrize(("line", "code"), [("exit 7", 7), ("kill -9 $$", -9), ("kill -TERM $$", -15)])
def test_the_command_takes_the_place_of_the_launcher(box: Box, line: str, code: int) -> None:
    assert box.shell(line).returncode == code


@needs_landlock
def test_no_power_of_root_is_left(box: Box) -> None:
    status = box.run("cat", "/proc/self/status").stdout
    values = [line.split()[1] for line in status.splitlines() if line.startswith("Cap")]
    assert len(values) == 5
    if os.geteuid() == 0:
        assert {int(value, 16) for value in values} == {0}
    assert "NoNewPrivs:\t1" in status


@needs_landlock
def test_no_descriptor_beside_the_streams_reaches_the_command(box: Box) -> None:
    reading, writing = os.pipe()
    script = "import os; print([fd for fd in range(3, 200) if os.path.exists(f'/proc/self/fd/{fd}')])"
    try:
        result = subprocess.run(
            [*launcher_words(box.ruleset()), sys.executable, "-I", "-S", "-c", script],
            cwd=box.root, pass_fds=[reading, writing], capture_output=True, text=True, check=False,
        )  # fmt: skip
    finally:
        os.close(reading)
        os.close(writing)
    assert result.stdout == "[]\n", result.stderr


@needs_landlock
def test_a_command_that_cannot_start_is_told_on_the_status(box: Box) -> None:
    reading, writing = os.pipe()
    words = launcher_words(box.ruleset(), status=writing)
    result = subprocess.run([*words, "no-such-program"], pass_fds=[writing], cwd=box.root, check=False)
    os.close(writing)
    with os.fdopen(reading) as status:
        assert "No such file" in status.read()
    assert result.returncode == landlock_launcher.SET_UP_FAILED


@needs_landlock
def test_the_status_of_a_command_that_starts_is_empty_at_once(box: Box) -> None:
    """The descriptor ends with the start of the command, long before the command itself."""
    reading, writing = os.pipe()
    words = launcher_words(box.ruleset(), status=writing)
    process = subprocess.Popen([*words, "cat"], pass_fds=[writing], cwd=box.root, stdin=subprocess.PIPE)
    os.close(writing)
    with process, os.fdopen(reading) as status:
        assert status.read() == ""
        assert process.poll() is None
        process.kill()


@needs_landlock
def test_a_kernel_that_refuses_the_rules_runs_nothing(box: Box) -> None:
    words = list(launcher_words(box.ruleset()))
    words[5] = str(1 << 60)
    result = subprocess.run([*words, "touch", "mark"], cwd=box.root, capture_output=True, text=True, check=False)
    assert result.returncode == landlock_launcher.SET_UP_FAILED
    assert "Landlock" in result.stderr
    assert not (box.root / "mark").exists()


CONNECT = """
import socket, sys
try:
    socket.create_connection(("127.0.0.1", int(sys.argv[1])), 5).close()
    print("connected")
except OSError as error:
    print(type(error).__name__)
"""


@needs_landlock
@pytest.mark.skipif(landlock_abi() < 4, reason="this kernel's Landlock holds no ports")
def test_only_the_port_of_the_proxy_is_reached(box: Box) -> None:
    with socket.create_server(("127.0.0.1", 0)) as proxy, socket.create_server(("127.0.0.1", 0)) as other:
        port: int = proxy.getsockname()[1]
        ruleset = box.ruleset(network="ask", proxy_port=port)
        command = (sys.executable, "-I", "-S", "-c", CONNECT)
        assert box.run(*command, str(port), ruleset=ruleset).stdout == "connected\n"
        assert box.run(*command, str(other.getsockname()[1]), ruleset=ruleset).stdout == "PermissionError\n"
        assert box.run(*command, str(port)).stdout == "PermissionError\n"
        assert box.run(*command, str(port), ruleset=box.ruleset(network="allow")).stdout == "connected\n"


SEND = "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', 53)); print('sent')"


@needs_landlock
@pytest.mark.parametrize(("network", "outcome"), [("off", ""), ("ask", ""), ("allow", "sent\n")])
def test_datagrams_leave_only_with_the_network_of_the_user(box: Box, network: Network, outcome: str) -> None:
    ruleset = box.ruleset(network=network, proxy_port=1)
    assert box.run(sys.executable, "-I", "-S", "-c", SEND, ruleset=ruleset).stdout == outcome


@needs_landlock
@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="the other tests run as a plain user")
@pytest.mark.skipif(not Path("/usr/bin/python3").exists(), reason="needs a Python that every user can read")
def test_a_plain_user_is_held_too() -> None:
    with tempfile.TemporaryDirectory() as name:
        box = Box(Path(name).resolve())
        launcher = shutil.copy(landlock_launcher.__file__, name)
        words = launcher_words(box.ruleset(), python="/usr/bin/python3")
        words = tuple(launcher if word == landlock_launcher.__file__ else word for word in words)
        for path in (Path(name), box.home, box.root, box.temporary):
            path.chmod(0o777)
        result = subprocess.run(
            [
                "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", *words,
                "sh", "-c", "echo a > mark; echo b > ../mark; id -u",
            ],
            cwd=box.root, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert result.stdout == "65534\n", result.stderr
        assert (box.root / "mark").exists()
        assert not (box.home / "mark").exists()
