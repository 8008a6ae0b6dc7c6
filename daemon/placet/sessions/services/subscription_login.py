"""Sign-in with a subscription, in the form of the logins of plugins."""

from collections.abc import Mapping, Sequence

from placet.auth.login import Login, LoginFailed, LoginMethod, LoginPrompt, Step, Tokens
from placet.auth.subscriptions.catalog import subscriptions
from placet.auth.subscriptions.device_code import Clock, DeviceCode
from placet.auth.subscriptions.github_copilot import host_of
from placet.auth.subscriptions.requests import NotReached, Send, SubscriptionFailed
from placet.auth.subscriptions.subscription import Subscription
from placet.model.host.redaction import redact

_HOST = LoginPrompt(key="host", message="Host of your GitHub Enterprise, for example company.ghe.com")


class SubscriptionLogin:
    """Login with a subscription: placet.auth.login.Login. Lives for one sign-in."""

    plugin = ""

    def __init__(self, subscription: Subscription, method: LoginMethod, send: Send, clock: Clock) -> None:
        self.method = method
        self._subscription = subscription
        self._send = send
        self._clock = clock
        self._host = ""
        self._code: DeviceCode | None = None

    async def begin(self, inputs: Mapping[str, str]) -> Step:
        """Return the step with the owner's address and the code for the user. Raises LoginFailed."""
        try:
            self._host = host_of(inputs.get(_HOST.key, ""))
            code = self._code = await self._subscription.begin(self._send, self._host)
        except (SubscriptionFailed, NotReached) as error:
            raise self._failed(error) from None
        instructions = (
            f"Enter the code {code.user_code} at {code.address}\n"
            "The sign-in ends by itself after you have entered the code. Give the code to nobody."
        )
        return Step(url=code.address, user_code=code.user_code, instructions=instructions)

    async def end(self, code: str | None) -> Step:
        """Wait for the user, and return the step with the tokens. Raises LoginFailed."""
        assert self._code is not None, "begin comes first"
        try:
            tokens = await self._subscription.end(self._send, self._code, self._host, self._clock)
        except (SubscriptionFailed, NotReached) as error:
            raise self._failed(error) from None
        return Step(tokens=Tokens(**tokens.stored()), account=tokens.account)

    def _failed(self, error: Exception) -> LoginFailed:
        reached = "The server cannot be reached: " if isinstance(error, NotReached) else ""
        return LoginFailed(redact(f"{self._subscription.title}: {reached}{error}"))


def subscription_logins(environment: Mapping[str, str], send: Send, clock: Clock | None = None) -> Sequence[Login]:
    """Return the logins with all subscriptions; `environment` may name other addresses and client ids."""
    logins: list[Login] = []
    for provider, subscription in subscriptions(environment).items():
        methods = [LoginMethod(provider=provider, method=1, type="oauth", label=subscription.title)]
        if provider == "github_copilot":
            label = f"{subscription.title} on GitHub Enterprise"
            methods.append(LoginMethod(provider=provider, method=2, type="oauth", label=label, prompts=(_HOST,)))
        logins += [SubscriptionLogin(subscription, method, send, clock or Clock()) for method in methods]
    return logins
