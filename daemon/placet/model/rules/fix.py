"""Repair of a file's linter findings: ruff gives its fixes without writing, and the script proposes them as a patch."""

import re
import shlex
from collections.abc import Generator, Sequence

from placet.languages.grammar import language_of
from placet.model.rules.intents import Fix
from placet.model.rules.outputs import Ran, parse_bash
from placet.model.rules.patch_text import LineChange, patch, update_section
from placet.model.rules.reading import FileText, open_file
from placet.model.rules.script import NotDone, Results, RulesCall, Script, Step

MOST_FILES = 10
"""Number of files that one prompt fixes."""
_RUNNERS = ("ruff", "python3 -m ruff", "python -m ruff")
"""Commands for ruff, tried in this order until a command runs."""

_FINDING = re.compile(r"(?P<path>.+?):(?P<line>\d+):\d+: (?P<rule>[A-Z]+\d+|\S+:) (?P<fixable>\[\*\] )?(?P<what>.+)")
_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@.*")


def fix(intent: Fix) -> Script:
    """Answer the fixed findings in the editing tool's words, and the findings left."""
    return (yield from (_fix_file(intent.path) if intent.path else _fix_project()))


def _fix_project() -> Script:
    """Fix the first MOST_FILES files in which ruff would fix a finding, one after the other."""
    ran = yield from _run_ruff(".")
    names: dict[str, None] = {}
    for line in ran.text.split("\n"):
        if (finding := _FINDING.fullmatch(line)) and finding["fixable"]:
            names.setdefault(finding["path"])
    if not names:
        return "ruff has no fix to offer in this project; nothing was changed."
    answers: list[str] = []
    are_all_fixed = True
    for name in list(names)[:MOST_FILES]:
        try:
            answers.append((yield from _fix_file(name)))
        except NotDone as answer:
            answers.append(str(answer))
            are_all_fixed = False
    if len(names) > MOST_FILES:
        answers.append(f"ruff offers fixes for {len(names) - MOST_FILES} more files: ask again for those.")
    if not are_all_fixed:
        raise NotDone("\n\n".join(answers))
    return "\n\n".join(answers)


def _fix_file(path: str) -> Script:
    file = yield from open_file(path)
    if language_of(file.path) != "python":
        raise NotDone(
            f"`{file.path}`: I know only one linter that says its fixes before it writes them, ruff for Python."
        )
    output = (yield from _run_ruff(file.path)).text
    mended, left = _findings(output)
    changes = _changes(output, file)
    if changes is None:
        raise NotDone(
            f"ruff's fixes do not fit `{file.path}` as it is in the editor: it reads the file on the disk. "
            "Save the file and ask again; nothing was changed."
        )
    if not changes:
        return "\n\n".join(
            [f"ruff has no fix to offer for `{file.path}`; nothing was changed.", *_listed("Found", left)]
        )
    text = patch([update_section(file.path, file.lines, changes, file.unseen)])
    proposal = "\n\n".join([f"ruff's own fixes for `{file.path}`:", *_listed("To be mended", mended)])
    [result] = yield Step((RulesCall("apply_patch", {"patchText": text}),), proposal)
    if not result.ok:
        raise NotDone(f"`{file.path}` was not changed: {result.text}")
    return "\n\n".join(
        [result.text, *_listed("ruff proposed fixes for", mended), *_listed("Left, without a safe fix", left)]
    )


def _run_ruff(path: str) -> Generator[Step, Results, Ran]:
    """Return what ruff would fix, without writing. Raises NotDone when ruff was not run."""
    output = ""
    for runner in _RUNNERS:
        [result] = yield Step((RulesCall("bash", _command(runner, path)),))
        if not result.ok:
            raise NotDone(f"ruff was not run, and nothing was changed: {result.text}")
        ran = parse_bash(result.text)
        if _has_run(ran.text):
            return ran
        output = ran.text
    raise NotDone(
        f"ruff could not be run here; `pip install ruff` puts it beside the project. It said:\n\n```\n{output}\n```"
    )


def _command(runner: str, path: str) -> dict[str, str]:
    check = f"{runner} check --no-cache"
    target = shlex.quote(path)
    return {
        # A project's own settings may say `fix = true`, and then even a check writes: hence --no-fix.
        "command": f"{check} --no-fix --output-format concise {target}; {check} --diff {target}",
        "description": "Asks ruff what it would fix, without writing",
    }


def _has_run(output: str) -> bool:
    return (
        re.search(r"^(?:All checks passed!|Found \d+ error|No fixes|No errors would)", output, re.MULTILINE) is not None
    )


def _findings(output: str) -> tuple[list[str], list[str]]:
    """Return the findings which ruff would fix and the findings which ruff would not, as `rule what (line n)`."""
    mended: list[str] = []
    left: list[str] = []
    for line in output.split("\n"):
        if finding := _FINDING.fullmatch(line):
            text = f"{finding['rule']} {finding['what']} (line {finding['line']})"
            (mended if finding["fixable"] else left).append(text)
    return mended, left


def _changes(output: str, file: FileText) -> list[LineChange] | None:
    """Return the hunks of the diff as changes of the file's lines, or None if the hunks do not fit the lines."""
    rows = output.split("\n")
    changes: list[LineChange] = []
    for index, row in enumerate(rows):
        if hunk := _HUNK.fullmatch(row):
            start = int(hunk[1]) - (hunk[2] != "0")
            hunk_changes = _changes_of_hunk(rows[index + 1 :], start, int(hunk[2] or 1), int(hunk[3] or 1), file)
            if hunk_changes is None:
                return None
            changes += hunk_changes
    return changes


def _changes_of_hunk(
    rows: Sequence[str], at: int, old_left: int, new_left: int, file: FileText
) -> list[LineChange] | None:
    changes: list[LineChange] = []
    start, removed, added = at, 0, list[str]()

    def close() -> None:
        if removed or added:
            changes.append(LineChange(start, removed, tuple(added)))

    for row in rows:
        if old_left <= 0 and new_left <= 0:
            break
        if row.startswith("\\"):
            continue
        sign, text = row[:1] or " ", row[1:].removesuffix("\r")
        if sign in " -" and (at >= len(file.lines) or file.lines[at] != text):
            return None
        if sign == " ":
            close()
            at, old_left, new_left = at + 1, old_left - 1, new_left - 1
            start, removed, added = at, 0, []
        elif sign == "-":
            at, old_left, removed = at + 1, old_left - 1, removed + 1
        else:
            new_left -= 1
            added.append(text)
    close()
    return changes


def _listed(heading: str, findings: Sequence[str]) -> list[str]:
    if not findings:
        return []
    shown = "\n".join(f"- {finding}" for finding in findings[:30])
    return [f"{heading}:\n\n{shown}" + (f"\n- and {len(findings) - 30} more" if len(findings) > 30 else "")]
