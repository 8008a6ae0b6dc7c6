"""Model of the profile `smallest`: a model.base.Model which answers a turn by reads, a single question, and writes.

The model inside is asked once, without tools, and a second time where the change has errors or fails the tests. Reads,
writes and the tests are calls like those of any model: the rules judge them, and the changes go the usual way.
"""

import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import aclosing
from typing import cast

from msgspec import Struct, field

from placet.agent.texts import text_for
from placet.agent.whole_files.asking import fitting, is_question, question
from placet.agent.whole_files.fences import Fence, FenceReader
from placet.agent.whole_files.finding import files_of_hits, find_files, named_symbols, search_pattern
from placet.agent.whole_files.placing import whole_file
from placet.agent.whole_files.progress import Progress, progress_of
from placet.core.ids import new_id
from placet.core.messages import JsonObject, TextPart, UserMessage
from placet.core.values import replace
from placet.model.base import CallDelta, CallStarted, Finished, Model, ModelEvent, ModelRequest, Remark, TextDelta
from placet.project.file_list import FileNames

MOST_TRIES = 2


class Project(Struct, frozen=True):
    """View on the project of the session, for one turn."""

    names: Callable[[], Awaitable[FileNames]]
    near: Callable[[], Awaitable[Sequence[str]]]
    """Function which returns the unsaved files, and the files that the session has read."""
    relative: Callable[[str], str]
    """Function from an absolute path to the path in the project."""
    is_readable: Callable[[str], bool]
    """Function from a path to whether the rules allow a read without a question."""
    test_command: Callable[[FileNames], str | None]
    """Function which returns a command for the project's tests that the user's rules allow, or None."""


class WholeFilesModel(Struct, frozen=True):
    """Model around a small model; lives as long as the resources of a turn, and keeps nothing between requests."""

    model: Model
    project: Project

    @property
    def id(self) -> str:
        return self.model.id

    @property
    def context_size(self) -> int | None:
        return self.model.context_size

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Yield the next step of the turn. Raises ModelError, also in mid-answer."""
        progress = progress_of(request.messages)
        if progress is None:
            raise AssertionError("a turn begins with a prompt")
        tools = {tool.name for tool in request.tools}
        if progress.last in (None, "grep") and "read" in tools and (paths := await self._files(progress)):
            step = _reads(paths)
        elif progress.last is None and {"read", "grep"} <= tools and (symbols := named_symbols(progress.prompt)):
            step = _calls("grep", [{"pattern": search_pattern(symbols)}])
        elif progress.last in (None, "grep", "read"):
            async with aclosing(self._ask(request, progress)) as events:
                async for event in events:
                    yield event
            return
        elif progress.last == "write" and "bash" in tools and (command := await self._tests(progress)) is not None:
            step = _calls("bash", [{"command": command, "description": "Runs the project's tests"}])
        elif progress.problem() and progress.is_about_changes() and progress.tries < MOST_TRIES:
            step = _reads(progress.tried())
        else:
            step = _end(progress)
        for event in step:
            yield event

    async def _files(self, progress: Progress) -> list[str]:
        """Return the files to show; a file that the rules ask about is shown only if the prompt names the file."""
        if progress.last == "grep":
            return [self.project.relative(path) for path in files_of_hits(progress.found())]
        names = await self.project.names()
        near = [*map(self.project.relative, progress.attached), *await self.project.near()]
        found = find_files(progress.prompt, names, near)
        return [path for path in found if self.project.is_readable(path) or path in progress.prompt]

    async def _tests(self, progress: Progress) -> str | None:
        """Return the command for the tests of a change that stands in the files and has no known error."""
        if progress.problem() or not progress.is_written():
            return None
        return self.project.test_command(await self.project.names())

    async def _ask(self, request: ModelRequest, progress: Progress) -> AsyncGenerator[ModelEvent, None]:
        texts = progress.texts()
        given = fitting(texts, progress.prompt, self.context_size)
        if left_out := [path for path in progress.tried() if path not in given]:
            yield _left_out(left_out, self.id)
        asked = question(progress.prompt, given, progress.problem() if progress.tries else "")
        inner = replace(
            request,
            system=(text_for("whole_files"),),
            messages=(UserMessage(id=progress.turn_id, parts=(TextPart(text=asked),)),),
            tools=(),
        )
        answer = _Answer(given, may_write=any(tool.name == "write" for tool in request.tools))
        stream = cast("AsyncGenerator[ModelEvent, None]", self.model.stream(inner))
        async with aclosing(stream) as events:
            async for event in events:
                match event:
                    case TextDelta(text):
                        for piece in answer.take(text):
                            yield piece
                    case Finished(reason):
                        for piece in answer.finish(reason, asks=is_question(progress.prompt)):
                            yield piece
                    case _:
                        yield event


class _Answer(Struct):
    """Reader of the answer of the model inside; what is no whole file is text."""

    given: Mapping[str, str]
    may_write: bool
    reader: FenceReader = field(default_factory=FenceReader)
    changed: dict[str, str] = field(default_factory=dict[str, str])
    dropped: dict[str, str] = field(default_factory=dict[str, str])
    """Fences of changed files as written, for an answer that was cut off and changes nothing."""
    unchanged: dict[str, str] = field(default_factory=dict[str, str])
    """Fences as written, by the path of the file that comes back unchanged."""

    def take(self, text: str) -> Iterator[ModelEvent]:
        yield from self._read(self.reader.take(text))

    def finish(self, reason: str, *, asks: bool) -> Iterator[ModelEvent]:
        yield from self._read(self.reader.finish(), is_cut_off=reason == "length")
        if self.changed and reason not in ("length", "content_filter"):
            yield from _calls("write", [{"filePath": path, "content": text} for path, text in self.changed.items()])
            return
        yield from map(TextDelta, self.dropped.values())
        if asks:
            yield from map(TextDelta, self.unchanged.values())
        elif self.unchanged:
            yield _unchanged(self.unchanged)
        yield Finished(reason)

    def _read(self, pieces: Iterable[str | Fence], *, is_cut_off: bool = False) -> Iterator[ModelEvent]:
        for piece in pieces:
            if isinstance(piece, str):
                yield TextDelta(piece)
                continue
            file = (
                whole_file(piece, self.given) if self.may_write and not (is_cut_off and not piece.is_closed) else None
            )
            if file is not None and file.text.rstrip("\n") != self.given.get(file.path, "").rstrip("\n"):
                self.changed[file.path], self.dropped[file.path] = file.text, piece.written
                continue
            if file is not None:
                self.unchanged[file.path] = piece.written
            else:
                yield TextDelta(piece.written)


def _reads(paths: Iterable[str]) -> Iterator[ModelEvent]:
    return _calls("read", [{"filePath": path} for path in paths])


def _calls(tool: str, arguments: Iterable[JsonObject]) -> Iterator[ModelEvent]:
    for one in arguments:
        call_id = new_id("call")
        yield CallStarted(call_id, tool)
        yield CallDelta(call_id, json.dumps(one, ensure_ascii=False))
    yield Finished("tool_calls")


def _end(progress: Progress) -> Iterator[ModelEvent]:
    """Yield the outcome in words for the user."""
    text = progress.summary()
    if problem := progress.problem():
        about = (
            "This is still wrong"
            if progress.is_about_changes()
            else "This names no changed file, and may have been wrong before"
        )
        text += f"\n\n{about}:\n\n{problem}"
    yield TextDelta(text.strip() or "Nothing was changed.")
    yield Finished("stop")


def _unchanged(paths: Iterable[str]) -> Remark:
    names = ", ".join(paths)
    return Remark("unchanged_file", f"The model gave {names} back unchanged.", "Say more exactly what should change.")


def _left_out(paths: Sequence[str], model: str) -> Remark:
    message = f"{model} was not shown {', '.join(paths)}, which cannot be read, or is too long to be answered whole."
    return Remark("left_out_files", message, "Name fewer files, or choose the profile `small`.")
