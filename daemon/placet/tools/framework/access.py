"""Checks of a tool before the tool touches a path: inside the workspace or outside, and the path's names in rules."""

import os
from collections.abc import Callable, Hashable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from placet.permissions.ask import Ask
from placet.permissions.patterns import is_absolute, literal_folder
from placet.permissions.rules import STRICTNESS, Rule, applies
from placet.project.paths import Workspace, is_directory, real, relative_to_roots
from placet.project.undecodable_names import spelled
from placet.sandbox.listings import ReadingRules
from placet.settings import Action

if TYPE_CHECKING:
    from placet.tools.framework.context import Judge, ToolContext  # An explanation of rules needs no calls.


async def ask_outside(context: "ToolContext", paths: Iterable[Path]) -> None:
    """Ask `external_directory` once for all that lies outside the workspace after symlinks; nothing outside, no ask."""
    if (ask := outside_ask(context.workspace, paths)) is not None:
        await context.ask(ask)


def outside_ask(workspace: Workspace, paths: Iterable[Path]) -> Ask | None:
    """Return the ask for the paths outside of the workspace, or None. Looks at the disk.

    The pattern is `<directory>/*` of the real place, so that a link inside lends its name to no file outside.
    """
    outside = [real(path) for path in paths if not workspace.contains(path)]
    directories = [(path if is_directory(path) else path.parent).as_posix().rstrip("/") for path in outside]
    if not directories:
        return None
    return Ask(
        "external_directory",
        _contents_of(directories),
        _contents_of(only_themselves(directories)),
        f"Access outside the workspace: {', '.join(dict.fromkeys(directories))}",
    )


def names_of(workspace: Workspace, path: Path) -> list[str]:
    """Return the names of the path in permission rules: the user's spelling, and the link's target if different."""
    return list(dict.fromkeys((workspace.relative(path), workspace.relative_behind_links(path))))


def reading(workspace: Workspace, path: Path, judge: "Judge") -> Action:
    """Return the rules' action for reading the path, by the own name and the link's target. Looks at the disk."""
    return strictest(judge("read", name) for name in names_of(workspace, path))


def reading_below(workspace: Workspace, directory: Path, judge: "Judge") -> Callable[[str], Action]:
    """Return a function from a file's name, relative to the directory, to the rules' action for reading the file.

    The directory may lie behind links. Between the directory and the file there must be no link, so that very many
    files can be judged without a look at the disk.
    """
    own, behind_links = _naming(directory, workspace.roots), _naming(real(directory), workspace.real_roots)
    if own("x") == behind_links("x"):
        return lambda name: judge("read", own(name))
    return lambda name: strictest((judge("read", own(name)), judge("read", behind_links(name))))


def reading_rules(
    workspace: Workspace, judge: "Judge", rules: Sequence[Rule], key: Hashable = ()
) -> ReadingRules | None:
    """Return the rules by which files are hidden from commands; None if a rule asks about every file or denies all.

    The judge is made of `rules`; `key` differs wherever the judge can differ under the same rules. Looks at the disk.
    """
    if judge("read", "*") != "allow":
        return None
    linked = _linked_folders(workspace, rules)
    tops = sorted(workspace.real_roots, key=lambda root: len(root.parts), reverse=True)
    actions = [(f"{str(top).rstrip(os.sep)}{os.sep}", reading_below(workspace, top, judge)) for top in tops]

    def is_asked(path: str) -> bool:
        for folder, name in linked.items():
            if path.startswith(folder) and judge("read", f"{name}{path[len(folder) :]}") != "allow":
                return True
        for prefix, action in actions:
            if path.startswith(prefix):
                return action(path[len(prefix) :]) != "allow"
        return judge("read", path) != "allow"

    beyond = tuple(Path(folder) for folder in linked if not workspace.contains(Path(folder)))
    return ReadingRules((workspace.roots, tuple(rules), tuple(linked.items()), key), is_asked, beyond)


def _linked_folders(workspace: Workspace, rules: Sequence[Rule]) -> dict[str, str]:
    """Return the real folders to which links at the beginning of patterns lead, each with the name in the pattern."""
    linked: dict[str, str] = {}
    for rule in rules:
        name = literal_folder(rule.pattern)
        if rule.action == "allow" or not name or is_absolute(name) or not applies(rule, "read"):
            continue
        for root, real_root in zip(workspace.roots, workspace.real_roots, strict=True):
            folder = real(root / name)
            if folder != real_root / name and is_directory(folder):
                linked[f"{folder}{os.sep}"] = name
    return linked


def strictest(actions: Iterable[Action]) -> Action:
    """Return `deny` if one action denies, else `ask` if one action asks, else `allow`."""
    return max(actions, key=lambda action: STRICTNESS[action])


def _naming(directory: Path, roots: Sequence[Path]) -> Callable[[str], str]:
    """Return `relative_to_roots` for names relative to the directory; makes a Path only where necessary."""
    if any(root != directory and root.is_relative_to(directory) for root in roots):
        return lambda name: relative_to_roots(directory / name, roots)
    here = relative_to_roots(directory, roots).rstrip("/")
    return lambda name: name if here == "." else f"{here}/{name}"


def only_themselves(patterns: Iterable[str]) -> tuple[str, ...]:
    """Return the patterns that "always" may grant.

    A name or command with a wildcard would grant more than the name or command itself, and a name that is not text
    cannot be written down.
    """
    return tuple(pattern for pattern in patterns if not set("*?") & set(pattern) and spelled(pattern) == pattern)


def _contents_of(directories: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(f"{directory}/*" for directory in directories))
