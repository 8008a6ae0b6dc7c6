"""Compaction of a full context: the conversation is summed up but for the end, and the model goes on with the summary.

The conditions are OpenCode's. Compaction never goes round in circles: a summary which frees nothing ends the turn and
says so.
"""

from collections.abc import Sequence
from typing import Literal

from placet.agent.context.compaction_plan import Plan, kept_tokens, plan_compaction
from placet.agent.context.history import is_heard, model_history
from placet.agent.context.offered_tools import offered_tools
from placet.agent.context.transcript_text import message_texts, newest_half, within
from placet.agent.turn.attempts import Tally, TextAnswer, text_answer, with_retries
from placet.agent.turn.fallback import FallbackChain, fallback_notice
from placet.agent.turn.turn import Turn
from placet.core.errors import ModelError, RequestError, TurnStopped
from placet.core.events import AgentMessageChanged, Compaction, Retry, UsageUpdate
from placet.core.ids import now
from placet.core.messages import (
    AssistantMessage,
    CompactionPart,
    Message,
    TextPart,
    ToolCompleted,
    ToolPart,
    TurnError,
    UserMessage,
)
from placet.model.base import Model, ModelRequest
from placet.model.hosted import BUILT_IN_PREFIX
from placet.model.token_estimate import CHARACTERS_PER_TOKEN, fixed_tokens, messages_tokens, result_tokens

Cause = Literal["full", "overflow", "asked"]
"""Reason of a compaction: the context is nearly full; the provider found the context too long; the user asked."""

_CUT_OFF = frozenset(("length", "content_filter"))
"""Ends of an answer that is not whole: a part of a summary must not take the place of the conversation."""
MOST_HALVINGS = 2
"""Number of times a summarising request which is itself too long is made again with the newer half of the texts."""


async def make_room(turn: Turn) -> bool:
    """Sum up if the next request would come too near to the model's limit, and return whether a summary was made.

    Raises as `compact`.
    """
    usable = turn.compaction.usable_tokens(turn.model.context_size)
    if usable is None or not turn.compaction.auto:
        return False
    messages = turn.transcript.messages
    answer = _last_answer(messages)
    if answer is None or (needed := _next_request_tokens(messages, answer)) < usable:
        return False
    if needed - _cleared_since(messages, answer) < usable:
        return False
    if messages[answer].tokens.total >= usable and _is_first_since_compaction(messages, answer):  # pyright: ignore
        raise _stopped("A summary of the conversation did not free enough space", turn.model)
    await compact(turn, "full")
    return True


def has_conversation(turn: Turn) -> bool:
    """Return whether the turn's history holds anything that can be summed up."""
    return plan_compaction(turn.transcript.messages, turn.user.id, 0) is not None


async def compact(turn: Turn, cause: Cause) -> CompactionPart:
    """Sum up the conversation and record the summary; the transcript keeps the whole conversation.

    Raises TurnStopped when nothing can be gained, RequestError when the user asks for a summary and nothing can be
    summed up, ModelError when the model fails and no other model can take over, CancelledError: then the history is as
    before.
    """
    options = turn.compaction
    speaker = _Speaker(turn)
    messages = turn.transcript.messages
    before = _request_tokens(turn, messages)
    usable = options.usable_tokens(turn.model.context_size)
    plan = plan_compaction(messages, turn.user.id, options.kept_tokens or kept_tokens(usable or before))
    if plan is None and cause == "asked":
        raise RequestError("The session has nothing to summarize, or nothing since the last summary.")
    if plan is None:
        raise _stopped("The conversation has nothing to summarize", turn.model)
    message = AssistantMessage(parent_id=turn.user.id, agent="compaction", model=speaker.model.id, summary=True)
    turn.emit(AgentMessageChanged(message=message))
    tally = Tally()
    try:
        if turn.command_hooks.has("PreCompact"):
            from placet.agent.turn.command_hooks import before_summary

            await before_summary(turn, "manual" if cause == "asked" else "auto")
        answer = await _summary_with_fallback(turn, speaker, plan, message, tally)
        part = CompactionPart(
            auto=cause != "asked", summary=answer.text.strip(), kept_from=plan.kept_from, skills=plan.skills
        )
        after = _tokens_with(turn, message, part)
        if part.skills and (after >= before or (usable is not None and after >= usable)):
            part = part.model_copy(update={"skills": ()})
            after = _tokens_with(turn, message, part)
        if after >= before and cause == "asked":
            raise _nothing_gained(before, after)
        if after >= before or (usable is not None and after >= usable):
            raise _stopped("A summary of the conversation would free too little", turn.model)
    except (ModelError, TurnStopped) as failure:
        turn_error = TurnError(code=failure.code, message=failure.message, hint=failure.hint)
        _end(turn, speaker.named(message), tally, before, error=turn_error)
        raise
    part = part.model_copy(update={"tokens_before": before, "tokens_after": after})
    turn.emit(Compaction(message_id=message.id, part=part))
    _end(turn, speaker.named(message), tally, _now_used(messages, before - after, after), finish=answer.finish)
    options.after(model_history(turn.transcript.messages))
    return part


def _end(
    turn: Turn,
    message: AssistantMessage,
    tally: Tally,
    context_used: int,
    *,
    finish: str | None = None,
    error: TurnError | None = None,
) -> None:
    spent = {"tokens": tally.tokens, "cost": tally.cost}
    turn.emit(
        UsageUpdate(
            message_id=message.id,
            tokens=tally.tokens,
            cost=tally.cost,
            context_used=context_used,
            context_size=turn.model.context_size,
            subscription=tally.is_covered or None,
        )
    )
    ended = message.model_copy(update={**spent, "completed": now(), "finish": finish, "error": error})
    turn.emit(AgentMessageChanged(message=ended))


# ---------------------------------------------------------------- whether


def _last_answer(messages: Sequence[Message]) -> int | None:
    """Return the index of the last answer with token figures for the present history, or None."""
    for at in range(len(messages) - 1, -1, -1):
        message = messages[at]
        if not isinstance(message, AssistantMessage):
            continue
        if message.summary:
            if message.parts:
                return None
        elif message.tokens.total:
            return at
    return None


def _next_request_tokens(messages: Sequence[Message], answer: int) -> int:
    """Return the provider's figure for the last answer plus an estimate for everything since."""
    last = messages[answer]
    assert isinstance(last, AssistantMessage)
    results = sum(result_tokens(part) for part in last.parts if isinstance(part, ToolPart))
    since = messages_tokens(message for message in messages[answer + 1 :] if is_heard(message))
    return last.tokens.total + results + since


def _cleared_since(messages: Sequence[Message], answer: int) -> int:
    """Return the tokens in the answer's figure which were cleared between turns since; looked for only when needed."""
    last = messages[answer]
    moment = (last.completed or 0) if isinstance(last, AssistantMessage) else 0
    states = (part.state for message in messages[:answer] for part in message.parts if isinstance(part, ToolPart))
    return sum(
        len(state.output) // CHARACTERS_PER_TOKEN
        for state in states
        if isinstance(state, ToolCompleted) and state.compacted is not None and state.compacted >= moment
    )


def _now_used(messages: Sequence[Message], freed: int, at_least: int) -> int:
    """Return the number of tokens in the context, by the last figure of the provider if the provider gave a figure."""
    answer = _last_answer(messages)
    return at_least if answer is None else max(at_least, _next_request_tokens(messages, answer) - freed)


def _is_first_since_compaction(messages: Sequence[Message], answer: int) -> bool:
    for message in reversed(messages[:answer]):
        if isinstance(message, AssistantMessage) and is_heard(message):
            return False
        if isinstance(message, AssistantMessage) and message.summary and message.parts:
            return True
    return False


def _tokens_with(turn: Turn, summary: AssistantMessage, part: CompactionPart) -> int:
    return _request_tokens(turn, (*turn.transcript.messages, summary.model_copy(update={"parts": (part,)})))


def _request_tokens(turn: Turn, messages: Sequence[Message]) -> int:
    specs = offered_tools(turn.tools, turn.transcript.messages)
    return fixed_tokens(turn.system, specs) + messages_tokens(model_history(messages))


# ---------------------------------------------------------------- the summary


class _Speaker:
    """Model which sums up: a model set for compaction, or the turn's model; a substitute after a failure for good."""

    def __init__(self, turn: Turn) -> None:
        own = turn.compaction.model
        # A failure of the agent's own model says nothing about the turn's model.
        self.fallback_chain = turn.fallback_chain if own is None else FallbackChain(turn.fallback_chain.fallback_models)
        self.model = turn.fallback_chain.current(turn.model) if own is None else own

    def hand_over(self, substitute: Model) -> None:
        """Sum up with the substitute from now on."""
        self.model = substitute

    def named(self, message: AssistantMessage) -> AssistantMessage:
        return message.model_copy(update={"model": self.model.id})


async def _summary_with_fallback(
    turn: Turn, speaker: _Speaker, plan: Plan, message: AssistantMessage, tally: Tally
) -> TextAnswer:
    """Return the summary of the first model which succeeds. Raises as `_summarise` of the last model tried."""
    while True:
        try:
            return await _summarise(turn, speaker.model, plan, message, tally)
        except ModelError as error:
            substitute = speaker.fallback_chain.after(error, speaker.model, was_seen=False)
            if substitute is None or substitute.id.startswith(BUILT_IN_PREFIX):
                raise
            turn.emit(fallback_notice(turn.user.id, speaker.model, substitute, error))
            speaker.hand_over(substitute)
            turn.emit(AgentMessageChanged(message=speaker.named(message)))


async def _summarise(turn: Turn, model: Model, plan: Plan, message: AssistantMessage, tally: Tally) -> TextAnswer:
    """Return the model's summary. Raises ModelError, and TurnStopped when not even a part of the conversation fits."""

    def note_retry(attempt: int, wait_seconds: float, error: ModelError) -> None:
        turn_error = TurnError(code=error.code, message=error.message, hint=error.hint)
        turn.emit(Retry(message_id=message.id, attempt=attempt, wait_seconds=wait_seconds, error=turn_error))

    texts = message_texts(plan.head)
    from placet.agent.turn.plugin_hooks import compaction_words

    prompt, beside = await compaction_words(turn.hooks, turn.session_id, turn.compaction.prompt)
    if (usable := turn.compaction.usable_tokens(model.context_size)) is not None:
        taken = len(prompt) + sum(map(len, beside)) + len(plan.previous)
        texts = within(texts, max(0, usable * CHARACTERS_PER_TOKEN - taken)) or texts[-1:]
    for _ in range(MOST_HALVINGS + 1):
        request = _request(turn, plan, texts, prompt, beside)
        try:
            answer = await with_retries(
                lambda request=request: text_answer(turn.meter(model.stream(request)), tally),
                longest_wait_seconds=turn.max_retry_wait_seconds,
                on_retry=note_retry,
            )
        except ModelError as error:
            if error.code != "context_overflow":
                raise
            texts = newest_half(texts)
            continue
        if not answer.text.strip():
            raise ModelError(
                "empty_answer",
                "The model wrote no summary.",
                hint="Try again, or set another model for summaries: `agent.compaction.model`.",
            )
        if answer.finish in _CUT_OFF:
            raise ModelError(
                "interrupted",
                "The model's summary was cut off before its end, so the conversation stays as it is.",
                hint="Raise `modelOptions.maxOutputTokens`, or set another model for summaries: "
                "`agent.compaction.model`.",
            )
        return answer
    raise _stopped("Even a part of the conversation is too long for a summary", model)


def _request(turn: Turn, plan: Plan, texts: Sequence[str], instructions: str, beside: Sequence[str]) -> ModelRequest:
    asked: list[str] = []
    if plan.previous:
        asked.append(f"<earlier-summary>\n{plan.previous}\n</earlier-summary>")
    asked += beside
    asked.append("<conversation>\n" + "\n\n".join(texts) + "\n</conversation>")
    asked.append(
        "Bring the earlier summary up to date with what has happened since."
        if plan.previous
        else "Sum up this conversation."
    )
    prompt = UserMessage(parts=(TextPart(text="\n\n".join(asked), synthetic=True),))
    return ModelRequest(
        system=(instructions,) if instructions else (),
        messages=(prompt,),
        tools=(),
        session_id=turn.session_id,
        temperature=turn.compaction.temperature,
        max_output_tokens=turn.max_output_tokens,
        effort=turn.compaction.effort,
    )


def _nothing_gained(before: int, after: int) -> TurnStopped:
    return TurnStopped(
        "nothing_gained",
        f"A summary would free too little: the conversation has about {before} tokens, with the summary {after}.",
        hint="The conversation is unchanged. Try again when the conversation has grown.",
    )


def _stopped(reason: str, model: Model) -> TurnStopped:
    size = f" ({model.context_size} tokens)" if model.context_size is not None else ""
    return TurnStopped(
        "context_full",
        f"{reason}: the conversation is too long for {model.id}{size}.",
        hint="Start a new session, choose a model with a larger context, or attach less.",
    )
