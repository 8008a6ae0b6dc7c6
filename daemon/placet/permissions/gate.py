"""The gate every deed passes: the rules decide, or the user does, and "always" is remembered.

An always-grant turns asks into allows; it never overrules a rule that denies.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import Literal

from placet.errors import NobodyToAsk, PermissionDenied, Rejected
from placet.messages import new_id
from placet.permissions.grants import Grants
from placet.permissions.rules import Rule, decider, evaluate
from placet.ports import AlwaysOffer, Approver, PermissionAnswer, PermissionRequest, ProposedChange
from placet.settings import Action


@dataclass(frozen=True, slots=True)
class Caller:
    """Who wants something, and by which rules they are judged."""

    session_id: str
    message_id: str
    call_id: str
    tool: str
    origin: tuple[str, ...]
    """The agents from the session's own down to the one that calls; empty when it is the session's own."""
    rules: tuple[Rule, ...]

    @property
    def turn(self) -> tuple[str, tuple[str, ...]]:
        """What a rejection without a word ends: everything of this session that stems from the same agent."""
        return self.session_id, self.origin[:1]


@dataclass(frozen=True, slots=True)
class Ask:
    """What is wanted. Every one of `patterns` must be allowed; `always` is what "always" would grant."""

    permission: str
    patterns: tuple[str, ...]
    always: tuple[str, ...]
    title: str
    change: ProposedChange | None = None
    command: str | None = None
    url: str | None = None


@dataclass(slots=True)
class _Pending:
    """A question on the user's screen, and the verdict another answer may bring it."""

    ask: Ask
    caller: Caller
    verdict: asyncio.Future[Literal["allowed", "rejected"]]


class Gate:
    def __init__(self, approver: Approver) -> None:
        self._approver = approver
        self._pending: dict[str, _Pending] = {}
        self.grants = Grants()

    async def check(self, ask: Ask, caller: Caller) -> PermissionAnswer | None:
        """Return when it may be done: None if the rules (or an earlier "always") allow it, else the user's answer.

        Raises PermissionDenied, NobodyToAsk, or Rejected. Cancelling takes the question off the screen.
        """
        rule = self._deciding(ask, caller)
        if rule is None:
            return None
        answer = await self._put_to_user(ask, caller, rule)
        match answer:
            case "allowed":
                return None
            case "rejected":
                raise Rejected
            case PermissionAnswer(outcome="once"):
                return answer
            case PermissionAnswer(outcome="always", scope=scope):
                self.grants.add(ask.permission, ask.always, scope=scope, session_id=caller.session_id)
                self._settle_allowed(caller.session_id)
                return answer
            case PermissionAnswer():
                if not answer.feedback:
                    self._settle_rejected(caller)
                raise Rejected(answer.feedback)

    def judge(self, permission: str, pattern: str, caller: Caller) -> Action:
        """What would happen if it were asked for, without asking."""
        return self.judge_for(caller)(permission, pattern)

    def judge_for(self, caller: Caller) -> Callable[[str, str], Action]:
        """`judge` of this caller, for a call that asks it of very many files."""
        deciders = cache(partial(decider, caller.rules))

        def judge(permission: str, pattern: str) -> Action:
            action = deciders(permission)(pattern).action
            is_granted = action == "ask" and self.grants.find(permission, pattern, caller.session_id) is not None
            return "allow" if is_granted else action

        return judge

    def _deciding(self, ask: Ask, caller: Caller) -> Rule | None:
        """The rule that asks, or None when all is allowed. Raises PermissionDenied."""
        asking: Rule | None = None
        for pattern in ask.patterns or ("*",):
            rule = evaluate(caller.rules, ask.permission, pattern)
            if rule.action == "deny":
                raise PermissionDenied(_refusal(rule, ask.permission, pattern))
            if rule.action == "ask" and not self.grants.find(ask.permission, pattern, caller.session_id):
                asking = asking or rule
        self._refuse_whole_line(ask, caller)
        return asking

    def _refuse_whole_line(self, ask: Ask, caller: Caller) -> None:
        """A rule may also deny a command line as it is written; one that denies all leaves it to each command's own."""
        if ask.command is None:
            return
        rule = evaluate(caller.rules, ask.permission, ask.command)
        if rule.action == "deny" and rule.pattern != "*":
            raise PermissionDenied(_refusal(rule, ask.permission, ask.command))

    async def _put_to_user(
        self, ask: Ask, caller: Caller, rule: Rule
    ) -> PermissionAnswer | Literal["allowed", "rejected"]:
        request = _request(ask, caller, rule)
        pending = _Pending(ask, caller, asyncio.get_running_loop().create_future())
        self._pending[request.id] = pending
        try:
            return await _first(self._approver.request_permission(request), pending.verdict)
        except NobodyToAsk as error:
            raise NobodyToAsk(
                f"{error} `{ask.permission}` of {_listed(ask.patterns)} needs the user's word: {rule}. "
                f"A rule that allows `{ask.permission}` of it would let it pass."
            ) from error
        finally:
            del self._pending[request.id]

    def _settle_allowed(self, session_id: str) -> None:
        """Take questions off the screen that the new grants answer."""
        for pending in self._pending.values():
            if pending.caller.session_id == session_id and self._is_allowed(pending):
                _settle(pending, "allowed")

    def _settle_rejected(self, caller: Caller) -> None:
        for pending in self._pending.values():
            if pending.caller.turn == caller.turn:
                _settle(pending, "rejected")

    def _is_allowed(self, pending: _Pending) -> bool:
        try:
            return self._deciding(pending.ask, pending.caller) is None
        except PermissionDenied:
            return False


def _refusal(rule: Rule, permission: str, pattern: str) -> str:
    return (
        f"The rule {rule} refuses `{permission}` of `{pattern}`. Nothing was done. "
        "Do without it, or tell the user what you would need; do not look for a way around it."
    )


def _settle(pending: _Pending, verdict: Literal["allowed", "rejected"]) -> None:
    if not pending.verdict.done():
        pending.verdict.set_result(verdict)


async def _first(
    question: Awaitable[PermissionAnswer], verdict: asyncio.Future[Literal["allowed", "rejected"]]
) -> PermissionAnswer | Literal["allowed", "rejected"]:
    """The user's own answer if it is there, else the verdict that came before it. No question outlives this."""
    asking = asyncio.ensure_future(question)
    try:
        await asyncio.wait((asking, verdict), return_when=asyncio.FIRST_COMPLETED)
        return asking.result() if asking.done() else verdict.result()
    finally:
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)


def _request(ask: Ask, caller: Caller, rule: Rule) -> PermissionRequest:
    return PermissionRequest(
        id=new_id("req"),
        session_id=caller.session_id,
        message_id=caller.message_id,
        call_id=caller.call_id,
        tool=caller.tool,
        origin=caller.origin,
        permission=ask.permission,
        title=ask.title,
        patterns=ask.patterns,
        always=(AlwaysOffer("session", ask.always),) if ask.always else (),
        rule=str(rule),
        change=ask.change,
        command=ask.command,
        url=ask.url,
    )


def _listed(patterns: tuple[str, ...]) -> str:
    shown = ", ".join(f"`{pattern}`" for pattern in patterns[:5])
    return f"{shown} and {len(patterns) - 5} more" if len(patterns) > 5 else shown
