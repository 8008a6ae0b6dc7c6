"""Interface of a subscription: the sign-in by a device code, and the renewal of its tokens."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from placet.auth.keys import JsonObject
from placet.auth.subscriptions.device_code import Clock, DeviceCode
from placet.auth.subscriptions.requests import Send


@dataclass(frozen=True, slots=True)
class SubscriptionTokens:
    """Tokens of a sign-in."""

    access: str = field(repr=False)
    """Token of the requests to the model; the model host gets this token as the provider's key."""
    refresh: str = field(repr=False)
    """Token for renewal."""
    expires: float
    """End of `access` in seconds since 1970."""
    account: str = ""
    """Account and plan, for the user."""
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    """Variables without secrets which requests to the model need."""
    more: Mapping[str, Any] = field(default_factory=dict[str, Any], repr=False)
    """Further values which the renewal needs."""

    def stored(self) -> JsonObject:
        """Return the tokens in the form of the key store."""
        named = {"access": self.access, "refresh": self.refresh, "expires": self.expires}
        return {**self.more, **named, "environment": dict(self.environment)}


class Subscription(Protocol):
    """Kind of subscription. Every method raises SubscriptionFailed, and NotReached, with words for the user."""

    @property
    def provider(self) -> str:
        """Return the first part of the model names, for example `chatgpt`."""
        ...

    @property
    def title(self) -> str:
        """Return the name of the subscription for the user."""
        ...

    async def begin(self, send: Send, host: str) -> DeviceCode:
        """Return a code for the user. `host`: host of the company's own server, or empty."""
        ...

    async def end(self, send: Send, code: DeviceCode, host: str, clock: Clock) -> SubscriptionTokens:
        """Wait until the user has entered the code, and return the tokens."""
        ...

    async def renew(self, send: Send, tokens: JsonObject) -> SubscriptionTokens:
        """Return new tokens for stored tokens."""
        ...
