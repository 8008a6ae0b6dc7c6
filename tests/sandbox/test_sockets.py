"""Unix sockets that a contained command may reach, and sockets that lead out of the sandbox."""

from pathlib import PurePosixPath as Path

from corpus_support import corpus
from placet.sandbox.sockets import judge_socket


@corpus(
    ("path", "reason"),
    [
        ("/run/docker.sock", "starts containers"),
        ("/var/run/docker.sock", "starts containers"),
        ("/run/user/1000/docker.sock", "starts containers"),
        ("/home/u/.docker/run/docker.sock", "starts containers"),
        ("/home/u/.docker/desktop/docker-cli.sock", "starts containers"),
        ("/home/u/.colima/default/docker.sock", "starts containers"),
        ("/run/podman/podman.sock", "starts containers"),
        ("/run/containerd/containerd.sock", "starts containers"),
        ("/run/crio/crio.sock", "starts containers"),
        ("/run/libvirt/libvirt-sock", "virtual machines"),
        ("/run/dbus/system_bus_socket", "D-Bus"),
        ("/run/user/1000/bus", "D-Bus"),
        ("/tmp/dbus-Ab12", "D-Bus"),
        ("/run/systemd/private", "systemd"),
        ("/run/systemd/journal/socket", "systemd"),
        ("/run/user/1000/systemd/private", "systemd"),
        ("/tmp/.X11-unix/X0", "X11"),
        ("/run/user/1000/wayland-0", "desktop"),
        ("/run/user/1000/sway-ipc.1000.1.sock", "desktop"),
        ("/run/user/1000/pipewire-0", "microphone"),
        ("/run/user/1000/pulse/native", "microphone"),
        ("/run/user/1000/keyring/control", "keys and passwords"),
        ("/run/user/1000/gnupg/S.gpg-agent", "keys and passwords"),
        ("/home/u/.gnupg/S.gpg-agent.ssh", "keys and passwords"),
        ("/run/user/1000/gcr/ssh", "keys and passwords"),
        ("/home/u/.1password/agent.sock", "keys and passwords"),
        ("/tmp/tmux-1000/default", "terminals"),
        ("/run/screen/S-u/123.pts", "terminals"),
        ("/run/user/1000/vscode-ipc-1234.sock", "the editor"),
        ("/run/user/1000/nvim.1234.0", "the editor"),
        ("/run/user/1000/emacs/server", "the editor"),
        ("relative.sock", "not absolute"),
        ("/run/postgresql/../docker.sock", "not absolute"),
    ],
)
def test_a_socket_that_leads_out_of_the_sandbox_is_refused_with_the_reason(path: str, reason: str) -> None:
    assert reason in judge_socket(Path(path))


@corpus(
    "path",
    [
        "/run/postgresql/.s.PGSQL.5432",
        "/run/mysqld/mysqld.sock",
        "/var/run/redis/redis.sock",
        "/home/u/project/tmp/puma.sock",
        "/home/u/bus-timetable/api.sock",
        "/tmp/ssh-XXabc/agent.123",
    ],
)
def test_a_socket_of_a_plain_service_is_allowed(path: str) -> None:
    assert judge_socket(Path(path)) == ""


def test_the_agent_for_ssh_is_opened_by_its_name_alone() -> None:
    agent = Path("/tmp/ssh-XXabc/agent.123")
    assert "write `ssh-agent`" in judge_socket(agent, agent=agent)


def test_a_socket_of_placet_is_refused_by_its_path_or_its_directory() -> None:
    ours = (Path("/home/u/.local/state/placet"), Path("/run/user/1000/placet.sock"))
    assert "Placet" in judge_socket(Path("/run/user/1000/placet.sock"), ours=ours)
    assert "Placet" in judge_socket(Path("/home/u/.local/state/placet/daemon/a.sock"), ours=ours)
    assert judge_socket(Path("/home/u/.local/state/placetier/a.sock"), ours=ours) == ""
