"""What the rules are written in: a script asks for tool calls, is given their results, and returns an answer.

A script is a generator, so that it reads from top to bottom. It is never kept: each request plays it again from
the start with the results that are already in the conversation, and takes what it asks for next.
"""

from collections.abc import Callable, Generator
from dataclasses import dataclass

from placet.messages import JsonObject


@dataclass(frozen=True, slots=True)
class Call:
    tool: str
    input: JsonObject


@dataclass(frozen=True, slots=True)
class Result:
    """What the tool told: its output, or why it failed."""

    ok: bool
    text: str


@dataclass(frozen=True, slots=True)
class Step:
    """Calls to be made together, and what is said before them."""

    calls: tuple[Call, ...]
    text: str = ""


Results = tuple[Result, ...]
"""One for each call of a step, in its order."""

Script = Generator[Step, Results, str]
"""Returns the answer's text, in Markdown."""

FindResults = Callable[[int, Step], Results | None]
"""The results of a script's n-th step, None when it has not been taken yet."""


def next_of(script: Script, find_results: FindResults) -> tuple[int, Step] | str:
    """Play the script over the results there are: its first step without any (and which it is), or its answer."""
    number = 0
    try:
        step = next(script)
        while (results := find_results(number, step)) is not None:
            number += 1
            step = script.send(results)
    except StopIteration as finished:
        return str(finished.value)
    return number, step
