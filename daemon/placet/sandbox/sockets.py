"""Unix sockets of the setting `sandbox.sockets`: a judgement if a contained command may reach a socket. Pure.

A socket of a service that starts programs or holds secrets leads out of the sandbox, as the service acts for whoever
connects. Such sockets are refused with the reason.
"""

import re
from collections.abc import Sequence
from pathlib import PurePath

_CONTAINERS = "the service starts containers, which reach all files of this machine"
_BUS = "services on D-Bus start programs outside of the sandbox and give out the keyring"
_SYSTEMD = "systemd starts programs outside of the sandbox"
_X11 = "an X11 client reads all keys that the user types, and types into other windows"
_WAYLAND = "the desktop reads and writes the clipboard, and starts programs"
_SOUND = "the sound service hears the microphone"
_SECRETS = "the service holds keys and passwords"
_TERMINALS = "the service types commands into the user's terminals"
_EDITOR = "the editor runs commands outside of the sandbox"
_MACHINES = "the service starts virtual machines with the files of this machine"

_ESCAPES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), reason)
    for pattern, reason in (
        (r"(docker|podman|containerd|nerdctl|buildkitd|crio)[^/]*\.sock$", _CONTAINERS),
        (r"(^|/)(docker|podman|containerd|buildkit|crio|lxd|incus|rancher|colima|orbstack)(/|$)", _CONTAINERS),
        (r"(^|/)\.(docker|colima|orbstack|rd|lima)(/|$)", _CONTAINERS),
        (r"(^|/)(libvirt|qemu-server)(/|$)|(^|/)(qmp|vmware)[^/]*\.sock", _MACHINES),
        (r"(^|/)(system_bus_socket|bus)$|(^|/)dbus(-[^/]*)?(/|$)", _BUS),
        (r"(^|/)systemd(/|$)|(^|/)initctl$", _SYSTEMD),
        (r"(^|/)\.X11-unix(/|$)|(^|/)X[0-9]+$", _X11),
        (r"(^|/)wayland-[^/]*$|(^|/)(sway|hypr|i3|niri)[^/]*(/|\.sock|$)", _WAYLAND),
        (r"(^|/)pipewire-[^/]*$|(^|/)pulse(/|$)", _SOUND),
        (r"(^|/)(keyring|gcr|gnupg|\.gnupg|kwalletd?[0-9]*)(/|\.|$)|(^|/)S\.(gpg|keyboxd|scdaemon)", _SECRETS),
        (r"(^|/)(1password|bitwarden|secretive|\.1password)(/|$)", _SECRETS),
        (r"(^|/)(tmux-[^/]*|screens?|S-[^/]*|zellij|\.screen|kitty[^/]*|wezterm)(/|$)", _TERMINALS),
        (r"(^|/)vscode-[^/]*$|(^|/)n?vim\.[^/]*(/|$)|(^|/)emacs[^/]*(/|$)|(^|/)zed[^/]*\.sock$", _EDITOR),
    )
)


def judge_socket(path: PurePath, *, agent: PurePath | None = None, ours: Sequence[PurePath] = ()) -> str:
    """Return the reason to refuse the socket, or an empty text for a socket that a command may reach.

    `path` has no links; judge a link and the target of the link. `agent` is the socket of ssh-agent, which only the
    word `ssh-agent` opens. `ours` are the sockets of Placet, and directories of such sockets.
    """
    if not path.is_absolute() or ".." in path.parts:
        return "the path is not absolute"
    if path == agent:
        return "the socket belongs to ssh-agent: write `ssh-agent` to let commands sign with your keys"
    if any(path == own or own in path.parents for own in ours):
        return "the socket belongs to Placet, which runs commands outside of the sandbox"
    text = path.as_posix()
    return next((reason for pattern, reason in _ESCAPES if pattern.search(text)), "")
