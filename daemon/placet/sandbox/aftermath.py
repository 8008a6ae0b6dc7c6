"""Look after a contained command: protected names that the command has made are moved away and reported.

A mount cannot keep a name missing, and nothing is ever made in a root for a mount. So a command can make a protected
file that was not there; the file is gone before anybody but the command's own children could read it.
"""

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from placet.core.errors import DocumentError
from placet.core.ids import new_id
from placet.core.visible_text import spelled_out
from placet.project.files.held_directory import HeldDirectory, held
from placet.sandbox.git.judgement import bare_entries, leads_to_repository, obeyed_entries, planted_parts
from placet.sandbox.listings import NOTHING, Listing, Listings, Tree
from placet.sandbox.places import is_in
from placet.sandbox.protections import Protections
from placet.text.counted import counted

MOST_TOLD = 10


class Intrusion(Struct, frozen=True):
    """Protected path that a command has made or replaced."""

    path: Path
    kept_at: Path | None
    """Place to which the file or directory was moved; None if the move failed, and the path is still there."""


def look_after(
    protections: Protections, listings: Listings, keep: Path, overlaid: Sequence[Path] = ()
) -> tuple[Intrusion, ...]:
    """Move protected names that are new since the look below `keep`, and restore replaced links. Blocks.

    In the folders `overlaid` a command has written into a layer, whose files are judged one by one
    (overlay/harvest.py); new names there are the user's. Only git directories are written at once there too.
    """
    new = dict.fromkeys(_new_paths(protections, listings, overlaid))
    outermost = [path for path in new if new.keys().isdisjoint(path.parents)]
    moved = tuple(_moved(path, protections.links.get(path), keep) for path in outermost)
    for directory in (keep, keep.parent):
        with suppress(OSError):
            directory.rmdir()  # Only an empty directory goes.
    return moved


def _new_paths(protections: Protections, listings: Listings, overlaid: Sequence[Path]) -> Iterator[Path]:
    tops = tuple(protections.trees)
    for top in tops:
        if not is_in(top, overlaid):
            before, after = protections.trees[top], listings.walk(top, protections.reading)
            yield from _new_names(before, after, protections.lifted)
            yield from _new_repositories(before, after, tops)
    yield from (path for path in protections.absent if os.path.lexists(path))
    for git, parts in protections.parts.items():
        yield from planted_parts(git, parts, tops)
    yield from (path for path, target in protections.links.items() if _target(path) not in (target, None))


def _new_names(before: Tree, after: Tree, lifted: Sequence[Path]) -> Iterator[Path]:
    """Yield the protected names that a directory has by now, also a directory that the command has made."""
    for directory, known in _judged_directories(before, after):
        for name in after.listings[directory].protected:
            if name not in known.protected and (path := Path(directory, name)) not in lifted:
                yield path


def _new_repositories(before: Tree, after: Tree, tops: Sequence[Path]) -> Iterator[Path]:
    """Yield the entries of new repositories by which git would run programs; git itself makes harmless entries."""
    for name, known in _judged_directories(before, after):
        directory, listing = Path(name), after.listings[name]
        entry = directory / ".git"
        match listing.git:
            case None:
                pass
            case kind if kind == known.git:
                pass
            case "directory":
                yield from obeyed_entries(entry)
            case "file" if leads_to_repository(entry, tops):
                pass
            case _:
                yield entry
        if listing.is_bare and not known.is_bare and any(bare_entries(directory)):
            yield directory / "HEAD"


def _judged_directories(before: Tree, after: Tree) -> Iterator[tuple[str, Listing]]:
    """Yield each directory that matters by now with its listing before the command.

    Where the first look has a gap, a directory that the look did not see may be as old as the others.
    """
    for directory in after.notable:
        known = before.listings.get(directory)
        if known is not None or not before.gap:
            yield directory, known or NOTHING


def _target(link: Path) -> str | None:
    """Return the target of a link, "" for something else, or None for nothing."""
    try:
        return os.readlink(link)  # noqa: PTH115
    except FileNotFoundError:
        return None
    except OSError:
        return ""


def _moved(path: Path, link: str | None, keep: Path) -> Intrusion:
    place = keep / new_id("kept")
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


def intrusion_sentences(intrusions: Sequence[Intrusion]) -> list[str]:
    """Return a sentence about each intrusion, for the model and the user; of very many only the first are named."""
    sentences: list[str] = []
    for intrusion in intrusions[:MOST_TOLD]:
        path, place = spelled_out(str(intrusion.path)), spelled_out(str(intrusion.kept_at))
        kept = f"it was moved to {place}" if intrusion.kept_at else "it could not be moved away"
        sentences.append(f"Commands cannot make {path}, which other programs run or obey: {kept}.")
    if rest := intrusions[MOST_TOLD:]:
        sentences.append(f"The same holds for {counted(len(rest), 'more file')}.")
    return sentences
