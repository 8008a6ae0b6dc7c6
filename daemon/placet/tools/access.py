"""What a tool asks before it touches a path: whether it may leave the workspace, and by which names rules know it."""

from collections.abc import Callable, Iterable
from pathlib import Path

from placet.permissions.ask import Ask
from placet.project.paths import Workspace, real
from placet.tools.define import ToolContext


async def ask_outside(context: ToolContext, paths: Iterable[Path]) -> None:
    """Ask `external_directory` once for all that lies outside the workspace after symlinks; nothing outside, no ask."""
    if (ask := outside_ask(context.workspace, paths)) is not None:
        await context.ask(ask.permission, ask.patterns, always=ask.always, title=ask.title)


def outside_ask(workspace: Workspace, paths: Iterable[Path]) -> Ask | None:
    """What is asked of the paths that lie outside. Looks at the disk.

    The pattern is `<directory>/*` of the real place, so that a link inside cannot lend its name to what is not.
    """
    outside = [real(path) for path in paths if not workspace.contains(path)]
    directories = [(path if path.is_dir() else path.parent).as_posix().rstrip("/") for path in outside]
    if not directories:
        return None
    return Ask(
        "external_directory",
        tuple(_contents_of(directories)),
        tuple(_contents_of(only_themselves(directories))),
        f"Access outside the workspace: {', '.join(dict.fromkeys(directories))}",
    )


def names_of(workspace: Workspace, path: Path) -> list[str]:
    """How permission rules know the path: as the user does, and by what it links to when that is another file."""
    return list(dict.fromkeys((workspace.relative(path), workspace.relative_behind_links(path))))


def names_within(workspace: Workspace, directory: Path) -> Callable[[str], str]:
    """`workspace.relative` of what lies in the directory, given relative to it; for very many names, without a Path."""
    if any(root != directory and root.is_relative_to(directory) for root in workspace.roots):
        return lambda name: workspace.relative(directory / name)
    here = workspace.relative(directory)
    return lambda name: name if here == "." else f"{here}/{name}"


def only_themselves(patterns: Iterable[str]) -> list[str]:
    """What "always" may grant: a name or command that holds a wildcard of its own would grant more than itself."""
    return [pattern for pattern in patterns if not set("*?") & set(pattern)]


def _contents_of(directories: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(f"{directory}/*" for directory in directories))
