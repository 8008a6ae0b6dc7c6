"""Earlier share of a file in a change set: the file without the steps of some turns. Pure."""

from collections.abc import Callable, Collection, Sequence

from placet.changes.review.staged_file import StagedStep, UndecidedFile
from placet.core.values import replace
from placet.text.without_change import without_change


def without_steps(
    file: UndecidedFile, is_gone: Callable[[StagedStep], bool], gone_changes: Collection[str]
) -> UndecidedFile | None:
    """Return the file without the steps, or None if no step or no change is left.

    `gone_changes` are the changes of the journal that wrote the steps of an unreviewed file.
    """
    if not any(map(is_gone, file.steps)):
        return file
    texts = _texts_without(file, is_gone)
    kept = [replace(step, text=text) for step, text in zip(file.steps, texts, strict=True) if not is_gone(step)]
    if not kept:
        return None
    changes = tuple(change for change in file.changes if change not in gone_changes)
    rest = replace(file, text=kept[-1].text, steps=tuple(kept), changes=changes)
    if is_gone(file.steps[-1]):
        rest = _at_place(rest, kept)
    if rest.base_mode is not None:
        mode = kept[-1].mode
        is_changed = mode not in (None, rest.base_mode)
        rest = replace(rest, mode=mode if is_changed else None, base_mode=rest.base_mode if is_changed else None)
    is_as_before = rest.text == rest.base_text and rest.base_mode is None and rest.mode is None
    return None if rest.kind == "modify" and is_as_before else rest


def _texts_without(file: UndecidedFile, is_gone: Callable[[StagedStep], bool]) -> list[str]:
    """Return the text after each step, without the gone steps before the step."""
    texts = [step.text for step in file.steps]
    if file.is_raw:
        return texts
    befores = [file.base_text or "", *texts[:-1]]
    for at in reversed(range(len(file.steps))):
        if is_gone(file.steps[at]):
            for later in range(at + 1, len(texts)):
                texts[later] = without_change(texts[later], texts[at], befores[at])
    return texts


def _at_place(file: UndecidedFile, kept: Sequence[StagedStep]) -> UndecidedFile:
    """Return the file as the last kept step left the file: deleted, or under the name of that time."""
    place = kept[-1].place or file.place
    if kept[-1].is_delete:
        return replace(file, kind="delete", text="", new_path=None)
    if file.kind == "create":
        return replace(file, path=place, mode=kept[-1].mode)
    is_renamed = place != file.path
    mode = kept[-1].mode if is_renamed or file.kind == "modify" else None
    return replace(file, kind="rename" if is_renamed else "modify", new_path=place if is_renamed else None, mode=mode)
