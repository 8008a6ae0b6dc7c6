"""Lines of `placet run --json`: the session's events, and a last line with the end of the run.

The descriptions of the fields stand in `Field`: reading attribute docstrings would cost every start 20 ms.
"""

import json
import sys
from typing import Any, Literal

from pydantic import Field, TypeAdapter

from placet.core.events import SessionEvent
from placet.core.messages import Value
from placet.sessions.turns.turn_result import TurnResult


class Unanswered(Value):
    """Something that had to be asked, and was not answered by anybody."""

    kind: Literal["permission", "question"]
    title: str
    permission: str | None = None
    patterns: tuple[str, ...] = Field(
        default=(), description="`--allow PERMISSION:PATTERN` with each of them would let it pass."
    )


class RunEnded(Value):
    """The last line of every run, whatever became of it."""

    kind: Literal["run_ended"] = "run_ended"
    session_id: str | None = Field(default=None, description="To go on with; absent if it never came to a session.")
    exit_code: int
    result: TurnResult = Field(
        description="Why it ended. Tokens and cost (US dollars) are the whole run's, with subagents' and those of a "
        "title."
    )
    answer: str = Field(default="", description="The text of the last answer.")
    output: Any = Field(
        default=None,
        description="The answer that satisfies --output-schema; absent where there is none, or it is null.",
    )
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
