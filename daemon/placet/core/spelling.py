"""Guess at a misspelled name."""

from collections.abc import Iterable


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that the user probably means, or None."""
    import difflib  # Only a mistake pays for the import.

    return next(iter(difflib.get_close_matches(name, list(known), n=1)), None)
