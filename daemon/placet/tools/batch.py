"""Run several calls in one: each call is validated, asked about and recorded like a call of the model."""

from typing import Any

from pydantic import Field, ValidationError, field_validator

from placet.core.errors import InvalidArguments
from placet.core.messages import JsonObject, ToolCompleted, ToolFailed
from placet.text.counted import counted
from placet.tools.framework.context import ToolContext
from placet.tools.framework.define import Arguments, Definition, ToolResult, define_tool
from placet.tools.framework.facts import Need, ToolFacts
from placet.tools.texts import text_for

MOST_CALLS = 25
EXPECTED = '{"tool_calls": [{"tool": "read", "parameters": {"filePath": "src/app.py"}}, ...]}'


class BatchedCall(Arguments):
    tool: str = Field(min_length=1, description="The tool's name.")
    parameters: dict[str, Any] = Field(default_factory=dict[str, Any], description="Its arguments.")


class BatchArguments(Arguments):
    tool_calls: tuple[BatchedCall, ...] = Field(
        alias="tool_calls", description=f"The calls, at most {MOST_CALLS}.", json_schema_extra={"minItems": 1}
    )

    @field_validator("tool_calls")
    @classmethod
    def _some(cls, calls: tuple[BatchedCall, ...]) -> tuple[BatchedCall, ...]:
        if not calls:
            raise ValueError("at least one call is needed")
        return calls


async def execute(arguments: BatchArguments, context: ToolContext) -> ToolResult:
    calls = arguments.tool_calls[:MOST_CALLS]
    refused = {number: reason for number, call in enumerate(calls) if (reason := _refusal(call))}
    runnable = [(call.tool, call.parameters) for number, call in enumerate(calls) if number not in refused]
    if not runnable:
        raise InvalidArguments("\n".join(sorted(set(refused.values()))))
    context.metadata(title=counted(len(runnable), "call"), metadata={"tools": [tool for tool, _ in runnable]})
    states = iter(await context.call_tools(runnable))
    details = [
        _failure(call, refused[number]) if number in refused else _outcome(call, next(states))
        for number, call in enumerate(calls)
    ]
    details += [
        _failure(call, f"A batch holds at most {MOST_CALLS} calls.") for call in arguments.tool_calls[len(calls) :]
    ]
    succeeded = sum(bool(detail["success"]) for detail in details)
    title = f"{succeeded} of {counted(len(details), 'call')} succeeded"
    return ToolResult(
        title=title,
        output="\n".join(
            (f"{title}. What each gave stands in its own result.", *map(_line, range(1, len(details) + 1), details))
        ),
        metadata={
            "totalCalls": len(details),
            "successful": succeeded,
            "failed": len(details) - succeeded,
            "details": details,
        },
    )


def _refusal(call: BatchedCall) -> str:
    return "A batch cannot hold another batch: list its calls in this one." if call.tool.lower() == "batch" else ""


def _outcome(call: BatchedCall, state: ToolCompleted | ToolFailed) -> JsonObject:
    if isinstance(state, ToolFailed):
        return _failure(call, state.error)
    return {"tool": call.tool, "success": True, "title": state.title}


def _failure(call: BatchedCall, error: str) -> JsonObject:
    return {"tool": call.tool, "success": False, "error": error}


def _line(number: int, detail: JsonObject) -> str:
    outcome = f"done: {detail['title']}" if detail["success"] else f"failed: {detail['error']}"
    return f"{number}. {detail['tool']} {outcome}"


def describe_mistakes(error: ValidationError) -> str:
    """Return one line a mistake, and the expected shape."""
    issues = error.errors(include_url=False, include_context=False)
    lines = (f"- {'.'.join(map(str, issue['loc'])) or 'input'}: {issue['msg']}" for issue in issues)
    return "\n".join(("The batch tool was called with invalid arguments:", *lines, f"Expected: {EXPECTED}"))


FACTS = ToolFacts(
    "batch",
    order=210,
    needs=(Need("settings.experimental.batch_tool", "Set `experimental.batchTool` to true to have it."),),
)
TOOL = define_tool(
    FACTS.name, Definition(text_for("batch"), BatchArguments, execute, format_validation_error=describe_mistakes)
)
