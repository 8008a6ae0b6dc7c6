"""Commands and writes that "always" neither offers nor covers, each with the reason.

A rule of the user may still allow them.
"""

import re
from collections.abc import Sequence

from placet.permissions.protection import is_memory
from placet.permissions.rules import UNPROVED

_REMOVES = "it removes files"
_OTHER_USER = "it acts as another user"
_RUNS_INPUT = "it runs what it reads from its input"
_DESTROYS = "it overwrites disks or file systems"
_STOPS = "it stops this machine"

_PROGRAMS = {
    **dict.fromkeys(("rm", "rmdir", "unlink", "shred", "srm"), _REMOVES),
    **dict.fromkeys(("sudo", "doas", "su", "pkexec", "runuser"), _OTHER_USER),
    **dict.fromkeys(("dd", "fdisk", "parted", "wipefs", "mkswap"), _DESTROYS),
    **dict.fromkeys(("shutdown", "reboot", "halt", "poweroff"), _STOPS),
}
_FORMATS = re.compile(r"mkfs(\..+)?")
_SHELLS = frozenset(("sh", "bash", "dash", "zsh", "ksh", "fish", "python", "python3", "node", "perl", "ruby"))
_FROM_INPUT = re.compile(r"(-|-s|/dev/stdin|/dev/fd/\d+)?")


def reason_not_granted(permission: str, pattern: str) -> str:
    """Return why no grant covers the pattern, or "" if a grant may cover the pattern."""
    if permission == "edit_sensitive" and is_memory(pattern):
        return "each note in the memory is for you to see"
    if permission not in ("bash", "sandbox"):
        return ""
    if pattern.startswith(UNPROVED):
        return "what it runs is not proved"
    program, _, rest = pattern.partition(" ")
    return reason_against_always((program, *rest.split()))


def reason_against_always(argv: Sequence[str]) -> str:
    """Return why "always" is not offered for a command, or "" if "always" may be offered."""
    program = argv[0].rpartition("/")[2].lower()
    arguments = argv[1:]
    if reason := _PROGRAMS.get(program):
        return reason
    if _FORMATS.fullmatch(program):
        return _DESTROYS
    if program in _SHELLS and (not arguments or _FROM_INPUT.fullmatch(arguments[0])):
        return _RUNS_INPUT
    return _REMOVES if program in ("find", "gfind") and "-delete" in arguments else ""
