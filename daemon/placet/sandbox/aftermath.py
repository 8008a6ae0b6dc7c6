"""Look after a contained command: protected names that the command has made are moved away and reported.

A mount cannot keep a name missing, and nothing is ever made in a root for a mount. So a command can make a protected
file that was not there; the file is gone before anybody but the command's own children could read it.
"""

import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from placet.core.errors import DocumentError
from placet.project.files.held_directory import HeldDirectory, held
from placet.sandbox.git_judgement import obeyed_parts
from placet.sandbox.listings import Listings, Tree
from placet.sandbox.protections import Protections


class Intrusion(Struct, frozen=True):
    """Protected path that a command has made or replaced."""

    path: Path
    kept_at: Path | None
    """Place to which the file or directory was moved; None if the move failed, and the path is still there."""


def look_after(protections: Protections, listings: Listings, keep: Path) -> tuple[Intrusion, ...]:
    """Move protected names that are new since the look below `keep`, and restore replaced links. Blocks."""
    new = dict.fromkeys(_new_paths(protections, listings))
    outermost = [path for path in new if new.keys().isdisjoint(path.parents)]
    return tuple(_moved(path, protections.links.get(path), keep) for path in outermost)


def _new_paths(protections: Protections, listings: Listings) -> Iterator[Path]:
    for top, before in protections.trees.items():
        yield from _new_names(before, listings.walk(top), protections.lifted)
    yield from (path for path in protections.absent if os.path.lexists(path))
    for git in (*protections.outer_git, *protections.inner_git):
        yield from (path for path in obeyed_parts(git) if path not in protections.obeyed)
    yield from (path for path, target in protections.links.items() if _target(path) not in (target, None))


def _new_names(before: Tree, after: Tree, lifted: Sequence[Path]) -> Iterator[Path]:
    """Yield the protected names that a directory has by now, also a directory that the command has made."""
    for directory in after.notable:
        known = before.listings.get(directory)
        for name in after.listings[directory].protected:
            if (known is None or name not in known.protected) and (path := Path(directory, name)) not in lifted:
                yield path


def _target(link: Path) -> str | None:
    """Return the target of a link, "" for something else, or None for nothing."""
    try:
        return os.readlink(link)  # noqa: PTH115
    except FileNotFoundError:
        return None
    except OSError:
        return ""


def _moved(path: Path, link: str | None, keep: Path) -> Intrusion:
    place = keep / str(len(list(keep.iterdir())) if keep.is_dir() else 0)
    try:
        place.mkdir(parents=True, mode=0o700)
        # Directory by directory without links: a command could have put a link to a directory of the user's here.
        with held(path.parent) as directory:
            _move(directory, path.name, place / path.name)
            if link is not None:
                directory.make_link(path.name, os.fsencode(link))
    except (OSError, shutil.Error, DocumentError, RecursionError):  # A command can make trees of any depth.
        with suppress(OSError):
            place.rmdir()
        return Intrusion(path, None)
    return Intrusion(path, place / path.name)


def _move(directory: HeldDirectory, name: str, destination: Path) -> None:
    """Move an entry, also onto another file system."""
    try:
        os.rename(name, destination, src_dir_fd=directory.descriptor)
    except OSError:
        source = Path(f"/proc/self/fd/{directory.descriptor}", name)
        if source.is_dir() and not source.is_symlink():
            shutil.copytree(source, destination, symlinks=True)
            shutil.rmtree(source)
        else:
            shutil.copy2(source, destination, follow_symlinks=False)
            directory.remove(name)


def intrusion_sentences(intrusions: Iterable[Intrusion]) -> list[str]:
    """Return a sentence about each intrusion, for the model and the user."""
    return [
        f"{intrusion.path} was made by the command, and could not be moved away: other programs run or obey the file."
        if intrusion.kept_at is None
        else f"{intrusion.path} was made by the command and moved to {intrusion.kept_at}, as other programs run or "
        "obey the file."
        for intrusion in intrusions
    ]
