"""Limits of commands from settings, workspace and user."""

from pathlib import Path

import pytest

from placet.sandbox.containment import Containment, Host, containment_of, narrowed
from placet.settings.locations import Locations
from placet.settings.models import SandboxSettings


@pytest.fixture
def host(tmp_path: Path) -> Host:
    home = tmp_path / "home"
    for name in ("work/project", ".ssh", "bin", "shared"):
        (home / name).mkdir(parents=True)
    locations = Locations(config=home / "c", data=home / "d", cache=home / "e", log=home / "l")
    return Host(home, locations, programs=(home / "bin",), agent_socket=home / "agent.sock")


def limits(host: Host, *, only_reads: bool = False, **settings: object) -> Containment:
    containment, problems = containment_of(
        SandboxSettings.model_validate(settings), (host.home / "work/project",), host, only_reads=only_reads
    )
    assert problems == ()
    return containment


def problem(host: Host, **settings: object) -> str:
    _, (problem,) = containment_of(SandboxSettings.model_validate(settings), (host.home / "work/project",), host)
    return problem


def test_commands_write_in_the_roots_and_in_named_directories(host: Host) -> None:
    assert limits(host, write=["~/shared"]).writable == (host.home / "work/project", host.home / "shared")


def test_an_agent_that_only_reads_writes_nowhere_and_reaches_no_host(host: Host) -> None:
    containment = limits(host, only_reads=True, write=["~/shared"], network="allow", domains=["example.com"])
    assert containment.only_reads
    assert (containment.network, containment.domains) == ("off", ())


def test_secrets_and_the_directories_of_placet_cannot_be_read(host: Host) -> None:
    unreadable = limits(host).unreadable
    assert {host.home / ".ssh", host.home / "c", host.home / "d", host.home / "e", host.home / "l"} <= {*unreadable}
    assert Path("/etc/shadow") not in unreadable


def test_a_place_of_secrets_that_becomes_a_link_is_noticed_by_the_next_command(host: Host) -> None:
    assert host.home / ".ssh" in limits(host).unreadable
    (host.home / ".ssh").rename(host.home / "keys")
    (host.home / ".ssh").symlink_to("keys")
    assert host.home / "keys" in limits(host).unreadable


def test_files_that_root_owns_without_needing_rights_are_secrets(host: Host) -> None:
    rooted = Host(host.home, host.locations, is_root=True)
    containment, _ = containment_of(SandboxSettings(), (host.home / "work/project",), rooted)
    assert Path("/etc/shadow") in containment.unreadable


def test_the_outputs_of_the_session_stay_readable(host: Host) -> None:
    outputs = host.locations.outputs_of("s")
    containment, _ = containment_of(SandboxSettings(), (host.home / "work/project",), host, outputs=outputs)
    assert outputs in containment.readable


def test_denied_places_are_added_and_allowed_places_are_taken_out(host: Host) -> None:
    containment = limits(host, deny_read=["~/diary"], allow_read=["~/.ssh", "~/.aws/config"])
    assert host.home / "diary" in containment.unreadable
    assert host.home / ".ssh" not in containment.unreadable
    assert containment.readable[0] == host.home / ".aws/config"


def test_the_agent_of_ssh_opens_the_names_of_hosts(host: Host) -> None:
    containment = limits(host, sockets=["ssh-agent"])
    assert containment.sockets == (host.home / "agent.sock",)
    assert {host.home / ".ssh/known_hosts", host.home / ".ssh/config"} <= {*containment.readable}


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        ("/", "the whole file system"),
        ("~", "holds your home directory"),
        ("~/..", "holds your home directory"),
        ("~/bin", "holds a directory of PATH"),
        ("~/.ssh", "commands cannot read"),
        ("~/.ssh/keys", "commands cannot read"),
        ("~/.config", "commands cannot read"),
        ("~/work/project/.git", "other programs run or obey"),
        ("~/other/.vscode/x", "other programs run or obey"),
        ("relative", "neither absolute"),
    ],
)
def test_a_directory_that_would_open_the_sandbox_is_refused_with_the_reason(
    host: Host, entry: str, reason: str
) -> None:
    assert reason in problem(host, write=[entry])


def test_a_link_to_a_directory_that_is_refused_is_refused(host: Host) -> None:
    (host.home / "link").symlink_to(host.home)
    assert "holds your home directory" in problem(host, write=["~/link"])


@pytest.mark.parametrize("socket", ["/var/run/docker.sock", "~/.docker/run/docker.sock", "/tmp/.X11-unix/X0"])
def test_a_socket_that_leads_out_is_refused(host: Host, socket: str) -> None:
    assert "leave the sandbox" in problem(host, sockets=[socket])


def test_a_link_to_a_socket_that_leads_out_is_refused_with_the_reason(host: Host) -> None:
    (host.home / "docker").mkdir()
    (host.home / "plain.sock").symlink_to(host.home / "docker/docker.sock")
    assert "the service starts containers" in problem(host, sockets=["~/plain.sock"])


def test_a_socket_in_a_directory_of_placet_is_refused(host: Host) -> None:
    assert "the socket belongs to Placet" in problem(host, sockets=[str(host.locations.data / "daemon.sock")])


def test_an_unfit_domain_is_a_problem_in_words(host: Host) -> None:
    words = "`https://a.example` in `sandbox.domains` cannot be used: write the host alone"
    assert words in problem(host, domains=["b.example", "https://a.example"])


def test_a_subagent_is_held_to_both_limits(host: Host) -> None:
    wide = limits(host, write=["~/shared"], network="ask", domains=["a.example", "b.example"], caches="shared")
    inner = Containment(
        roots=wide.roots,
        writable=(host.home / "shared/part", host.home / "elsewhere"),
        unreadable=(host.home / "diary",),
        network="allow",
        domains=("!b.example",),
    )
    both = narrowed(wide, inner)
    assert both.writable == (host.home / "shared/part",)
    assert {*both.unreadable} == {*wide.unreadable, host.home / "diary"}
    assert (both.network, both.domains) == ("ask", ("a.example", "b.example", "!b.example"))
    assert not both.shares_caches


def test_narrowing_by_the_same_limits_changes_nothing(host: Host) -> None:
    for containment in (limits(host, write=["~/shared"], network="ask", domains=["a.example"]), limits(host)):
        assert narrowed(containment, containment) == containment
