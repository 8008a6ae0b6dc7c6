"""`placet run`: one prompt without an editor, on the files of a directory."""

import asyncio
import sys
from dataclasses import dataclass
from typing import Any

from placet.errors import PlacetError, RequestError, SettingsError
from placet.frontends.terminal.asking import as_unanswered, needs_permission
from placet.frontends.terminal.exit_codes import ExitCode, exit_code
from placet.frontends.terminal.interruption import Interrupted, Interruption
from placet.frontends.terminal.opened import opened
from placet.frontends.terminal.printer import hush
from placet.frontends.terminal.prompt_input import Prompt, read_prompt
from placet.frontends.terminal.run_events import RunEnded
from placet.frontends.terminal.run_options import RunOptions
from placet.frontends.terminal.terminal import Terminal
from placet.messages import AssistantMessage, PromptPart, TextPart, TurnError
from placet.sessions.registry import Sessions
from placet.sessions.session import Session, TurnResult
from placet.sessions.usage import Spent


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of the prompt."""

    code: ExitCode
    result: TurnResult
    session_id: str | None = None
    answer: str = ""
    output: Any = None
    printed: str = ""
    """What stdout has where it is for the answer alone."""


def main(options: RunOptions) -> ExitCode:
    """Run the prompt and report it; what goes wrong is a message on stderr and an exit code."""
    try:
        return asyncio.run(_run(options, read_prompt(options)))
    except RequestError as error:
        return _reported(Terminal(options), _failed(ExitCode.USAGE, error))
    except KeyboardInterrupt:  # While the prompt was read, or when it had ended.
        return ExitCode.CANCELLED
    except BrokenPipeError:
        hush()
        return ExitCode.PIPE_CLOSED


async def _run(options: RunOptions, prompt: Prompt) -> ExitCode:
    interruption = Interruption(options.timeout_seconds)
    terminal = Terminal(options, lambda: interruption.end("pipe"))
    with interruption.watched():
        try:
            async with opened(options, terminal) as sessions:
                outcome = await interruption.guard(_carried_out(sessions, options, prompt, terminal))
        except Interrupted:
            outcome = Outcome(ExitCode.CANCELLED, TurnResult(stop_reason="cancelled"))
        except (SettingsError, RequestError) as error:
            outcome = _failed(ExitCode.USAGE, error)
        except PlacetError as error:
            outcome = _failed(ExitCode.FAILED, error)
    code = _reported(terminal, _interrupted(outcome, interruption))
    return ExitCode.PIPE_CLOSED if interruption.cause == "pipe" else code


async def _carried_out(sessions: Sessions, options: RunOptions, prompt: Prompt, terminal: Terminal) -> Outcome:
    """The prompt's outcome. Raises SettingsError and RequestError for what the command line asks for."""
    answered = _as_data if options.output_schema is not None else _as_text
    session = terminal.session = await _session(sessions, options)
    await sessions.extensions.settled()  # There is no second prompt that could have what came too late.
    before = await _spent(sessions, session)
    outcome = await answered(sessions, session, options, prompt, before)
    spent = await _spent(sessions, session)
    result = outcome.result.model_copy(
        update={"cost": max(0.0, spent.cost - before.cost), "tokens": _difference(spent, before)}
    )
    code = outcome.code
    if terminal.nobody.unanswered and result.stop_reason == "cancelled":
        code = ExitCode.NEEDS_PERMISSION
        result = result.model_copy(update={"error": needs_permission(terminal.nobody.unanswered[0])})
    return Outcome(code, result, session.info.id, outcome.answer, outcome.output, outcome.printed)
