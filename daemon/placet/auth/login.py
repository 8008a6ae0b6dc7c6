"""Steps of a sign-in to a provider, by a plugin or with a subscription: the method, the prompts, and the result."""

from collections.abc import Mapping
from typing import Literal, Protocol

from pydantic import ConfigDict, Field, field_validator

from placet.core.errors import PlacetError
from placet.core.messages import Value

_FIRST_OF_MILLISECONDS = 1e11
"""Limit above which a number counts as milliseconds: as seconds, a moment more than a thousand years away."""


class LoginFailed(PlacetError):
    """Error of a login without a key; the text is for the user, and contains nothing of the input."""


class LoginPrompt(Value):
    """Something that a method has to be told."""

    key: str
    message: str
    type: Literal["text", "select"] = "text"
    options: tuple[str, ...] = ()
    """Of `select`."""
    secret: bool = False


class LoginMethod(Value):
    provider: str
    method: int
    """Its number in the plugin."""
    type: Literal["api", "oauth"] = "api"
    label: str = Field(min_length=1)
    prompts: tuple[LoginPrompt, ...] = ()
    is_key: bool = False
    """The user has the key, and is only asked for it."""


class Tokens(Value):
    """A key that runs out, and what gets another; whatever else a plugin gives is kept for its `renew`."""

    model_config = ConfigDict(extra="allow")

    access: str = Field(min_length=1)
    refresh: str = Field(min_length=1)
    expires: float = Field(gt=0, allow_inf_nan=False)
    """Seconds since 1970; of a plugin also the milliseconds of OpenCode's."""

    @field_validator("expires")
    @classmethod
    def _in_seconds(cls, value: float) -> float:
        return value / 1000 if value > _FIRST_OF_MILLISECONDS else value

    def __repr__(self) -> str:
        return "Tokens()"


class Step(Value):
    """Result of a step: a key, or a key that runs out, or the address for the user."""

    key: str | None = Field(default=None, repr=False)
    tokens: Tokens | None = Field(default=None, repr=False)
    account: str = ""
    """Account and plan of a subscription, for the user."""
    failed: str | None = None
    url: str | None = Field(default=None, pattern="^https?://")
    instructions: str = ""
    user_code: str | None = None
    """Code which the user enters at the address."""
    wants_code: bool = False
    """What the user is shown there is to be entered here."""


class Login(Protocol):
    """Sign-in to a provider by one method."""

    @property
    def plugin(self) -> str:
        """Return the name of the plugin; empty for a subscription."""
        ...

    @property
    def method(self) -> LoginMethod: ...

    async def begin(self, inputs: Mapping[str, str]) -> Step:
        """Begin the login with the user's inputs. Raises LoginFailed."""
        ...

    async def end(self, code: str | None) -> Step:
        """End the login, with the code shown to the user where the method wants a code. Raises LoginFailed."""
        ...
