"""Form of the rules: a script asks for tool calls, receives their results, and returns an answer.

A script is a generator, so a script reads from top to bottom. No script is kept: each request plays the script again
from the start with the results already in the conversation, and takes the script's next step.
"""

from collections.abc import Callable, Generator
from dataclasses import dataclass

from placet.core.messages import JsonObject


@dataclass(frozen=True, slots=True)
class RulesCall:
    tool: str
    input: JsonObject


@dataclass(frozen=True, slots=True)
class Result:
    """Result of a tool: the output, or the reason of a failure."""

    ok: bool
    text: str


@dataclass(frozen=True, slots=True)
class Step:
    """Calls to be made together, and the text before the calls."""

    calls: tuple[RulesCall, ...]
    text: str = ""


Results = tuple[Result, ...]
"""Results of a step, one for each call, in the order of the calls."""


class NotDone(Exception):
    """End of a script that could not do what the user asked; the message is the answer's text."""


Script = Generator[Step, Results, str]
"""Script of an intent; returns the answer's text, in Markdown. Raises NotDone."""

FindResults = Callable[[int, Step], Results | None]
"""Function which returns the results of a script's n-th step, or None if the step has not been taken yet."""


def next_of(script: Script, find_results: FindResults) -> tuple[int, Step] | str:
    """Play the script over the known results; return the first step without results and its number, or the answer.

    Raises NotDone.
    """
    number = 0
    try:
        step = next(script)
        while (results := find_results(number, step)) is not None:
            number += 1
            step = script.send(results)
    except StopIteration as finished:
        return str(finished.value)
    return number, step
