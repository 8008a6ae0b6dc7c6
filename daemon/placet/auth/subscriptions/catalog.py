"""Table of the subscriptions, and the renewal of their tokens for the key store."""

from collections.abc import Mapping

from placet.auth.keys import JsonObject, SignIn
from placet.auth.subscriptions.chatgpt import ChatGpt
from placet.auth.subscriptions.github_copilot import GitHubCopilot
from placet.auth.subscriptions.requests import NotReached, Send, SubscriptionFailed
from placet.auth.subscriptions.subscription import Subscription
from placet.auth.token_refresh import Renew
from placet.core.errors import ModelError


def subscriptions(environment: Mapping[str, str]) -> Mapping[str, Subscription]:
    """Return the subscriptions by provider."""
    known: tuple[Subscription, ...] = (ChatGpt(environment), GitHubCopilot(environment))
    return {subscription.provider: subscription for subscription in known}


def renewing(send: Send, environment: Mapping[str, str]) -> Renew:
    """Return a function which renews the tokens of a subscription for placet.auth.token_refresh."""
    known = subscriptions(environment)

    async def renew(sign_in: SignIn, tokens: JsonObject) -> JsonObject:
        subscription = known.get(sign_in.provider)
        if subscription is None:
            raise SubscriptionFailed(f"this version of Placet knows no subscription of {sign_in.provider}.")
        try:
            return (await subscription.renew(send, tokens)).stored()
        except NotReached as error:
            message = f"The sign-in to {sign_in.provider} was not renewed, as the server cannot be reached: {error}"
            raise ModelError("connection", message, hint="Check the network, then send the prompt again.") from None

    return renew
