"""Question of a command before an act, answered by yes or no at the terminal."""

import sys

from placet.frontends.terminal.output import complain


def agrees(question: str, *, otherwise: str, how: str) -> bool:
    """Return whether the user answers yes, and say `otherwise` after any other answer. Blocks.

    Without a terminal nobody is asked, and `how` says how to agree; `otherwise` is what has become of the act.
    """
    if not sys.stdin.isatty():
        complain(f"{otherwise}: nobody is there to ask. {how}")
        return False
    sys.stderr.write(f"{question} [y/N] ")
    sys.stderr.flush()
    if sys.stdin.readline().strip().lower() in ("y", "yes"):
        return True
    complain(f"{otherwise}.")
    return False
