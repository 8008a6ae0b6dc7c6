"""Variables that may be set without an effect on a program's behaviour."""

import re

_HARMLESS = re.compile(
    r"CI|NO_COLOR|FORCE_COLOR|CLICOLOR(_FORCE)?|LANG|LANGUAGE|LC_\w+|TZ|TERM|COLUMNS|LINES|DEBUG|VERBOSE|NODE_ENV"
    r"|PYTHONUNBUFFERED|PYTHONDONTWRITEBYTECODE|PYTHONHASHSEED|PYTHONUTF8|RUST_BACKTRACE|RUST_LOG|GOOS|GOARCH"
    r"|CGO_ENABLED|GIT_TERMINAL_PROMPT|UV_OFFLINE|PIP_NO_INPUT|HYPOTHESIS_PROFILE"
)
_PAGER_OF_CAT = re.compile(r"(GIT_)?PAGER=(cat)?")
_INHERITED = re.compile(r".*_proxy|(npm|pnpm|yarn|bun)_\w+")
"""Lower-case names with a meaning for programs; any other lower-case name is the line's own."""


def assignment_doubt(source: str) -> str:
    """Return why `NAME=value` may change a program's behaviour, or "" if the assignment is harmless."""
    name = re.match(r"[A-Za-z_]\w*(?=\+?=)", source, re.ASCII)
    if name is None:
        return "an assignment to part of a variable may evaluate its index"
    if _HARMLESS.fullmatch(name[0]) or _PAGER_OF_CAT.fullmatch(source):
        return ""
    if name[0].islower() and not _INHERITED.fullmatch(name[0]):
        return ""
    return f"setting {name[0]} may change what a program does"
