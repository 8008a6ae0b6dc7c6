"""Guess at a misspelled name."""

from collections.abc import Iterable


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that the user probably means, or None."""
    return next(iter(near(name, known, most=1)), None)


def near(name: str, known: Iterable[str], *, most: int) -> list[str]:
    """Return the known names that the user may mean, the nearest first."""
    import difflib  # Only a mistake pays for the import.

    return difflib.get_close_matches(name, list(known), n=most)
