"""Earlier share of a file in a change set: the file without the steps of some calls. Pure."""

from collections.abc import Callable, Collection

from placet.changes.review.staged_file import StagedFile, StagedStep
from placet.core.values import replace
from placet.text.without_change import without_change


def without_steps(
    file: StagedFile, is_gone: Callable[[StagedStep], bool], gone_changes: Collection[str]
) -> StagedFile | None:
    """Return the file without the steps, or None if no step or no change is left.

    `gone_changes` are the changes of the journal that wrote the steps of an unreviewed file. A rename stays as long as
    any step is left, because the steps do not tell which call renamed the file.
    """
    if not any(map(is_gone, file.steps)):
        return file
    kept: list[StagedStep] = []
    texts = [step.text for step in file.steps]
    befores = [file.base_text or "", *texts[:-1]]
    for at in reversed(range(len(file.steps))):
        if is_gone(file.steps[at]):
            for later in range(at + 1, len(texts)):
                texts[later] = without_change(texts[later], texts[at], befores[at])
    kept = [replace(step, text=text) for step, text in zip(file.steps, texts, strict=True) if not is_gone(step)]
    if not kept:
        return None
    text = kept[-1].text
    is_deleted = file.kind == "delete" and not is_gone(file.steps[-1])
    kind = "modify" if file.kind == "delete" and not is_deleted else file.kind
    if kind == "modify" and text == file.base_text:
        return None
    changes = tuple(change for change in file.changes if change not in gone_changes)
    return replace(file, kind=kind, text=text, steps=tuple(kept), changes=changes)
