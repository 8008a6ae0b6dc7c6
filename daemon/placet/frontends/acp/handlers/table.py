"""Table of the methods of version 1: the params and the handler of each."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

import msgspec

from placet.frontends.acp.capabilities import InvalidInitialize, initialize_result
from placet.frontends.acp.connection.dispatcher import NotificationHandler, RequestHandler
from placet.frontends.acp.connection.rpc_errors import invalid_params
from placet.frontends.acp.door import Door
from placet.frontends.acp.handlers import config, prompts, sessions, sign_in
from placet.frontends.acp.protocol import requests as acp
from placet.frontends.acp.protocol.requests import Message


async def initialize(door: Door, params: acp.Initialize) -> dict[str, Any]:
    """Answer an `initialize` request left by the handshake, or repeated."""
    door.meet(msgspec.to_builtins(params))
    try:
        return initialize_result(msgspec.to_builtins(params))
    except InvalidInitialize as error:
        raise invalid_params(str(error)) from error


_REQUESTS: dict[str, tuple[type[Message], Callable[[Door, Any], Awaitable[Any]]]] = {
    "initialize": (acp.Initialize, initialize),
    "authenticate": (acp.Authenticate, sign_in.authenticate),
    "logout": (sign_in.Logout, sign_in.logout),
    "session/new": (acp.NewSession, sessions.new_session),
    "session/load": (acp.LoadSession, sessions.load_session),
    "session/resume": (acp.LoadSession, sessions.resume_session),
    "session/fork": (acp.LoadSession, sessions.fork_session),
    "session/set_title": (acp.SetTitle, sessions.set_title),
    "session/list": (acp.ListSessions, sessions.list_sessions),
    "session/close": (acp.SessionRef, sessions.close_session),
    "session/delete": (acp.SessionRef, sessions.delete_session),
    "session/set_mode": (acp.SetMode, sessions.set_mode),
    "session/set_config_option": (acp.SetConfigOption, config.set_config_option),
    "session/prompt": (acp.Prompt, prompts.prompt),
}
_NOTIFICATIONS: dict[str, tuple[type[Message], Callable[[Door, Any], None]]] = {
    "session/cancel": (acp.SessionRef, prompts.cancel),
}


def requests(door: Door) -> dict[str, RequestHandler[Any]]:
    return {name: RequestHandler(params, partial(serve, door)) for name, (params, serve) in _REQUESTS.items()}


def notifications(door: Door) -> dict[str, NotificationHandler[Any]]:
    handlers = _NOTIFICATIONS.items()
    return {name: NotificationHandler(params, partial(receive, door)) for name, (params, receive) in handlers}
