"""Validation of params from the wire."""

from typing import Any, TypeVar

from pydantic import ValidationError
from pygls.exceptions import JsonRpcInvalidParams

from placet.core.messages import Value

P = TypeVar("P", bound=Value)


def validated(model: type[P], raw: Any) -> P:
    """Return the params as a value. Raises JsonRpcInvalidParams naming each wrong field."""
    try:
        return model.model_validate({} if raw is None else raw)
    except ValidationError as error:
        issues = error.errors(include_url=False, include_context=False, include_input=False)
        wrong = (f"{'.'.join(map(str, issue['loc'])) or 'params'}: {issue['msg']}" for issue in issues)
        raise JsonRpcInvalidParams("; ".join(wrong)) from None
