"""The garbage collector while the program loads, which is when nearly all that it looks at stays for good."""

import gc

_USUAL = gc.get_threshold()
_YOUNG_OBJECTS = 10_000
_NEVER = 1_000_000


def collect_only_the_young() -> None:
    """Looking again and again at what importing does not throw away takes a third of a start.

    The young are looked at, as what attrs throws away for each class of lsprotocol is 9 MB in all.
    """
    gc.set_threshold(_YOUNG_OBJECTS, _NEVER, _NEVER)


def collect_as_usual() -> None:
    """All is loaded, and the collector need never look at it again."""
    gc.freeze()
    gc.set_threshold(*_USUAL)
