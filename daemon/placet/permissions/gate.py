"""The gate for every action: the rules or the user decide, and the gate remembers "always".

An always-grant turns asks into allows; a grant never overrules a denial by a rule.
"""

import asyncio
from collections.abc import Awaitable, Callable
from functools import cache, partial
from typing import Literal

from msgspec import Struct

from placet.core.errors import NobodyToAsk, PermissionDenied, Rejected
from placet.core.ids import new_id
from placet.core.ports import AlwaysOffer, Approver, AskedPart, PermissionAnswer, PermissionRequest, Scope
from placet.core.user_wait import waiting_for_user
from placet.core.values import replace
from placet.core.visible_text import one_line, shown_input, title_line
from placet.permissions.ask import Ask as Ask
from placet.permissions.ask import Caller as Caller
from placet.permissions.decision import PatternDecision, Verdict, is_grantable, verdict_on
from placet.permissions.grants import Grant, Grants
from placet.permissions.leaving import SANDBOX, is_need
from placet.permissions.patterns import is_absolute, with_slashes
from placet.permissions.rules import Rule, decider
from placet.permissions.ungranted import reason_not_granted
from placet.project.undecodable_names import spelled
from placet.settings import Action

FOR_THE_SESSION_ONLY = frozenset(("doom_loop",))
"""Permissions never granted for longer than the session: a user who lets a loop go on means this loop."""
NEVER_UNSEEN = FOR_THE_SESSION_ONLY | {SANDBOX}
"""Permissions that only a rule or a person allows: the answer "yes to everything" does not."""
NAMED_BY_PROJECT = frozenset(("edit", "edit_protected", "edit_sensitive", "list", "read"))
"""Permissions asked for by names relative to the project."""


GateAnswer = PermissionAnswer | Literal["allowed", "rejected"]
"""Answer of the user to a question, or the verdict by an answer to another question."""


class _Pending(Struct):
    """Question on the user's screen, and the verdict of another answer, if any."""

    ask: Ask
    caller: Caller
    verdict: asyncio.Future[Literal["allowed", "rejected"]]
    answer: asyncio.Future[GateAnswer | None]
    """Answer for the same questions of parallel calls; None if the question ended without an answer."""


class RejectedByUser(Rejected):
    """The user's rejection of an ask, with the answer, whose decisions about the files of a change can have words."""

    def __init__(self, answer: PermissionAnswer) -> None:
        super().__init__(answer.feedback, {"said": [{"text": answer.feedback}]} if answer.feedback else None)
        self.answer = answer


Opinion = Callable[[Ask, Caller, Action], Awaitable[Action]]
"""Hook of the plugins: return the plugins' action for an ask, from the action that the rules decide."""


class Gate:
    """Gate of one process: every session's calls pass the gate, and the gate keeps the grants of "always"."""

    def __init__(self, approver: Approver, grants: Grants | None = None, opinion: Opinion | None = None) -> None:
        """Create the gate; without `grants` every grant ends with the daemon.

        The gate calls `opinion` for every action that the rules do not deny. A plugin may change the action, but a
        denial of the rules stands.
        """
        self._approver = approver
        self._pending: dict[str, _Pending] = {}
        self.grants = grants or Grants()
        self._opinion = opinion
        self._kept_inside: set[tuple[str, str]] = set()
        """Session and pattern of each rejected ask to leave the sandbox."""

    async def check(self, ask: Ask, caller: Caller) -> PermissionAnswer | None:
        """Return once the action is allowed: None if the rules or a grant allow the action, else the user's answer.

        Raises PermissionDenied, NobodyToAsk, or Rejected. Cancelling takes the question off the screen.
        """
        return await self.check_decided(ask, caller, *await self.decide(ask, caller))

    async def check_decided(
        self, ask: Ask, caller: Caller, action: Action, verdict: Verdict
    ) -> PermissionAnswer | None:
        """Return as `check`, after `decide` has returned the action and the verdict. Raises NobodyToAsk or Rejected."""
        if action == "allow" or (verdict.action == "ask" and self._verdict(ask, caller).action == "allow"):
            return None  # A grant can have come meanwhile.
        request = self._request(ask, caller, verdict)
        while (same := self._same_question(ask, caller)) is not None:
            with waiting_for_user():
                answer = await asyncio.shield(same.answer)
            if answer is not None:
                return _joined(answer)
            if self._verdict(ask, caller).action == "allow":
                return None
        with waiting_for_user():
            answer = await self._put_to_user(ask, caller, request)
        if answer == "allowed":
            return None
        if answer == "rejected":
            raise Rejected
        match answer.outcome:
            case "once":
                pass
            case "always":
                await self._grant(caller, request, answer.scope)
            case "reject":
                if ask.permission == SANDBOX:
                    self._kept_inside |= {(caller.session_id, pattern) for pattern in ask.patterns}
                if not answer.has_words:
                    self._settle_rejected(caller)
                raise RejectedByUser(answer)
        return answer

    async def decide(self, ask: Ask, caller: Caller) -> tuple[Action, Verdict]:
        """Return `allow` or `ask`, as rules, grants and plugins decide, and the verdict of rules and grants.

        Raises PermissionDenied.
        """
        self.grants.refresh()
        verdict = self._verdict(ask, caller)
        action = verdict.action
        if self._opinion is not None and action != "deny":
            action = await self._opinion(ask, caller, action)
            if verdict.deciding.rule.is_always_asked and action == "allow":
                action = "ask"
            if action == "deny":
                raise PermissionDenied(f"A plugin of the user refuses `{ask.permission}` of {_listed(ask.patterns)}.")
        if action == "deny":
            raise PermissionDenied(_refusal(verdict.deciding))
        return action, verdict

    def _same_question(self, ask: Ask, caller: Caller) -> _Pending | None:
        """Return the question on the screen that asks the same for the same agent of the session."""
        if ask.change is not None:
            return None
        for pending in self._pending.values():
            is_callers = pending.caller.session_id == caller.session_id and pending.caller.origin == caller.origin
            if is_callers and replace(pending.ask, description="") == replace(ask, description=""):
                return pending
        return None

    def judge(self, permission: str, pattern: str, caller: Caller) -> Action:
        """Return the action for this pattern, without asking the user."""
        return self.judge_for(caller)(permission, pattern)

    def judge_for(self, caller: Caller) -> Callable[[str, str], Action]:
        """Return `judge` for this caller, for a call that asks about very many files."""
        self.grants.refresh()
        deciders = cache(partial(decider, caller.rules, roots=caller.roots))

        def judge(permission: str, pattern: str) -> Action:
            rule = deciders(permission)(pattern)
            is_granted = is_grantable(rule) and self._find_grant(caller, permission, pattern) is not None
            return "allow" if is_granted else rule.action

        return judge

    def granted_patterns(self, permission: str, caller: Caller) -> tuple[str, ...]:
        """Return the patterns of the permission's grants that hold for the caller."""
        held = self.grants.holding(caller.session_id)
        return tuple(grant.pattern for grant in held if grant.permission == permission)

    def _verdict(self, ask: Ask, caller: Caller) -> Verdict:
        return verdict_on(ask, caller.rules, caller.roots, partial(self._find_grant, caller))

    def _find_grant(self, caller: Caller, permission: str, pattern: str) -> Grant | None:
        return self.grants.find(permission, pattern, caller.session_id)

    async def _grant(self, caller: Caller, request: PermissionRequest, scope: Scope) -> None:
        """Remember "always", for no longer than the request offered."""
        offered = {offer.scope: offer.patterns for offer in request.always}
        scope = scope if scope in offered else "session"
        granted = self.grants.remember(
            request.permission, offered.get(scope, ()), scope=scope, session_id=caller.session_id
        )
        self._settle_allowed(caller.session_id)
        await self.grants.write_down(granted)

    async def _put_to_user(self, ask: Ask, caller: Caller, request: PermissionRequest) -> GateAnswer:
        loop = asyncio.get_running_loop()
        pending = _Pending(ask, caller, loop.create_future(), loop.create_future())
        self._pending[request.id] = pending
        try:
            answer = await _first(self._approver.request_permission(request), pending.verdict)
            pending.answer.set_result(answer)
            return answer
        except NobodyToAsk as error:
            raise NobodyToAsk(
                f"{error} `{request.permission}` of {_listed(request.patterns)} needs the user's word: {request.rule}. "
                f"A rule that allows `{request.permission}` of it would let it pass."
            ) from error
        finally:
            del self._pending[request.id]
            if not pending.answer.done():
                pending.answer.set_result(None)

    def _settle_allowed(self, session_id: str) -> None:
        """Take the questions answered by the new grants off the screen."""
        for pending in self._pending.values():
            if pending.caller.session_id == session_id and self._is_allowed(pending):
                _settle(pending, "allowed")

    def _settle_rejected(self, caller: Caller) -> None:
        for pending in self._pending.values():
            if pending.caller.turn == caller.turn:
                _settle(pending, "rejected")

    def _is_allowed(self, pending: _Pending) -> bool:
        return self._verdict(pending.ask, pending.caller).action == "allow"

    def _request(self, ask: Ask, caller: Caller, verdict: Verdict) -> PermissionRequest:
        """Return the request for the deciding permission: the ask's own, or the permission of a condition."""
        deciding = verdict.deciding
        ask, rule = _asked_for(ask, verdict), str(deciding.rule)
        if deciding.reason:
            rule = f"{rule}. {deciding.reason}"
        return PermissionRequest(
            id=new_id("req"),
            session_id=caller.session_id,
            message_id=caller.message_id,
            call_id=caller.call_id,
            tool=caller.tool,
            origin=caller.origin,
            permission=ask.permission,
            title=title_line(spelled(ask.title)),
            patterns=tuple(map(spelled, ask.patterns)),
            always=tuple(AlwaysOffer(scope, ask.always) for scope in self._scopes(ask, deciding.rule)),
            rule=f"{rule}. Your written grants are not used: {problem}" if (problem := self.grants.problem) else rule,
            parts=tuple(_part(judgement, ask.permission) for judgement in verdict.judged),
            change=ask.change,
            command=ask.command,
            directory=ask.directory,
            url=ask.url,
            description=one_line(ask.description),
            note=one_line(self._note(ask, caller)),
            arguments=ask.arguments or _patterns_for_changed_title(ask),
        )

    def _note(self, ask: Ask, caller: Caller) -> str:
        """Return the remark of the ask; an ask to leave the sandbox says so after a rejection."""
        if all((caller.session_id, pattern) not in self._kept_inside for pattern in ask.patterns):
            return ask.note
        return f"Asked again: you rejected this before. {ask.note}".strip()

    def _scopes(self, ask: Ask, rule: Rule) -> list[Scope]:
        """Return the scopes for which "always" may be granted against the asking rule.

        The scope `user` is not offered for a file known by its place in this project.
        """
        scopes = self.grants.scopes if ask.always and not rule.is_always_asked else ()
        if any(reason_not_granted(ask.permission, pattern) for pattern in ask.always):
            scopes = ()
        if ask.permission in FOR_THE_SESSION_ONLY:
            scopes = scopes[:1]
        if ask.permission == SANDBOX:
            scopes = scopes[:2] if all(map(is_need, ask.always)) else scopes[:1]
        is_of_project = ask.permission in NAMED_BY_PROJECT and not all(map(is_absolute, map(with_slashes, ask.always)))
        return [scope for scope in scopes if not (scope == "user" and is_of_project)]


def _patterns_for_changed_title(ask: Ask) -> str:
    """Return all patterns for a title that had to be changed, if nothing else shows the action."""
    is_shown = ask.change is not None or ask.command is not None or ask.url is not None
    return "" if is_shown or title_line(ask.title) == ask.title else shown_input({"patterns": ask.patterns})


def _refusal(judged: PatternDecision) -> str:
    return (
        f"The rule {judged.rule} refuses `{judged.permission}` of `{judged.pattern}`. Nothing was done. "
        "Do without it, or tell the user what you would need; do not look for a way around it."
    )


def _asked_for(ask: Ask, verdict: Verdict) -> Ask:
    """Return the ask for the user; if only a condition is open, the ask for the condition's permission."""
    permission, reason = verdict.deciding.permission, verdict.deciding.reason
    if permission == ask.permission:
        return ask
    names = tuple(
        judgement.pattern
        for judgement in verdict.judged
        if judgement.permission == permission and judgement.action == "ask"
    )
    always = tuple(name for name in names if not set("*?") & set(name) and spelled(name) == name)
    title = title_line(f"Write {', '.join(names)}: {reason[:1].lower()}{reason[1:]}")
    return replace(ask, permission=permission, patterns=names, always=always, title=title)


def _part(judged: PatternDecision, permission: str) -> AskedPart:
    pattern = judged.pattern if judged.permission == permission else f"{judged.permission}: {judged.pattern}"
    return AskedPart(spelled(pattern), judged.action, judged.by)


def _joined(answer: GateAnswer) -> PermissionAnswer | None:
    """Return the answer to the same question of a parallel call. Raises Rejected."""
    if answer == "allowed":
        return None
    if answer == "rejected":
        raise Rejected
    if answer.outcome == "reject":
        raise RejectedByUser(answer)
    return answer


def _settle(pending: _Pending, verdict: Literal["allowed", "rejected"]) -> None:
    if not pending.verdict.done():
        pending.verdict.set_result(verdict)


async def _first(
    question: Awaitable[PermissionAnswer], verdict: asyncio.Future[Literal["allowed", "rejected"]]
) -> GateAnswer:
    """Return the user's own answer if present, else the earlier verdict. No question outlives this call."""
    asking = asyncio.ensure_future(question)
    try:
        await asyncio.wait((asking, verdict), return_when=asyncio.FIRST_COMPLETED)
        return asking.result() if asking.done() else verdict.result()
    finally:
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)


def _listed(patterns: tuple[str, ...]) -> str:
    shown = ", ".join(f"`{pattern}`" for pattern in patterns[:5])
    return f"{shown} and {len(patterns) - 5} more" if len(patterns) > 5 else shown
