"""Model without a language model: recognises an intent, plays the intent's script, and answers as a model would."""

import json
from collections.abc import AsyncIterator, Iterable, Iterator

from placet.core.messages import Tokens
from placet.model.base import CallDelta, CallStarted, Finished, ModelEvent, ModelRequest, TextDelta, UsageReport
from placet.model.local.offer import OFFER
from placet.model.rules.find import find
from placet.model.rules.fix import fix
from placet.model.rules.intents import Find, Fix, Outline, Rename, Replace, RunTests, Unclear, Unknown, understand
from placet.model.rules.outline import outline
from placet.model.rules.rename import rename
from placet.model.rules.replace import replace
from placet.model.rules.run_tests import run_tests
from placet.model.rules.script import NotDone, Script, Step, next_of
from placet.model.rules.turn import Turn, last_turn

SIGNATURE = "_This is `builtin/rules`: fixed rules, no language model behind it._"

_ABILITIES = (
    "`find NAME`, `who calls NAME`, `outline FILE`, `rename OLD to NEW`, `replace A by B in FILE`, `fix FILE`, "
    "`fix lint` and `run the tests`"
)

_HOW_TO_SET_A_MODEL = f"""\
For anything else, set a language model:

- the setting `model` in `placet.json` or in your editor, or the environment variable `PLACET_MODEL`, as \
`provider/name` in litellm's naming, for example `anthropic/…`, `openai/…` or `gemini/…`;
- the provider's key in its own variable: `ANTHROPIC_API_KEY`, `OPENAI_API_KEY`, `GEMINI_API_KEY`, …;
- or a local one without a key: `"model": "ollama_chat/NAME"` with \
`"modelOptions": {{"apiBase": "http://localhost:11434"}}` (or `PLACET_API_BASE`).

{OFFER}"""


class BuiltinRules:
    """Pure function of the request's messages, behind the Model interface. BuiltinRules keeps nothing between calls."""

    @property
    def id(self) -> str:
        return "builtin/rules"

    @property
    def context_size(self) -> int | None:
        return None

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        """Yield the next step towards the user's goal, or the answer. Never fails."""
        for event in _events(request):
            yield event


def _events(request: ModelRequest) -> Iterator[ModelEvent]:
    try:
        events, reason = _planned(request)
    except NotDone as answer:
        events, reason = [_answer(str(answer))], "content_filter"
    yield from events
    yield UsageReport(Tokens())
    yield Finished(reason)


def _planned(request: ModelRequest) -> tuple[Iterable[ModelEvent], str]:
    """Return the events of the next step, and the reason for which the answer ends. Raises NotDone."""
    turn = last_turn(request.messages, request.system)
    if turn is None:
        raise NotDone(_decline(""))
    planned = next_of(_script(turn), turn.results_of)
    if isinstance(planned, str):
        return [_answer(planned)], "stop"
    _refuse_missing_tools(planned[1], request)
    return _calls(turn, *planned), "tool_calls"


def _answer(text: str) -> TextDelta:
    return TextDelta(f"{text}\n\n{SIGNATURE}\n")


def _calls(turn: Turn, number: int, step: Step) -> Iterator[ModelEvent]:
    if step.text:
        yield TextDelta(f"{step.text}\n")
    for index, call in enumerate(step.calls):
        call_id = turn.call_id(number, index)
        yield CallStarted(call_id, call.tool)
        yield CallDelta(call_id, json.dumps(call.input, ensure_ascii=False))


def _refuse_missing_tools(step: Step, request: ModelRequest) -> None:
    """Raise NotDone if the agent lacks a tool of the step."""
    if missing := sorted({call.tool for call in step.calls} - {tool.name for tool in request.tools}):
        tools = "`, `".join(missing)
        raise NotDone(f"This takes the tool `{tools}`, which this agent does not have. Switch to an agent that has it.")


def _script(turn: Turn) -> Script:
    """Return the script of what the user asks. Raises NotDone."""
    match understand(turn.prompt, turn.attached):
        case Find() as intent:
            return find(intent)
        case Outline() as intent:
            return outline(intent)
        case Rename() as intent:
            return rename(intent)
        case Replace() as intent:
            return replace(intent)
        case Fix() as intent:
            return fix(intent)
        case RunTests() as intent:
            return run_tests(intent)
        case Unclear(question):
            raise NotDone(question)
        case Unknown():
            raise NotDone(_decline(turn.prompt))


def _decline(prompt: str) -> str:
    """Return the refusal in a few lines, for any prompt."""
    start = "No model is set, and without one I cannot do that." if prompt else "No model is set."
    return f"{start} I can do {_ABILITIES}.\n\n{_HOW_TO_SET_A_MODEL}"
