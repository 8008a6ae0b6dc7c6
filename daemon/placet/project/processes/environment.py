"""Secrets among the variables of an environment: no command of the model gets to see a secret."""

import re
from collections.abc import Mapping

_SECRET_NAME = re.compile(
    r"API_?KEY|_KEYS?(_ID|_BASE)?$|(ACCESS|ACCOUNT|AUTH|DEPLOY|ENCRYPTION|MASTER|PRIVATE|SIGNING|SSH)KEY$"
    r"|TOKENS?(_|$)|SECRET|PASSW(OR)?D|PASSPHRASE|PASSCODE|(?<!ASK)(?<!BY)(?<!COM)PASS$|(^|_)PASS_|CREDENTIAL|(^|_)CREDS?(_|$)"
    r"|JWT|_PAT$|[^D]PWD$|_AUTH$|AUTHORIZATION|BEARER|COOKIE|_DSN$|CONN(ECTION)?_?STR(ING)?|WEBHOOK"
    r"|_SALT$|MNEMONIC|SEED_?PHRASE|_OTP$|_OTLP_(\w+_)?HEADERS$",
    re.IGNORECASE,
)

SECRET_SHAPES = (
    r"\b[sr]k[-_][\w-]{16,}",  # OpenAI, Anthropic, DeepSeek, OpenRouter, Stripe
    r"\bAIza[\w-]{30,}|\bya29\.[\w-]{20,}|\bGOCSPX-[\w-]{20,}",  # Google
    r"\b(?:gsk|xai|hf|pplx|nvapi|tgp|r8|fw|csk)[-_][\w-]{16,}",  # Groq, xAI, Hugging Face, Perplexity, more
    r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b",  # AWS
    r"\bgh[opsu]_\w{30,}|\bgithub_pat_\w{20,}",  # GitHub
    r"\bgl[a-z]{2,5}-[\w-]{20,}",  # GitLab
    r"\bnpm_\w{30,}|\bpypi-[\w-]{30,}",
    r"\bxox[abeoprs]-[\w-]{10,}|\bxapp-[\w-]{10,}",  # Slack
    r"\bSG\.[\w-]{16,}\.[\w-]{16,}",  # SendGrid
    r"\bhv[bs]\.[\w-]{20,}|\bdop_v1_\w{30,}|\bdapi[0-9a-f]{32}\b|\bshp(?:at|ss)_\w{20,}|\blin_api_\w{20,}",
    r"\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]*",  # A signed token: RFC 7519.
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----|\bAGE-SECRET-KEY-[\w-]{16,}",
)
"""Regular expressions for the keys of providers with a fixed shape of keys."""

_WITH_LOGIN = r"^\w[\w+.-]*://[^/@\s:]*:[^/@\s]+@|^https?://[^/@\s:]{16,}@"
_WEBHOOK = r"://hooks\.slack\.com/|://(?:\w+\.)?discord(?:app)?\.com/api/webhooks/|://[\w.-]+\.webhook\.office\.com/"
_FIELD = (
    r"(?i:(?:^|[;?&,\s])(?:account_?key|shared_?access_?(?:key|signature)|pass(?:word|wd|phrase)?|pwd|(?:client_?)?secret"
    r"|(?:access_?|auth_?)?token|api_?key|sig|sas)\s*=\s*[^;?&,\s]{4,})"
)
"""Field of a connection string, of a list or of an address's query."""
_HEADER = r"(?i:^(?:authorization:\s*)?(?:bearer|basic|token)\s+[\w.~+/=-]{8,})"
# An address with a login is a secret too (DATABASE_URL); a proxy's address has to stay for commands to work.
_SECRET_VALUE = re.compile("|".join((*SECRET_SHAPES, _WITH_LOGIN, _WEBHOOK, _FIELD, _HEADER)))
_PROXY_NAME = re.compile(r"_PROXY$", re.IGNORECASE)


class Secrets(dict[str, str]):
    """Variables with secret values; the repr has the names alone, so that no log or traceback shows more."""

    def __repr__(self) -> str:
        return f"<secrets: {', '.join(self) or 'none'}>"


def without_secrets(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that a command of the model may see.

    A variable is a secret by name: …_API_KEY, …_TOKEN, …SECRET…, …PASS; or by the form of the value: sk-…, an address
    with a login, a connection string with a password, a header with credentials.
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
