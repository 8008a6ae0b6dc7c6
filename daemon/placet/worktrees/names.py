"""Names of worktrees: the same name is a directory on every system, and the end of a branch. Pure."""

import re
from collections.abc import Collection
from itertools import count

from placet.core.errors import RequestError

MOST_CHARACTERS = 40
BRANCHES = "placet/"
"""Beginning of the branches of worktrees."""

_NAME = re.compile(rf"[A-Za-z0-9][A-Za-z0-9_-]{{0,{MOST_CHARACTERS - 1}}}")
_DEVICES = re.compile(r"con|prn|aux|nul|com[0-9]|lpt[0-9]", re.IGNORECASE)
"""Names that Windows keeps for devices."""
_UNFIT = re.compile(r"[^A-Za-z0-9_-]+")


def checked(name: str, taken: Collection[str]) -> str:
    """Return the name. Raises RequestError for an unfit name, or for a taken name in whatever case."""
    if _NAME.fullmatch(name) is None or _DEVICES.fullmatch(name):
        raise RequestError(
            f"{name!r} cannot name a worktree: use up to {MOST_CHARACTERS} letters, digits, - and _, and begin with a "
            "letter or a digit."
        )
    if name.casefold() in {other.casefold() for other in taken}:
        raise RequestError(f"There is a worktree or a branch {BRANCHES}{name} already. Choose another name.")
    return name


def free_name(taken: Collection[str], beginning: str = "work") -> str:
    """Return the first free name of `work-1`, `work-2` and so on."""
    folded = {other.casefold() for other in taken}
    return next(name for number in count(1) if (name := f"{beginning}-{number}").casefold() not in folded)


def as_name(text: str) -> str:
    """Return the text with each unfit part replaced by `-`, for a directory; `repository` if nothing remains."""
    name = _UNFIT.sub("-", text).strip("-")[:MOST_CHARACTERS]
    return name if _NAME.fullmatch(name) and not _DEVICES.fullmatch(name) else f"repository-{name}".rstrip("-")
