"""Decided parts of files as proposals that the pipeline of changes writes. Pure."""

from typing import NamedTuple

from placet.changes.propose.proposal import propose, with_text
from placet.changes.review.parts import DecidedPart
from placet.changes.review.staged_file import StagedStep
from placet.core.ports import Document, ProposedFile
from placet.core.values import replace
from placet.project.paths import Workspace
from placet.text.plan import PlannedFile


class PlannedWrite(NamedTuple):
    """Share of a turn in the writing of a decided part."""

    part: DecidedPart
    step: StagedStep
    planned: PlannedFile


def proposed_part(write: PlannedWrite, document: Document | None, workspace: Workspace) -> ProposedFile:
    part, planned = write.part, write.planned
    file, name = part.view.file, workspace.name(planned.path)
    new_name = "" if planned.new_path is None else workspace.name(planned.new_path)
    shown = part.view.proposed
    if shown is not None and _is_shown(shown, planned, document):
        proposed = shown
    else:
        proposed = propose(planned, document, name, new_name)
    if document is None:
        proposed = replace(proposed, line_ending=file.line_ending, bom=file.bom)
    return replace(proposed, edited_diff=part.edited_diff, rejected_hunks=part.rejected_hunks)


def raw_part(write: PlannedWrite) -> ProposedFile:
    """Return the accepted part of a file that no document holds."""
    shown, part = write.part.view.proposed, write.part
    assert shown is not None
    text = "" if write.planned.new_text is None else write.planned.new_text
    accepted = with_text(shown, text)
    return replace(accepted, edited_diff=part.edited_diff, rejected_hunks=part.rejected_hunks)


def _is_shown(shown: ProposedFile, planned: PlannedFile, document: Document | None) -> bool:
    """Return whether the plan writes the whole proposal as the user saw the proposal."""
    is_same = (planned.kind, planned.base_text, planned.new_text) == ("modify", shown.old_text, shown.new_text)
    return is_same and shown.kind == "modify" and document is not None and shown.document == document
