"""Command hooks as the sources of settings have the hooks."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct


class WrittenHooks(Struct, frozen=True):
    """Command hooks in a source of settings, not yet validated."""

    source: str
    """Name of the source for the user: a file, the editor's options, …"""
    hooks: Mapping[str, Any]
    is_own: bool = True
    """Whether the user wrote the source; projects wrote the rest."""
    directory: Path | None = None
    """Directory of a file."""
