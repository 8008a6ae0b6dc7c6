"""Daemon's side of the process for tools and plugins: started, asked, and ended when the process does not react."""

import asyncio
import contextlib
import itertools
import os
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, Self

from placet.core.errors import InvalidArguments, NobodyToAsk, PermissionDenied, PlacetError, Rejected, ToolError
from placet.core.json.shallow import loads
from placet.core.length_frames import BrokenFrame, FrameCodec
from placet.core.messages import JsonObject
from placet.core.tasks import to_the_end
from placet.extensions.plugins.errors import Ended, Failed
from placet.extensions.worker.channel import encoded
from placet.project.processes.child import ManagedChild, python_command
from placet.project.processes.environment import without_secrets
from placet.sandbox.programs import Contain, uncontained

CANCEL_SECONDS = 1.0
"""Time for a cancelled call to end; then the process is killed, and a new process serves the other calls."""
_CLOSE_SECONDS = 1.0
_MESSAGES: FrameCodec[JsonObject, JsonObject] = FrameCodec(encoded, loads, max_body_bytes=256 * 1024 * 1024)
_READ_AHEAD_BYTES = 1 << 20

Serve = Callable[[str, JsonObject], Awaitable[Any]]
"""Function that answers a call's request. Raises PlacetError."""


class _Call:
    def __init__(self, serve: Serve | None, tell: Callable[[JsonObject], None] | None) -> None:
        self.answer: asyncio.Future[JsonObject] = asyncio.get_running_loop().create_future()
        self.serve = serve
        self.tell = tell
        self.serving: set[asyncio.Task[None]] = set()
        self.refusal: PlacetError | None = None


class ExtensionProcess:
    """Running process for extensions, bound to the event loop of its start."""

    def __init__(self, child: ManagedChild, on_end: Callable[[], None], sandbox: AsyncExitStack) -> None:
        self._child = child
        self._sandbox = sandbox
        """Sandbox of the process, closed after the end of the process."""
        self._on_end = on_end
        self._numbers = itertools.count(1)
        self._calls: dict[int, _Call] = {}
        self._closing = False
        self.ended = False
        self.idle = asyncio.Event()
        """Set while no call is running."""
        self.idle.set()
        self._listening = asyncio.create_task(self._listen(), name="extension process")

    @classmethod
    async def start(
        cls, directory: Path, log: Path, on_end: Callable[[], None], contain: Contain | None = None
    ) -> Self:
        """Start the process. `on_end` is called at an unexpected end; `log` receives the output.

        `contain`: the sandbox of the process, or None for a process outside. Raises OSError, and PlacetError if the
        sandbox cannot be had.
        """
        log.parent.mkdir(parents=True, exist_ok=True)
        command = python_command(
            "placet.extensions.worker",
            directory=directory,
            environment=extension_environment(os.environ),
            parent=None if contain is None else 0,
        )
        async with AsyncExitStack() as stack:
            contained = await stack.enter_async_context((contain or uncontained)(command))
            with log.open("ab") as log_file:
                child = await ManagedChild.start_python(contained, log=log_file, read_ahead_bytes=_READ_AHEAD_BYTES)
            return cls(child, on_end, stack.pop_all())

    @property
    def process_id(self) -> int:
        return self._child.process_id

    async def request(
        self,
        order: JsonObject,
        *,
        serve: Serve | None = None,
        tell: Callable[[JsonObject], None] | None = None,
    ) -> Any:
        """Return the result of the order.

        Raises Failed, InvalidArguments, Ended, and the error of `serve` that ended the call. Cancellation cancels the
        call in the process too; if the call does not end, the process is killed.
        """
        number = next(self._numbers)
        call = _Call(serve, tell)
        if self.ended or self._closing:
            raise Ended("Its process has ended.")
        self._calls[number] = call
        self.idle.clear()
        self._send({**order, "number": number})
        try:
            answer = await asyncio.shield(call.answer)
        except asyncio.CancelledError:
            await to_the_end(self._cancel(number, call))
            raise
        finally:
            self._calls.pop(number, None)
            if not self._calls:
                self.idle.set()
            for task in call.serving:
                task.cancel()
        return _outcome(answer, call)

    async def close(self) -> None:
        """End the process; running calls are cut short."""
        self._closing = True
        await self._child.end(input_seconds=_CLOSE_SECONDS)
        await asyncio.shield(self._listening)  # A cancelled close leaves the listener to its end.

    def kill(self) -> None:
        self._child.kill()

    async def _cancel(self, number: int, call: _Call) -> None:
        self._send({"cancel": number})
        done, _ = await asyncio.wait((call.answer,), timeout=CANCEL_SECONDS)
        if not done:
            self.kill()

    def _send(self, message: JsonObject) -> None:
        if not self.ended and not self._child.stdin.is_closing():
            self._child.stdin.write(_MESSAGES.pack(message))

    async def _listen(self) -> None:
        # A broken frame, such as JSON nested too deeply, ends the connection too.
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError, BrokenFrame):
            while True:
                self._hear(await _MESSAGES.receive(self._child.stdout))
        # A process that has closed its output is about to end; another process is ended here.
        if not await self._child.ends_within(_CLOSE_SECONDS):
            self.kill()
        code = await self._child.wait()
        self.ended = True
        for call in self._calls.values():
            if not call.answer.done():
                call.answer.set_result({"failed": "ended", "message": f"Its process ended (exit code {code})."})
        if not self._closing:
            self._on_end()
        await self._sandbox.aclose()

    def _hear(self, message: JsonObject) -> None:
        call = self._calls.get(message.get("number") or message.get("for") or 0)
        if call is None:
            return
        if "number" in message:
            if not call.answer.done():
                call.answer.set_result(message)
        elif "tell" in message:
            if call.tell is not None:
                call.tell(message["arguments"])
        else:
            task = asyncio.create_task(self._serve(call, message), name="serve an extension")
            call.serving.add(task)
            task.add_done_callback(call.serving.discard)

    async def _serve(self, call: _Call, message: JsonObject) -> None:
        reply: JsonObject = {"reply": message["asked"]}
        try:
            if call.serve is None:
                raise ToolError("Nothing can be asked for from here.")
            reply["done"] = await call.serve(message["ask"], message["arguments"])
        except Rejected as refusal:
            call.refusal = refusal
            reply["refused"] = str(refusal)
        except PlacetError as error:
            is_refusal = isinstance(error, PermissionDenied | NobodyToAsk)
            call.refusal = error if is_refusal else call.refusal
            reply["refused" if is_refusal else "failed"] = str(error)
        self._send(reply)


def _outcome(answer: JsonObject, call: _Call) -> Any:
    match answer:
        case {"failed": "refused"} if call.refusal is not None:
            raise call.refusal
        case {"failed": "unfit", "message": str(message)}:
            raise InvalidArguments(message)
        case {"failed": "ended", "message": str(message)}:
            raise Ended(message)
        case {"failed": str(), "message": str(message)}:
            raise Failed(message)
        case _:
            return answer.get("done")


def extension_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the user's environment without secrets, and without entries of PYTHONPATH for the working directory."""
    entries = without_secrets(environment)
    paths = [path for path in entries.pop("PYTHONPATH", "").split(os.pathsep) if Path(path).is_absolute()]
    return {**entries, "PYTHONPATH": os.pathsep.join(paths)} if paths else entries
