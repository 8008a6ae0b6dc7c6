"""Completion of mentions, commands and arguments in the prompt line."""

from collections.abc import AsyncGenerator, Callable, Iterable

from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document

from placet.core.effort import LEVELS
from placet.core.visible_text import one_line, spelled_out
from placet.frontends.terminal.interactive.own_commands import COMMANDS
from placet.sessions.registry import Sessions
from placet.settings.profile import PROFILE_CHOICES


class PromptCompleter(Completer):
    """Completer over the completion of the sessions; silent while the user is asked."""

    def __init__(self, sessions: Sessions, session_id: Callable[[], str | None], is_asked: Callable[[], bool]) -> None:
        self._sessions = sessions
        self._session_id = session_id
        self._is_asked = is_asked

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        return ()

    async def get_completions_async(
        self, document: Document, complete_event: CompleteEvent
    ) -> AsyncGenerator[Completion, None]:
        if self._is_asked():
            return
        text, at = document.text, document.cursor_position
        before = text[:at]
        if before.startswith("/") and not any(character.isspace() for character in before):
            for command in COMMANDS:
                if f"/{command.name}".startswith(before):
                    shown = f"/{command.name} " if command.argument_hint else f"/{command.name}"
                    yield Completion(shown, -at, display=f"/{command.name}", display_meta=command.description)
        for name, word in self._arguments(before):
            yield Completion(name, -len(word))
        own = {f"/{command.name}" for command in COMMANDS}
        offers = await self._sessions.completion.complete(text, at, session_id=self._session_id())
        for offer in offers.offers:
            if not offer.runs and offer.label not in own:
                yield Completion(
                    offer.text,
                    offers.start - at,
                    display=spelled_out(offer.label),
                    display_meta=one_line(offer.detail)[:80],
                )

    def _arguments(self, before: str) -> list[tuple[str, str]]:
        """Return the arguments of `/agent`, `/effort` and `/profile` that fit, each with the word written so far."""
        command, blank, word = before.partition(" ")
        if not blank or " " in word:
            return []
        match command:
            case "/agent":
                names = [agent.name for agent in self._sessions.agents.primary]
            case "/effort":
                names = list(LEVELS)
            case "/profile":
                names = list(PROFILE_CHOICES)
            case _:
                names = []
        return [(name, word) for name in names if name.startswith(word)]
