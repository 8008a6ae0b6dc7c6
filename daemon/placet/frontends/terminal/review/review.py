"""`placet review`: show the proposed and unreviewed changes of a session, and carry out the user's decisions."""

import argparse
import asyncio
import sys
from collections.abc import Awaitable, Callable, Sequence

from rich.console import Console
from rich.text import Text

from placet.changes.review.staged_file import StagedView, conflict_text
from placet.core.hunks import Decision
from placet.core.visible_text import one_line, spelled_out
from placet.frontends.terminal.exit_codes import ExitCode
from placet.frontends.terminal.hunks.asking import HunkQuestions, HunkWords
from placet.frontends.terminal.hunks.diff_view import file_text, is_long
from placet.frontends.terminal.hunks.walk import begin, read_key, walk_decisions
from placet.frontends.terminal.output import complain, say_json
from placet.frontends.terminal.run.keyboard import read_line
from placet.frontends.terminal.terminal_escape import PipedConsole
from placet.frontends.terminal.user_decision import decided_by_user
from placet.frontends.terminal.user_programs import edit, page
from placet.project.paths import Workspace
from placet.sessions.change_set_text import MARKS, outcome, permission_words, summary, views_of
from placet.sessions.registry import Sessions
from placet.sessions.session import Session
from placet.text.diff import count_lines
from placet.text.merge import OURS_MARK, has_marks

HELP = {
    "staged": """\
  y [words]  accept the change, and write the change; hunks in conflict stay proposed
  n [why]    reject the change; the reason is told to the model
  e          settle the conflict in your editor, and accept the result
  h          decide hunk by hunk
  s          skip: the change stays proposed
  q          quit: this change and the rest stay undecided
  ?          show this help""",
    "unreviewed": """\
  y [words]  keep the change
  n [why]    undo the change; the reason is told to the model
  h          decide hunk by hunk
  s          skip: the change stays unreviewed
  q          quit: this change and the rest stay undecided
  ?          show this help""",
}
QUESTIONS = {"staged": "Accept?", "unreviewed": "Keep?"}
HUNK_WORDS = {
    "staged": HunkWords("accept", "reject", "this hunk and all undecided hunks stay proposed"),
    "unreviewed": HunkWords("keep", "undo", "this hunk and all undecided hunks stay unreviewed"),
}
BOTH = "In conflict, as you have changed these lines too:"
WAY_BACK = "A cancellation (Ctrl-C) takes the decision back."


async def review(options: argparse.Namespace) -> ExitCode:
    """Run the command; a failure is a message on stderr and an exit code."""

    async def run(sessions: Sessions, workspace: Workspace) -> ExitCode:
        session = await _session(sessions, options.session)
        views = [] if session is None else _named(await session.change_set.views(), options)
        if session is None or not views:
            return _nothing(options)
        return await Review(PipedConsole(highlight=False), workspace, session).run(views, options)

    try:
        return await decided_by_user(options, run)
    except asyncio.CancelledError:  # Ctrl-C.
        return ExitCode.CANCELLED


async def _session(sessions: Sessions, session_id: str | None) -> Session | None:
    """Return the session: the given session, or the last session here with changes to review."""
    if session_id is not None:
        return await sessions.show(await sessions.whole_id(session_id))
    undecided, cursor = await sessions.with_undecided_changes(), None
    while undecided:
        infos, cursor = await sessions.list(cursor=cursor)
        for info in infos:
            if info.id in undecided:
                return await sessions.show(info.id)
        if cursor is None:
            break
    return None


def _named(views: Sequence[StagedView], options: argparse.Namespace) -> list[StagedView]:
    """Return the views of the named files, or of all files. Raises RequestError for a file without a change."""
    directory = options.cwd.resolve()
    named = {directory / file: str(file) for file in options.files}
    return views_of(views, named) if named else list(views)


def _nothing(options: argparse.Namespace) -> ExitCode:
    if options.json:
        say_json([])
    else:
        complain("no change waits for a review here")
    return ExitCode.DONE


class Review:
    """Review of one session; lives as long as the command."""

    def __init__(
        self,
        console: Console,
        workspace: Workspace,
        session: Session,
        *,
        read_line: Callable[[str], Awaitable[str]] = read_line,
        page: Callable[[Console, Text], Awaitable[None]] = page,
        edit: Callable[[str, str], Awaitable[str | None]] = edit,
    ) -> None:
        self._read_line = read_line
        self._show_in_pager = page
        self._edit = edit
        self._console = console
        self._workspace = workspace
        self._session = session
        self._failed = False

    async def run(self, views: Sequence[StagedView], options: argparse.Namespace) -> ExitCode:
        if options.json:
            say_json([_data(view) for view in views])
        elif options.accept or options.reject:
            decision = "accept" if options.accept else "reject"
            await self._decide([Decision(view.file.place, view.version, decision) for view in views])
        elif options.diff:
            await self._page(views)
        elif options.list or not (sys.stdin.isatty() and sys.stderr.isatty()):
            self._list(views)
        else:
            await self.ask_for_each(views)
        return ExitCode.FAILED if self._failed else ExitCode.DONE

    def _list(self, views: Sequence[StagedView]) -> None:
        info = self._session.info
        self._say(f"Changes to review in {one_line(info.title)!r} ({info.id}):")
        for view in views:
            self._say(f"  {MARKS[view.file.state]:10}  {summary(view)}")

    async def _page(self, views: Sequence[StagedView]) -> None:
        """Show the diffs; at a terminal in the user's pager."""
        await self._show_in_pager(self._console, Text("\n").join(line for view in views for line in self._lines(view)))

    async def ask_for_each(self, views: Sequence[StagedView]) -> None:
        for number, view in enumerate(views, start=1):
            await self._show(view)
            decisions = await self._ask(view, f"{number}/{len(views)}")
            if decisions is None:
                self._say("The rest stays undecided.")
                return
            await self._decide(decisions)

    async def _show(self, view: StagedView) -> None:
        """Show the change of a file, in the pager if the change exceeds the screen."""
        lines = self._lines(view)
        text = Text("\n").join(lines)
        if is_long(text, self._console, 2):
            await self._show_in_pager(self._console, text)
            self._console.print(Text(summary(view), style="bold"), soft_wrap=True)
        else:
            self._console.print(text)

    def _lines(self, view: StagedView) -> list[Text]:
        permissions = f", {permission_words(view.permissions)}" if view.permissions else ""
        mark = Text(f"{MARKS[view.file.state]}{permissions}:")
        conflict = [] if view.file.is_raw or not view.reason_against else _conflict_lines(view)
        if view.proposed is None:
            return [mark, Text(summary(view), style="bold"), *conflict]
        both = [Text(BOTH, style="bold"), *conflict] if conflict else []
        return [mark, file_text(view.proposed, self._workspace), *both]

    async def _ask(self, view: StagedView, position: str) -> list[Decision] | None:
        """Return the decisions about the file, none to skip the file; None to quit."""
        letters = _letters(view)
        while True:
            try:
                line = await self._read_line(f"{position} {QUESTIONS[view.file.state]} [{'/'.join(letters)}] ")
            except EOFError:
                return None
            match read_key(line, letters, with_words="yn"):
                case ("y", words):
                    return [Decision(view.file.place, view.version, "accept", comment=words)]
                case ("n", words):
                    return [Decision(view.file.place, view.version, "reject", comment=words)]
                case ("h", _):
                    return await self._ask_for_hunks(view)
                case ("e", _):
                    if (text := await self._settled(view)) is not None:
                        return [Decision(view.file.place, view.version, "accept", edited=text)]
                case ("s", _):
                    return []
                case ("q", _):
                    return None
                case _:
                    lines = HELP[view.file.state].split("\n")
                    self._say("\n".join(line for line in lines if line.strip()[0] in letters))

    async def _settled(self, view: StagedView) -> str | None:
        """Return the text in which the user has settled the conflict in the editor; None if the conflict stays."""
        text = await self._edit(conflict_text(view), self._workspace.relative(view.file.place))
        if text is None:
            return None
        if has_marks(text):
            self._say("Lines with conflict markers are left, so nothing was accepted.")
            return None
        return text

    async def _ask_for_hunks(self, view: StagedView) -> list[Decision] | None:
        """Return the decisions about the hunks; undecided hunks stay as they are."""
        assert view.proposed is not None
        questions = HunkQuestions(
            self._console, self._workspace, self._read_line, self._edit, HUNK_WORDS[view.file.state]
        )
        try:
            return walk_decisions(await questions.ask([view.proposed]), [(view.file.place, view.version)])
        except EOFError:
            return None

    async def _decide(self, decisions: Sequence[Decision]) -> None:
        if not decisions:
            return
        for file in await self._session.change_set.decide(decisions, complain, WAY_BACK):
            self._say(outcome(file, self._workspace))
            self._failed |= bool(file.reason) or file.status not in ("written", "rejected", "kept", "undone")

    def _say(self, text: str) -> None:
        self._console.print(text, markup=False, highlight=False, soft_wrap=True)


def _letters(view: StagedView) -> str:
    """Return the keys that decide about the file; `e` settles a conflict, and `y` accepts the hunks that fit."""
    is_text, conflicts = not view.file.is_raw, bool(view.hunks_in_conflict)
    fits = {
        "y": view.is_acceptable,
        "n": view.is_rejectable,
        "e": conflicts or (view.proposed is None and is_text and view.file.state == "staged"),
        "h": conflicts or (view.proposed is not None and len(begin([view.proposed]).parts) > 1),
    }
    return "".join(key for key in "yenhsq?" if fits.get(key, True))


def _conflict_lines(view: StagedView) -> list[Text]:
    """Return the lines that both changes have changed, between conflict markers."""
    shown = list[Text]()
    is_inside = False
    for line in conflict_text(view).split("\n"):
        is_mark = has_marks(line)
        is_inside = is_inside or is_mark
        if is_inside:
            shown.append(Text(f"  {spelled_out(line)}", style="bold red" if is_mark else ""))
        if is_mark and line == OURS_MARK:
            is_inside = False
    return shown


def _data(view: StagedView) -> dict[str, object]:
    added, deleted = count_lines(() if view.proposed is None or view.proposed.is_raw else view.proposed.hunks)
    data: dict[str, object] = {
        "path": str(view.file.place),
        "state": view.file.state,
        "kind": view.file.kind,
        "version": view.version,
        "additions": added,
        "deletions": deleted,
        "diff": "" if view.proposed is None else view.proposed.diff,
    }
    if view.file.new_path is not None:
        data["oldPath"] = str(view.file.path)
    if view.permissions:
        data["permissions"] = view.permissions
    if view.description:
        data["description"] = view.description
    return data | ({"conflict": view.reason_against} if view.reason_against else {})
