"""The project's folders, and whether a path is inside. Judged after symlinks; pure except for resolving the
symlinks."""

import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote, urlsplit

from placet.core.errors import ToolError
from placet.project.similar_names import meant

TEMPORARY = Path("/tmp")  # noqa: S108 - a place inside of the sandbox


def from_uri(uri: str) -> Path | None:
    """Return the path of a `file:` URI, or None for any other text. Windows drive letters come out upper case."""
    try:
        parts = urlsplit(uri)
    except ValueError:  # A bracket is left open.
        return None
    if parts.scheme != "file":
        return None
    path = unquote(parts.path)
    if os.name == "nt":
        path = f"//{parts.netloc}{path}" if parts.netloc else path.lstrip("/")
        path = path[:1].upper() + path[1:]
    return Path(path)


def real(path: Path) -> Path:
    """Return the path with every symlink resolved; parts that do not exist yet stay unchanged."""
    return Path(real_name(str(path)))


def real_name(path: str) -> str:
    """Return the path as `real` does; a path through a link that the user may not read, as `/proc/1/root`, stays."""
    try:
        return os.path.realpath(path)
    except OSError:
        return os.path.abspath(path)  # noqa: PTH100


def real_entry(path: Path) -> Path:
    """Return the path with every symlink of its directories resolved; a symlink at the very end stays."""
    return real(path.parent) / path.name


class Resolver:
    """Resolver of symbolic links for many paths at one moment: looks at each directory once.

    Lives for a single look at the disk, as links change.
    """

    def __init__(self) -> None:
        self._resolved = {"/": "/"}

    def real(self, path: Path) -> Path:
        """Return the path as `real` does. Looks at the disk."""
        if path.anchor != "/" or ".." in path.parts:
            return real(path)
        name = str(path)
        resolved = self._real(name)
        return path if resolved == name else Path(resolved)

    def _real(self, path: str) -> str:
        resolved = self._resolved.get(path)
        if resolved is None:
            parent, name = os.path.split(path)
            place = os.path.join(self._real(parent), name)  # noqa: PTH118
            is_link = os.path.islink(place)  # noqa: PTH114
            resolved = self._resolved[path] = real_name(place) if is_link else place
        return resolved


def real_paths(paths: Iterable[Path]) -> dict[Path, Path]:
    """Return `real` of each path, as of one moment."""
    resolver = Resolver()
    return {path: resolver.real(path) for path in paths}


def as_stored(
    path: Path,
    root: Path,
    *,
    exists: Callable[[str], bool] = os.path.lexists,
    entries: Callable[[str], list[str]] = os.listdir,
) -> Path:
    """Return the path with each name below the root spelled as in its directory, if the directory ignores case.

    A directory that has the name in the other case too either ignores case, or has two files.
    """
    stored = str(root)
    for name in path.relative_to(root).parts:
        directory, stored = stored, os.path.join(stored, name)  # noqa: PTH118
        other_case = os.path.join(directory, name.swapcase())  # noqa: PTH118
        if other_case == stored or not (exists(other_case) and exists(stored)):
            continue
        with suppress(OSError):
            names = entries(directory)
            same = (other for other in names if other.casefold() == name.casefold())
            stored = os.path.join(directory, name if name in names else next(same, name))  # noqa: PTH118
    return Path(stored)


def is_file(path: Path) -> bool:
    """Return whether a regular file exists here; False if the look fails, which is an error to `Path.is_file`."""
    return os.path.isfile(path)  # noqa: PTH113


def is_directory(path: Path) -> bool:
    """Return whether a directory exists here; False if the look fails."""
    return os.path.isdir(path)  # noqa: PTH112


def exists(path: Path) -> bool:
    """Return whether something exists here; False if the look fails, as in a directory closed to the user."""
    return os.path.exists(path)  # noqa: PTH110


def user_home() -> Path:
    """Return the user's home; if the home is unknown, the root directory, like bash."""
    try:
        return Path.home()
    except RuntimeError:
        return Path("/")


def with_home(path: str) -> Path:
    """Return the path with `~`, or `~user` of a known user, as the home; any other name that begins with `~` is
    kept."""
    try:
        return Path(path).expanduser()
    except RuntimeError:
        return Path(path)


@dataclass(frozen=True, slots=True)
class Workspace:
    """Folders opened by the user; relative paths start at the first folder."""

    roots: tuple[Path, ...]
    real_roots: tuple[Path, ...] = field(init=False, repr=False, compare=False)
    """Targets of the roots' links when the roots were opened: a root that is linked elsewhere later takes nothing else
    in."""
    temporary: Path | None = field(default=None, repr=False, compare=False)
    """Directory that the session's commands see as /tmp inside the sandbox; may be missing on disk."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "real_roots", tuple(map(real, self.roots)))

    @property
    def root(self) -> Path:
        return self.roots[0]

    @property
    def outer_roots(self) -> tuple[Path, ...]:
        """Return the roots that lie in no other root: together these roots hold everything in the workspace once."""
        return tuple(
            dict.fromkeys(
                root
                for root in self.roots
                if not any(root != other and root.is_relative_to(other) for other in self.roots)
            )
        )

    def resolve(self, file_path: str) -> Path:
        r"""Return a model's path as an absolute, normalised path; symlinks are kept. `~` is the user's home.

        `\xNN` is a byte of a name outside UTF-8, as the tools spell names, if only the file with this byte exists.
        A name that is missing on disk is the only name there that looks the same on screen.
        Raises ToolError for a text that no file system takes for a name.
        """
        try:
            is_path = b"\0" not in os.fsencode(file_path)
        except UnicodeEncodeError:
            is_path = False
        if not is_path:
            raise ToolError(f"{file_path!r} is no path: it holds a NUL or half a character.")
        return meant(self._as_commands_see(Path(os.path.normpath(self.root / with_home(file_path)))))

    def _as_commands_see(self, path: Path) -> Path:
        """Return the place of a path below /tmp that a command of the session has made, or would make."""
        temporary = self.temporary
        if temporary is None or not path.is_relative_to(TEMPORARY) or path == TEMPORARY or not is_directory(temporary):
            return path
        if any(path.is_relative_to(root) for root in (*self.roots, temporary)):
            return path
        seen = temporary / path.relative_to(TEMPORARY)
        return path if os.path.lexists(path) and not os.path.lexists(seen) else seen

    def with_temporary(self, temporary: Path) -> "Workspace":
        """Return the same workspace for a session whose commands see the directory as /tmp."""
        workspace = copy(self)  # The targets of the roots stay as they were.
        object.__setattr__(workspace, "temporary", temporary)
        return workspace

    def contains(self, path: Path) -> bool:
        """Return whether the path lies in a root once symlinks are resolved."""
        target = real(path)
        return any(target.is_relative_to(root) for root in self.real_roots)

    def root_of(self, path: Path) -> Path:
        """Return the innermost root that holds the path, else the first root."""
        holding = [root for root in self.roots if path.is_relative_to(root)]
        return max(holding, key=lambda root: len(root.parts), default=self.root)

    def name(self, path: Path) -> str:
        """Return the path as told to a model, which `resolve` takes back: relative to the first root, else absolute."""
        if self.temporary is not None and path.is_relative_to(self.temporary):
            return (TEMPORARY / path.relative_to(self.temporary)).as_posix()
        if not path.is_relative_to(self.root):
            return path.as_posix()
        name = path.relative_to(self.root).as_posix() or "."
        return path.as_posix() if name.startswith("~") else name

    def relative(self, path: Path) -> str:
        """Return the path as rules know paths: relative to its root with `/`, absolute when the path lies outside.

        Files of two roots may share a relative name.
        """
        return relative_to_roots(path, self.roots)

    def relative_behind_links(self, path: Path) -> str:
        """Return `relative` of the path's target against the targets of the roots. Looks at the disk."""
        return self.relative_of_real(real(path))

    def relative_of_real(self, target: Path) -> str:
        """Return `relative_behind_links` of a path whose links are resolved.

        If a directory ignores case, the name is spelled as the directory stores the name.
        """
        for root in self.real_roots:
            if target != root and target.is_relative_to(root):
                return relative_to_roots(as_stored(target, root), self.real_roots)
        return relative_to_roots(as_stored(target, Path(target.anchor)), self.real_roots)

    def title(self, path: Path) -> str:
        """Return `relative` for the user's eyes: outside the first root, where paths start, after the name of the
        path's root."""
        name, root = self.relative(path), self.root_of(path)
        return name if root == self.root else f"{root.name}/{name}"


def relative_to_roots(path: Path, roots: Sequence[Path]) -> str:
    """Return the path relative to the innermost root around the path, with `/`; absolute if no root holds the path."""
    for root in sorted(roots, key=lambda root: -len(root.parts)):
        with suppress(ValueError):
            return path.relative_to(root).as_posix()
    return path.as_posix()
