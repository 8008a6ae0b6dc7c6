"""`agent/auth/*`: signing in to the providers of models, from an editor."""

from typing import Literal

from placet.core.messages import Value


class ListSignIns(Value):
    """List the ways to sign in to a provider: by the user's own plugins, with a subscription (ChatGPT, GitHub Copilot),
    and by the key of the configured model.
    """


class SignInWay(Value):
    provider: str
    method: int
    """Number of the way among the ways of the provider, from 1 on."""
    label: str
    plugin: str | None = None
    """Plugin with the way; absent for a subscription, and for entering a key, which works for any provider."""


class SignInWays(Value):
    ways: tuple[SignInWay, ...]
    problems: tuple[str, ...] = ()
    """Problems of plugins."""


class SignInTo(Value):
    """Sign in to a provider, and keep the resulting key.

    Placet asks by `editor/question` without a session. Such a question is part of the user's present action: the editor
    shows the question at once and hides `secret` input. An address is opened by `window/showDocument`, or shown by
    `window/showMessage`. The answer comes after the end of the sign-in; a failure is an error with a message for the
    user, and `$/cancelRequest` gives the sign-in up. For a subscription, a question shows the code that the user enters
    at the owner's page, and offers to open the page; the answer comes when the user has entered the code.
    """

    provider: str
    """Name of the provider, as in the names of the provider's models; `github-copilot` works too."""
    method: int | None = None
    """Number of the way. Absent: the first way; without any way, the user is asked for the key."""


class SignedIn(Value):
    outcome: Literal["signedIn", "cancelled"]
    """`cancelled`: the user gave no answer, and nothing was changed."""
    message: str
    """Message for the user, without the key."""
