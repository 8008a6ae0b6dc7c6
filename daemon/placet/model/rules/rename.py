"""Rename of a name across the project: find the name, read every file, propose one patch, and look for remains."""

import keyword
import re
from collections.abc import Generator, Sequence

from placet.languages.grammar import language_of
from placet.model.rules.find import Found, search, word_pattern
from placet.model.rules.intents import Rename
from placet.model.rules.outputs import Hits, parse_grep, parse_paths
from placet.model.rules.patch_text import LineChange, patch, update_section
from placet.model.rules.reading import FileText, Unread, read_whole
from placet.model.rules.script import NotDone, Results, RulesCall, Script, Step
from placet.text.counted import counted

MOST_SEARCHES = 200
"""Limit of searches; each search shows the files of about a hundred more lines."""

_RESERVED_IN_JAVASCRIPT = re.compile(
    "await|break|case|catch|class|const|continue|debugger|default|delete|do|else|enum|export|extends|false|finally|for"
    "|function|if|import|in|instanceof|interface|let|new|null|package|private|protected|public|return|static|super"
    "|switch|this|throw|true|try|typeof|var|void|while|with|yield"
)


def rename(intent: Rename) -> Script:
    """Answer the changes really applied, and the places where the old name still stands."""
    _refuse_names(intent)
    matches = yield from search(word_pattern(intent.old), intent.path, most=MOST_SEARCHES)
    if isinstance(matches, str):
        raise NotDone(f"The search for `{intent.old}` failed: {matches}")
    if not matches.hits:
        raise NotDone(f"`{intent.old}` does not occur as a whole word {_place(intent)}; nothing was changed.")
    _refuse_reserved(intent, matches.paths)
    if not matches.every_file:
        raise NotDone(f"`{intent.old}` occurs in more files than can be listed; rename it by parts, with ` in PATH`.")
    notes = yield from _clashes(intent)
    files = yield from read_whole(matches.paths)
    changed = [file for file in files if isinstance(file, FileText) and _changes(file, intent)]
    left_out = [*_left_out(files, intent), *matches.notes]
    if not changed:
        raise NotDone("\n\n".join([f"Nothing could be renamed {_place(intent)}.", *left_out]))
    text = patch(update_section(file.path, file.lines, _changes(file, intent), file.unseen) for file in changed)
    [result] = yield Step(
        (RulesCall("apply_patch", {"patchText": text}),), _proposal(intent, changed, [*notes, *left_out])
    )
    if not result.ok:
        raise NotDone(f"`{intent.old}` was not renamed; no file was changed: {result.text}")
    left = yield from search(word_pattern(intent.old), intent.path)
    if objection := _left_standing(intent, left):
        raise NotDone("\n\n".join([objection, result.text, *left_out]))
    done = f"`{intent.old}` is now `{intent.new}` {_place(intent)}; the old name is nowhere left."
    return "\n\n".join([done, result.text, *left_out])


def _refuse_names(intent: Rename) -> None:
    """Raise NotDone for names that cannot take part in a rename."""
    if intent.old == intent.new:
        raise NotDone("The old and the new name are the same; there is nothing to do.")
    for name in (intent.old, intent.new):
        if not name.isidentifier():
            raise NotDone(
                f"`{name}` is not a single identifier (letters, digits and `_`, not starting with a digit). I rename "
                "names in the code, not files or dotted paths; for other text: `replace A by B in FILE`."
            )


def _refuse_reserved(intent: Rename, paths: Sequence[str]) -> None:
    """Raise NotDone if a name is a keyword of a language of these files."""
    for path in paths:
        language = language_of(path)
        for name in (intent.old, intent.new):
            if language == "python":
                reserved = keyword.iskeyword(name)
            else:
                reserved = language is not None and _RESERVED_IN_JAVASCRIPT.fullmatch(name) is not None
            if reserved:
                raise NotDone(
                    f"`{name}` is a reserved word in {language} (`{path}`), so it cannot take part in a rename."
                )


def _clashes(intent: Rename) -> Generator[Step, Results, list[str]]:
    """Return notes for the user: the new name is taken, or the old name is part of a file's name or a longer name."""
    taken, longer, files = yield Step(
        (
            RulesCall("grep", {"pattern": word_pattern(intent.new)}),
            RulesCall("grep", {"pattern": rf"\w{intent.old}|{intent.old}\w"}),
            RulesCall("glob", {"pattern": f"**/{intent.old}.*"}),
        )
    )
    notes: list[str] = []
    existing = parse_grep(taken.text) if taken.ok else Hits((), complete=True)
    if existing.hits:
        places = ", ".join(f"`{hit.path}:{hit.line}`" for hit in existing.hits[:5])
        more = " and more" if len(existing.hits) > 5 or not existing.complete else ""
        notes.append(
            f"**Name clash:** `{intent.new}` already exists at {places}{more}. After this rename the two cannot be "
            "told apart any more, and renaming back would change both; undo would not."
        )
    if longer.ok and (names := _longer_names(longer.text, intent.old)):
        listed = ", ".join(f"`{name}`" for name in names[:5])
        notes.append(f"**Longer names stay:** {listed}{' and more' if len(names) > 5 else ''}.")
    if files.ok and (named := parse_paths(files.text)):
        listed = ", ".join(f"`{path}`" for path in named[:5])
        notes.append(f"**File names stay:** {listed} keeps its name, so imports of it as a module may break.")
    return notes


def _longer_names(output: str, old: str) -> list[str]:
    words = (word for hit in parse_grep(output).hits for word in re.findall(rf"\w*{old}\w*", hit.text))
    return list(dict.fromkeys(word for word in words if word != old))


def _changes(file: FileText, intent: Rename) -> list[LineChange]:
    word = re.compile(rf"\b{re.escape(intent.old)}\b")
    return [
        LineChange(index, 1, (word.sub(intent.new, line),))
        for index, line in enumerate(file.lines)
        if index not in file.unseen and word.search(line)
    ]


def _left_out(files: Sequence[FileText | Unread], intent: Rename) -> list[str]:
    notes: list[str] = []
    for file in files:
        if isinstance(file, Unread):
            notes.append(f"**Left out:** `{file.path}` cannot be read: {file.reason}")
            continue
        for index in sorted(file.unseen):
            if intent.old in file.lines[index]:
                notes.append(f"**Left out:** `{file.path}:{index + 1}` is too long a line to be shown whole.")
    return notes


def _proposal(intent: Rename, files: Sequence[FileText], notes: Sequence[str]) -> str:
    lines = sum(len(_changes(file, intent)) for file in files)
    heading = (
        f"Renaming `{intent.old}` to `{intent.new}` {_place(intent)}, comments and strings included: "
        f"{counted(lines, 'line')} in {counted(len(files), 'file')}, as one change."
    )
    return "\n\n".join([heading, *notes])


def _left_standing(intent: Rename, left: Found | str) -> str:
    """Return what the last search says against a whole rename, or an empty string."""
    if isinstance(left, str):
        return f"`{intent.old}` was renamed to `{intent.new}`. The search for what is left of it failed: {left}"
    if not left.hits:
        return ""
    places = "\n".join(f"- `{hit.path}:{hit.line}`" for hit in left.hits[:20])
    more = "\n- and more" if len(left.hits) > 20 or not left.every_line else ""
    return f"`{intent.old}` was renamed to `{intent.new}`, but not everywhere. It still stands at:\n\n{places}{more}"


def _place(intent: Rename) -> str:
    return f"in `{intent.path}`" if intent.path else "in this project"
