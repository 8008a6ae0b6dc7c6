"""Documents and moments without a suggestion: excluded languages and files, and the acts of the user. Pure."""

import re
from pathlib import PurePosixPath

from placet.completion.answer import may_ask_here
from placet.completion.cursor_context import CursorContext
from placet.permissions.patterns import compiled
from placet.settings.completion import CompletionSettings

_ONLY_ASKED = frozenset(("git-commit", "gitcommit", "git-rebase", "gitrebase", "scminput", "search-result", "log"))
"""Languages of messages, fields and outputs: suggestions come there only on the user's key."""
_NEVER = frozenset(("placet-chat",))
_KEYS = re.compile(
    r"\.env(?:\..*)?|\.envrc|.*\.env|\.netrc|\.npmrc|\.pypirc|\.pgpass|credentials(?:\..*)?|id_(?:rsa|dsa|ecdsa|ed25519)"
    r"|.*\.(?:pem|key|p12|pfx|jks|keystore|ppk|asc|gpg|kdbx|crt|cer)",
    re.IGNORECASE,
)
"""Names of files with keys and certificates."""
_MADE = re.compile(
    r".*\.min\.(?:js|css|mjs)|.*\.map|.*[-.]lock(?:\.(?:json|ya?ml))?|go\.sum|.*\.(?:snap|svg|ipynb_checkpoints)",
    re.IGNORECASE,
)
"""Names of files that programs write."""


def document_silence(settings: CompletionSettings, language: str, name: str, *, is_asked: bool) -> str:
    """Return the reason for which the document gets no suggestion, or an empty text. `name` is relative to the project,
    and empty for a document that is no file.
    """
    if language in _NEVER or (language in _ONLY_ASKED and not is_asked):
        return "no suggestions in messages and outputs"
    if not settings.languages.get(language, settings.languages.get("*", True)):
        return f"switched off for {language} by `completion.languages`"
    if any(compiled(pattern, as_path=True)(name) for pattern in settings.exclude):
        return "left out by `completion.exclude`"
    last = PurePosixPath(name).name
    if _KEYS.fullmatch(last):
        return "a file of keys"
    return "a generated file" if _MADE.fullmatch(last) else ""


def moment_silence(context: CursorContext, before: CursorContext | None, *, is_asked: bool) -> str:
    """Return the reason for which this moment gets no suggestion, or an empty text.

    `before`: the text around the cursor at the last question in the document.
    """
    if context.has_long_line:
        return "a very long line: a generated file"
    if is_asked:
        return ""
    if not may_ask_here(context):
        return "in the middle of a line"
    if before is not None and _is_deletion(before, context):
        return "the user has deleted text"
    return ""


def _is_deletion(before: CursorContext, context: CursorContext) -> bool:
    is_shorter = len(context.prefix) < len(before.prefix) and before.prefix.startswith(context.prefix)
    return is_shorter and context.first_line == before.first_line and context.suffix == before.suffix
