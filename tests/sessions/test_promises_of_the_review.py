"""Promises of the review modes, in each mode and by each reason for which nobody is asked: a change that the user has
not accepted stands in the list, and no sentence of a client promises more than the runs show.
"""

import os
import re
from pathlib import Path
from typing import Any

from change_set_support import DONE, GO, call, edit, read
from changes_support.approver import ONCE
from corpus_support import corpus
from overlay_support.bubblewrap import can_overlay
from placet.core.ports import PermissionAnswer, PermissionRequest
from placet.settings.review_modes import ReviewMode
from services_support import TempServices

ROOT = Path(__file__).parents[2]
NEVER_ABSOLUTE = re.compile(
    r"(nothing|no file) is written (before|until)|writes nothing before|before your decision no file|"
    r"runs no command before|every edit in advance|nothing is done that the user has not|"
    r"before every (change|edit)|every edit and command|permission mode",
    re.IGNORECASE,
)
"""Promises that a rule, an earlier answer or an overlay that is missing would break."""
SENTENCES = (
    "README.md",
    "clients/neovim/README.md",
    "clients/neovim/doc/placet.txt",
    "clients/neovim/lua/placet/**/*.lua",
    "clients/vscode/README.md",
    "clients/vscode/l10n/bundle.l10n.json",
    "clients/vscode/media/*.md",
    "clients/vscode/package.json",
    "clients/vscode/package.nls.json",
    "daemon/placet/agent/agents/builtin.py",
    "daemon/placet/agent/texts/*.md",
    "daemon/placet/frontends/acp/*.py",
    "daemon/placet/settings/*.py",
    "docs/*.md",
)


WRITTEN = "one\n"
EDIT = (read("a.txt"), edit("a.txt", 1, WRITTEN), DONE)
EARLIER = (read("a.txt"), edit("a.txt", 8, "eight\n"), DONE)
COMMAND_LINE = "sed -i 's/a.txt 1/one/' a.txt; printf '\\000\\377' > new.bin"
COMMAND = (call("bash", command=COMMAND_LINE, description="Change"), DONE)
RULES: dict[str, dict[str, Any]] = {
    "nothing": {},
    "a rule": {"edit": "allow", "bash": "allow"},
    "a rule for the file": {"edit": {"a.txt": "allow", "new.bin": "allow"}},
    "a rule for everything": {"*": "allow"},
    "an earlier answer": {},
}
STAGED, UNREVIEWED = {"a.txt": "staged"}, {"a.txt": "unreviewed"}
BOTH = {"a.txt": "unreviewed", "new.bin": "unreviewed"}
Run = tuple[ReviewMode, str, str, int, bool, dict[str, str], list[str | None]]
EDITS: list[Run] = [
    ("ask", "edit", "nothing", 1, True, {}, ["user"]),
    *(("ask", "edit", by, 0, True, {}, ["rule"]) for by in RULES if by != "nothing"),
    ("stage", "edit", "nothing", 0, False, STAGED, []),
    *(("stage", "edit", by, 0, True, UNREVIEWED, ["rule"]) for by in RULES if by != "nothing"),
    ("apply", "edit", "nothing", 0, True, UNREVIEWED, [None]),
    *(("apply", "edit", by, 0, True, UNREVIEWED, ["rule"]) for by in RULES if by != "nothing"),
]
"""By mode, act and what allows the act: how often the user was asked, whether the file is written when the turn has
ended, the change set, and who allowed each change.
"""
COMMANDS: list[Run] = [
    ("ask", "command", "nothing", 1, True, {}, [None]),
    ("ask", "command", "a rule", 0, True, {}, [None]),
    ("stage", "command", "nothing", 1, True, BOTH, [None]),
    ("stage", "command", "a rule", 0, True, BOTH, [None]),
    ("apply", "command", "nothing", 1, True, BOTH, [None]),
    ("apply", "command", "a rule", 0, True, BOTH, [None]),
]
"""Commands that run on the disk."""
CONTAINED: list[Run] = [
    ("ask", "contained", "nothing", 1, True, {}, ["user"]),
    ("ask", "contained", "a rule for the file", 0, True, {}, ["rule"]),
    ("stage", "contained", "nothing", 1, False, STAGED, ["user"]),
    ("stage", "contained", "a rule for the file", 0, True, BOTH, ["rule"]),
    ("apply", "contained", "a rule for the file", 0, True, BOTH, ["rule"]),
]
"""Commands under an overlay; the binary file cannot be staged, and is asked."""
RUNS = EDITS + (COMMANDS if os.name == "posix" else []) + (CONTAINED if can_overlay() else [])


def once(_: PermissionRequest) -> PermissionAnswer:
    return ONCE


def always(request: PermissionRequest) -> PermissionAnswer:
    return PermissionAnswer("always", scope=request.always[0].scope)


@corpus("mode, act, by, asked, is_written, listed, allowed", RUNS)
async def test_each_change_that_no_user_accepted_is_listed_unless_each_change_is_asked(
    tmp_path: Path,
    mode: ReviewMode,
    act: str,
    by: str,
    asked: int,
    is_written: bool,
    listed: dict[str, str],
    allowed: list[str | None],
) -> None:
    services = TempServices(tmp_path)
    file = services.project / "a.txt"
    file.write_text("".join(f"a.txt {number}\n" for number in range(9)))
    services.user.answer = once
    is_granted = by == "an earlier answer"
    acts = EDIT if act == "edit" else COMMAND
    sandbox = {} if act == "contained" else {"mode": "off"}
    model = services.script(*(EARLIER if is_granted else ()), *acts)
    async with services.open(model, permission=RULES[by], sandbox=sandbox) as sessions:
        session = await sessions.create(title="t")
        if is_granted:
            services.user.answer = always
            await session.prompt(GO)
            services.user.asked.clear()
        await session.choices.set_review(mode)
        assert (await session.prompt(GO)).stop_reason == "end_turn"
        views = await session.change_set.views()
        changes = await session.changes()
        assert {
            "asked": len(services.user.asked),
            "is written": WRITTEN in file.read_text(),
            "listed": {view.file.place.name: view.file.state for view in views},
            "allowed": [change.get("allowedBy") for change in changes[is_granted:]],
        } == {"asked": asked, "is written": is_written, "listed": listed, "allowed": allowed}


def test_no_sentence_promises_what_a_rule_or_a_missing_sandbox_would_break() -> None:
    texts = [path for pattern in SENTENCES for path in ROOT.glob(pattern)]
    assert len(texts) > len(SENTENCES)
    promises = [
        f"{path.relative_to(ROOT)}: {found.group()}"
        for path in texts
        for found in NEVER_ABSOLUTE.finditer(" ".join(path.read_text("utf-8").split()))
    ]
    assert promises == []
