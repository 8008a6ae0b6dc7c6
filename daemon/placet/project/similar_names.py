"""Names possibly meant by a model or a user: files with a name of the same look, or nearly so."""

import difflib
import os
import unicodedata
from collections.abc import Callable, Sequence
from pathlib import Path

from placet.project.undecodable_names import on_disk

SUGGESTIONS = 3

_LOOKS_LIKE = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u02bc", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033", '"'),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"),
        **dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff", ""),
    }
)


def meant(path: Path) -> Path:
    """Return the absolute path with each name that is missing on disk as the only entry that looks the same on screen.

    Models write plain quotes, dashes and spaces for the typographic characters in a name, and composed letters for
    decomposed letters (macOS puts a narrow no-break space into the names of its screenshots). The spelling of bytes
    that are not UTF-8 is taken back as by `on_disk`. Blocks.
    """
    path = on_disk(path)
    if os.path.lexists(path):
        return path
    found = Path(path.anchor)
    names = path.relative_to(found).parts
    for count, name in enumerate(names):
        if not os.path.lexists(found / name):
            appearance = _appearance(name)
            alike = [other for other in _names(found) if _appearance(other) == appearance]
            if len(alike) != 1:
                return found.joinpath(*names[count:])
            name = alike[0]
        found /= name
    return found


def nearest_names(path: Path, names: Sequence[str]) -> list[Path]:
    """Return the paths of up to SUGGESTIONS of the names beside `path` that are similar, the likeliest first."""
    lowered = path.name.lower()
    by_lower = {name.lower(): name for name in names}
    close = [by_lower[name] for name in difflib.get_close_matches(lowered, by_lower, n=SUGGESTIONS)]
    # One name inside the other, as `test` and `test_app.py`; a single letter is in every name.
    within = [name for name in names if len(name) > 2 and (lowered in name.lower() or name.lower() in lowered)]
    return [path.parent / name for name in list(dict.fromkeys(close + within))[:SUGGESTIONS]]


def nearest_directory(path: Path, is_directory: Callable[[Path], bool] = Path.is_dir) -> Path:
    """Return the innermost existing directory above `path`. Blocks."""
    return next((parent for parent in path.parents if is_directory(parent)), path.parent)


def _names(directory: Path) -> list[str]:
    try:
        return sorted(entry.name for entry in directory.iterdir())
    except OSError:
        return []


def _appearance(name: str) -> str:
    """Return the name with every character replaced by a plain lookalike."""
    return " ".join(unicodedata.normalize("NFKC", name).translate(_LOOKS_LIKE).split())
