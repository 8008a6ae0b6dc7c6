"""Question to the gate about a proposed change: the patterns of the files, and the conditions for writing the files."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from placet.changes.propose.preflight import hard_link_remark
from placet.core.executor import in_thread
from placet.core.ports import ProposedChange, ProposedFile
from placet.permissions.ask import Ask
from placet.permissions.decision import Verdict
from placet.permissions.protection import conditions_for_writing
from placet.project.paths import Workspace
from placet.project.undecodable_names import spelled
from placet.settings import Action
from placet.text.plan import EditPlan


class EditQuestion(NamedTuple):
    """Question about a proposal, and what the rules, the grants and the plugins say."""

    ask: Ask
    action: Action
    verdict: Verdict


async def edit_question(change_id: str, plan: EditPlan, files: Sequence[ProposedFile], workspace: Workspace) -> Ask:
    """Return the question about the files that the plan changes."""
    change = ProposedChange(change_id, tuple(file for file in files if file.changes_anything))
    paths = [path for file in change.files for path in file.paths]
    patterns = _names_for_rules(workspace, paths)
    remark, conditions = await in_thread(
        lambda: (hard_link_remark(change.files), conditions_for_writing(workspace, paths))
    )
    return Ask("edit", patterns, literal(patterns), remark + plan.title, change, conditions=conditions)


def literal(patterns: tuple[str, ...]) -> tuple[str, ...]:
    """Return the patterns that "always" may grant: a file with a wildcard in the name would grant more than the file
    itself, and a name that is not UTF-8 cannot be kept.
    """
    without_wildcard = (pattern for pattern in patterns if not set("*?") & set(pattern.removesuffix("/*")))
    return tuple(pattern for pattern in without_wildcard if spelled(pattern) == pattern)


def _names_for_rules(workspace: Workspace, paths: Iterable[Path]) -> tuple[str, ...]:
    """Return the names of the paths for rules: the user's name and the name behind symlinks; so a link opens no back
    door.
    """
    names = ((workspace.relative(path), workspace.relative_behind_links(path)) for path in paths)
    return tuple(dict.fromkeys(name for pair in names for name in pair))
