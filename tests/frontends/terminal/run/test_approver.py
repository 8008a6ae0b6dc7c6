import io
from pathlib import Path

import pytest
from rich.console import Console
from rich.text import Text

from changes_support.answers import accepted, texts
from corpus_support import corpus
from placet.changes.review.answers import decision_on, place_and_version
from placet.core.errors import NobodyToAsk
from placet.core.ports import (
    AlwaysOffer,
    AskedPart,
    FileEditKind,
    PermissionAnswer,
    PermissionRequest,
    ProposedChange,
    ProposedFile,
    Question,
    QuestionOption,
    Scope,
)
from placet.core.values import replace
from placet.frontends.terminal.run.approver import TerminalApprover
from placet.frontends.terminal.run.approver_choice import WaitingApprover
from placet.project.paths import Workspace
from placet.text.diff import make_hunks


def request(*scopes: Scope) -> PermissionRequest:
    return PermissionRequest(
        id="req_1",
        session_id="ses_1",
        message_id="msg_1",
        call_id="call_1",
        tool="bash",
        origin=(),
        permission="bash",
        title="git status && rm -rf build",
        patterns=("git status", "rm -rf build"),
        always=tuple(AlwaysOffer(scope, ("rm *",)) for scope in scopes),
        rule="`bash: rm *` -> ask (/home/ada/placet.json:4)",
        parts=(
            AskedPart("git status", "allow", "`bash: git *` -> allow (/home/ada/placet.json:3)"),
            AskedPart("rm -rf build", "ask", "`bash: rm *` -> ask (/home/ada/placet.json:4)"),
        ),
        command="git status && rm -rf build",
        description="The model says: “Clean up”",
    )


class Asked:
    """A terminal of so many lines, whose user types the given lines; holds what was shown, paged and edited."""

    def __init__(self, *typed: str, height: int = 50, edited: str | None = None) -> None:
        self.typed = list(typed)
        self.prompts: list[str] = []
        self.paged: list[str] = []
        self.edits: list[tuple[str, str]] = []
        self._edited = edited
        self._screen = io.StringIO()
        console = Console(file=self._screen, width=200, height=height, force_terminal=True, color_system=None)
        self.approver = TerminalApprover(
            console,
            Workspace((Path("/project"),)),
            self._read_line,
            lambda change_id: None,
            read_secret=self._read_secret,
            page=self._page,
            edit=self._edit,
        )

    @property
    def shown(self) -> str:
        return self._screen.getvalue()

    async def _read_line(self, prompt: str) -> str:
        self.prompts.append(prompt)
        return self.typed.pop(0)

    async def _read_secret(self, prompt: str) -> str:
        self.prompts.append(f"hidden: {prompt}")
        return self.typed.pop(0)

    async def _page(self, console: Console, shown: Text) -> None:
        self.paged.append(shown.plain)

    async def _edit(self, text: str, name: str) -> str | None:
        self.edits.append((text, name))
        return self._edited


async def asked(request: PermissionRequest, *typed: str) -> tuple[PermissionAnswer, str]:
    """The answer, and what was shown."""
    terminal = Asked(*typed)
    return await terminal.approver.request_permission(request), terminal.shown


def proposed(name: str, old: str, new: str, kind: FileEditKind = "modify") -> ProposedFile:
    return ProposedFile(Path("/project", name), kind, old, new, make_hunks(old, new), name=name)


def edit_of(*files: ProposedFile) -> PermissionRequest:
    """The request for a change of the files, all asked by one rule."""
    names = tuple(file.name for file in files)
    rule = "`edit: *` -> ask (built in)"
    return replace(
        request(),
        permission="edit",
        title=f"Edit {', '.join(names)}",
        patterns=names,
        rule=rule,
        parts=tuple(AskedPart(name, "ask", rule) for name in names),
        change=ProposedChange("chg_1", files),
        command=None,
        description="",
    )


FAR = "".join(f"{number}\n" for number in range(10))
OLD, NEW = f"one\n{FAR}last\n", f"ONE\n{FAR}LAST\n"


async def test_each_command_is_shown_with_what_becomes_of_it_and_by_which_rule() -> None:
    _, shown = await asked(request("session"), "y")
    lines = [line.strip() for line in shown.splitlines()]
    assert lines == [
        "$ git status && rm -rf build",
        "allowed  git status",
        "by `bash: git *` -> allow (/home/ada/placet.json:3)",
        "asked    rm -rf build",
        "by `bash: rm *` -> ask (/home/ada/placet.json:4)",
        "asked by `bash: rm *` -> ask (/home/ada/placet.json:4)",
        "The model says: “Clean up”",
        "a          always in this session: rm *",
    ]


async def test_only_answers_that_fit_the_request_are_offered() -> None:
    terminal = Asked("?", "y")
    await terminal.approver.request_permission(request("session"))

    assert terminal.prompts == ["Allow? [y/n/a/?] "] * 2
    assert [line.split()[0] for line in terminal.shown.splitlines()[-4:]] == ["y", "a", "n", "?"]


async def test_a_rejection_of_a_host_is_said_to_end_no_turn() -> None:
    connection = replace(request(), permission="sandbox", patterns=("connect example.com:443",))
    _, shown = await asked(connection, "?", "n")
    assert "n [why]    reject the connection; the command and the turn go on without it" in shown
    assert "else the turn ends" not in shown
    _, shown = await asked(replace(connection, patterns=("write /etc",)), "?", "n")
    assert "else the turn ends" in shown


@corpus(
    ("typed", "scope"),
    [("a", "session"), ("a session", "session"), ("a project", "project"), ("a p", "project"), ("always USER", "user")],
)
async def test_always_is_meant_for_as_long_as_is_said(typed: str, scope: Scope) -> None:
    answer, _ = await asked(request("session", "project", "user"), typed)
    assert answer == PermissionAnswer("always", scope=scope)


async def test_what_is_not_offered_is_asked_again_with_what_is() -> None:
    answer, shown = await asked(request("session"), "a user", "n")
    assert answer.outcome == "reject"
    assert "always in this session: rm *" in shown
    answer, shown = await asked(request(), "a", "y")
    assert answer.outcome == "once"
    assert "not offered" in shown


async def test_parts_that_one_rule_decides_are_one_line() -> None:
    asks, allows = "`bash: *` -> ask (built in)", "`bash: git *` -> allow (built in)"
    parts = (
        AskedPart("make a", "ask", asks),
        AskedPart("git status", "allow", allows),
        AskedPart("make b", "ask", asks),
        AskedPart("git diff", "allow", allows),
    )
    _, shown = await asked(replace(request(), parts=parts), "y")
    lines = [line.strip() for line in shown.splitlines()]
    assert lines[1:5] == [
        "asked    make a, make b",
        f"by {asks}",
        "allowed  git status, git diff",
        f"by {allows}",
    ]


async def test_files_of_one_rule_are_a_list_with_counts_and_the_rule_is_said_once() -> None:
    change = edit_of(proposed("a.txt", OLD, NEW), proposed("b/c.txt", "", "x\n", "create"))
    _, shown = await asked(change, "y")
    lines = shown.splitlines()
    at = lines.index("2 files  +3 -2")
    assert lines[at : at + 5] == [
        "2 files  +3 -2",
        "  modify a.txt    +2 -2",
        "  create b/c.txt  +1 -0",
        "Edit a.txt, b/c.txt",
        "  asked by `edit: *` -> ask (built in)",
    ]


async def test_a_diff_that_exceeds_the_screen_is_paged_and_v_shows_it_again() -> None:
    change = edit_of(proposed("a.txt", OLD, NEW))
    terminal = Asked("v", "y", height=20)
    await terminal.approver.request_permission(change)
    assert terminal.prompts[0] == "Allow? [y/n/h/e/v/?] "
    assert len(terminal.paged) == 2
    assert "+ONE" in terminal.paged[0]
    assert "+ONE" not in terminal.shown
    assert "modify a.txt  +2 -2" in terminal.shown, "the counts stay on the screen"

    terminal = Asked("e", "v", "y", height=20)
    await terminal.approver.request_permission(change)
    assert len(terminal.paged) == 2, "a failed editor takes nothing away"

    terminal = Asked("y", height=60)
    await terminal.approver.request_permission(change)
    assert (terminal.paged, "v" in terminal.prompts[0]) == ([], False)
    assert "+ONE" in terminal.shown


async def test_a_removed_line_that_looks_like_a_file_name_is_shown() -> None:
    _, shown = await asked(edit_of(proposed("a.sql", "-- drop\nx\n", "++ x\nx\n")), "y")
    assert "--- drop" in shown.splitlines()
    assert "+++ x" in shown.splitlines()


async def test_a_hunk_is_shown_with_three_lines_of_context_its_number_and_its_file() -> None:
    change = edit_of(proposed("a.txt", OLD, NEW), proposed("b.txt", "x\n", "y\n"))
    terminal = Asked("h", "y", "n", "y")
    answer = await terminal.approver.request_permission(change)
    assert terminal.prompts[1:] == [
        "file 1/2, hunk 1/2: Accept? [y/n/a/d/q/e/j/?] ",
        "file 1/2, hunk 2/2: Accept? [y/n/a/d/q/e/j/?] ",
        "file 2/2, hunk 1/1: Accept? [y/n/q/e/?] ",
    ]
    lines = terminal.shown.splitlines()
    at = lines.index("@@ line 12 @@")
    assert lines[at - 1 : at + 6] == ["modify a.txt  +2 -2", "@@ line 12 @@", " 7", " 8", " 9", "-last", "+LAST"]
    assert accepted(answer) == {Path("/project/a.txt"): frozenset({1}), Path("/project/b.txt"): frozenset({1})}
    assert [decision.hunks for decision in answer.decisions if decision.outcome == "reject"] == [frozenset({2})]
    assert [(one.place, one.version) for one in answer.decisions] == [
        place_and_version(file) for file in (change.change.files[0], *change.change.files)
    ]


async def test_no_other_key_decides_about_a_hunk() -> None:
    terminal = Asked("h", "x", "", "yikes", "a lot", "y", "y")
    answer = await terminal.approver.request_permission(edit_of(proposed("a.txt", OLD, NEW)))
    assert accepted(answer) == {Path("/project/a.txt"): frozenset({1, 2})}
    assert terminal.shown.count("y [words]  accept this hunk") == 4
    assert terminal.shown.count("@@ line 1 @@") == 1, "the hunk is not shown again"


async def test_a_rejected_hunk_has_its_reason_and_quitting_rejects_the_rest() -> None:
    terminal = Asked("h", "n keep it", "q")
    answer = await terminal.approver.request_permission(edit_of(file := proposed("a.txt", OLD, NEW)))
    decisions = (
        decision_on(file, "reject", frozenset({1}), comment="keep it"),
        decision_on(file, "reject", frozenset({2})),
    )
    assert answer == PermissionAnswer("reject", decisions=decisions)


async def test_an_edited_hunk_takes_the_place_of_the_proposed_lines() -> None:
    terminal = Asked("h", "e", "n", edited="mine\n")
    answer = await terminal.approver.request_permission(edit_of(file := proposed("a.txt", OLD, NEW)))
    assert terminal.edits == [("ONE\n", "a.txt")]
    edited = replace(decision_on(file, "accept", frozenset({1})), edited="mine\n")
    assert answer.decisions == (edited, decision_on(file, "reject", frozenset({2})))


async def test_a_single_file_is_edited_as_a_whole_and_a_failed_editor_asks_again() -> None:
    change = edit_of(proposed("a.txt", "old\n", "new\n"))
    terminal = Asked("e", edited="mine\n")
    answer = await terminal.approver.request_permission(change)
    assert (terminal.edits, texts(answer)) == ([("new\n", "a.txt")], {Path("/project/a.txt"): "mine\n"})
    terminal = Asked("e", "n")
    assert (await terminal.approver.request_permission(change)).outcome == "reject"


async def test_words_behind_y_and_n_are_told_to_the_model() -> None:
    answer, _ = await asked(request(), "y but mind the tests")
    assert answer == PermissionAnswer("once", feedback="but mind the tests")


OPTIONS = (QuestionOption("Red"), QuestionOption("Green"))


async def questioned(question: Question, *typed: str) -> tuple[list[list[str]] | None, Asked]:
    terminal = Asked(*typed)
    return await terminal.approver.ask("ses_1", [question]), terminal


async def test_a_question_takes_numbers_labels_and_own_words_and_nothing_else() -> None:
    question = Question("", "Which?", OPTIONS)
    assert (await questioned(question, "2"))[0] == [["Green"]]
    assert (await questioned(question, "red"))[0] == [["Red"]]
    assert (await questioned(question, "2 weeks"))[0] == [["2 weeks"]]
    answer, terminal = await questioned(question, "", "3", "1,2", "q")
    assert answer is None
    assert terminal.shown.count("That is no answer: type a number from 1 to 2, or q.") == 3
    assert (await questioned(replace(question, multiple=True), "1,2"))[0] == [["Red", "Green"]]
    assert (await questioned(replace(question, custom=False), "blue", "1"))[0] == [["Red"]]
    assert (await questioned(Question("", "How many?", ()), "", "42"))[0] == [["42"]]


async def test_a_secret_is_read_hidden_and_never_shown() -> None:
    secret = Question("", "Token?", (), secret=True)
    answer, terminal = await questioned(secret, " q ")
    assert (answer, terminal.prompts) == ([["q"]], ["hidden: Hidden while you type (empty to decline): "])
    answer, terminal = await questioned(secret, "")
    assert (answer, terminal.shown) == (None, "Token?\n")


async def test_no_other_terminal_is_waited_for_with_a_secret() -> None:
    with pytest.raises(NobodyToAsk, match="no other terminal can answer"):
        await WaitingApprover().ask("ses_1", [Question("", "Token?", (), secret=True)])


async def test_a_number_is_an_answer_where_an_option_is_a_number() -> None:
    port = Question("", "Port?", (QuestionOption("5432"),))
    assert (await questioned(port, "5433"))[0] == [["5433"]]
    assert (await questioned(port, "1"))[0] == [["5432"]]


async def test_a_page_is_opened_only_for_the_option_that_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    question = Question("", "Sign?", (QuestionOption("Open", opens="https://example.org/x"), QuestionOption("No")))
    await questioned(question, "2")
    await questioned(question, "q")
    assert opened == []
    await questioned(question, "1")
    assert opened == ["https://example.org/x"]
