"""Commands of the interactive session that show or change the session at hand, as `/back` and `/status`."""

from placet import __version__
from placet.agent.commands.template import words_of
from placet.core.errors import RequestError
from placet.core.messages import prompt_text
from placet.frontends.terminal.interactive.terminal import InteractiveTerminal
from placet.sessions.going_back.back_text import (
    HOW,
    find_prompt,
    outcome_lines,
    preview_lines,
    prompt_line,
    prompts_of,
    share_of,
)
from placet.sessions.registry import Sessions
from placet.sessions.session import Session
from placet.sessions.session_text import (
    choice_lines,
    cost_lines,
    fact,
    job_lines,
    permission_texts,
    renamed,
    state_lines,
)

THINKING = {"on": True, "off": False}


class SessionCommands:
    """Commands over one session; made for each call."""

    def __init__(self, sessions: Sessions, session: Session, terminal: InteractiveTerminal) -> None:
        self._sessions = sessions
        self._session = session
        self._terminal = terminal

    async def carry_out(self, name: str, arguments: str) -> None:
        """Carry out the command. Raises PlacetError."""
        match name:
            case "status":
                self._say(await self._status())
            case "cost":
                self._say(cost_lines((await self._sessions.info(self._session.info.id)).usage))
            case "jobs":
                self._say(job_lines(self._session.jobs))
            case "permissions":
                self._say(await permission_texts(self._sessions, self._session.info.id))
            case "rename":
                self._say([await renamed(self._session, arguments)])
            case "back":
                await self._back(words_of(arguments))
            case _:
                raise AssertionError(name)

    async def _status(self) -> list[str]:
        info, choices, models = self._session.info, self._session.choices, self._sessions.models
        chosen = choice_lines(
            info.agent,
            await models.login(info.model),
            info.effort,
            await models.profile(info.model, info.profile),
            choices.review,
            choices.caution,
        )
        return [
            *chosen,
            fact("Sandbox", await self._sessions.sandbox()),
            *await state_lines(self._session, "/review"),
            fact("Session", info.id),
            fact("Placet", __version__),
        ]

    async def _back(self, words: list[str]) -> None:
        """List the prompts, go back to a prompt after a question, or go forward again. Raises PlacetError."""
        session, workspace = self._session, self._terminal.workspace
        if words == ["redo"]:
            went = await session.going_back.redo()
            self._say(["Forward again.", *outcome_lines(went, workspace)])
            return
        prompts = prompts_of(session.messages)
        if not words:
            lines = [f"{number:3}  {prompt_line(prompt)}" for number, prompt in enumerate(prompts, start=1)]
            hidden = ["Later prompts are hidden; `/back redo` brings the prompts back."] if session.info.back_to else []
            self._say([*lines, HOW, *hidden])
            return
        if session.running:
            raise RequestError("A turn is running: stop the turn by Ctrl-C first.")
        prompt = find_prompt(prompts, words[0], "/back")
        what = share_of(words[1:])
        self._say(preview_lines(await session.going_back.preview(prompt.id, what), prompt, what, workspace))
        if (await self._terminal.line.ask("Go back? [y/n] ")).strip().lower() not in ("y", "yes"):
            self._say(["Nothing was changed."])
            return
        went = await session.going_back.go(prompt.id, what)
        self._say(
            ["Went back. `/back redo` goes forward again, until the next prompt.", *outcome_lines(went, workspace)]
        )
        self._terminal.line.offer(prompt_text(went.parts))

    def _say(self, lines: list[str]) -> None:
        for line in lines:
            self._terminal.say(line)
