"""Cost limits for a turn, a session and a day: checked before each model call, and while usage comes in."""

from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing

from placet.agent.turn.meter import Meter, unmetered
from placet.core.errors import TurnStopped
from placet.core.events import Notice, Update
from placet.core.ids import now
from placet.core.messages import UserMessage
from placet.model.base import Finished, ModelEvent, UsageReport
from placet.sessions.store.usage import Accounts, Spending, dollars
from placet.settings import CostCaps


class Budget:
    """Budget of a session of the user, shared with the session's subagents: their cost counts in the user's turn."""

    def __init__(self, accounts: Accounts, caps: CostCaps, session_id: str) -> None:
        self._accounts = accounts
        self._caps = caps
        self._session_id = session_id
        self._turn_id = ""
        self._turn_started = now()
        self._emit: Callable[[Update], None] = _ignore
        self._has_told = False

    def begin_turn(self, turn: UserMessage, emit: Callable[[Update], None]) -> None:
        """Note the start of a turn of the user's session; `emit` gets the notices about the turn's cost."""
        self._turn_id, self._turn_started, self._emit = turn.id, turn.created, emit
        self._has_told = False

    def limit_turn(self, cost: float) -> None:
        """Limit each turn from the next on to this cost in US dollars."""
        self._caps = self._caps.model_copy(update={"turn": max(0.0, cost)})

    @property
    def meter(self) -> Meter:
        """Return the meter for model calls.

        A stream that reaches a cap, or would begin over a cap, raises TurnStopped; a stream can also raise StoreError.
        A finished answer is not cut off, as the answer is paid for.
        """
        return self._metered if (self._caps.turn, self._caps.session, self._caps.day) != (None,) * 3 else unmetered

    async def _metered(self, stream: AsyncIterator[ModelEvent]) -> AsyncGenerator[ModelEvent, None]:
        before = spent = await self._spending()
        self._stop_if_reached(before)
        async with aclosing(unmetered(stream)) as events:
            async for event in events:
                if isinstance(event, UsageReport):
                    self._tell_if_unpriced(event)
                    spent = Spending(*(so_far + event.cost for so_far in (before.turn, before.session, before.day)))
                elif not isinstance(event, Finished):
                    self._stop_if_reached(spent)
                yield event

    async def _spending(self) -> Spending:
        return await self._accounts.spending(self._session_id, self._turn_started)

    def _stop_if_reached(self, spent: Spending) -> None:
        for name, cap, cost, subject in (
            ("turn", self._caps.turn, spent.turn, "This turn has cost"),
            ("session", self._caps.session, spent.session, "This session has cost"),
            ("day", self._caps.day, spent.day, "Today's sessions have cost"),
        ):
            if cap is not None and cost >= cap and cost > 0:
                raise TurnStopped(
                    "cost_cap",
                    f"{subject} {dollars(cost)}, and the cap is {dollars(cap)} a {name} (setting `maxCost.{name}`).",
                    hint=_HINTS[name],
                )

    def _tell_if_unpriced(self, usage: UsageReport) -> None:
        if usage.cost == 0 and usage.tokens.total > 0 and not usage.is_covered and not self._has_told:
            self._has_told = True
            self._emit(
                Notice(
                    turn_id=self._turn_id,
                    code="cost_unknown",
                    message="The price of this model is not known, so the setting `maxCost` cannot stop this turn.",
                    hint="Its tokens are counted all the same; `maxSteps` limits a turn by its model calls.",
                )
            )


def _ignore(_: Update) -> None:
    pass


_HINTS = {
    "turn": "Prompt again to continue with a new turn, or raise or remove the cap.",
    "session": "Raise or remove the cap, or continue in a new session.",
    "day": "Raise or remove the cap, or continue tomorrow.",
}
