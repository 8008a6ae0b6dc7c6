"""Connection to one server by the SDK: opened, asked, listened to. The code that opened the connection ends it."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, cast

from mcp import types
from mcp.client.client import Client
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from placet import __version__
from placet.core.messages import JsonObject
from placet.core.values import replace
from placet.extensions.mcp.calls import Calls, McpCall
from placet.extensions.mcp.catalog import (
    KINDS,
    Kind,
    Offered,
    OfferedPrompt,
    OfferedResource,
    OfferedTool,
    PromptArgument,
)
from placet.extensions.mcp.errors import Failed, Gone, NeedsSignIn, sign_in_needed
from placet.extensions.mcp.inputs.redaction import NO_REDACTION, Redaction
from placet.extensions.mcp.log import ServerLog
from placet.extensions.mcp.server_requests import Asked
from placet.extensions.mcp.server_services import ServerServices
from placet.extensions.mcp.sign_in.oauth import SignIn
from placet.extensions.mcp.sign_in.statuses import Statuses
from placet.extensions.mcp.transport.lenient_messages import UNUSABLE
from placet.extensions.mcp.transport.throttled_stream import WatchedStream
from placet.extensions.mcp.transport.transports import Transport, transports_of
from placet.project.processes.child import LastWords
from placet.settings import McpServerSettings

logger = logging.getLogger(__name__)

MOST_PAGES = 100
MOST_ITEMS = 1000
"""Limit for each kind; Placet leaves out the rest of a longer list."""
FOREVER_SECONDS = 10.0**7
"""Time limit for the SDK where other code keeps the time."""


class Connection:
    """Connection to a server; enter the connection by its `client`."""

    def __init__(self, name: str, transport: Transport, asked: Asked, statuses: Statuses, redaction: Redaction) -> None:
        self._name = name
        self._statuses = statuses
        self.has_ended = False
        """True when nothing more will come from the connection."""
        self.stale: set[Kind] = set(KINDS)
        """Kinds that the server has changed since the last listing."""
        self.news = asyncio.Event()
        """Set when a kind is stale, or the connection has ended."""
        self.client = Client(
            _watched(name, transport, self._end, lambda: self.client.protocol_version, redaction),
            client_info=types.Implementation(name="placet", version=__version__),
            message_handler=self._heard,
            logging_callback=ServerLog(name).heard,
            log_level="info",
            list_roots_callback=asked.roots,
            elicitation_callback=asked.elicited,
            sampling_callback=asked.sampled,
            cache=None,
        )

    @property
    def instructions(self) -> str:
        """Return the server's own text about the use of its tools; empty if the server has none."""
        return self.client.instructions or ""

    async def refreshed(self, offered: Offered) -> Offered:
        """Return `offered` with every stale kind listed anew. Raises Failed, Gone."""
        self.news.clear()
        capabilities, stale = self.client.server_capabilities, set(self.stale)
        self.stale.clear()
        if "tools" in stale and capabilities.tools is not None:
            offered = replace(offered, tools=tuple(map(_tool, await self._all(self.client.list_tools, "tools"))))
        if "prompts" in stale and capabilities.prompts is not None:
            listed = await self._all(self.client.list_prompts, "prompts")
            offered = replace(offered, prompts=tuple(map(_prompt, listed)))
        if "resources" in stale and capabilities.resources is not None:
            listed = await self._all(self.client.list_resources, "resources")
            templates = await self._all(self.client.list_resource_templates, "resource_templates")
            shown = (*map(_resource, listed), *map(_template, templates))
            offered = replace(offered, resources=shown)
        return offered

    async def call(
        self, tool: str, arguments: JsonObject, call: McpCall, on_progress: Callable[..., None]
    ) -> JsonObject:
        """Return the result of the tool call (MCP's CallToolResult). Raises Failed, Gone."""

        async def progressed(progress: float, total: float | None, message: str | None) -> None:
            call.was_heard()
            on_progress(progress, total, message)

        return await self._asked(
            self.client.call_tool(tool, arguments, read_timeout_seconds=FOREVER_SECONDS, progress_callback=progressed)
        )

    async def prompt(self, name: str, arguments: dict[str, str]) -> JsonObject:
        """Return MCP's GetPromptResult. Raises Failed, Gone."""
        return await self._asked(self.client.get_prompt(name, arguments))

    async def values(
        self, completed: OfferedPrompt | OfferedResource, argument: str, begun: str, known: dict[str, str]
    ) -> list[str]:
        """Return values that begin with the text, for the argument of the prompt or of the template of resources.

        The server is told the `known` arguments. A server without completion has no values. Raises Failed, Gone.
        """
        if self.client.server_capabilities.completions is None:
            return []
        match completed:
            case OfferedPrompt(name=name):
                reference = types.PromptReference(name=name)
            case OfferedResource(uri=template):
                reference = types.ResourceTemplateReference(uri=template)
        asked = {"name": argument, "value": begun}
        result = await self._checked(self.client.complete(reference, asked, known or None))
        return list(result.completion.values)

    async def read(self, uri: str) -> JsonObject:
        """Return MCP's ReadResourceResult. Raises Failed, Gone."""
        return await self._asked(self.client.read_resource(uri))

    async def listen(self) -> None:
        """Receive notices of changes until cancelled: servers from 2026-07-28 on tell only clients that listen."""
        capabilities = self.client.server_capabilities
        tells = {kind: bool(getattr(getattr(capabilities, kind), "list_changed", False)) for kind in KINDS}
        if not any(tells.values()) or self.client.protocol_version not in MODERN_PROTOCOL_VERSIONS:
            return
        try:
            async with self.client.listen(
                tools_list_changed=tells["tools"],
                prompts_list_changed=tells["prompts"],
                resources_list_changed=tells["resources"],
            ) as changes:
                async for _ in changes:
                    pass  # `_heard` is told of each as well.
        except (MCPError, RuntimeError, TimeoutError) as error:
            logger.info("The MCP server %s tells no changes: %s", self._name, error)

    async def _heard(self, message: Any) -> None:
        """Handle a notification, or an exception of the transport."""
        match message:
            case types.ToolListChangedNotification():
                self._changed("tools")
            case types.PromptListChangedNotification():
                self._changed("prompts")
            case types.ResourceListChangedNotification():
                self._changed("resources")
            case Exception():
                logger.info("The MCP server %s: %s", self._name, message)
            case _:
                pass

    def _changed(self, kind: Kind) -> None:
        self.stale.add(kind)
        self.news.set()

    def _end(self) -> None:
        self.has_ended = True
        self.news.set()

    async def _all(self, page: Callable[..., Awaitable[Any]], field: str) -> list[Any]:
        """Return all pages of a list, or an empty list where the server does not know the method."""
        items: list[Any] = []
        cursor: str | None = None
        seen: set[str] = set()
        for _ in range(MOST_PAGES):
            try:
                result = await self._checked(page(cursor=cursor, cache_mode="bypass"))
            except Failed as error:
                if error.code == types.METHOD_NOT_FOUND:
                    return items
                raise
            items += getattr(result, field)
            cursor = result.next_cursor
            if cursor is None or cursor in seen or len(items) >= MOST_ITEMS:
                break
            seen.add(cursor)
        if len(items) > MOST_ITEMS:
            logger.warning(
                "The MCP server %s lists more than %d %s; the rest is left out", self._name, MOST_ITEMS, field
            )
        return items[:MOST_ITEMS]

    async def _asked(self, answer: Awaitable[Any]) -> JsonObject:
        result = await self._checked(answer)
        return cast("JsonObject", result.model_dump(mode="json", by_alias=True, exclude_none=True))

    async def _checked(self, answer: Awaitable[Any]) -> Any:
        try:
            return await answer
        except MCPError as error:
            if trouble := self._statuses.taken_trouble():
                raise Gone(trouble) from error
            if self._statuses.wants_sign_in:
                self._end()
                raise _wants_sign_in(self._name) from error
            if error.error.code == types.CONNECTION_CLOSED or self.has_ended:
                self._end()
                raise Gone(f"The MCP server {self._name} has ended the connection.") from error
            if self._statuses.last >= 400 and self.client.protocol_version not in MODERN_PROTOCOL_VERSIONS:
                # Before 2026-07-28 a failing request is answered by 200; another status means an unknown session.
                self._end()
                raise Gone(
                    f"The MCP server {self._name} refuses this connection (HTTP {self._statuses.last})."
                ) from error
            raise Failed(error.error.message, error.error.code) from error
        except ValidationError as error:
            raise Failed(f"its answer cannot be read: {error.errors()[0]['msg']}") from error
        except (RuntimeError, ValueError) as error:
            # An answer outside of MCP (pydantic's ValidationError is a ValueError), or rounds without end.
            raise Failed(
                f"it answered what is not to be understood ({type(error).__name__}: {error!s:.300})"
            ) from error


@asynccontextmanager
async def open_connection(
    name: str,
    settings: McpServerSettings,
    services: ServerServices,
    calls: Calls,
    redaction: Redaction = NO_REDACTION,
    sign_in: SignIn | None = None,
) -> AsyncGenerator[Connection]:
    """Open a connection that is ready for requests. With `sign_in` the user may sign in.

    `redaction` is applied to every message of the server.

    Raises NeedsSignIn, Gone with the reason, and the SDK's error when the connection breaks later (ExceptionGroup).
    """
    words, statuses = LastWords(), Statuses((settings.url or "").partition("?")[0])
    asked = Asked(name, calls, services)
    transports = await transports_of(name, settings, services, words, statuses, sign_in, asked.more_rights, redaction)
    first: BaseException | None = None
    for transport in transports:
        connection = Connection(name, transport, asked, statuses, redaction)
        async with AsyncExitStack() as stack:
            try:
                await stack.enter_async_context(connection.client)
            except Exception as error:  # The SDK and its libraries raise errors of all kinds.
                if (ended := sign_in_needed(error)) is not None:
                    raise ended from error
                if sign_in is not None and (trouble := statuses.taken_trouble()):
                    raise Gone(f"Signing in to the MCP server {name} has failed: {trouble}") from error
                if statuses.wants_sign_in:
                    raise _wants_sign_in(name) from error
                first = first or error
                continue
            yield connection
            return
    raise Gone(f"The MCP server {name} cannot be reached: {_reason(words, first, redaction)}") from first


@asynccontextmanager
async def _watched(
    name: str, transport: Transport, end: Callable[[], None], version: Callable[[], str], redaction: Redaction
) -> AsyncGenerator[tuple[Any, Any]]:
    async with transport as (incoming, outgoing):
        yield WatchedStream(name, incoming, end, version, redaction), outgoing


def _wants_sign_in(name: str) -> NeedsSignIn:
    return NeedsSignIn(f"The MCP server {name} wants you to sign in: `placet mcp auth {name}`.")


def _reason(words: LastWords, error: BaseException | None, redaction: Redaction) -> str:
    """Return the server's last words, or the text of the first error in the group."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return redaction.text(words.line)[:500] or redaction.text(f"{error}")[:300] or type(error).__name__


def _tool(tool: types.Tool) -> OfferedTool:
    notes = tool.annotations
    title = tool.title or (notes.title if notes is not None else None) or ""
    reads_only = notes is not None and notes.read_only_hint is True
    destroys = notes is not None and notes.destructive_hint is True and not reads_only
    problem = str((tool.meta or {}).get(UNUSABLE, ""))
    return OfferedTool(tool.name, title, tool.description or title, tool.input_schema, reads_only, destroys, problem)


def _prompt(prompt: types.Prompt) -> OfferedPrompt:
    arguments = tuple(
        PromptArgument(argument.name, argument.description or "", argument.required is True)
        for argument in prompt.arguments or ()
    )
    return OfferedPrompt(prompt.name, prompt.description or prompt.title or "", arguments)


def _resource(resource: types.Resource) -> OfferedResource:
    return OfferedResource(
        str(resource.uri), resource.title or resource.name, resource.description or "", resource.mime_type or ""
    )


def _template(template: types.ResourceTemplate) -> OfferedResource:
    name, about = template.title or template.name, template.description or ""
    return OfferedResource(template.uri_template, name, about, template.mime_type or "", is_template=True)
