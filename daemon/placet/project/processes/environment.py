"""Secrets among the variables of an environment: no command of the model gets to see a secret."""

import re
from collections.abc import Mapping

_SECRET_NAME = re.compile(
    r"API_?KEY|_KEY(_ID|_BASE)?$|TOKEN(_|$)|SECRET|PASSW(OR)?D|PASSPHRASE|CREDENTIAL|JWT|_PAT$|_PWD$|_AUTH$|_DSN$"
    r"|_OTLP_(\w+_)?HEADERS$",
    re.IGNORECASE,
)

SECRET_SHAPES = (
    r"\bsk-[\w-]{16,}",  # OpenAI, Anthropic, DeepSeek, OpenRouter
    r"\bAIza[\w-]{30,}",  # Google
    r"\b(?:gsk|xai|hf|pplx|nvapi|tgp|r8|fw|csk)[-_][\w-]{16,}",  # Groq, xAI, Hugging Face, Perplexity, more
    r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b",  # AWS
    r"\bgh[opsu]_\w{30,}|\bgithub_pat_\w{20,}",  # GitHub
    r"\bxox[abprs]-[\w-]{10,}",  # Slack
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----",
)
"""Regular expressions for the keys of providers with a fixed shape of keys."""

# An address with a login is a secret too (DATABASE_URL); a proxy's address has to stay for commands to work.
_SECRET_VALUE = re.compile("|".join((*SECRET_SHAPES, r"^\w[\w+.-]*://[^/@\s:]*:[^/@\s]+@")))
_PROXY_NAME = re.compile(r"_PROXY$", re.IGNORECASE)


class Secrets(dict[str, str]):
    """Variables with secret values; the repr has the names alone, so that no log or traceback shows more."""

    def __repr__(self) -> str:
        return f"<secrets: {', '.join(self) or 'none'}>"


def without_secrets(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that a command of the model may see.

    A variable is a secret by name: …_API_KEY, …_TOKEN, …SECRET…; or by the shape of the value: sk-…
    """
    return {name: value for name, value in environment.items() if not _is_secret(name, value)}


def secrets_in(environment: Mapping[str, str]) -> Secrets:
    """Return the variables left out by `without_secrets`."""
    return Secrets((name, value) for name, value in environment.items() if _is_secret(name, value))


def is_secret_name(name: str) -> bool:
    """Return whether a variable of this name counts as a secret, whatever its value."""
    return _SECRET_NAME.search(name) is not None


def _is_secret(name: str, value: str) -> bool:
    if is_secret_name(name):
        return True
    return not _PROXY_NAME.search(name) and _SECRET_VALUE.search(value) is not None
