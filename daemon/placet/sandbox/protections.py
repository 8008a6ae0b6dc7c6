"""Protections: what the disk holds at the paths of a containment, and so what a backend has to lay over the tree.

A path that is protected though a command may write around the path is laid read-only over itself. That needs the path
to be there: names that are missing are watched instead, as nothing is ever created in a root (aftermath.py).
"""

import os
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from placet.core.regular_files import read_regular_file
from placet.project.paths import is_directory, is_file, real
from placet.project.processes.programs import run_places
from placet.sandbox.containment import Containment
from placet.sandbox.git.directories import GitDirectory, enclosing_top, git_directory_of, trusted_paths
from placet.sandbox.git.judgement import Parts, parts_of
from placet.sandbox.hidden_files import HiddenFile, find_hidden, walked
from placet.sandbox.host_sockets import host_sockets
from placet.sandbox.listings import ALL_READABLE, Listing, Listings, ReadingRules, Tree
from placet.sandbox.places import innermost, is_in
from placet.sandbox.secrets import holds_token

MOST_PROTECTED = 200
"""Number of protected paths that are laid read-only. Each costs a mount, and bwrap reads the list of mounts for each
mount: 200 cost a command 0.1 s, 1,000 would cost 3 s.
"""
REPLACED = (Path("/tmp"), Path("/run"), Path("/dev"), Path("/proc"))  # noqa: S108
"""Directories of the host for which a contained command has others."""
_OF_HOME = (
    *(".config/autostart", ".config/systemd", ".config/environment.d", ".config/fish", ".local/share/systemd"),
    *(".config/git", ".config/direnv", ".config/nvim", ".config/Code/User", ".pam_environment"),
)
"""Places in home that run programs later; protected where home itself is the project."""
_MOST_BYTES = 1 << 26


class Protections(Struct, frozen=True):
    """State of the disk, as far as the arguments of a backend depend on the state. All paths are real."""

    protected: tuple[Path, ...] = ()
    """Paths inside of writable directories that a command cannot change."""
    pins: tuple[Path, ...] = ()
    """Directories between a writable directory and a protected path, the outermost first: they keep their names."""
    outer_git: tuple[Path, ...] = ()
    """Git directories outside of the writable directories, in which a command must write to commit."""
    inner_git: tuple[Path, ...] = ()
    """Git directories inside of the writable directories; never part of an overlay."""
    masked_directories: tuple[Path, ...] = ()
    masked_files: tuple[Path, ...] = ()
    """Files and sockets out of reach."""
    hidden: tuple[HiddenFile, ...] = ()
    """Files of the project under a stand-in."""
    unhidden: str = ""
    """Why files that must be asked to be read cannot all be hidden, as the end of a sentence about the project."""
    shown: tuple[Path, ...] = ()
    """Paths that stay readable below a replaced or a masked directory."""
    trees: dict[Path, Tree] = {}
    """Writable directories with everything below as seen before the command: another protected name is an intrusion."""
    reading: ReadingRules = ALL_READABLE
    """Rules by which the trees were walked."""
    lifted: tuple[Path, ...] = ()
    """Protected paths that the user has opened for the command."""
    absent: tuple[Path, ...] = ()
    """Protected paths of git directories that are missing, and have to stay missing."""
    parts: dict[Path, Parts] = {}
    """Submodules and worktrees of each git directory before the command."""
    links: dict[Path, str] = {}
    """Protected names that are symbolic links, with the targets."""
    unheld: tuple[Path, ...] = ()
    """Protected paths beyond the number that is laid read-only."""
    gap: str = ""
    """Why the sandbox cannot answer for commands here, as the end of a sentence about the project; "" if it can."""
    refusal: str = ""
    """Reason for which no command may run here."""


def look_at(
    containment: Containment,
    listings: Listings,
    home: Path,
    programs: Sequence[Path],
    named: Sequence[Path] = (),
    overlaid: Sequence[Path] = (),
    *,
    is_new: bool = True,
) -> Protections:
    """Return the protections for a containment; `programs` are the directories of PATH. Blocks.

    `named` are the absolute paths of the command's own program and files, which stay readable. Changes in the folders
    `overlaid` land in a layer. Without `is_new` the trees may be those of an earlier look: a large tree takes long.
    """
    found = _Search(containment, listings, home)
    found.look_at_programs(overlaid)
    trees = walked(containment, listings, is_new=is_new)
    for top in containment.writable:
        found.look_below(top, trees[top])
    if is_in(home, containment.writable):
        found.look_at_home()
    writable = (*containment.writable, *found.outer_git)
    places = [path for path in dict.fromkeys(found.protected) if is_in(path, writable)]
    paths = [path for path in places if not is_in(path.parent, places)]
    protected = paths[:MOST_PROTECTED]
    own = (path if is_directory(path) else path.parent for path in named)
    shown = _shown(containment, home, (*programs, *own), found.enclosing)
    seen = (*containment.writable, *shown)
    present = [path for path in containment.unreadable if _exists(path) and _is_seen(path, seen)]
    masked = [path for path in present if _may_mask(path, containment)]
    hidden, unhidden = find_hidden(trees.values(), containment.readable)
    by_place = [file.path for file in hidden]  # A rule may name the folder: in another folder, the rule would not fit.
    sockets = [path for path in host_sockets() if _is_seen(path, seen) and _is_reachable_socket(path, containment)]
    return Protections(
        protected=tuple(protected),
        pins=tuple(sorted(_pins((*protected, *by_place), writable), key=lambda path: len(path.parts))),
        outer_git=tuple(found.outer_git),
        inner_git=tuple(found.inner_git),
        masked_directories=tuple(path for path in masked if is_directory(path)),
        masked_files=(*(path for path in masked if not is_directory(path)), *sockets),
        hidden=tuple(file for file in hidden if _is_seen(file.path, seen)),
        unhidden=unhidden,
        shown=tuple(path for path in shown if not is_in(path, containment.writable) or is_in(path, masked)),
        trees=found.trees,
        reading=containment.reading,
        lifted=containment.lifted,
        absent=tuple(found.absent),
        parts={git: parts_of(git) for git in (*found.outer_git, *found.inner_git)},
        links=found.links,
        unheld=tuple(paths[MOST_PROTECTED:]),
        gap=_gap(found.trees.values(), len(paths)),
        refusal=found.refusal,
    )


class _Search:
    """Search of the writable directories for protected paths; lives for a single look."""

    def __init__(self, containment: Containment, listings: Listings, home: Path) -> None:
        self._containment = containment
        self._listings = listings
        self._home = home
        self.protected: list[Path] = []
        self.outer_git: list[Path] = []
        self.inner_git: list[Path] = []
        self.enclosing: list[Path] = []
        """Worktrees around the folders. Git must see a whole worktree: a file out of sight would count as deleted."""
        self.trees: dict[Path, Tree] = {}
        self.absent: list[Path] = []
        self.links: dict[Path, str] = {}

    def look_below(self, top: Path, tree: Tree) -> None:
        self.trees[top] = tree
        if top in self._containment.roots and not _is_repository(tree.listings.get(str(top))):
            self._look_at_enclosing_repository(top)
        for name in tree.notable:
            directory, listing = Path(name), tree.listings[name]
            self._look_at_git(directory, listing)
            self._keep(directory, listing.protected)

    def look_at_home(self) -> None:
        """Protect the places in home from which the user's session and shells run programs."""
        for name in _OF_HOME:
            self._keep_as_is(self._home / name)

    def look_at_programs(self, overlaid: Sequence[Path]) -> None:
        """Protect the places from which the user, or Placet itself, runs programs.

        Under an overlay changes there are proposed, so that packages can be installed; Placet's own Python stays as it
        is, as each new `.pyc` would be a question.
        """
        own = (real(Path(sys.prefix)),)
        for path in run_places(self._containment.writable):
            is_lifted = any(is_in(lifted, (path,)) for lifted in self._containment.lifted)
            if not is_lifted and (is_in(path, own) or not is_in(path, overlaid)):
                self._hold(path)

    def _hold(self, path: Path) -> None:
        if os.path.islink(path):  # noqa: PTH114
            self._meet_link(path)
        else:
            self._keep_as_is(path)

    def _keep_as_is(self, path: Path) -> None:
        """Protect the path, or note that the path is missing and has to stay missing."""
        if _exists(path):
            self._protect(path)
        elif path not in self._containment.lifted:
            self.absent.append(path)

    def _look_at_git(self, directory: Path, listing: Listing) -> None:
        if listing.is_bare:
            self._trust(GitDirectory(directory, directory), None)
        match listing.git:
            case None:
                return
            case "link":
                self._meet_link(directory / ".git")
            case "file":
                self._protect(directory / ".git")
            case "directory":
                pass
        self._look_at_repository(directory)

    def _look_at_enclosing_repository(self, directory: Path) -> None:
        """Look at the repository in which git works for a folder that is not the top of a worktree."""
        if (top := enclosing_top(directory)) is not None and self._look_at_repository(top):
            self.enclosing.append(top)

    def _look_at_repository(self, top: Path) -> bool:
        """Open the git directory of a worktree, but for the trusted paths; return whether there is one to open."""
        git = git_directory_of(top, self._home)
        if git is None:
            return False
        where = self.inner_git if is_in(git.common, self._containment.writable) else self.outer_git
        if git.common not in where:
            where.append(git.common)
        self._trust(git, top)
        return True

    def _trust(self, git: GitDirectory, top: Path | None) -> None:
        for path in trusted_paths(git, top, self._containment.writable):
            self._hold(path)

    def _keep(self, directory: Path, names: Iterable[str]) -> None:
        for name in names:
            path = directory / name
            if os.path.islink(path):  # noqa: PTH114
                self._meet_link(path)
            else:
                self._protect(path)

    def _protect(self, path: Path) -> None:
        if path not in self._containment.lifted:
            self.protected.append(path)

    def _meet_link(self, path: Path) -> None:
        if path not in self._containment.lifted:
            with suppress(OSError):  # A running command has just removed the link.
                self.links[path] = os.readlink(path)  # noqa: PTH115

    @property
    def refusal(self) -> str:
        """Return why no command may run: a link leads to a place that a command could fill; otherwise "".

        A link to a place out of reach, to another protected path, or to a git directory is only watched.
        """
        held = (*self.protected, *self.inner_git)
        for path in self.links:
            target = real(path)
            if is_in(target, self._containment.writable) and not is_in(target, held):
                return f"{path} is a symbolic link to a place that commands can write ({target})"
        return ""


def _is_repository(listing: Listing | None) -> bool:
    return listing is not None and (listing.git is not None or listing.is_bare)


def _gap(trees: Iterable[Tree], number: int) -> str:
    if number > MOST_PROTECTED:
        return f"holds {number} protected paths, more than the {MOST_PROTECTED} that the sandbox keeps from commands"
    return next((tree.gap for tree in trees if tree.gap), "")


def _pins(protected: Iterable[Path], writable: Sequence[Path]) -> set[Path]:
    pins: set[Path] = set()
    for path in protected:
        top = innermost(path, writable)
        if top is not None:
            pins.update(parent for parent in path.parents if parent != top and is_in(parent, (top,)))
    return pins


def _may_mask(path: Path, containment: Containment) -> bool:
    """Return whether the place of a secret is masked: not what git tracks in a root, and no settings without secret."""
    if path.name == ".npmrc" and is_file(path) and not holds_token(_lines(path)):
        return False
    root = innermost(path, containment.roots)
    return root is None or path == root or not _is_tracked(path, root)


def _is_tracked(path: Path, root: Path) -> bool:
    """Return whether git may track the path: its name stands in the index, or the index cannot be read by names.

    A tracked file that is masked makes `git add` fail, or, emptied, would be committed as empty.
    """
    for top in (parent for parent in path.parents if is_in(parent, (root,))):
        index = top / ".git" / "index"
        try:
            content = read_regular_file(index, _MOST_BYTES)
        except FileNotFoundError:
            continue
        except OSError:
            return True
        has_plain_names = content[4:8] in (b"\0\0\0\2", b"\0\0\0\3")
        return not has_plain_names or os.fsencode(path.relative_to(top)) in content
    return False


def _is_reachable_socket(path: Path, containment: Containment) -> bool:
    """Return whether a socket of the host is to be masked; on the host's network, own jobs listen in roots too."""
    try:
        is_there = path not in containment.sockets and path.is_socket()
    except OSError:  # Out of the user's reach, and so of the command's.
        return False
    if not is_there:
        return False
    return containment.network != "allow" or not is_in(path, containment.roots)


def _is_seen(path: Path, shown: Sequence[Path]) -> bool:
    """Return whether a path of the host is in sight of a command, unless something is laid over the path."""
    return not is_in(path, REPLACED) or is_in(path, shown)


def _shown(containment: Containment, home: Path, places: Iterable[Path], worktrees: Iterable[Path]) -> tuple[Path, ...]:
    """Return the paths that are laid over replaced and masked directories again, to be read."""
    candidates = (home, *containment.roots, *worktrees, *(_whole(place) for place in places if place.is_absolute()))
    replaced = [path for path in candidates if is_in(path, REPLACED) and path not in REPLACED]
    return tuple(path for path in dict.fromkeys((*replaced, *containment.readable)) if _exists(path))


def _whole(place: Path) -> Path:
    """Return the directory that holds the files of a directory together with the files that these need.

    So `bin` lies beside `lib`, and a package of npm needs the packages beside the package.
    """
    for directory in (*reversed(place.parents), place):
        if directory.name == "node_modules":
            return directory
    return place.parent if place.name == "bin" and place.parent not in REPLACED else place


def _exists(path: Path) -> bool:
    """Return whether something is at the path; False if the look fails, which is an error to `Path.exists`."""
    return os.path.exists(path)  # noqa: PTH110


def _lines(file: Path) -> list[str]:
    try:
        return read_regular_file(file, _MOST_BYTES).decode("utf-8", "replace").splitlines()
    except OSError:
        return []
