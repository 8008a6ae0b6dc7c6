"""JSON-RPC errors of the agent's methods: params that do not fit, and requests that cannot be served."""

from typing import Any, TypeVar

from pydantic import ValidationError
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams

from placet.core.messages import Value

_REQUEST_FAILED = -32803
"""LSP 3.17's RequestFailed: the code for a well-formed and understood request which cannot be served."""

P = TypeVar("P", bound=Value)


def validated(model: type[P], raw: Any) -> P:
    """Return the params as a value. Raises JsonRpcInvalidParams naming each wrong field."""
    try:
        return model.model_validate({} if raw is None else raw)
    except ValidationError as error:
        issues = error.errors(include_url=False, include_context=False, include_input=False)
        wrong = (f"{'.'.join(map(str, issue['loc'])) or 'params'}: {issue['msg']}" for issue in issues)
        raise JsonRpcInvalidParams("; ".join(wrong)) from None


def request_failed(text: str) -> JsonRpcException:
    """Return the error of a request which cannot be served; the text is for the user."""
    return JsonRpcException(text, code=_REQUEST_FAILED)
