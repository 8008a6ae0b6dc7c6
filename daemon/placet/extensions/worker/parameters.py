"""A tool function's parameters as a pydantic model, and its result as JSON."""

import base64
import inspect
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, cast

from pydantic import BaseModel, ConfigDict, Field, create_model

from placet.tools.framework.api import MARK, BlockingToolContext, ToolContext, ToolResult


@dataclass(frozen=True, slots=True)
class ToolFunction:
    """Function of a file, ready to be called with a model's arguments."""

    function: Callable[..., Any]
    model: type[BaseModel]
    whole: str = ""
    """Name of the parameter that takes all arguments as a whole; empty if each argument is a parameter of its own."""
    context: str = ""
    """Name of the parameter that takes the context; empty without such a parameter."""

    @property
    def is_async(self) -> bool:
        return inspect.iscoroutinefunction(self.function)

    @property
    def description(self) -> str:
        return getattr(self.function, MARK) or inspect.getdoc(self.function) or ""

    def arguments(self, raw: Mapping[str, Any]) -> dict[str, Any]:
        """Return the keyword arguments for the call. Raises pydantic's ValidationError."""
        valid = self.model.model_validate(raw)
        if self.whole:
            return {self.whole: valid}
        return {field.alias or name: getattr(valid, name) for name, field in self.model.model_fields.items()}


def tool_function(function: Callable[..., Any]) -> ToolFunction:
    """Raises TypeError for a function that cannot be a tool, and as pydantic does for types it does not know."""
    hints = typing.get_type_hints(function, include_extras=True)
    fields: dict[str, Any] = {}
    context = ""
    for name, parameter in inspect.signature(function).parameters.items():
        hint = hints.get(name)
        if hint in (ToolContext, BlockingToolContext) or (name == "context" and hint is None):
            context = name
            _check_context(function, hint)
        elif parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD, parameter.POSITIONAL_ONLY):
            raise TypeError(f"the parameter `{parameter}` of `{function.__name__}` cannot be named by the model")
        elif hint is None:
            raise TypeError(f"the parameter `{name}` of `{function.__name__}` has no type; write `{name}: str`")
        else:
            default = ... if parameter.default is parameter.empty else parameter.default
            # Under another name, as some names (`copy`, `json`, `_x`) are not free in a model.
            fields[f"argument_{name}"] = (Annotated[hint, Field(alias=name)], default)
    models = [hint for name, hint in hints.items() if _is_model(hint) and f"argument_{name}" in fields]
    if len(fields) == 1 and len(models) == 1:
        (only,) = fields
        return ToolFunction(function, models[0], whole=only.removeprefix("argument_"), context=context)
    model = create_model(function.__name__, __config__=ConfigDict(extra="ignore"), **fields)
    return ToolFunction(function, model, context=context)


def _check_context(function: Callable[..., Any], hint: object) -> None:
    expected = ToolContext if inspect.iscoroutinefunction(function) else BlockingToolContext
    if hint not in (None, expected):
        raise TypeError(
            f"`{function.__name__}` is {'an `async def`' if expected is ToolContext else 'a `def`'}, "
            f"and gets a {expected.__name__}, not a {getattr(hint, '__name__', hint)}"
        )


def _is_model(hint: object) -> bool:
    return isinstance(hint, type) and issubclass(hint, BaseModel)


def result_data(result: object) -> dict[str, Any]:
    """A tool's result for the wire. Raises TypeError for what is none."""
    match result:
        case str():
            return {"output": result}
        case ToolResult():
            files = [
                {
                    "mime": attachment.mime,
                    "data": base64.b64encode(attachment.data).decode("ascii"),
                    "name": attachment.name,
                }
                for attachment in result.attachments
            ]
            data = {"output": result.output, "title": result.title, "metadata": dict(result.metadata)}
            return {**data, "attachments": files}
        case {"output": str(output), **rest}:
            beside = cast("dict[str, Any]", rest)
            return {"output": output, "title": beside.get("title", ""), "metadata": beside.get("metadata", {})}
        case _:
            raise TypeError(f"a tool gives a str or a ToolResult, not {type(result).__name__}")
