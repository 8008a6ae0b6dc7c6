"""`agent/auth/*`, and `placet.login` of generic editors: the user signs in to a provider inside the editor."""

from collections.abc import Sequence

from placet.auth.keys import KeyStore
from placet.auth.login import LoginPrompt, Step
from placet.core.errors import RequestError
from placet.core.executor import in_thread
from placet.core.ports import Question, QuestionOption
from placet.frontends.lsp.asks.approver import LspApprover
from placet.frontends.lsp.asks.pages import show_page
from placet.frontends.lsp.connection.editor_client import EditorClient
from placet.frontends.lsp.connection.showing import show_message
from placet.frontends.lsp.handlers.define import HandlerContext, request
from placet.frontends.lsp.protocol.auth_messages import ListSignIns, SignedIn, SignInTo, SignInWay, SignInWays
from placet.project.processes.process_secrets import whole_environment
from placet.sessions.registry import Sessions
from placet.sessions.services.signing_in import CODE, SignInCancelled, all_logins, sign_in

_OPEN = "Open the page"
_ELSEWHERE = "I open the page myself"
NOTHING_CHANGED = "Nothing was changed."


@request("agent/auth/methods")
async def list_sign_ins(context: HandlerContext, params: ListSignIns) -> SignInWays:
    return await ways_to_sign_in(context.sessions)


@request("agent/auth/login")
async def login(context: HandlerContext, params: SignInTo) -> SignedIn:
    return await sign_in_to(context.sessions, context.client, context.approver, params)


async def ways_to_sign_in(sessions: Sessions) -> SignInWays:
    """Return the ways to sign in: by plugins, with subscriptions, and by the key of the configured model if needed."""
    async with all_logins(sessions.config, sessions.roots) as known:
        counts: dict[str, int] = {}
        ways: list[SignInWay] = []
        for login in known.all:
            provider = login.method.provider
            counts[provider] = counts.get(provider, 0) + 1
            label, plugin = login.method.label, login.plugin or None
            ways.append(SignInWay(provider=provider, method=counts[provider], label=label, plugin=plugin))
    own = await sessions.models.login()
    provider = own.id.partition("/")[0]
    if own.key != "not_needed" and provider not in counts:
        ways.append(SignInWay(provider=provider, method=1, label="Enter the key"))
    return SignInWays(ways=tuple(ways), problems=tuple(known.problems))


async def sign_in_to(sessions: Sessions, client: EditorClient, approver: LspApprover, params: SignInTo) -> SignedIn:
    """Sign in to a provider. Raises PlacetError for failures, in words for the user and without anything the user
    entered.
    """
    person = _InEditor(client, approver, params.provider)
    store = KeyStore(sessions.locations.keys)
    try:
        stored_key = await sign_in(sessions.config, sessions.roots, store, person, params.provider, params.method)
    except SignInCancelled:
        return SignedIn(outcome="cancelled", message=NOTHING_CHANGED)
    environment = await in_thread(whole_environment)
    return SignedIn(outcome="signedIn", message=await in_thread(stored_key.description, store, environment))


async def sign_in_by_command(
    sessions: Sessions, client: EditorClient, approver: LspApprover, arguments: Sequence[object]
) -> str:
    """Sign in by `[provider, method]`, without arguments by the user's choice; return the text for the user. Raises
    PlacetError, EditorError.
    """
    match arguments:
        case []:
            listed = {f"{way.provider}: {way.label}": way for way in (await ways_to_sign_in(sessions)).ways}
            if not listed:
                return "placet.login needs a provider, for example anthropic."
            chosen = await approver.message.choose("Sign in to which provider?", list(listed))
            if chosen is None:
                return NOTHING_CHANGED
            params = SignInTo(provider=listed[chosen].provider, method=listed[chosen].method)
        case [str(provider)]:
            params = SignInTo(provider=provider)
        case [str(provider), int(method)]:
            params = SignInTo(provider=provider, method=method)
        case _:
            raise RequestError(
                'placet.login takes a provider and the number of a sign-in method, for example ["anthropic", 1].'
            )
    return (await sign_in_to(sessions, client, approver, params)).message


class _InEditor:
    """Implementation of placet.sessions.services.signing_in.Person, asked by one connection alone.

    The questions do not go by the port, which records questions and answers for `placet approve`.
    """

    def __init__(self, client: EditorClient, approver: LspApprover, provider: str) -> None:
        self._client = client
        self._approver = approver
        self._provider = provider
        self._instructions = ""

    async def show(self, step: Step) -> None:
        if step.user_code is not None and step.url is not None and not await self._wants_page(step):
            show_message(self._client, step.instructions)
            return
        if step.wants_code:
            self._instructions = step.instructions
        elif step.instructions:
            show_message(self._client, step.instructions)
        if step.url is not None:
            await show_page(self._client, step.url, f"to sign in to {self._provider}")

    async def _wants_page(self, step: Step) -> bool:
        """Show the code to the user; return whether the user wants the page opened. Raises SignInCancelled."""
        options = (QuestionOption(_OPEN), QuestionOption(_ELSEWHERE))
        # An editor may cut a long question, and never the header.
        text = step.instructions.partition("\n")[0]
        code = step.user_code
        question = Question(f"Enter the code {code}", text, options, custom=False, copyable=code)
        answers = await self._approver.ask("", [question])
        if answers is None or not answers[0]:
            raise SignInCancelled
        return answers[0][0] == _OPEN

    async def answer(self, asked: LoginPrompt) -> str:
        if self._client.profile.is_generic and asked.secret and asked is not CODE:
            raise RequestError(
                f"This editor cannot hide a typed key: run `placet auth login {self._provider}` in a terminal."
            )
        text = self._instructions if asked is CODE and self._instructions else asked.message
        options = tuple(QuestionOption(label) for label in asked.options)
        is_select = asked.type == "select"
        question = Question(f"Sign in to {self._provider}", text, options, custom=not is_select, secret=asked.secret)
        answers = await self._approver.ask("", [question])
        if answers is None or not answers[0] or not (answer := answers[0][0].strip()):
            raise SignInCancelled
        if is_select and answer not in asked.options:
            raise RequestError(f"{asked.message}: choose one of {', '.join(asked.options)}.")
        return answer
