"""Replacement of a text throughout one file: read the file, count, and propose one edit."""

from placet.model.rules.intents import Replace
from placet.model.rules.reading import open_file
from placet.model.rules.script import NotDone, RulesCall, Script, Step


def replace(intent: Replace) -> Script:
    """Answer the changes really applied, in the edit tool's words."""
    if intent.old == intent.new:
        raise NotDone("The text and its replacement are the same; there is nothing to do.")
    if not intent.old:
        raise NotDone("The text to be replaced is empty; say which text is meant.")
    file = yield from open_file(intent.path)
    count = file.text.count(intent.old)
    if not count:
        raise NotDone(
            f"`{intent.old}` does not occur in `{file.path}`{_other_case(intent.old, file.text)}; nothing was changed."
        )
    arguments = {"filePath": file.path, "oldString": intent.old, "newString": intent.new, "replaceAll": True}
    [result] = yield Step((RulesCall("edit", arguments),))
    if not result.ok:
        raise NotDone(f"`{file.path}` was not changed: {result.text}")
    times = "once" if count == 1 else f"{count} times"
    return f"`{intent.old}` stood {times} in `{file.path}`. The result:\n\n{result.text}"


def _other_case(old: str, text: str) -> str:
    return " as written (it does in another case)" if old.lower() in text.lower() else ""
