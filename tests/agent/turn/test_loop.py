import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus_support import corpus
from loop_support import bare_context
from placet.agent.agents.builtin import builtin_agents
from placet.agent.turn.loop import run_turn
from placet.agent.turn.turn import Turn
from placet.core.errors import EditError, ModelError, NobodyToAsk, PermissionDenied, Rejected, TurnStopped
from placet.core.events import AgentMessageChunk, Retry, ToolCallUpdate, Update, UserMessageAdded
from placet.core.messages import AssistantMessage, TextPart, Tokens, ToolPart, ToolPending, UserMessage
from placet.core.transcript import Transcript
from placet.core.values import replace
from placet.model.base import (
    CallDelta,
    CallStarted,
    Finished,
    ModelEvent,
    ModelRequest,
    TextDelta,
    ThoughtDelta,
    UsageReport,
)
from placet.permissions.ask import Ask
from placet.tools.framework.context import ToolContext
from placet.tools.framework.define import AgentView, Arguments, Definition, ReadyTool, ToolResult, define_tool

Answer = Sequence[ModelEvent | Exception | asyncio.Event]


class PlayedModel:
    """Plays answers given as events; an exception is raised, an asyncio.Event waited for."""

    id = "played"
    context_size = None

    def __init__(self, answers: Sequence[Answer]) -> None:
        self._answers = iter(answers)
        self.requests: list[ModelRequest] = []
        self.closed = 0

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        self.requests.append(request)
        try:
            for event in next(self._answers):
                match event:
                    case asyncio.Event():
                        await event.wait()
                    case Exception():
                        raise event
                    case _:
                        yield event
        finally:
            self.closed += 1


def call(call_id: str, tool: str, **arguments: Any) -> list[ModelEvent]:
    text = json.dumps(arguments)
    return [CallStarted(call_id, tool), CallDelta(call_id, text[:3]), CallDelta(call_id, text[3:])]


CALLS = Finished("tool_calls")
DONE: Answer = [TextDelta("Done."), Finished("stop")]


class Note(Arguments):
    text: str


class Bench:
    """A turn on a table of its own: tools that note what they did, and the transcript of what was emitted."""

    def __init__(self, *answers: Answer) -> None:
        self.model = PlayedModel(answers)
        self.transcript = Transcript()
        self.emitted: list[Update] = []
        self.ran: list[str] = []
        self.gates: dict[str, asyncio.Event] = {}
        self.started: asyncio.Queue[str] = asyncio.Queue()
        self.said = asyncio.Event()
        self.heard = asyncio.Event()
        self.released = asyncio.Event()
        self.ended = asyncio.Event()
        self.asked: list[tuple[str, list[str], str]] = []
        self.refusal: Exception | None = None

    async def run(self, **options: Any) -> str:
        return await run_turn(await self.turn(**options))

    async def turn(self, **options: Any) -> Turn:
        user = UserMessage(parts=(TextPart(text="go"),))
        self.emit(UserMessageAdded(message=user))
        agent = builtin_agents()[0]
        tools: dict[str, ReadyTool] = {}
        for name, concurrent in (("look", True), ("write", False)):
            definition = Definition("Notes.", Note, self._execute, concurrent=concurrent)
            tools[name] = await define_tool(name, definition).init(AgentView("build"))
        turn = Turn(
            user=user,
            session_id="ses_1",
            agent=agent,
            model=self.model,
            system=("You are under test.",),
            tools=tools,
            transcript=self.transcript,
            emit=self.emit,
            new_context=partial(bare_context, self._ask),
        )
        return replace(turn, **options)

    def emit(self, update: Update) -> None:
        self.emitted.append(update)
        self.transcript.apply(update)
        if isinstance(update, AgentMessageChunk):
            self.said.set()
        if isinstance(update, Retry):
            self.heard.set()

    async def _ask(self, ask: Ask) -> None:
        self.asked.append((ask.permission, list(ask.patterns), ask.title))
        if self.refusal is not None:
            raise self.refusal

    async def _execute(self, arguments: Note, context: ToolContext) -> ToolResult:
        self.started.put_nowait(arguments.text)
        match arguments.text:
            case "mistake":
                raise EditError("no such text; read the file again")
            case "rejected":
                raise Rejected
            case "rejected, told why":
                raise Rejected("use tabs")
            case "bug":
                raise ZeroDivisionError
            case "stubborn":
                await self._stay(context)
            case text if text in self.gates:
                await self.gates[text].wait()
            case _:
                pass
        self.ran.append(arguments.text)
        return ToolResult(title=arguments.text, output=f"noted {arguments.text}")

    async def _stay(self, context: ToolContext) -> None:
        """Go on when cancelled."""
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            await self.released.wait()
            context.metadata(title="still here")
        self.ended.set()

    @property
    def calls(self) -> dict[str, Any]:
        return {
            part.call_id: part.state
            for message in self.transcript.messages
            for part in message.parts
            if isinstance(part, ToolPart)
        }


async def test_an_answer_without_calls_ends_the_turn():
    bench = Bench(DONE)

    assert await bench.run() == "end_turn"
    answer = bench.transcript.messages[-1]
    assert isinstance(answer, AssistantMessage)
    assert [part.text for part in answer.parts] == ["Done."]
    assert answer.finish == "stop"
    assert answer.completed is not None


async def test_the_result_of_a_call_is_in_the_next_request():
    bench = Bench([TextDelta("I look."), *call("c1", "look", text="a"), CALLS], DONE)

    assert await bench.run() == "end_turn"
    history = bench.model.requests[1].messages
    state = history[-1].parts[-1].state
    assert (state.status, state.output, state.input) == ("completed", "noted a", {"text": "a"})
    assert len(bench.model.requests[0].messages) == 1


async def test_reads_run_side_by_side_and_keep_their_order_in_the_message():
    bench = Bench([*call("c1", "look", text="slow"), *call("c2", "look", text="quick"), CALLS], DONE)
    bench.gates["slow"] = asyncio.Event()

    running = asyncio.create_task(bench.run())
    assert {await bench.started.get(), await bench.started.get()} == {"slow", "quick"}
    bench.gates["slow"].set()

    assert await running == "end_turn"
    assert bench.ran == ["quick", "slow"]
    assert list(bench.calls) == ["c1", "c2"]


async def test_a_write_waits_for_what_stands_before_it():
    answer = [*call("c1", "look", text="first"), *call("c2", "write", text="second"), CALLS]
    bench = Bench(answer, DONE)
    bench.gates["first"] = asyncio.Event()

    running = asyncio.create_task(bench.run())
    assert await bench.started.get() == "first"
    assert bench.started.empty()
    bench.gates["first"].set()
    await running

    assert bench.ran == ["first", "second"]


@corpus(
    ("tool", "raw", "told"),
    [
        ("nowhere", "{}", "There is no tool `nowhere`. Tools: look, write."),
        ("look", '{"text": "cut of', "not valid JSON"),
        ("look", "[1]", "must be a JSON object"),
        ("look", "{}", "text: Field required"),
    ],
)
async def test_a_call_that_cannot_be_run_tells_the_model_how_to_mend_it(tool, raw, told):
    bench = Bench([CallStarted("c1", tool), CallDelta("c1", raw), CALLS], DONE)

    assert await bench.run() == "end_turn"
    assert bench.calls["c1"].status == "error"
    assert told in bench.calls["c1"].error


async def test_a_mistake_is_told_to_the_model_and_the_turn_goes_on():
    bench = Bench([*call("c1", "write", text="mistake"), *call("c2", "write", text="fine"), CALLS], DONE)

    assert await bench.run() == "end_turn"
    assert bench.calls["c1"].error == "no such text; read the file again"
    assert bench.calls["c2"].output == "noted fine"


async def test_the_first_characters_of_long_arguments_are_shown_a_few_times_while_the_model_writes():
    text = json.dumps({"text": "x" * 20_000})
    pieces = [CallDelta("call_1", text[start : start + 100]) for start in range(0, len(text), 100)]
    bench = Bench([CallStarted("call_1", "look"), *pieces, CALLS], DONE)
    assert await bench.run() == "end_turn"
    shown = [
        update.part.state.raw
        for update in bench.emitted
        if isinstance(update, ToolCallUpdate) and isinstance(update.part.state, ToolPending)
    ]
    assert [len(raw) for raw in shown] == [300, 600, 1100, 2100, 4100]
    assert all(text.startswith(raw) for raw in shown)


async def test_arguments_that_come_in_one_piece_are_not_shown_before_the_call_runs():
    bench = Bench([CallStarted("call_1", "look"), CallDelta("call_1", json.dumps({"text": "x" * 9000})), CALLS], DONE)
    assert await bench.run() == "end_turn"
    states = [update.part.state.status for update in bench.emitted if isinstance(update, ToolCallUpdate)]
    assert states == ["running", "completed"]


async def test_a_rejection_without_a_word_ends_the_turn_and_runs_nothing_more():
    bench = Bench([*call("c1", "write", text="rejected"), *call("c2", "write", text="never"), CALLS], DONE)

    assert await bench.run() == "rejected"
    assert bench.ran == []
    assert bench.calls["c1"].error == "The user rejected this call."
    assert "not run" in bench.calls["c2"].error
    assert len(bench.model.requests) == 1


async def test_a_rejection_with_a_reason_is_told_to_the_model_and_the_turn_goes_on():
    bench = Bench([*call("c1", "write", text="rejected, told why"), *call("c2", "write", text="other"), CALLS], DONE)

    assert await bench.run() == "end_turn"
    assert "use tabs" in bench.calls["c1"].error
    assert bench.ran == ["other"]


async def test_at_the_last_step_the_model_is_told_that_tools_are_off_and_no_call_is_run():
    bench = Bench(*[[*call(f"c{step}", "look", text=str(step)), CALLS] for step in range(5)])

    assert await bench.run(max_steps=3) == "max_steps"
    assert [state.status for state in bench.calls.values()] == ["completed", "completed", "error"]
    assert bench.ran == ["0", "1"]
    assert "limit of steps" in bench.calls["c2"].error
    last = [request.messages[-1].parts[-1] for request in bench.model.requests]
    assert ["Tools are off" in getattr(part, "text", "") for part in last] == [False, False, True]
    assert bench.model.requests[2].tools == bench.model.requests[0].tools
    assert len(bench.transcript.messages) == 4


async def test_a_last_step_without_calls_says_that_the_limit_was_reached():
    assert await Bench(DONE).run(max_steps=1) == "max_steps"


async def test_an_answer_that_is_not_complete_is_no_end():
    with pytest.raises(TurnStopped, match="is incomplete") as stopped:
        await Bench([TextDelta("First, "), Finished("length")]).run()
    assert stopped.value.code == "cut_off"


@pytest.mark.parametrize("tool", ["look", "write"])
async def test_a_tool_that_does_not_stop_is_left_behind(tool):
    bench = Bench([*call("c1", tool, text="stubborn"), CALLS])
    running = asyncio.create_task(bench.run())
    await bench.started.get()

    running.cancel()
    await asyncio.wait([running])
    assert not bench.ended.is_set()
    assert running.cancelled()
    assert bench.calls["c1"].status == "error"

    bench.released.set()
    await bench.ended.wait()
    assert bench.calls["c1"].status == "error"


async def test_a_content_filter_is_a_refusal():
    assert await Bench([TextDelta("No."), Finished("content_filter")]).run() == "refused"


async def test_a_model_that_fails_in_mid_answer_leaves_what_it_said_and_no_open_call():
    error = ModelError("interrupted", "The connection broke.", before_first_delta=False)
    bench = Bench([TextDelta("I wi"), CallStarted("c1", "look"), CallDelta("c1", '{"te'), error])

    with pytest.raises(ModelError):
        await bench.run()
    answer = bench.transcript.messages[-1]
    assert isinstance(answer, AssistantMessage)
    assert answer.parts[0].text == "I wi"
    assert answer.error is not None
    assert answer.error.code == "interrupted"
    assert bench.calls["c1"].status == "error"


async def test_a_stream_that_just_stops_is_an_error_and_not_an_end():
    with pytest.raises(ModelError, match="broke off"):
        await Bench([TextDelta("I wi")]).run()


async def test_our_own_bug_rises_and_leaves_no_open_call():
    bench = Bench([*call("c1", "write", text="bug"), *call("c2", "write", text="never"), CALLS])

    with pytest.raises(ZeroDivisionError):
        await bench.run()
    assert [state.status for state in bench.calls.values()] == ["error", "error"]


async def test_sealed_thinking_is_kept_apart_from_what_follows():
    bench = Bench([ThoughtDelta("hm"), ThoughtDelta(signature="seal"), ThoughtDelta("more"), *DONE])

    await bench.run()
    first, second, text = bench.transcript.messages[-1].parts
    assert (first.text, first.signature, second.text, second.signature) == ("hm", "seal", "more", None)
    assert text.text == "Done."


async def test_cancelling_closes_the_stream_of_the_model():
    never = asyncio.Event()
    bench = Bench([TextDelta("I am"), never])
    running = asyncio.create_task(bench.run())
    await bench.said.wait()

    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert bench.model.closed == 1


@given(st.integers(min_value=0, max_value=60))
@settings(max_examples=60, deadline=None)
def test_wherever_a_turn_is_cancelled_every_call_has_exactly_one_result(moments):
    async def cancel_after_some_moments() -> None:
        reads = [*call("c1", "look", text="one"), *call("c2", "look", text="two")]
        bench = Bench([TextDelta("a"), *reads, CALLS], [*call("c3", "write", text="three"), CALLS], DONE)
        running = asyncio.create_task(bench.run())
        for _ in range(moments):
            await asyncio.sleep(0)
        running.cancel()
        await asyncio.wait([running])

        finals = [
            event.part.call_id
            for event in bench.emitted
            if isinstance(event, ToolCallUpdate) and event.part.state.status in {"completed", "error"}
        ]
        assert sorted(finals) == sorted(bench.calls)

    asyncio.run(cancel_after_some_moments())


BUSY = ModelError("overloaded", "Busy.", hint="Wait.", retry_after=0)


async def test_a_call_that_fails_before_it_answers_is_made_again_visibly_and_as_the_same_message():
    bench = Bench([BUSY], [BUSY], DONE)

    assert await bench.run() == "end_turn"
    retries = [update for update in bench.emitted if isinstance(update, Retry)]
    assert [(retry.attempt, retry.wait_seconds, retry.error.message) for retry in retries] == [
        (1, 0.0, "Busy."),
        (2, 0.0, "Busy."),
    ]
    [_, answer] = bench.transcript.messages
    assert {retry.message_id for retry in retries} == {answer.id}
    assert isinstance(answer, AssistantMessage)
    assert answer.error is None
    assert bench.model.requests[0] == bench.model.requests[2]


async def test_a_call_that_keeps_failing_is_given_up():
    bench = Bench(*[[BUSY]] * 5)

    with pytest.raises(ModelError, match="tried 4 times"):
        await bench.run()
    assert len(bench.model.requests) == 4
    assert bench.transcript.messages[-1].error.message == "Busy. (Placet tried 4 times.)"


async def test_what_a_failed_attempt_cost_is_counted():
    spent = UsageReport(Tokens(input=10), cost=0.5)
    empty = ModelError("empty_answer", "Nothing.", retry_after=0)
    bench = Bench([spent, empty], [TextDelta("Yes."), spent, Finished("stop")])

    await bench.run()
    answer = bench.transcript.messages[-1]
    assert isinstance(answer, AssistantMessage)
    assert (answer.tokens.input, answer.cost) == (20, 1.0)


async def test_a_wait_can_be_cancelled():
    bench = Bench([ModelError("rate_limit", "Slow down.", retry_after=50)])
    running = asyncio.create_task(bench.run())
    await bench.heard.wait()

    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert bench.model.closed == 1


def steps(*texts: str, tool: str = "look") -> list[Answer]:
    return [[*call(f"c{number}", tool, text=text), CALLS] for number, text in enumerate(texts)]


async def test_a_loop_over_steps_is_asked_about_and_not_again_once_it_may_go_on():
    bench = Bench(*steps(*"aaaaaaaaaaaa"), DONE)

    assert await bench.run() == "end_turn"
    assert bench.asked == [
        ("doom_loop", ["look"], "Continue, although the agent makes the same call of `look` 3 times in a row")
    ]
    assert len(bench.ran) == 12


async def test_results_that_bring_nothing_new_are_a_loop_too():
    bench = Bench(*steps(*"abcdefg", *"acegbdfgca", "f"), DONE)

    assert await bench.run() == "end_turn"
    assert [title for _, _, title in bench.asked] == [
        "Continue, although the agent makes 10 calls in a row that bring nothing new (`look`)"
    ]


@pytest.mark.parametrize(
    ("refusal", "why"),
    [
        (Rejected(), "the user did not let it go on"),
        (PermissionDenied("no"), "the rules"),
        (NobodyToAsk("no"), "nobody was there"),
    ],
)
async def test_a_loop_that_may_not_go_on_stops_the_turn_with_the_reason_and_runs_nothing_more(refusal, why):
    last = [*call("c5", "look", text="b"), *call("other", "write", text="never"), CALLS]
    bench = Bench(*steps(*"ababa"), last, DONE)
    bench.refusal = refusal

    with pytest.raises(TurnStopped, match=why) as stopped:
        await bench.run()
    assert stopped.value.code == "doom_loop"
    assert bench.ran == list("ababa")
    assert "goes in circles" in bench.calls["c5"].error
    assert bench.calls["other"].status == "error"


async def test_what_the_user_says_to_a_loop_is_told_to_the_model():
    bench = Bench(*steps(*"aaa"), DONE)
    bench.refusal = Rejected("look at b")

    assert await bench.run() == "end_turn"
    assert "look at b" in bench.calls["c2"].error
    assert bench.ran == ["a", "a"]


CUT_OFF: Answer = [CallStarted("c1", "write"), CallDelta("c1", '{"text": "a very lo'), Finished("length")]


async def test_a_call_that_was_cut_off_is_told_once():
    bench = Bench(CUT_OFF, *steps("short", tool="write"), CUT_OFF, DONE)

    assert await bench.run() == "end_turn"
    assert "was cut off" in bench.calls["c1"].error
    assert bench.ran == ["short"]


async def test_a_call_that_is_cut_off_again_ends_the_turn():
    bench = Bench(CUT_OFF, CUT_OFF, DONE)

    with pytest.raises(TurnStopped, match="maximum length") as stopped:
        await bench.run()
    assert stopped.value.code == "cut_off"
    assert len(bench.model.requests) == 2


async def test_a_complete_call_in_an_answer_of_greatest_length_is_run():
    bench = Bench([*call("c1", "write", text="all"), Finished("length")], DONE)

    assert await bench.run() == "end_turn"
    assert bench.ran == ["all"]


def steer(bench: Bench) -> UserMessage:
    message = UserMessage(parts=(TextPart(text="use tabs"),), steers="msg_1")
    bench.emit(UserMessageAdded(message=message))
    return message


async def test_what_the_user_says_in_the_middle_is_in_the_next_request():
    bench = Bench(*steps("slow"), DONE)
    bench.gates["slow"] = asyncio.Event()
    running = asyncio.create_task(bench.run())
    await bench.started.get()

    message = steer(bench)
    bench.gates["slow"].set()

    assert await running == "end_turn"
    assert bench.model.requests[1].messages[-1] == message
    assert bench.calls["c0"].status == "completed"


async def test_what_the_user_says_during_the_last_answer_is_answered_too():
    go_on = asyncio.Event()
    bench = Bench([TextDelta("I am"), go_on, TextDelta(" done."), Finished("stop")], DONE)
    running = asyncio.create_task(bench.run())
    await bench.said.wait()

    message = steer(bench)
    go_on.set()

    assert await running == "end_turn"
    assert bench.model.requests[1].messages[-1] == message


async def test_what_the_user_says_while_a_retry_is_waited_for_comes_after_the_answer_in_the_history():
    bench = Bench([ModelError("overloaded", "Busy.", retry_after=0.05)], DONE, DONE)
    running = asyncio.create_task(bench.run())
    await bench.heard.wait()

    message = steer(bench)

    assert await running == "end_turn"
    assert bench.model.requests[1] == bench.model.requests[0]
    assert bench.model.requests[2].messages[-1] == message


async def test_a_word_of_the_user_starts_the_search_for_loops_afresh():
    bench = Bench(*steps("slow", "slow", "slow"), DONE)
    bench.gates["slow"] = asyncio.Event()
    running = asyncio.create_task(bench.run())
    await bench.started.get()
    steer(bench)
    bench.gates["slow"].set()

    assert await running == "end_turn"
    assert bench.asked == []
