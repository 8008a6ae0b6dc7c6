"""Asks, answers, cancels and lost connections over several sessions and their subagents, in any order.

No ask without an end, no answer applied twice, and none that settles what it was not given for.
"""

import asyncio
import gc
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from ask_support.editor_end import EditorEnd, ShownAsk
from ask_support.work import Deed, Kind, Lane, Turn, Work, write_script
from corpus_support import examples

KINDS: st.SearchStrategy[Kind] = st.sampled_from(["write", "bash", "contained", "question"])
LANE = st.lists(KINDS, min_size=1, max_size=3)
MOST_SESSIONS = 3


class Asks(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self._runner = asyncio.Runner()
        self._directory = tempfile.TemporaryDirectory()
        self._root = Path(self._directory.name)
        self._project = self._root / "project"
        self._project.mkdir()
        self._work = Work()
        self._sessions: list[str] = []
        self._count = 0
        self._runner.run(self._connect())

    def teardown(self) -> None:
        self._runner.run(self._end.disconnect())
        if not self._work.has_failed:
            assert self._files() == self._work.expected_files()
        self._runner.close()
        self._directory.cleanup()

    # ---------------------------------------------------------------- what the user does

    @initialize()
    def first_session(self) -> None:
        self.new_session()

    @precondition(lambda self: len(self._sessions) < MOST_SESSIONS)
    @rule()
    def new_session(self) -> None:
        info = self._runner.run(self._end.call("agent/session/new"))
        self._sessions.append(info["id"])

    @rule(data=st.data(), lane=LANE)
    def prompt(self, data: st.DataObject, lane: list[Kind]) -> None:
        self._begin(data, [lane], by_subagents=False)

    @rule(data=st.data(), lanes=st.lists(LANE, min_size=1, max_size=3))
    def prompt_for_subagents(self, data: st.DataObject, lanes: list[list[Kind]]) -> None:
        self._begin(data, lanes, by_subagents=True)

    @precondition(lambda self: self._end.open_asks)
    @rule(data=st.data(), late=st.sampled_from([None, "once", "reject"]))
    def allow(self, data: st.DataObject, late: str | None) -> None:
        """Sometimes a second answer follows the first, and must be nothing to anybody."""
        ask = data.draw(st.sampled_from(self._end.open_asks))
        _, _, deed = self._waiting(ask)
        deed.state = "done"
        self._runner.run(
            self._end.answer(ask, {"answers": [["yes"]]} if deed.kind == "question" else {"outcome": "once"})
        )
        if late is not None:
            self._runner.run(self._end.answer(ask, {"outcome": late, "answers": None}))
        self._settle()

    @precondition(lambda self: any(ask.params.get("always") for ask in self._end.open_asks))
    @rule(data=st.data())
    def allow_always(self, data: st.DataObject) -> None:
        asks = [ask for ask in self._end.open_asks if ask.params.get("always")]
        ask = data.draw(st.sampled_from(asks))
        scope = data.draw(st.sampled_from([offer["scope"] for offer in ask.params["always"]]))
        _, _, deed = self._waiting(ask)
        deed.state = "done"
        if deed.kind == "bash":
            self._work.granted.add(ask.session_id)
            self._work.is_granted_to_all |= scope != "session"
        self._runner.run(self._end.answer(ask, {"outcome": "always", "scope": scope}))
        self._settle()

    @precondition(lambda self: self._end.open_asks)
    @rule(data=st.data(), feedback=st.sampled_from(["", "Do it otherwise."]))
    def reject(self, data: st.DataObject, feedback: str) -> None:
        ask = data.draw(st.sampled_from(self._end.open_asks))
        turn, lane, deed = self._waiting(ask)
        deed.state = "refused"
        if deed.kind == "question":
            self._runner.run(self._end.answer(ask, {"answers": None}))
            turn.reject(lane)
        else:
            self._runner.run(self._end.answer(ask, {"outcome": "reject", "feedback": feedback}))
            if not feedback:
                turn.reject(lane)
        self._settle()

    @precondition(lambda self: any(ask.request_id for ask in self._end.open_asks))
    @rule(data=st.data())
    def put_away_and_ask_again(self, data: st.DataObject) -> None:
        """A review that is closed is no answer."""
        ask = data.draw(st.sampled_from([ask for ask in self._end.open_asks if ask.request_id]))
        self._runner.run(self._end.answer(ask, {"outcome": "dismissed"}))
        self._runner.run(self._shown_again(ask))
        self._settle()

    @precondition(lambda self: self._end.ended_asks)
    @rule(data=st.data(), outcome=st.sampled_from(["once", "always", "reject"]))
    def answer_what_is_over(self, data: st.DataObject, outcome: str) -> None:
        ask = data.draw(st.sampled_from(self._end.ended_asks))
        self._runner.run(self._end.answer(ask, {"outcome": outcome, "answers": [["no"]]}))
        self._settle()

    @precondition(lambda self: self._work.running)
    @rule(data=st.data())
    def cancel(self, data: st.DataObject) -> None:
        turn = data.draw(st.sampled_from(self._work.running))
        self._runner.run(self._end.notify("agent/cancel", sessionId=turn.session_id))
        turn.cancel()
        self._settle()

    @precondition(lambda self: self._work.running)
    @rule(data=st.data())
    def cancel_the_request(self, data: st.DataObject) -> None:
        turn = data.draw(st.sampled_from(self._work.running))
        self._runner.run(self._end.notify("$/cancelRequest", id=turn.request))
        turn.cancel()
        self._settle()

    @rule()
    def lose_the_connection(self) -> None:
        """And come back: what was asked is over and not done, and the sessions are there."""
        self._runner.run(self._end.disconnect())
        assert self._end.pending() == set()
        assert self._end.link.connection.unanswered_requests == 0
        for turn in self._work.running:
            turn.cancel()
        self._work.granted.clear()
        self._runner.run(self._connect())
        assert self._files() == self._work.expected_files()

    # ---------------------------------------------------------------- what must hold

    @invariant()
    def nothing_is_asked_but_what_waits(self) -> None:
        assert self._end.pending() == {ask.request_id for ask in self._end.open_asks if ask.request_id}
        assert self._end.link.connection.unanswered_requests == len(self._end.open_asks)

    # ---------------------------------------------------------------- how

    def _begin(self, data: st.DataObject, lanes: list[list[Kind]], *, by_subagents: bool) -> None:
        busy = {turn.session_id for turn in self._work.running}
        free = [session_id for session_id in self._sessions if session_id not in busy]
        if not free:
            return
        session_id = data.draw(st.sampled_from(free))
        made = [Lane([self._deed(kind) for kind in kinds], "" if by_subagents else session_id) for kinds in lanes]
        turn = Turn(session_id, made, by_subagents)
        model = write_script(self._root / f"script-{self._count}.json", made, by_subagents=by_subagents)

        async def begin() -> None:
            await self._end.call("agent/session/setModel", sessionId=session_id, model=model)
            turn.request = self._end.prompt(session_id)

        self._runner.run(begin())
        self._work.begin(turn)
        self._settle()

    def _deed(self, kind: Kind) -> Deed:
        self._count += 1
        return Deed(f"deed-{self._count}.", kind)

    def _waiting(self, ask: ShownAsk) -> tuple[Turn, Lane, Deed]:
        """Which deed the ask is about; it must be one that waits, asked for in its session."""
        for turn, lane, deed in self._work.waiting():
            if ask.says(deed.name):
                assert lane.session_id in ("", ask.session_id)
                self._work.was_asked(lane, deed, ask.session_id)
                return turn, lane, deed
        raise AssertionError(f"asked for what does not wait: {ask}")

    def _settle(self) -> None:
        """Wait until all that must be asked stands on the screen and all that must have ended has."""
        self._work.pass_granted()
        self._runner.run(self._settled())
        for ask in self._end.open_asks:
            self._waiting(ask)

    async def _settled(self) -> None:
        try:
            await self._end.until(self._is_as_expected)
        except AssertionError as error:
            waiting = [(turn.session_id, deed) for turn, _, deed in self._work.waiting()]
            ended = [(turn.request, turn.stop_reason, self._end.results.get(turn.request)) for turn in self._work.turns]
            self._work.has_failed = True
            expected = f"open: {self._end.open_asks}\nwaiting: {waiting}\nended: {ended}"
            raise AssertionError(f"{error}\n{expected}") from error

    def _is_as_expected(self) -> bool:
        waiting = [deed for _, _, deed in self._work.waiting()]
        shown = self._end.open_asks
        return (
            len(shown) == len(waiting)
            and all(any(ask.says(deed.name) for ask in shown) for deed in waiting)
            and all(self._has_ended(turn) for turn in self._work.turns if turn.stop_reason and turn.request)
            and self._end.pending() == {ask.request_id for ask in shown if ask.request_id}
            and self._end.link.connection.unanswered_requests == len(shown)
            and self._files() == self._work.expected_files()
        )

    def _has_ended(self, turn: Turn) -> bool:
        result: Any = self._end.results.get(turn.request)
        if result is None:
            return False
        assert result.get("stopReason") == turn.stop_reason, (turn, result)
        return True

    async def _shown_again(self, ask: ShownAsk) -> None:
        await self._end.call("agent/permission/pending")
        await self._end.until(lambda: any(one.request_id == ask.request_id for one in self._end.open_asks))

    def _files(self) -> set[str]:
        return {path.name for path in self._project.iterdir()}

    async def _connect(self) -> None:
        self._end = EditorEnd(self._root, self._project)
        for turn in self._work.turns:
            turn.request = 0
        await self._end.connect()


Asks.TestCase.settings = settings(
    max_examples=examples(12),
    stateful_step_count=20,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    # What fails by waiting in vain takes too long to be made smaller.
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    database=None,
)
TestAsks = Asks.TestCase


def setup_module() -> None:
    """Nothing of other tests is left to be finalised while hypothesis parses this file: Python 3.11 then fails with
    "AST constructor recursion depth mismatch" (cpython issue 106905)."""
    gc.collect()
