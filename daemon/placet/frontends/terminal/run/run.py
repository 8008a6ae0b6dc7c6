"""`placet run`: run a prompt without an editor, on the files of a directory."""

import asyncio
from typing import TYPE_CHECKING

from msgspec import Struct

from placet.core.errors import PlacetError, RequestError, SettingsError
from placet.core.messages import Tokens, TurnError
from placet.frontends.terminal.exit_codes import ExitCode, exit_code
from placet.frontends.terminal.output import hush
from placet.frontends.terminal.run.answer import RunAnswer, answer_in_words
from placet.frontends.terminal.run.approver_choice import as_unanswered, needs_permission
from placet.frontends.terminal.run.interruption import Interrupted, Interruption
from placet.frontends.terminal.run.opened import opened
from placet.frontends.terminal.run.prompt_input import RunPrompt, read_prompt
from placet.frontends.terminal.run.run_events import RunEnded
from placet.frontends.terminal.run.run_options import RunOptions
from placet.frontends.terminal.run.terminal import Terminal
from placet.model.client.host_child import EarlyHost
from placet.sessions.registry import Sessions
from placet.sessions.session import Session, TurnResult
from placet.sessions.store.usage import Spent

if TYPE_CHECKING:
    from placet.frontends.terminal.run.schema_check import OutputSchema


class Task(Struct, frozen=True):
    """Task of a run: the command line, with the prompt and the schema read."""

    options: RunOptions
    prompt: RunPrompt
    schema: "OutputSchema | None"


class Outcome(Struct, frozen=True):
    """Outcome of a run."""

    code: ExitCode
    answer: RunAnswer
    session_id: str | None = None


def main(options: RunOptions, runner: asyncio.Runner, early: EarlyHost | None) -> ExitCode:
    """Run the prompt and report the outcome; a failure is a message on stderr and an exit code.

    `early` is a model host spawned before, in the loop of the runner.
    """
    try:
        task = _task(options)
        return runner.run(_run(task, early)) if isinstance(task, Task) else _report(Terminal(options), task)
    except KeyboardInterrupt:  # While the prompt was read, or when all was done.
        return ExitCode.CANCELLED
    except BrokenPipeError:
        hush()
        return ExitCode.PIPE_CLOSED


def _task(options: RunOptions) -> Task | Outcome:
    try:
        return Task(options, read_prompt(options), _schema(options))
    except (SettingsError, RequestError) as error:
        return _failed(ExitCode.USAGE, error)


def _schema(options: RunOptions) -> "OutputSchema | None":
    if options.output_schema is None:
        return None
    from placet.frontends.terminal.run.schema_check import read_output_schema  # The library is slow to import.

    return read_output_schema(options.output_schema)


async def _run(task: Task, early: EarlyHost | None) -> ExitCode:
    interruption = Interruption(task.options.timeout_seconds)
    terminal = Terminal(task.options, lambda: interruption.end("pipe"))
    with interruption.watched():
        try:
            async with opened(task.options, terminal, early) as sessions:
                outcome = await interruption.guard(_outcome(sessions, task, terminal))
        except Interrupted:
            outcome = Outcome(ExitCode.CANCELLED, RunAnswer(TurnResult(stop_reason="cancelled")))
        except (SettingsError, RequestError) as error:
            outcome = _failed(ExitCode.USAGE, error)
        except PlacetError as error:
            outcome = _failed(ExitCode.FAILED, error)
        code = _report(terminal, _interrupted(outcome, interruption))
        return ExitCode.PIPE_CLOSED if interruption.cause == "pipe" else code


async def _outcome(sessions: Sessions, task: Task, terminal: Terminal) -> Outcome:
    """Run the prompt in the session and return the outcome.

    Raises SettingsError and RequestError for mistakes in the command line.
    """
    sessions.extensions.begin()
    await sessions.extensions.settled()  # No second prompt could have what came too late.
    session = await _session(sessions, task.options)
    terminal.use_session(session)
    if task.options.literal:
        session.take_literally()
    before = await _spent(sessions, session)

    async def cost() -> float:
        return (await _spent(sessions, session)).cost - before.cost

    if task.schema is None:
        answer = await answer_in_words(session, task.prompt.parts)
    else:
        from placet.frontends.terminal.run.structured_answer import answer_as_data

        answer = await answer_as_data(
            session, task.prompt.parts, task.schema, most_cost=task.options.max_cost, cost=cost
        )
    if session.info.id in await sessions.with_undecided_changes():
        terminal.warn(f"changes wait for your review: `placet review --session {session.info.id}`")
    result = _with_spent(answer.result, before, await _spent(sessions, session))
    code = exit_code(result)
    lacks_permission = result.stop_reason == "cancelled" or (
        result.error is not None and result.error.code == "needs_permission"
    )
    if terminal.nobody.unanswered and lacks_permission:
        code = ExitCode.NEEDS_PERMISSION
        result = result.model_copy(update={"error": needs_permission(terminal.nobody.unanswered[0])})
    return Outcome(code, RunAnswer(result, answer.text, answer.output, answer.printed), session.info.id)


async def _session(sessions: Sessions, options: RunOptions) -> Session:
    """Return the chosen session, with the chosen agent, model, effort and profile."""
    if options.model is not None:  # Before a session is made, copied or changed.
        await sessions.models.refuse_unknown(options.model)
    session_id = options.session_id
    if session_id is None and options.continue_last:
        infos, _ = await sessions.list(limit=1)
        if not infos:
            raise RequestError(f"There is no session for {options.cwd} yet.")
        session_id = infos[0].id
    if session_id is None:
        if options.fork:
            raise RequestError("--fork copies a session: name the session with --session ID or --continue.")
        session = await sessions.create(agent=options.agent, model=options.model)
    else:
        session_id = await sessions.whole_id(session_id)
        session = await (sessions.fork(session_id) if options.fork else sessions.load(session_id))
        if options.agent is not None:
            await session.choices.set_agent(options.agent)
        if options.model is not None:
            await session.choices.set_model(options.model)
    if options.effort is not None:
        await session.choices.set_effort(options.effort)
    if options.profile is not None:
        await session.choices.set_profile(options.profile)
    return session


async def _spent(sessions: Sessions, session: Session) -> Spent:
    """Return the tokens and cost of the session and the subagents so far."""
    await session.catch_up()
    return (await sessions.info(session.info.id)).usage or Spent()


def _with_spent(result: TurnResult, before: Spent, after: Spent) -> TurnResult:
    """Return the result with the tokens and cost of the whole run."""
    earlier = before.tokens.model_dump()
    tokens = {name: count - earlier[name] for name, count in after.tokens.model_dump().items()}
    return result.model_copy(update={"tokens": Tokens(**tokens), "cost": round(after.cost - before.cost, 9)})


def _failed(code: ExitCode, error: PlacetError) -> Outcome:
    turn_error = TurnError(code="usage" if code is ExitCode.USAGE else "failed", message=str(error), hint=error.hint)
    return Outcome(code, RunAnswer(TurnResult(stop_reason="error", error=turn_error)))


def _interrupted(outcome: Outcome, interruption: Interruption) -> Outcome:
    """Return the outcome, replaced if the time limit ended the run."""
    if interruption.cause != "timeout" or outcome.code is not ExitCode.CANCELLED:
        return outcome
    answer = outcome.answer
    message = f"The time limit of {interruption.timeout_seconds:g} s (--timeout) was reached."
    error = TurnError(code="timeout", message=message, hint="Finished work stays; --continue continues the session.")
    result = answer.result.model_copy(update={"error": error})
    return Outcome(ExitCode.LIMIT, RunAnswer(result, answer.text), outcome.session_id)


def _report(terminal: Terminal, outcome: Outcome) -> ExitCode:
    answer = outcome.answer
    ended = RunEnded(
        session_id=outcome.session_id,
        exit_code=int(outcome.code),
        result=answer.result,
        answer=answer.text,
        output=answer.output,
        unanswered=tuple(map(as_unanswered, terminal.nobody.unanswered)),
    )
    terminal.report(ended, answer.printed)
    return outcome.code
