"""Directory whose items have names that begin with the name of a bundle: `bundle:item`."""

from pathlib import Path

from msgspec import Struct


class PrefixedDirectory(Struct, frozen=True):
    """Directory, or a single file, of a bundle with items of one kind: commands, agents or skills."""

    path: Path
    prefix: str
    """Name of the bundle."""
    references: tuple[tuple[str, str], ...] = ()
    """References that the texts of the bundle may hold, such as `${CLAUDE_PLUGIN_ROOT}`, each with its text."""

    def name_of(self, item: Path) -> str:
        """Return the name of an item, given as the path of the item without a suffix."""
        parts = item.relative_to(self.path).parts or (item.name,)
        return ":".join((self.prefix, *parts))

    def expanded(self, text: str) -> str:
        """Return the text with the references to the bundle replaced."""
        for reference, value in self.references:
            text = text.replace(reference, value)
        return text


Directory = Path | PrefixedDirectory
"""Directory with items of the user, of a project, or of a bundle."""


def path_of(directory: Directory) -> Path:
    return directory.path if isinstance(directory, PrefixedDirectory) else directory


def markdown_files(directory: Directory) -> list[tuple[str, Path]]:
    """Return the name and the path of each Markdown file, in the order of the paths. Blocks.

    The name is the path below the directory without the suffix, joined by `/`; in a bundle, joined by `:`.
    """
    top = path_of(directory)
    if isinstance(directory, PrefixedDirectory):
        files = [top] if top.is_file() else sorted(top.rglob("*.md"))
        single = top.is_file()
        return [
            (f"{directory.prefix}:{file.stem}" if single else directory.name_of(file.with_suffix("")), file)
            for file in files
            if file.is_file()
        ]
    return [(file.relative_to(top).with_suffix("").as_posix(), file) for file in sorted(top.rglob("*.md"))]
