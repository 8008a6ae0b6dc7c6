"""The garbage collector while the program loads: nearly all objects made during loading stay for good."""

import gc

_USUAL = gc.get_threshold()
_YOUNG_OBJECTS = 10_000
_NEVER = 1_000_000


def collect_only_the_young() -> None:
    """Collect young objects only: scanning again and again the objects which importing keeps takes a third of a start.

    Young objects are still collected, as attrs throws away 9 MB in all for the classes of lsprotocol.
    """
    gc.set_threshold(_YOUNG_OBJECTS, _NEVER, _NEVER)


def collect_as_usual() -> None:
    """Return to the usual collection once all is loaded; the collector never needs to scan the loaded objects again."""
    gc.freeze()
    gc.set_threshold(*_USUAL)
