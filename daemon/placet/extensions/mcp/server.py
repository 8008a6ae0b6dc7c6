"""One server and its life: started in the background, listened to, started again after a loss, ended for good."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, suppress
from typing import TYPE_CHECKING, Literal, TypeVar

from placet.core.errors import PlacetError
from placet.core.executor import in_thread
from placet.core.messages import JsonObject
from placet.extensions.mcp.calls import Calls
from placet.extensions.mcp.catalog import Offered, OfferedPrompt, OfferedResource
from placet.extensions.mcp.errors import Failed, Gone, NeedsInput, sign_in_needed
from placet.extensions.mcp.inputs.redaction import NO_REDACTION, Redaction
from placet.extensions.mcp.inputs.values import InputValues, needed
from placet.extensions.mcp.loading import connection_module
from placet.extensions.mcp.server_services import ServerServices
from placet.extensions.mcp.transport.command import command_of
from placet.settings import McpServerSettings
from placet.settings.mcp import McpInput
from placet.tools.framework.context import ToolContext

if TYPE_CHECKING:
    from placet.extensions.mcp.connection import Connection
    from placet.extensions.mcp.sign_in.oauth import SignIn

logger = logging.getLogger(__name__)

T = TypeVar("T")

State = Literal["disabled", "waiting", "connecting", "connected", "needs_auth", "needs_input", "failed", "disconnected"]
"""`waiting`: the server starts when the editor is ready, or with the first session. `needs_input`: the server starts
when the user has given values. `disconnected`: by the user.
"""

LONGEST_WAIT_SECONDS = 60.0
MOST_TRIES = 6
"""Limit on failures in a row; the server then stays failed until the user connects it or the settings change."""
STEADY_SECONDS = 60.0
"""Duration after which a connection counts as good: the next waits begin anew."""
BETWEEN_LISTS_SECONDS = 0.2
"""Pause between two listings, so that a server with constant changes is not asked constantly."""
SIGN_IN_SECONDS = 300.0
STOP_SECONDS = 3.0
"""Time to wait for the server's task after a cancellation; longer than the end of a process takes."""


class Server:
    def __init__(
        self, name: str, settings: McpServerSettings, services: ServerServices, changed: Callable[[], None]
    ) -> None:
        self.name = name
        self.settings = settings
        self.state: State = "waiting" if settings.enabled else "disabled"
        self.problem = ""
        """Reason why the server is not connected, or the fault in the server's offer."""
        self.offered = Offered()
        self.inputs = InputValues(name, settings, services.folder, services.tokens, services.worktrees)
        self._redaction = NO_REDACTION
        """Redaction of the passwords that the last start has put into the settings."""
        self._services = services
        self._changed = changed
        self._calls = Calls()
        self._connection: Connection | None = None
        self._is_ending = False
        self._life: asyncio.Task[None] | None = None
        self._tried = asyncio.Event()
        if not settings.enabled:
            self._tried.set()
        self._settled = asyncio.Event()
        """Set while no connection is under way: the server is connected, or will not connect without a new start."""

    @property
    def is_starting(self) -> bool:
        """Return whether the server has neither connected nor failed to connect since the last start."""
        return not self._tried.is_set()

    @property
    def is_to_start(self) -> bool:
        """Return whether the server is on its way to a connection, or lacks nothing but values from the user."""
        return self.state in ("waiting", "connecting", "needs_input")

    @property
    def instructions(self) -> str:
        """Return the server's own text about the use of its tools; empty while the server is not connected."""
        return "" if self._connection is None else self._connection.instructions

    @property
    def missing(self) -> str:
        """Return why the server should be connected and is not, in words for the user, or "" if all is well."""
        if self.state in ("connected", "disabled", "disconnected"):
            return ""
        if self.is_starting:
            return f"{self.name}: still starting, its tools join when it is ready"
        return f"{self.name}: {self.problem or self.state}"

    def start(self, sign_in: "SignIn | None" = None) -> None:
        """Start the server's life, if not yet running. Does not wait."""
        if self._life is None or self._life.done():
            self._is_ending = False
            self._tried.clear()
            self._set("connecting")
            self._life = asyncio.create_task(self._live(sign_in), name=f"MCP server {self.name}")

    def lack_inputs(self, missing: Sequence[McpInput]) -> None:
        """Note about a server that was not started yet that the user has not given the missing values."""
        if self.state == "waiting":
            self.problem = needed(self.name, missing)
            self._set("needs_input")

    async def stop(self, state: State = "disconnected") -> None:
        """End the server with everything started for the server."""
        self._is_ending = True
        while self._life is not None and not self._life.done():
            self._life.cancel()
            # A connection that breaks at this moment can swallow the cancelling (anyio's scopes do): then cancel once
            # more.
            await asyncio.wait((self._life,), timeout=STOP_SECONDS)
        self._life = None
        self._connection, self.offered = None, Offered()
        self._set(state)

    async def tried(self) -> None:
        """Wait until the server is connected, or has failed to connect for the first time."""
        await self._tried.wait()

    # ---------------------------------------------------------------- requests

    async def call(
        self, tool: str, arguments: JsonObject, context: ToolContext, on_progress: Callable[..., None]
    ) -> JsonObject:
        """Return MCP's CallToolResult. Raises Failed, Gone. On cancellation the server is told, and not waited for."""
        connection = await self._ready()
        limit = self.settings.call_timeout_seconds
        try:
            async with self._calls.running(context, limit) as call:
                return await connection.call(tool, arguments, call, on_progress)
        except TimeoutError as error:
            raise Failed(
                f"the call was given up: {limit:g} seconds without a word (mcp.{self.name}.callTimeoutSeconds)"
            ) from error

    async def prompt(self, name: str, arguments: dict[str, str]) -> JsonObject:
        """Return MCP's GetPromptResult. Raises Failed, Gone."""
        connection = await self._ready()
        return await self._in_time(connection.prompt(name, arguments))

    async def values(
        self, completed: OfferedPrompt | OfferedResource, argument: str, begun: str, known: dict[str, str]
    ) -> list[str]:
        """Return the server's proposals for an argument of a prompt or a template, next to the `known` arguments.

        Raises Failed, Gone.
        """
        connection = await self._ready()
        return await self._in_time(connection.values(completed, argument, begun, known))

    async def read(self, uri: str) -> JsonObject:
        """Return MCP's ReadResourceResult. Raises Failed, Gone."""
        connection = await self._ready()
        return await self._in_time(connection.read(uri))

    async def _in_time(self, answer: Awaitable[T]) -> T:
        limit = self.settings.timeout_seconds
        try:
            async with asyncio.timeout(limit):
                return await answer
        except TimeoutError as error:
            raise Failed(f"it did not answer within {limit:g} seconds (mcp.{self.name}.timeoutSeconds)") from error

    async def _ready(self) -> "Connection":
        """Return the connection, after a wait if the server is just being started again. Raises Gone."""
        if self._connection is None and self.state == "connecting":
            with suppress(TimeoutError):
                async with asyncio.timeout(self.settings.timeout_seconds):
                    await self._settled.wait()
        if self._connection is None:
            raise Gone(f"The MCP server {self.name} is not connected: {self.problem or self.state}. Do without it.")
        return self._connection

    # ---------------------------------------------------------------- life

    async def _live(self, sign_in: "SignIn | None") -> None:
        tries = 0
        while True:
            began = asyncio.get_running_loop().time()
            try:
                await self._connected(sign_in)
                self.problem = f"The MCP server {self.name} has ended."
            except NeedsInput as error:
                self._fail("needs_input", str(error))
                return
            except Exception as error:  # noqa: BLE001 - the SDK's edge: every error ends this connection alone
                if (needed := sign_in_needed(error)) is not None:
                    self._fail("needs_auth", self._redaction.text(str(needed)))
                    return
                self.problem = _first(self.name, error, self._redaction)
            finally:
                self._connection = None
            if self._is_ending:
                return
            if sign_in is not None and not self._tried.is_set():
                self._fail("needs_auth", self.problem)
                return
            sign_in = None
            tries = 1 if asyncio.get_running_loop().time() - began > STEADY_SECONDS else tries + 1
            if tries >= MOST_TRIES:
                self._fail("failed", self.problem)
                return
            logger.warning("%s", self.problem)
            self._set("connecting")
            self._tried.set()
            await asyncio.sleep(min(self._services.first_wait_seconds * 2 ** (tries - 1), LONGEST_WAIT_SECONDS))

    async def _connected(self, sign_in: "SignIn | None") -> None:
        """Open and serve a connection to the end. Raises NeedsInput, and the error that ended the connection."""
        settings, self._redaction = await in_thread(self.inputs.applied)
        if settings.url is None:  # A missing program is found before the SDK is loaded, which takes a while.
            await in_thread(command_of, self.name, settings, self._services.roots[0])
        sdk = await connection_module()
        limit = self.settings.timeout_seconds if sign_in is None else SIGN_IN_SECONDS
        async with AsyncExitStack() as stack:
            try:
                async with asyncio.timeout(limit):
                    opened = sdk.open_connection(
                        self.name, settings, self._services, self._calls, self._redaction, sign_in
                    )
                    connection = await stack.enter_async_context(opened)
                    self.offered = await connection.refreshed(Offered())
            except TimeoutError as error:
                if sign_in is not None:
                    raise Gone(f"Nobody signed in to the MCP server {self.name} within {limit:g} seconds.") from error
                late = f"was not ready within {limit:g} seconds (mcp.{self.name}.timeoutSeconds)"
                raise Gone(f"The MCP server {self.name} {late}.") from error
            self.problem, self._connection = "", connection
            self._set("connected")
            listening = asyncio.create_task(connection.listen(), name=f"changes of {self.name}")
            try:
                while not connection.has_ended:
                    await connection.news.wait()
                    await self._refresh(connection)
            finally:
                listening.cancel()
                await asyncio.gather(listening, return_exceptions=True)

    async def _refresh(self, connection: "Connection") -> None:
        if connection.has_ended:
            return
        try:
            async with asyncio.timeout(self.settings.timeout_seconds):
                self.offered = await connection.refreshed(self.offered)
            self.problem = ""
        except (Failed, TimeoutError) as error:
            self.problem = f"What {self.name} offers now is not known: {error or 'it does not say so in time'}"
            logger.warning("%s", self.problem)
        self._changed()
        await asyncio.sleep(BETWEEN_LISTS_SECONDS)

    def _fail(self, state: State, problem: str) -> None:
        self.problem = problem
        self.offered = Offered()
        # The user is asked for missing values, or reads of them where nobody can be asked.
        logger.log(logging.INFO if state == "needs_input" else logging.WARNING, "%s", problem)
        self._set(state)

    def _set(self, state: State) -> None:
        self.state = state
        if state == "connecting":
            self._settled.clear()
        else:
            self._settled.set()
            self._tried.set()
        self._changed()


def _first(name: str, error: BaseException, redaction: Redaction) -> str:
    """Return the redacted text of the first error in a group, with the server's name."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    text = redaction.text(str(error))
    text = text if isinstance(error, PlacetError) else f"{type(error).__name__}: {text}"[:300]
    return text if name in text else f"The MCP server {name}: {text}"
