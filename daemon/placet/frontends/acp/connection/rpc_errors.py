"""Errors of JSON-RPC and of the protocol, as answers to the client's requests."""

from typing import Any

from placet.core.errors import PlacetError, RequestError
from placet.core.messages import TurnError

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
CANCELLED = -32800
AUTH_REQUIRED = -32000
RESOURCE_NOT_FOUND = -32002


class RpcError(Exception):
    """Refusal of a request; `message` is a sentence for the user."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data

    def dump(self) -> dict[str, Any]:
        """Return the `error` of the answer."""
        data = {} if self.data is None else {"data": self.data}
        return {"code": self.code, "message": self.message, **data}


def invalid_params(message: str) -> RpcError:
    return RpcError(INVALID_PARAMS, message)


def no_session(session_id: str) -> RpcError:
    return RpcError(RESOURCE_NOT_FOUND, f"There is no session `{session_id}`.", {"sessionId": session_id})


def failed(error: PlacetError | TurnError) -> RpcError:
    """Return the answer for failed work, with the hint apart from the message."""
    message = error.message if isinstance(error, TurnError) else str(error)
    code = INVALID_PARAMS if type(error) is RequestError else INTERNAL_ERROR
    if isinstance(error, TurnError) and error.code == "authentication":
        code = AUTH_REQUIRED  # The model's provider has no key, or rejects the key: the client shows its sign-in.
    return RpcError(code, message, {"hint": error.hint} if error.hint else None)
