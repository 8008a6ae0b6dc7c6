"""The lines of `placet run --json`: the session's events, and a last one that says how it ended."""

import json
import sys
from typing import Any, Literal

from pydantic import ConfigDict, TypeAdapter

from placet.core.events import SessionEvent
from placet.core.messages import Value
from placet.sessions.session import TurnResult


class Unanswered(Value):
    """Something that had to be asked, and was not answered by anybody."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    kind: Literal["permission", "question"]
    title: str
    permission: str | None = None
    patterns: tuple[str, ...] = ()
    """`--allow PERMISSION:PATTERN` with each of them would let it pass."""


class RunEnded(Value):
    """The last line of every run, whatever became of it."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    kind: Literal["run_ended"] = "run_ended"
    session_id: str | None = None
    """To go on with; absent if it never came to a session."""
    exit_code: int
    result: TurnResult
    """Why it ended. Tokens and cost (US dollars) are the whole run's, with subagents' and those of a title."""
    answer: str = ""
    """The text of the last answer."""
    output: Any = None
    """The answer that satisfies --output-schema; absent where there is none, or it is null."""
    unanswered: tuple[Unanswered, ...] = ()


def main() -> int:
    """Print the schema."""
    sys.stdout.buffer.write((json.dumps(run_schema(), indent=2) + "\n").encode())
    return 0


def run_schema() -> dict[str, Any]:
    """The JSON Schema of one line. A property that is not required may be absent, and more may come."""
    schema = TypeAdapter(SessionEvent | RunEnded).json_schema(by_alias=True)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A line of placet run --json",
        "description": "Events in the order they happen; the last line is RunEnded, and no other is.",
        **schema,
    }
