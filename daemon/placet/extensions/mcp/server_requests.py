"""Answers to a server's own requests during a call: the user's answers, a model's answers, and the workspace folders.

Placet asks for the call that began last, by the rules of the call's session. Without a running call, a server's
question to the user or to a model is refused.
"""

import asyncio
import logging
from collections.abc import Awaitable
from typing import Any

from mcp import types
from mcp.shared.auth import AuthorizationCodeResult

from placet.core.errors import NobodyToAsk, PlacetError, Rejected
from placet.core.messages import FilePart, JsonObject, TextPart
from placet.core.visible_text import shown_input
from placet.extensions.mcp import elicitation
from placet.extensions.mcp.calls import Calls, McpCall
from placet.extensions.mcp.server_services import SamplingMessage, SamplingRequest, ServerServices
from placet.permissions.ask import Ask
from placet.tools.reading.attachments import MOST_IMAGE_BYTES

logger = logging.getLogger(__name__)

MOST_TRIES = 3
"""Number of times that the user may fill in one form before Placet cancels the request."""


class Asked:
    """Callbacks of one connection: the SDK calls them for the server's requests."""

    def __init__(self, server: str, calls: Calls, services: ServerServices) -> None:
        self._server = server
        self._calls = calls
        self._services = services

    async def roots(self, context: Any) -> types.ListRootsResult:
        roots = [types.Root(uri=root.as_uri(), name=root.name) for root in self._services.roots]  # pyright: ignore[reportArgumentType]
        return types.ListRootsResult(roots=roots)

    async def elicited(self, context: Any, params: types.ElicitRequestParams) -> types.ElicitResult | types.ErrorData:
        """Ask the user by the question UI."""
        if (call := self._calls.last) is None:
            return _refused("Nothing was asked of this server, so it cannot ask the user.")
        with call.waiting():
            try:
                if isinstance(params, types.ElicitRequestURLParams):
                    return await self._address(call, params)
                return await self._form(call, params)
            except Rejected:
                return types.ElicitResult(action="decline")
            except NobodyToAsk:
                return types.ElicitResult(action="cancel")
            except ValueError as error:
                return _refused(f"This cannot be asked: {error}.")

    async def sampled(
        self, context: Any, params: types.CreateMessageRequestParams
    ) -> types.CreateMessageResult | types.ErrorData:
        """Ask the session's model if the gate allows it: permission `sampling`, the server's name as pattern."""
        if (call := self._calls.last) is None:
            return _refused("Nothing was asked of this server, so it cannot ask a model.")
        request = _request(call.context.caller.session_id, params)
        with call.waiting():
            try:
                await call.context.ask(
                    Ask(
                        "sampling",
                        (self._server,),
                        always=(self._server,),
                        title=f"The MCP server {self._server} asks the model",
                        arguments=shown_input(_shown(request)),
                    )
                )
                answer = await self._services.sample(request)
            except Rejected:
                return _refused("The user rejected this.")
            except PlacetError as error:
                return _refused(str(error))
        text = types.TextContent(type="text", text=answer.text)
        return types.CreateMessageResult(role="assistant", content=text, model=answer.model, stop_reason="endTurn")

    async def more_rights(
        self, address: str, scope: str, come_back: Awaitable[AuthorizationCodeResult]
    ) -> AuthorizationCodeResult:
        """Return the browser's answer, once the user has granted the scope at the address.

        Raises NobodyToAsk, Rejected, and Gone where the authorization server refuses.
        """
        back = asyncio.ensure_future(come_back)
        if (call := self._calls.last) is None:
            back.cancel()
            raise NobodyToAsk("No call is running that the user could be asked for.")
        question = asyncio.ensure_future(
            call.context.session.ask_user([elicitation.rights_question(self._server, scope, address)])
        )
        over = asyncio.ensure_future(call.over.wait())
        tasks = (back, question, over)
        with call.waiting():
            try:
                await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
                if not back.done() and question.done() and list(question.result()[0]) in elicitation.ACCEPTED:
                    await asyncio.wait((back, over), return_when=asyncio.FIRST_COMPLETED)
                if back.done():
                    return back.result()
                raise Rejected("The user declined.")
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)

    async def _form(self, call: McpCall, params: types.ElicitRequestFormParams) -> types.ElicitResult:
        schema, wrong = dict(params.requested_schema), ""
        for _ in range(MOST_TRIES):
            asked = elicitation.questions(self._server, params.message, schema, wrong)
            try:
                given = elicitation.content(schema, await call.context.session.ask_user(asked))
            except elicitation.WrongAnswer as error:
                wrong = str(error)
                continue
            if given is None:
                return types.ElicitResult(action="decline")
            return types.ElicitResult(action="accept", content=given)
        return types.ElicitResult(action="cancel")

    async def _address(self, call: McpCall, params: types.ElicitRequestURLParams) -> types.ElicitResult:
        question = elicitation.address_question(self._server, params.message, params.url)
        answers = await call.context.session.ask_user([question])
        is_accepted = bool(answers) and list(answers[0]) in elicitation.ACCEPTED
        return types.ElicitResult(action="accept" if is_accepted else "decline")


def _refused(why: str) -> types.ErrorData:
    return types.ErrorData(code=types.INVALID_REQUEST, message=why)


def _request(session_id: str, params: types.CreateMessageRequestParams) -> SamplingRequest:
    messages = tuple(SamplingMessage(message.role, _parts(message.content)) for message in params.messages)
    return SamplingRequest(
        session_id, params.system_prompt or "", messages, max(params.max_tokens, 1), params.temperature
    )


def _parts(content: Any) -> tuple[TextPart | FilePart, ...]:
    parts: list[TextPart | FilePart] = []
    for block in content if isinstance(content, list) else [content]:
        if isinstance(block, types.TextContent):
            parts.append(TextPart(text=block.text))
        elif isinstance(block, types.ImageContent) and len(block.data) <= MOST_IMAGE_BYTES * 4 // 3:
            parts.append(
                FilePart(uri=f"data:{block.mime_type};base64,{block.data}", mime=block.mime_type, name="image")
            )
        else:
            parts.append(TextPart(text=f"({block.type}, which cannot be shown here)"))
    return tuple(parts)


def _shown(request: SamplingRequest) -> JsonObject:
    """Return the whole text for the model, to show to the user who decides."""
    messages = [{message.role: [_shown_part(part) for part in message.parts]} for message in request.messages]
    return {"system": request.system, "messages": messages} if request.system else {"messages": messages}


def _shown_part(part: TextPart | FilePart) -> str:
    return part.text if isinstance(part, TextPart) else f"({part.mime})"
