"""Interactive session: what becomes of each line, over the sessions of a directory."""

import asyncio
import shlex
import time
from collections.abc import Awaitable, Coroutine
from pathlib import Path
from typing import Any

from placet.agent.commands.unknown import unknown_command
from placet.core.effort import LEVELS, Effort, named, read_effort
from placet.core.errors import PlacetError, RequestError
from placet.core.executor import in_thread
from placet.core.messages import AssistantMessage, TextPart
from placet.core.ports import DefaultReview
from placet.core.visible_text import one_line
from placet.frontends.terminal.exit_codes import STOP_TEXTS
from placet.frontends.terminal.interactive.completer import PromptCompleter
from placet.frontends.terminal.interactive.line import Leave, Nothing, OwnCommand, TypedAnswer, TypedPrompt, meant
from placet.frontends.terminal.interactive.own_commands import NAMES, help_text
from placet.frontends.terminal.interactive.session_commands import THINKING, SessionCommands
from placet.frontends.terminal.interactive.terminal import InteractiveTerminal
from placet.frontends.terminal.output import complain, say
from placet.frontends.terminal.review.review import Review
from placet.frontends.terminal.run.run_options import RunOptions
from placet.frontends.terminal.screen.spent import closing_line
from placet.frontends.terminal.undo import undone_lines
from placet.model.local.offer import OFFER
from placet.sessions.registry import Sessions
from placet.sessions.services.model_marks import ModelMarks, ModelMarkStore
from placet.sessions.session import Session
from placet.sessions.session_text import choice_lines, fact, permission_texts
from placet.settings.profile import PROFILE_CHOICES, ProfileChoice, read_profile
from placet.settings.review_modes import REVIEW_MODES, ReviewMode, review_mode
from placet.text.counted import counted

MOST_LISTED = 15


REVIEW: DefaultReview = "stage"
"""Review mode of sessions for which nobody chooses: `/review` lists and decides."""


def marked_lines(marks: ModelMarks) -> list[str]:
    """Return a line for each favourite and each recent model."""
    recent = [name for name in marks.recent if name not in marks.favourite]
    lines = [*(f"  * {name}" for name in marks.favourite), *(f"  + {name}" for name in recent)]
    return [*lines, "* favourite, + recent; /favourite NAME changes a mark"] if lines else []


class Current:
    """Session that the user works in, choices for a session to come, and the work at hand."""

    def __init__(self, options: RunOptions) -> None:
        self.session: Session | None = None
        """Session of the prompts; made by the first prompt, so that a look around leaves no empty session."""
        self.model, self.agent = options.model, options.agent
        self.effort: Effort | None = options.effort
        self.profile: ProfileChoice | None = options.profile
        self.review: ReviewMode | None = None
        self.work: set[asyncio.Task[None]] = set()
        self._usual: tuple[str, str, ReviewMode] = ("", "", REVIEW)
        """Model, agent and review mode of a session without a choice, once the sessions are open."""

    def know_usual(self, model: str, agent: str, review: ReviewMode) -> None:
        """Note the model, the agent and the review mode of a session without a choice."""
        self._usual = model, agent, review

    @property
    def review_mode(self) -> ReviewMode:
        """Return the review mode of the session, or of the session that the next prompt makes."""
        return self.review or self._usual[2] if self.session is None else self.session.choices.review

    def about(self) -> str:
        """Return words about the session for the line below the prompt."""
        if self.session is None:
            model, agent, _ = self._usual
            return one_line(f"{self.model or model} · {self.agent or agent} · {self.review_mode} · new session")
        info = self.session.info
        effort = "" if info.effort is None else f" · effort {named(info.effort)}"
        return one_line(f"{info.model} · {info.agent}{effort} · {self.review_mode} · {info.title[:40]}")

    def stop(self) -> None:
        """Stop the turn and the command at hand."""
        if self.session is not None:
            self.session.stop()
        for task in self.work:
            task.cancel()


class Shell:
    """Reader of lines; lives as long as the interactive session."""

    def __init__(
        self, options: RunOptions, current: Current, sessions: Sessions, terminal: InteractiveTerminal
    ) -> None:
        self._options = options
        self._current = current
        self._sessions = sessions
        self._terminal = terminal
        self._listed: list[str] = []
        """Ids of the sessions as listed last."""

    async def run(self) -> None:
        """Read lines until the user leaves. Raises SettingsError for a wrong model on the command line."""
        terminal = self._terminal
        if self._options.model is not None:
            await self._sessions.models.refuse_unknown(self._options.model)
        settings, agents = self._sessions.settings, self._sessions.agents
        self._current.know_usual(settings.model, agents.default.name, settings.review or REVIEW)
        completer = PromptCompleter(self._sessions, self._session_id, lambda: terminal.line.is_asked)
        try:
            if self._options.session_id is not None:
                await self._continue(self._options.session_id)
            elif self._options.continue_last:
                await self._carry_out("continue", "")
        except PlacetError as error:
            complain(str(error))
        if (await self._sessions.models.login(self._current.model)).lacks_model:
            say(f"No language model is set: `placet auth login PROVIDER` signs in to a provider. {OFFER}")
        await terminal.line.run(completer, self._on_line)
        self._current.stop()
        await asyncio.gather(*self._current.work, return_exceptions=True)
        if self._current.session is not None:
            say(f"To continue this session: {self._way_back(self._current.session.info.id)}")

    def _way_back(self, session_id: str) -> str:
        """Return the command that continues the session, from the directory of the user's shell."""
        where = "" if self._options.cwd == Path.cwd() else f" --cwd {shlex.quote(str(self._options.cwd))}"
        return f"placet chat --session {session_id}{where}"

    def _on_line(self, text: str) -> None:
        line = self._terminal.line
        match meant(text, NAMES, is_asked=line.is_asked):
            case Leave():
                line.leave()
            case Nothing():
                pass
            case TypedAnswer(text=answer):
                line.answer(answer)
            case OwnCommand(name=name, arguments=arguments):
                self._begin(self._own(name, arguments))
            case TypedPrompt(text=prompt):
                self._begin(self._prompt(prompt))

    def _session_id(self) -> str | None:
        return None if self._current.session is None else self._current.session.info.id

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(self._guarded(work), name="interactive work")
        self._current.work.add(task)
        self._terminal.begin_work()
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._current.work.discard(task)
        self._terminal.is_busy = bool(self._current.work)

    async def _guarded(self, work: Awaitable[None]) -> None:
        try:
            await work
        except PlacetError as error:
            self._terminal.end()
            complain(f"{error} {error.hint}".rstrip())

    async def _refuse_unknown(self, text: str) -> None:
        """Raise RequestError for a prompt that begins with `/name` of no command.

        Commands of MCP servers that still start are waited for as long as a turn would wait.
        """

        def refusal() -> str | None:
            commands, _ = self._sessions.commands(self._current.session)
            return unknown_command(text, NAMES | {"exit"} | {command.name for command in commands})

        if refusal() is None:
            return
        extensions = self._sessions.extensions
        await extensions.settled()
        await extensions.mcp.started(self._sessions.settings.mcp.wait_seconds, self._terminal.say)
        if (words := refusal()) is not None:
            raise RequestError(words)

    async def _prompt(self, text: str) -> None:
        await self._refuse_unknown(text)
        began, is_steering = time.monotonic(), self._current.session is not None and self._current.session.running
        session = await self._opened()
        before = (await self._sessions.info(session.info.id)).usage
        result = await session.prompt([TextPart(text=text)], queue="steer")
        if is_steering:
            return
        self._terminal.end()
        if (error := result.error) is not None:
            complain(f"{error.message} {error.hint}".rstrip())
        elif result.stop_reason != "end_turn":
            complain(STOP_TEXTS[result.stop_reason])
        spent_before = 0.0 if before is None else before.cost
        after = (await self._sessions.info(session.info.id)).usage
        cost = 0.0 if after is None else after.cost - spent_before
        line = closing_line(
            round(1000 * (time.monotonic() - began)), result.tokens, cost, None, model=session.info.model
        )
        self._terminal.say(line, "dim")
        if session.info.id in await self._sessions.with_undecided_changes():
            proposed = sum(view.file.state == "staged" for view in await session.change_set.views())
            unwritten = f" ({counted(proposed, 'file')} not written yet)" if proposed else ""
            self._terminal.say(f"Changes wait for your review: /review{unwritten}", "yellow")

    async def _opened(self) -> Session:
        """Return the session, made now if this is the first prompt."""
        if self._current.session is None:
            self._current.session = await self._sessions.create(agent=self._current.agent, model=self._current.model)
            if self._current.effort is not None:
                await self._current.session.choices.set_effort(self._current.effort)
            if self._current.profile is not None:
                await self._current.session.choices.set_profile(self._current.profile)
            if self._current.review is not None:
                await self._current.session.choices.set_review(self._current.review)
        return self._current.session

    def _present(self) -> Session:
        if self._current.session is None:
            raise RequestError("There is no session yet: write a prompt, or continue a session by /continue.")
        return self._current.session

    async def _own(self, name: str, arguments: str) -> None:
        if name == "review" and (arguments or not await self._has_undecided()):
            await self._prompt(f"/review {arguments}".rstrip())  # The command of the same name, for the model.
            return
        await self._carry_out(name, arguments)

    async def _has_undecided(self) -> bool:
        return self._current.session is not None and bool(await self._current.session.change_set.views())

    async def _carry_out(self, name: str, arguments: str) -> None:
        """Carry out a command of the session. Raises PlacetError."""
        terminal = self._terminal
        match name:
            case "help":
                terminal.say(help_text())
            case "favourite":
                await self._mark(arguments)
            case "model" | "agent" | "effort":
                await self._choose(name, arguments)
            case "profile":
                await self._choose_profile(arguments)
            case "review-mode":
                await self._choose_review(arguments)
            case "review":
                review = Review(
                    terminal.console,
                    terminal.workspace,
                    self._present(),
                    read_line=terminal.line.ask,
                    page=terminal.line.page,
                    edit=terminal.line.edit,
                )
                await review.ask_for_each(await self._present().change_set.views())
            case "thinking":
                self._choose_thinking(arguments)
            case "status" | "permissions" if self._current.session is None:
                await self._show_usual(name)
            case "back" | "status" | "cost" | "permissions" | "jobs" | "rename":
                commands = SessionCommands(self._sessions, self._present(), terminal)
                await commands.carry_out(name, arguments)
            case "undo" | "redo":
                session = self._present()
                files = await (session.undo() if name == "undo" else session.redo())
                for line in undone_lines(files, terminal.workspace):
                    terminal.say(line)
            case "sessions" if arguments:
                await self._continue(arguments)
            case "sessions":
                await self._list()
            case "continue":
                infos, _ = await self._sessions.list(limit=1)
                if not infos:
                    raise RequestError("There is no session for this directory yet.")
                await self._continue(infos[0].id)
            case "new":
                self._current.session = None
                terminal.say("The next prompt begins a new session.")
            case "compact":
                part = await self._present().compact()
                terminal.say(f"Summarized: about {part.tokens_after} of {part.tokens_before} tokens are left.")
            case _:
                raise AssertionError(name)

    @property
    def _model(self) -> str:
        session = self._current.session
        return session.info.model if session else self._current.model or self._sessions.settings.model

    async def _marks(self) -> ModelMarks:
        return await in_thread(ModelMarkStore(self._sessions.locations.model_marks).read)

    async def _mark(self, named: str) -> None:
        """Make the model a favourite, or no favourite any more; without a name the model of the session."""
        model = named or self._model
        is_favourite = model in (await self._marks()).favourite
        await self._sessions.models.mark(model, favourite=not is_favourite)
        self._terminal.say(f"{model} is {'no longer' if is_favourite else 'now'} a favourite.")

    async def _choose(self, name: str, value: str) -> None:
        """Show or choose model, agent or effort: of the session, or of the session that the next prompt makes."""
        session, terminal = self._current.session, self._terminal
        match name, value:
            case "model", "":
                terminal.say(f"Model: {self._model}")
                for line in marked_lines(await self._marks()):
                    terminal.say(line)
            case "model", _:
                models = self._sessions.models
                await (models.refuse_unknown(value) if session is None else session.choices.set_model(value))
                self._current.model = value
                terminal.say(f"Model: {value}")
            case "agent", "":
                names = ", ".join(agent.name for agent in self._sessions.agents.primary)
                chosen = session.info.agent if session else self._current.agent or self._sessions.agents.default.name
                terminal.say(f"Agent: {chosen} (of {names})")
            case "agent", _:
                self._sessions.agents.find_primary(value)
                if session is not None:
                    await session.choices.set_agent(value)
                self._current.agent = value
                terminal.say(f"Agent: {value}")
            case _, "":
                effort = session.info.effort if session else self._current.effort
                terminal.say(f"Effort: {'as the settings say' if effort is None else named(effort)}")
            case _:
                if (effort := read_effort(value)) is None:
                    raise RequestError(f"The effort is one of {', '.join(LEVELS)}, or a number of tokens.")
                if session is not None:
                    await session.choices.set_effort(effort)
                self._current.effort = effort
                terminal.say(f"Effort: {named(effort)}")

    async def _choose_profile(self, written: str) -> None:
        """Show or choose how much is asked of the model: in the session, or in the session of the next prompt."""
        session = self._current.session
        if written:
            if (profile := read_profile(written)) is None:
                raise RequestError(f"The profile is one of {', '.join(PROFILE_CHOICES)}.")
            if session is not None:
                await session.choices.set_profile(profile)
            self._current.profile = profile
        chosen = session.info.profile if session else self._current.profile
        used = await self._sessions.models.profile(self._model, chosen)
        self._terminal.say(f"Profile: {used.profile} for {self._model}: {used.reason}")

    async def _choose_review(self, mode: str) -> None:
        """Show or choose the review mode of the session, or of the session that the next prompt makes."""
        if mode:
            if (chosen := review_mode(mode)) is None:
                raise RequestError(f"The review mode is one of {', '.join(REVIEW_MODES)}.")
            self._current.review = chosen
            if self._current.session is not None:
                await self._current.session.choices.set_review(chosen)
        present = self._current.review_mode
        self._terminal.say(f"Review mode: {present} ({REVIEW_MODES[present].shown('/review')})")

    def _choose_thinking(self, written: str) -> None:
        """Show or choose whether the thinking of the model is printed, until the user leaves."""
        if written and written not in THINKING:
            raise RequestError("Write `/thinking on` or `/thinking off`.")
        if written:
            self._terminal.shows_thinking = THINKING[written]
        self._terminal.say(f"Thinking is {'shown' if self._terminal.shows_thinking else 'hidden'}.")

    async def _show_usual(self, name: str) -> None:
        """Show the status or the permissions of the session that the next prompt makes."""
        agent = self._current.agent or self._sessions.agents.default.name
        if name == "permissions":
            lines = await permission_texts(self._sessions, None, agent)
        else:
            models, current = self._sessions.models, self._current
            used = await models.profile(self._model, current.profile)
            login = await models.login(self._model)
            chosen = choice_lines(agent, login, current.effort, used, current.review_mode, "default")
            lines = [*chosen, fact("Sandbox", await self._sessions.sandbox()), "The next prompt begins a new session."]
        for line in lines:
            self._terminal.say(line)

    async def _list(self) -> None:
        infos, more = await self._sessions.list(limit=MOST_LISTED)
        if not infos:
            self._terminal.say("There is no session for this directory yet.")
            return
        self._listed = [info.id for info in infos]
        for number, info in enumerate(infos, start=1):
            mark = "*" if self._current.session is not None and info.id == self._current.session.info.id else " "
            self._terminal.say(f" {mark}{number:2}  {one_line(info.title)}")
        self._terminal.say("/sessions NUMBER continues a session." + (" There are more." if more else ""), "dim")

    async def _continue(self, chosen: str) -> None:
        """Continue the session of the number in the list, or of the id."""
        if self._current.session is not None and self._current.session.running:
            raise RequestError("A turn is running: stop the turn by Ctrl-C first.")
        if chosen.isdecimal() and 0 < int(chosen) <= len(self._listed):
            chosen = self._listed[int(chosen) - 1]
        session = self._current.session = await self._sessions.load(await self._sessions.whole_id(chosen))
        self._terminal.say(f"Continues {one_line(session.info.title)!r} ({session.info.id}).", "bold")
        answers = [message for message in session.messages if isinstance(message, AssistantMessage)]
        if answers and (text := "".join(part.text for part in answers[-1].parts if isinstance(part, TextPart))):
            self._terminal.show_answer(text)
