"""Rules for an agent: the user's own rules, the project's rules, both memories, and the rules which the setting
`instructions` names.

Rules are text for the model and are never run, so the rules of a project are read without trust in the project.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from placet.agent.prompt.rules_pages import fetch_rules, is_address
from placet.agent.prompt.system_prompt import Piece, within_bounds
from placet.core.errors import DocumentError, DocumentMissing
from placet.core.ports import Document
from placet.project.git.repository import repository_of
from placet.project.instructions import (
    bounded,
    memories,
    memory_of_user,
    rules_matching,
    rules_of_project,
    rules_of_user,
)
from placet.project.paths import Workspace, real
from placet.project.rules_imports import IMPORTING, imports
from placet.text.lines import to_lf
from placet.tools.framework.access import names_of
from placet.tools.framework.context import Judge

_LEADS_OUT = "(Left out: it is a link that leads out of the project. Name its target in the setting `instructions`.)"
_SECRET = "(Left out: what it links to may not be read without asking.)"  # noqa: S105 no password
_IMPORTED_FROM_OUTSIDE = "(Left out: the project's rules import it from outside of the project.)"
_SECRET_IMPORT = "(Left out: the project's rules import it, and it may not be read without asking.)"  # noqa: S105
_DENIED = "(Left out: the permission rules deny reading it.)"


class RulesSources(Struct, frozen=True):
    """Sources of a session's rules, and the ways to read the sources."""

    workspace: Workspace
    config: Path
    """Directory of the user's settings."""
    instructions: Sequence[str]
    """Value of the setting: globs and addresses."""
    read: Callable[[Path], Awaitable[Document]]
    """Function which reads a document as on screen. Raises DocumentError."""
    note: Callable[[Document], None]
    """Function which hears of each file the model is shown."""


class RulesSource(Struct, frozen=True):
    """Source of rules: a file or (`path` None) an address; `left_out` is the reason if the source is only named."""

    name: str
    path: Path | None = None
    left_out: str = ""


async def gather_rules(
    located: Sequence[RulesSource], sources: RulesSources, judge: Judge, pages: Mapping[str, str]
) -> list[Piece]:
    """Return the current rules of the sources that `located_rules` found; no rule makes this raise.

    `pages` are the texts of addresses which the session has fetched.

    Rules which cannot be read or fetched are replaced by a note; a file which is gone is left out.
    """
    texts = await asyncio.gather(*(_text(source, sources, judge, pages) for source in located))
    read = [(source.name, outcome) for source, outcome in zip(located, texts, strict=True) if outcome is not None]
    rules, left_out = within_bounds([Piece(name=name, text=text) for name, (text, _) in read])
    for name, (_, document) in read:
        if document is not None and name not in left_out:
            sources.note(document)
    return rules


def located_rules(sources: RulesSources, judge: Judge) -> list[RulesSource]:
    """Return every source once, even if several symlinks lead to the source. Blocks."""
    workspace = sources.workspace
    by_identity: dict[Path | str, RulesSource] = {}
    if (own := rules_of_user(sources.config)) is not None:
        by_identity[real(own)] = RulesSource(str(own), own, _why_not_the_users(own, workspace, judge))
        for file in _imports(own):
            by_identity.setdefault(real(file), RulesSource(str(file), file, _why_not_the_users(file, workspace, judge)))
    for file in rules_of_project(workspace.roots):
        reason = _why_not_the_projects(file, workspace, judge)
        by_identity.setdefault(real(file), RulesSource(str(file), file, reason))
        for imported in () if reason else _imports(file):
            source = RulesSource(str(imported), imported, _why_not_imported(imported, workspace, judge))
            by_identity.setdefault(real(imported), source)
    for file in memories(sources.config, workspace.roots):
        reason = _why_not_the_users if file == memory_of_user(sources.config) else _why_not_the_projects
        by_identity.setdefault(real(file), RulesSource(str(file), file, reason(file, workspace, judge)))
    for entry in sources.instructions:
        if is_address(entry):
            by_identity.setdefault(entry, RulesSource(entry))
            continue
        for file in rules_matching(entry, workspace.roots):
            by_identity.setdefault(real(file), RulesSource(str(file), file, _why_not_the_users(file, workspace, judge)))
    return list(by_identity.values())


def _why_not_the_users(file: Path, workspace: Workspace, judge: Judge) -> str:
    return _DENIED if any(judge("read", name) == "deny" for name in names_of(workspace, file)) else ""


def _why_not_the_projects(file: Path, workspace: Workspace, judge: Judge) -> str:
    """Return the reason to leave out a project's file, or "".

    The user may not know the project well: a link in the project must not bring in a file which the user never meant.
    """
    repository = repository_of(file.parent)
    top = file.parent if repository is None else repository.top
    if not real(file).is_relative_to(real(top)) and not workspace.contains(file):
        return _LEADS_OUT
    itself, *behind_links = names_of(workspace, file)
    if judge("read", itself) == "deny":
        return _DENIED
    return _SECRET if any(judge("read", name) != "allow" for name in behind_links) else ""


def _imports(rules: Path) -> list[Path]:
    """Return the files that the rules file imports. Blocks."""
    return imports(rules) if rules.name in IMPORTING else []


def _why_not_imported(file: Path, workspace: Workspace, judge: Judge) -> str:
    """Return the reason to leave out a file that a project's rules import, or "": the project chose the file."""
    if not workspace.contains(file):
        return _IMPORTED_FROM_OUTSIDE
    return _SECRET_IMPORT if any(judge("read", name) != "allow" for name in names_of(workspace, file)) else ""


async def _text(
    source: RulesSource, sources: RulesSources, judge: Judge, pages: Mapping[str, str]
) -> tuple[str, Document | None] | None:
    if source.left_out:
        return source.left_out, None
    if source.path is None:
        return pages.get(source.name) or bounded(await fetch_rules(source.name, judge)), None
    try:
        document = await sources.read(source.path)
    except DocumentMissing:
        return None
    except DocumentError as error:
        return f"(They cannot be read: {error})", None
    return bounded(to_lf(document.text)), document
