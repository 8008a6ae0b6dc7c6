"""Where the project lies, and whether a path is inside it. Judged after symlinks; pure but for resolving them."""

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote, urlsplit

from placet.errors import ToolError
from placet.project.names import on_disk


def from_uri(uri: str) -> Path | None:
    """The path of a `file:` URI, None for any other scheme. Windows drive letters come out upper case."""
    parts = urlsplit(uri)
    if parts.scheme != "file":
        return None
    path = unquote(parts.path)
    if os.name == "nt":
        path = f"//{parts.netloc}{path}" if parts.netloc else path.lstrip("/")
        path = path[:1].upper() + path[1:]
    return Path(path)


def real(path: Path) -> Path:
    """The path with every symlink resolved; parts that do not exist yet are kept as they are."""
    return Path(os.path.realpath(path))


def as_stored(
    path: Path,
    root: Path,
    *,
    exists: Callable[[str], bool] = os.path.lexists,
    entries: Callable[[str], list[str]] = os.listdir,
) -> Path:
    """Return the path with each name below the root spelled as its directory stores it, where that ignores case.

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
    """Whether a regular file is there; not where it cannot be looked at, which is an error to `Path.is_file`."""
    return os.path.isfile(path)  # noqa: PTH113


def is_directory(path: Path) -> bool:
    """The same of a directory."""
    return os.path.isdir(path)  # noqa: PTH112


def user_home() -> Path:
    """The user's home; where nobody knows it, what bash takes for it."""
    try:
        return Path.home()
    except RuntimeError:
        return Path("/")


def with_home(path: str) -> Path:
    """The path with `~` as the user's home; a name that only begins with one (`~backup`) is a name."""
    try:
        return Path(path).expanduser()
    except RuntimeError:
        return Path(path)


@dataclass(frozen=True, slots=True)
class Workspace:
    """The folders the user opened; the first is where relative paths start."""

    roots: tuple[Path, ...]
    real_roots: tuple[Path, ...] = field(init=False, repr=False, compare=False)
    """What they linked to when they were opened: a root that is linked elsewhere later takes nothing else in."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "real_roots", tuple(map(real, self.roots)))

    @property
    def root(self) -> Path:
        return self.roots[0]

    @property
    def outer_roots(self) -> tuple[Path, ...]:
        """The roots that lie in no other: together they hold everything in the workspace once."""
        return tuple(
            dict.fromkeys(
                root for root in self.roots if not any(root != one and root.is_relative_to(one) for one in self.roots)
            )
        )

    def resolve(self, file_path: str) -> Path:
        r"""A model's path as an absolute, normalised one; symlinks are kept. `~` is the user's home.

        Where only such a file is there, `\xNN` is a byte of its name that is not UTF-8, as the tools spell it.
        Raises ToolError for what no file system takes for a name.
        """
        try:
            is_path = b"\0" not in os.fsencode(file_path)
        except UnicodeEncodeError:
            is_path = False
        if not is_path:
            raise ToolError(f"{file_path!r} is no path: it holds a NUL or half a character.")
        return on_disk(Path(os.path.normpath(self.root / with_home(file_path))))

    def contains(self, path: Path) -> bool:
        """Whether the path lies in a root once symlinks are resolved."""
        target = real(path)
        return any(target.is_relative_to(root) for root in self.real_roots)

    def root_of(self, path: Path) -> Path:
        """The innermost root that holds the path, else the first."""
        holding = [root for root in self.roots if path.is_relative_to(root)]
        return max(holding, key=lambda root: len(root.parts), default=self.root)

    def name(self, path: Path) -> str:
        """The path as a model is told it, which `resolve` takes back: relative to the first root, else absolute."""
        if not path.is_relative_to(self.root):
            return path.as_posix()
        name = path.relative_to(self.root).as_posix() or "."
        return path.as_posix() if name.startswith("~") else name

    def relative(self, path: Path) -> str:
        """The path as rules know it: relative to its root with `/`, absolute when it lies outside.

        Files of two roots may have one name by it.
        """
        return relative_to_roots(path, self.roots)

    def relative_behind_links(self, path: Path) -> str:
        """`relative` of what the path links to, to what the roots link to. Looks at the disk."""
        return self.relative_of_real(real(path))

    def relative_of_real(self, target: Path) -> str:
        """`relative_behind_links` of a path whose links are resolved.

        Where a directory ignores case, the name is the one that the directory stores.
        """
        for root in self.real_roots:
            if target != root and target.is_relative_to(root):
                return relative_to_roots(as_stored(target, root), self.real_roots)
        return relative_to_roots(as_stored(target, Path(target.anchor)), self.real_roots)

    def title(self, path: Path) -> str:
        """`relative` for the user's eyes: outside the first root, where paths start, after the name of its root."""
        name, root = self.relative(path), self.root_of(path)
        return name if root == self.root else f"{root.name}/{name}"


def relative_to_roots(path: Path, roots: Sequence[Path]) -> str:
    """Return the path relative to the innermost root that holds it, with `/`; absolute where no root does."""
    for root in sorted(roots, key=lambda root: -len(root.parts)):
        with suppress(ValueError):
            return path.relative_to(root).as_posix()
    return path.as_posix()
