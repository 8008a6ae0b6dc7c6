"""MCP servers of the services: their settings, and answers of a model to the servers at a session's cost."""

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

from placet.agent.turn.attempts import Tally, text_answer
from placet.agent.turn.meter import Meter
from placet.core.errors import RequestError
from placet.core.messages import AssistantMessage, Message, UserMessage
from placet.extensions.mcp.server_services import SamplingAnswer, SamplingRequest, ServerServices
from placet.extensions.mcp.servers import McpServers
from placet.model.base import Model, ModelRequest
from placet.model.select import ready_model
from placet.sandbox.programs import ContainProgram
from placet.sessions.services.services import Services
from placet.settings import Locations, Settings

MOST_OUTPUT_TOKENS = 8192


def mcp_servers(
    settings: Settings,
    roots: tuple[Path, ...],
    locations: Locations,
    *,
    contain: ContainProgram,
    sample: Callable[[SamplingRequest], Awaitable[SamplingAnswer]],
    on_change: Callable[[], None],
) -> McpServers:
    """Return the MCP servers of the settings, not started yet.

    `contain` gives the sandboxes of servers. `sample` is called when a server wants an answer of a model, `on_change`
    when a server or its offer has changed.
    """
    around = ServerServices(roots, locations.mcp_tokens, locations.worktrees, sample, contain)
    return McpServers(settings.mcp.servers, around, on_change)


async def sampled(
    services: Services, request: SamplingRequest, *, name: str, opened: Mapping[str, Model], meter: Meter
) -> SamplingAnswer:
    """Return the answer of the model `name`, once and without tools, at the cost of the session's `meter`.

    `opened`: the session's opened models. Raises RequestError, ModelError, TurnStopped.
    """
    if name.startswith("builtin/"):
        raise RequestError(f"{name} cannot answer a server.")
    model = opened.get(name) or await ready_model(name, services.settings, services.host)
    messages: list[Message] = []
    for message in request.messages:
        if message.role == "user":
            messages.append(UserMessage(parts=message.parts))
        else:
            parent = messages[-1].id if messages else ""
            messages.append(AssistantMessage(parent_id=parent, parts=message.parts, finish="stop"))
    tally = Tally()
    asked = ModelRequest(
        system=(request.system,) if request.system else (),
        messages=tuple(messages),
        tools=(),
        session_id=request.session_id,
        temperature=request.temperature,
        max_output_tokens=min(request.max_output_tokens, MOST_OUTPUT_TOKENS),
    )
    try:
        answer = await text_answer(meter(model.stream(asked)), tally)
    finally:
        if tally.tokens.total:
            services.store.accounts.add(request.session_id, "sampling", model.id, tally.tokens, tally.cost)
    return SamplingAnswer(model.id, answer.text)
