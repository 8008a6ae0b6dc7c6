"""Options of `placet --acp` on the command line, which hold for every new session."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from placet.settings.sources import allowances


class DoorOptions(Struct, frozen=True):
    """Options of the command line."""

    agent: str | None = None
    model: str | None = None
    settings: Mapping[str, Any] = {}
    """Settings equal to the options."""


def read_options(arguments: Sequence[str]) -> DoorOptions:
    """Return the options behind `--acp`. Exits with a message for a mistake."""
    if not arguments:
        return DoorOptions()
    import argparse

    from placet.settings.review_modes import REVIEW_MODES

    parser = argparse.ArgumentParser(prog="placet --acp", description="Serve the Agent Client Protocol on stdio.")
    parser.add_argument("--agent", metavar="NAME", help="agent of new sessions")
    parser.add_argument("--model", metavar="MODEL", help="model of new sessions")
    parser.add_argument(
        "--allow", action="append", default=[], metavar="PERMISSION[:PATTERN]", help="allow without asking"
    )
    parser.add_argument("--review", choices=tuple(REVIEW_MODES), help="review mode of new sessions")
    parser.add_argument("--login", action="store_true", help="store a key of a provider, and serve nothing")
    given = parser.parse_args(arguments)
    settings: dict[str, Any] = {} if given.model is None else {"model": given.model}
    if given.review is not None:
        settings["review"] = given.review
    if permission := allowances(given.allow):
        settings["permission"] = permission
    return DoorOptions(given.agent, given.model, settings)
