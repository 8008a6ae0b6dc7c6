"""`placet sessions`: work on stored sessions without running a session."""

import argparse
import sys
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from placet.core.effort import named
from placet.core.errors import PlacetError, RequestError, StoreError
from placet.core.messages import AssistantMessage, Message, TextPart, UserMessage
from placet.core.visible_text import one_line
from placet.frontends.terminal.exit_codes import ExitCode
from placet.frontends.terminal.locations import usable_locations
from placet.frontends.terminal.output import complain, say, say_json
from placet.frontends.terminal.table import moment, print_table, spent_cells
from placet.sessions.store.library import Library
from placet.sessions.store.records import SessionInfo
from placet.sessions.store.session_store import SessionStore
from placet.sessions.store.usage import SessionUsage, Spent
from placet.storage.database import Database

if TYPE_CHECKING:
    from placet.changes.journal.journal import Journal


async def sessions(options: argparse.Namespace) -> ExitCode:
    """Run the action; a failure is a message on stderr and an exit code."""
    try:
        async with _opened(options) as library:
            await _complete_ids(library, options)
            await _act(library, options)
    except StoreError as error:
        complain(str(error))
        return ExitCode.FAILED
    except PlacetError as error:
        complain(str(error))
        return ExitCode.USAGE
    except BrokenPipeError:
        raise  # The reader of the output has gone.
    except OSError as error:
        complain(f"{error.filename}: {error.strerror}")
        return ExitCode.FAILED
    return ExitCode.DONE


async def _complete_ids(library: Library, options: argparse.Namespace) -> None:
    """Replace each beginning of an id on the command line by the whole id. Raises RequestError for several ids."""
    if hasattr(options, "id"):
        options.id = await library.whole_id(options.id)
    if hasattr(options, "ids"):
        options.ids = [await library.whole_id(session_id) for session_id in options.ids]


async def _act(library: Library, options: argparse.Namespace) -> None:
    match options.action:
        case "list" | "search":
            infos, more = await library.list(query=" ".join(getattr(options, "words", ())), limit=options.limit)
            _print_list(infos, options, has_more=more is not None)
        case "show":
            await _show(library, options)
        case "rename":
            _say(await library.rename(options.id, " ".join(options.title)), options, "Renamed")
        case "delete":
            for session_id in options.ids:
                deleted = await library.delete(session_id)
                children = f" and {len(deleted) - 1} of its subagents" if len(deleted) > 1 else ""
                say(f"Deleted {session_id}{children}.")
        case "fork":
            _say(await library.info(await library.fork(options.id, options.before)), options, "Forked to")
        case "export":
            _write(await library.export(options.id, options.format, contents=options.contents), options.output)
        case "import":
            _say(await library.info(await library.import_(_read(options.file))), options, "Imported as")
        case action:
            raise AssertionError(action)


@asynccontextmanager
async def _opened(options: argparse.Namespace) -> AsyncGenerator[Library]:
    """Open the library of this project, or of all projects if `--all` is given."""
    cwd: Path = getattr(options, "cwd", Path())
    if not cwd.is_dir():
        raise RequestError(f"{cwd} is not a directory.")
    roots = () if getattr(options, "all", False) else (cwd.resolve(),)
    locations = usable_locations()
    database = Database(locations.store)
    try:
        yield Library(SessionStore(database), lambda: _journal(database), locations.kept, roots)
    finally:
        await database.close()


def _journal(database: Database) -> "Journal":
    from placet.changes.journal.journal import Journal  # Only an export with contents needs the changes.

    return Journal(database)


def _print_list(infos: Sequence[SessionInfo], options: argparse.Namespace, *, has_more: bool) -> None:
    if options.json:
        _print_json([info.dump() for info in infos])
        return
    if not infos:
        say("No session matches." if options.action == "search" else "There is no session for this directory yet.")
        return
    rows = [
        (info.id, moment(info.updated), *spent_cells(info.usage, info.model), one_line(info.title)) for info in infos
    ]
    print_table(("ID", "USED", ">TOKENS", ">COST", "TITLE"), rows)
    if has_more:
        say("There are more sessions; a larger --limit shows them.", to_stderr=True)


@dataclass(frozen=True, slots=True)
class _Turn:
    """Turn of a stored session, with cost and number of steps."""

    prompt: UserMessage
    spent: Spent
    steps: int

    @property
    def text(self) -> str:
        return " ".join(p.text for p in self.prompt.parts if isinstance(p, TextPart) and not p.synthetic)

    @property
    def ended(self) -> str:
        error = self.prompt.error
        return f"{self.prompt.stop_reason or 'open'}{f' ({error.code})' if error else ''}"


async def _show(library: Library, options: argparse.Namespace) -> None:
    info, stored = await library.info(options.id), await library.read(options.id)
    turns = _turns(stored)
    if options.json:
        _print_json({**info.dump(), "turns": [_plain(turn) for turn in turns]})
        return
    usage = info.usage or SessionUsage()
    print_table(
        ("", ""),
        [
            ("title", one_line(info.title)),
            ("id", info.id),
            *([("forked from", info.forked_from)] if info.forked_from else []),
            ("model", f"{info.model}, agent {info.agent}"),
            *([("effort", named(info.effort))] if info.effort is not None else []),
            ("folders", ", ".join(info.roots)),
            ("created, used", f"{moment(info.created)}, {moment(info.updated)}"),
            ("spent", _words(usage, info.model)),
            *([("by subagents", _words(usage.subagents))] if usage.subagents else []),
            *([("before the fork", _words(usage.inherited))] if usage.inherited else []),
        ],
    )
    if turns:
        say()
        rows = [
            (turn.prompt.id, str(turn.steps), *spent_cells(turn.spent), turn.ended, one_line(turn.text)[:100])
            for turn in turns
        ]
        print_table(("PROMPT", ">STEPS", ">TOKENS", ">COST", "ENDED", "TEXT"), rows)


def _turns(messages: Sequence[Message]) -> list[_Turn]:
    turns: dict[str, _Turn] = {}
    for message in messages:
        if isinstance(message, UserMessage) and message.steers is None:
            turns[message.id] = _Turn(message, Spent(), 0)
        elif isinstance(message, AssistantMessage) and (turn := turns.get(message.parent_id)) is not None:
            spent = turn.spent + Spent(tokens=message.tokens, cost=message.cost)
            turns[message.parent_id] = _Turn(turn.prompt, spent, turn.steps + 1)
    return list(turns.values())


def _plain(turn: _Turn) -> dict[str, Any]:
    prompt = turn.prompt
    error = prompt.error.dump() if prompt.error else None
    fields = {"id": prompt.id, "created": prompt.created, "text": turn.text, "steps": turn.steps}
    return {**fields, **turn.spent.dump(), "stopReason": prompt.stop_reason, "error": error}


def _words(spent: Spent, model: str = "") -> str:
    tokens, cost = spent_cells(spent, model)
    return f"{tokens} tokens, {cost}"


def _say(info: SessionInfo, options: argparse.Namespace, verb: str) -> None:
    if options.json:
        _print_json(info.dump())
    else:
        say(f"{verb} {info.id}: {one_line(info.title)}")


def _print_json(value: Any) -> None:
    say_json(value)


def _write(text: str, output: Path | None) -> None:
    if output is None:
        sys.stdout.buffer.write(text.encode())
    else:
        output.write_text(text, "utf-8")


def _read(file: Path) -> str:
    data = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise RequestError(f"{file} is not an exported session: the file is not UTF-8.") from error
