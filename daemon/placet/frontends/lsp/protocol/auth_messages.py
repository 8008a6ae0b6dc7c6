"""`agent/auth/*`: signing in to the providers of models, from an editor."""

from typing import Literal

from placet.core.messages import Value


class ListSignIns(Value):
    """The ways to sign in to a provider that the user's own plugins have, and the key of the model that is set."""


class SignInWay(Value):
    provider: str
    method: int
    """Its number among those of the provider, from 1 on."""
    label: str
    plugin: str | None = None
    """Whose it is; absent: the user enters the key, which any provider can be signed in to with."""


class SignInWays(Value):
    ways: tuple[SignInWay, ...]
    problems: tuple[str, ...] = ()
    """Of plugins."""


class SignInTo(Value):
    """Sign in to a provider, and keep the key that comes of it.

    What the way needs is asked by `editor/question` without a session, which is part of what the user is doing: it is
    put at once, and what is `secret` is not shown. An address is opened by `window/showDocument`, or told by
    `window/showMessage`. The answer comes when that is over; what fails is an error with words for the user, and
    `$/cancelRequest` gives it up.
    """

    provider: str
    """As in the names of its models."""
    method: int | None = None
    """Absent: the first; where there is none, the user is asked for the key."""


class SignedIn(Value):
    outcome: Literal["signedIn", "cancelled"]
    """`cancelled`: the user did not answer, and nothing was changed."""
    message: str
    """For the user. The key is in none of this."""
