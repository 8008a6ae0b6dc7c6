"""Commands that cannot work inside the sandbox, each with the reason: such commands ask to leave before they run.

The files that a sandbox protects, and the services behind sockets, are listed in docs/SANDBOX.md.
"""

import re
from collections.abc import Sequence

from placet.permissions.shell.inspection import names
from placet.permissions.shell.programs.git_options import git_words

_SERVICE = "it speaks to a service of this machine, which the sandbox hides"
_OTHER_USER = "it runs its arguments as another user, which the sandbox forbids"
_DESKTOP = "it starts a program of the desktop, which the sandbox hides"
_SYSTEM = "it changes the system, or files in your home"
_GIT_CONFIG = "it writes git's configuration, which the sandbox protects"
_HOOKS = "it installs hooks of git, which the sandbox protects"
SIGNS = "it signs with your key, which the sandbox hides"

_PROGRAMS = {
    **dict.fromkeys(names("docker docker-compose podman nerdctl kubectl helm minikube kind adb systemctl service"
                          " systemd-run launchctl crontab at batch ssh-add gpg gpg2"), _SERVICE),
    **dict.fromkeys(names("sudo doas su pkexec runuser"), _OTHER_USER),
    **dict.fromkeys(names("open xdg-open code cursor gio notify-send osascript"), _DESKTOP),
    **dict.fromkeys(names("apt apt-get dnf yum pacman zypper snap flatpak brew port mount umount rustup"), _SYSTEM),
}  # fmt: skip
_PREFIXES = {
    "pre-commit install": _HOOKS,
    "pre-commit uninstall": _HOOKS,
    "husky install": _HOOKS,
    "husky init": _HOOKS,
    "git lfs install": _GIT_CONFIG,
    "git flow init": _GIT_CONFIG,
    "git maintenance start": _GIT_CONFIG,
    "cargo install": _SYSTEM,
    "cargo uninstall": _SYSTEM,
    "pipx install": _SYSTEM,
    "uv tool install": _SYSTEM,
    "go install": _SYSTEM,
    "gem install": _SYSTEM,
}
"""First words of commands."""
_LOOKS = {"docker": ("--version", "--help"), "kubectl": ("--help",), "brew": ("--version",)}
_REMOTE_WRITES = names("add remove rm rename set-url set-branches set-head")
_SUBMODULE_WRITES = names("add init deinit set-url set-branch sync absorbgitdirs")
_COMMITTING = names("commit merge rebase cherry-pick revert am pull")
_CONFIG_READS = re.compile(r"--get.*|--list|-l|get|list|--show-origin")


def reason_to_leave(argv: Sequence[str]) -> str:
    """Return why the command cannot work inside the sandbox, or "" if the command may work."""
    program = argv[0].rpartition("/")[2]
    arguments = list(argv[1:])
    if program == "git":
        return _git(git_words(argv))
    if arguments and tuple(arguments) in tuple((option,) for option in _LOOKS.get(program, ())):
        return ""
    if reason := _PROGRAMS.get(program):
        return reason
    if program in ("npm", "pnpm", "yarn") and any(
        word in ("-g", "--global", "--location=global") for word in arguments
    ):
        return _SYSTEM
    if program in ("pip", "pip3") and arguments[:1] == ["install"] and "--user" in arguments:
        return _SYSTEM
    words = (program, *arguments)
    return next((reason for count in (3, 2) if (reason := _PREFIXES.get(" ".join(words[:count])))), "")


def makes_commit(argv: Sequence[str]) -> bool:
    """Return whether the command of git makes commits, which the config may tell git to sign."""
    words = git_words(argv)
    return bool(words) and words[0] in _COMMITTING and "--no-gpg-sign" not in words


def _git(words: Sequence[str]) -> str:
    if not words:
        return ""
    name, *rest = words
    operand = next((word for word in rest if not word.startswith("-")), "")
    if reason := _PREFIXES.get(f"git {name} {operand}"):
        return reason
    is_long = {word.partition("=")[0] for word in rest}
    match name:
        case "config" if not any(map(_CONFIG_READS.fullmatch, rest)) and _writes_setting(rest):
            return _GIT_CONFIG
        case "remote" if operand in _REMOTE_WRITES:
            return _GIT_CONFIG
        case "submodule" if operand in _SUBMODULE_WRITES or "--init" in is_long:
            return _GIT_CONFIG
        case "push" if "--set-upstream" in is_long or _has_letter(rest, "u"):
            return _GIT_CONFIG
        case "branch" if not is_long.isdisjoint(("--set-upstream-to", "--unset-upstream", "--edit-description")):
            return _GIT_CONFIG
        case "branch" if _has_letter(rest, "u"):
            return _GIT_CONFIG
        case "checkout" | "switch" if "--track" in is_long or _has_letter(rest, "t"):
            return _GIT_CONFIG
        case "sparse-checkout" if operand != "list":
            return _GIT_CONFIG
        case "commit" | "merge" | "rebase" | "cherry-pick" | "revert" if "--gpg-sign" in is_long or _has_letter(
            rest, "S"
        ):
            return SIGNS
        case "tag" if not is_long.isdisjoint(("--sign", "--local-user")) or _has_letter(rest, "su"):
            return SIGNS
        case _:
            return ""


def _writes_setting(words: Sequence[str]) -> bool:
    """Return whether `git config` gets a name with a value, or an action: a name alone is shown."""
    operands = [word for word in words if not word.startswith("-")]
    acts = any(word.startswith(("--unset", "--add", "--replace", "--re", "--edit", "-e")) for word in words)
    return acts or len(operands) > 1


def _has_letter(words: Sequence[str], letters: str) -> bool:
    """Return whether a cluster of options begins with letters up to one of `letters`: `-uf`, but not `-mu`."""
    return any(re.match(rf"-[afqvn]*[{letters}]", word) for word in words)
