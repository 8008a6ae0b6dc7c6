"""References of a prompt, put beside the prompt in the form for the model: attached parts, and mentions in text."""

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from placet.agent.mentions.file_references import attach_data, attach_path
from placet.agent.mentions.known_diagnostics import known_diagnostics
from placet.agent.mentions.mentions import Reading, find_mentions
from placet.agent.mentions.reference_context import ReferenceContext
from placet.agent.mentions.symbols import attach_symbol, may_be_symbol
from placet.changes.review.seen_tree import SeenTree
from placet.core.errors import ToolError
from placet.core.executor import in_thread
from placet.core.messages import AgentPart, DiagnosticsPart, FilePart, LineRange, Part, TextPart
from placet.extensions.mcp.offers.mentions import MentionedResource
from placet.permissions.protection import holds_keys_or_decisions
from placet.project.paths import from_uri, with_home
from placet.project.similar_names import meant
from placet.project.undecodable_names import spelled
from placet.tools.framework.access import names_of, outside_ask

MOST_MENTIONS = 50
MOST_CHARACTERS = 200_000
"""Maximum number of characters of all texts which a prompt brings along."""

DIAGNOSTICS = "diagnostics"
_SYMBOL = "symbol:"


async def attach_references(
    parts: Sequence[Part],
    context: ReferenceContext,
    *,
    with_mentions: bool = True,
    mentioned_by_command: str = "",
) -> tuple[Part, ...]:
    """Return the parts, each followed by the content which the part points at; a mention of nothing stays text.

    Nothing is an error. Content to which the user points needs no permission. So mentions are looked for only in text
    which the user has typed: a model which writes a prompt for a subagent must not read files by mentions. The user may
    not know by heart the text of a command, `mentioned_by_command`: of this text's mentions, only content which may be
    read without asking is shown.
    """
    attaching = _Attaching(context)
    attached: list[Part] = []
    for part in parts:
        match part:
            case FilePart(uri=uri) if uri.startswith("data:"):
                attached.append(attach_data(part))
            case FilePart():
                attached += [part, *await attaching.file_part(part)]
            case DiagnosticsPart():
                attached += [part, *await attaching.diagnostics_part(part)]
            case AgentPart(name=name):
                attached += [part, *attaching.agent(name)]
            case TextPart(synthetic=False, text=text) if with_mentions:
                attached += [part, *await attaching.mentions(text)]
            case _:
                attached.append(part)
    if mentioned_by_command:
        attaching.leave_out_unreadable()
        attached += await attaching.mentions(mentioned_by_command)
    return tuple(attached)


_STEERING = (
    "<system-reminder>\nThe user sent this while you were at work. Address it, and go on with your work, "
    "unless it tells you otherwise.\n</system-reminder>"
)


def as_steering(parts: Sequence[Part]) -> tuple[Part, ...]:
    """Return the parts of a message sent in the middle of the model's work, with a text which tells the model so."""
    return (*parts, TextPart(text=_STEERING, synthetic=True))


class _Attaching:
    """Collector of the content for a prompt: each thing once, and not more than a conversation can bear."""

    def __init__(self, context: ReferenceContext) -> None:
        self._context = context
        self._seen: set[object] = set()
        self._room = MOST_CHARACTERS
        self._unsaved: frozenset[Path] | None = None
        self._only_readable = False

    def leave_out_unreadable(self) -> None:
        """Attach from now on only content which a tool could read without asking."""
        self._only_readable = True

    async def file_part(self, part: FilePart) -> list[Part]:
        path = from_uri(part.uri)
        if path is None:
            return []
        return await self._refusal(path) or await self._path(path, part.range)

    async def diagnostics_part(self, part: DiagnosticsPart) -> list[Part]:
        path = None if part.uri is None else from_uri(part.uri)
        return [] if part.uri is not None and path is None else await self.diagnostics(path)

    async def diagnostics(self, path: Path | None) -> list[Part]:
        if not self._is_new((DIAGNOSTICS, path)):
            return []
        context = self._context
        diagnostics = await known_diagnostics(path, context.features, context.workspace)
        staged = await context.seen.staged_paths()
        if staged and (path is None or path in staged):
            diagnostics += "\n(Of the files as the user sees the files, without your staged changes.)"
        return self._within_bounds(DIAGNOSTICS, [TextPart(text=diagnostics, synthetic=True)])

    def agent(self, name: str) -> list[Part]:
        """Return a hint about the agent, as only the model can call a tool."""
        if name not in self._context.subagents() or not self._is_new(("agent", name)):
            return []
        hint = f"The user wants the subagent `{name}` for this: call the tool `task` with it, and tell it all it needs."
        return [TextPart(text=hint, synthetic=True)]

    async def mentions(self, text: str) -> list[Part]:
        attached: list[Part] = []
        for mention in find_mentions(text)[:MOST_MENTIONS]:
            attached += await self._first_that_is(mention.readings)
        return attached

    async def _first_that_is(self, readings: Sequence[Reading]) -> list[Part]:
        """Return the parts of the first match: a resource, else a file, an agent, a name in the code.

        Within each kind the most literal reading comes first.
        """
        for reading in readings:
            kind, separator, rest = reading.target.partition(":")
            if kind == DIAGNOSTICS and (not separator or rest):
                path = await self._existing(rest) if rest else None
                return await self.diagnostics(path) if path is not None or not rest else []
            if reading.target.startswith(_SYMBOL) and may_be_symbol(rest):
                return await self._symbol(rest)
        if (resource := self._context.resources.find([reading.target for reading in readings])) is not None:
            return await self._resource(resource)
        for reading in readings:
            if (path := await self._existing(reading.target)) is not None:
                return await self._mentioned(path, reading.lines)
        for reading in readings:
            if reading.target in self._context.subagents():
                return self.agent(reading.target)
        for reading in readings:
            if may_be_symbol(reading.target):
                return await self._symbol(reading.target)
        return []

    async def _existing(self, written: str) -> Path | None:
        """Return the file or directory meant, on disk, staged or only on screen, in the first root which has the path;
        None for no such path.
        """
        workspace = self._context.workspace
        if not written.strip("/\\"):
            return None
        try:
            workspace.resolve(written)
        except ToolError:
            return None
        candidates = [meant(Path(os.path.normpath(root / with_home(written)))) for root in workspace.roots]
        if (existing := await in_thread(_first_existing, candidates, await self._context.seen.tree())) is not None:
            return existing
        if self._unsaved is None:
            self._unsaved = frozenset(document.path for document in await self._context.seen.unsaved())
        return next((path for path in candidates if path in self._unsaved), None)

    async def _mentioned(self, path: Path, lines: LineRange | None) -> list[Part]:
        """Return the parts as for an attached file, so that screens show the file which a mention has found."""
        if self._only_readable and not await in_thread(self._is_readable, path):
            return []
        if refusal := await self._refusal(path):
            return refusal
        attached = await self._path(path, lines)
        if not attached or await in_thread((await self._context.seen.tree()).is_directory, path):
            return attached
        return [FilePart(uri=path.as_uri(), name=spelled(path.name), range=lines), *attached]

    async def _refusal(self, path: Path) -> list[Part]:
        """Return the words for a file with keys or decisions of the user's Placet; empty for any other file."""
        names = await in_thread(names_of, self._context.workspace, path)
        if not any(map(holds_keys_or_decisions, (*names, path.as_posix()))):
            return []
        text = f"{spelled(path.name)} holds keys or decisions of the user's Placet, and is never attached."
        return [TextPart(text=text, synthetic=True)]

    async def _path(self, path: Path, lines: LineRange | None) -> list[Part]:
        if not self._is_new((path, lines and (lines.start, lines.end))):
            return []
        name = self._context.workspace.name(path)
        return self._within_bounds(name, await attach_path(path, lines, self._context))

    async def _resource(self, resource: MentionedResource) -> list[Part]:
        context = self._context
        if self._only_readable and context.judge(resource.permission, resource.name) != "allow":
            return []
        if not self._is_new(("resource", resource.name)):
            return []
        parts = await resource.parts(context.resources.output_directory)
        return self._within_bounds(resource.name, parts)

    async def _symbol(self, name: str) -> list[Part]:
        if not self._is_new(("symbol", name)):
            return []
        return self._within_bounds(name, await attach_symbol(name, self._context))

    def _is_readable(self, path: Path) -> bool:
        """Return whether a tool could read the path without asking. Looks at the disk."""
        workspace, judge = self._context.workspace, self._context.judge
        outside = outside_ask(workspace, [path])
        asked = [("read", name) for name in names_of(workspace, path)]
        asked += [] if outside is None else [(outside.permission, pattern) for pattern in outside.patterns]
        return all(judge(permission, pattern) == "allow" for permission, pattern in asked)

    def _is_new(self, thing: object) -> bool:
        is_new = thing not in self._seen
        self._seen.add(thing)
        return is_new

    def _within_bounds(self, name: str, parts: Iterable[Part]) -> list[Part]:
        return list(self._bounded(name, parts))

    def _bounded(self, name: str, parts: Iterable[Part]) -> Iterator[Part]:
        for part in parts:
            size = len(part.text) if isinstance(part, TextPart) else 0
            if size <= self._room:
                self._room -= size
                yield part
            else:
                note = f"The user attached {name}, which finds no room here any more. Read it when it matters."
                yield TextPart(text=note, synthetic=True)


def _first_existing(candidates: Sequence[Path], tree: SeenTree) -> Path | None:
    """Return the first path with a file or a directory for the user or for the session.

    A file that the session has taken away is there for the user until the user accepts the change.
    """
    # os.path and not Path: for os.path a name too long does not exist, for Path it is an error.
    return next((path for path in candidates if os.path.exists(path) or tree.exists(path)), None)  # noqa: PTH110
