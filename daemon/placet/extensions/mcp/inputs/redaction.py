"""Redaction of a server's passwords in all texts by the server, before any other part of Placet sees a text. Pure."""

import json
from collections.abc import Mapping
from typing import Any, cast

LEAST_CHARACTERS = 4
"""A shorter password would take pieces out of ordinary words, and is no secret."""


class Redaction:
    """Function on texts of one connection: a password becomes the reference to its input."""

    def __init__(self, passwords: Mapping[str, str]) -> None:
        """Make the redaction of the passwords, each by the id of its input."""
        forms = {
            form: f"${{input:{name}}}"
            for name, value in passwords.items()
            if len(value) >= LEAST_CHARACTERS
            for form in (value, json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1])
        }
        self._forms = sorted(forms.items(), key=lambda form: len(form[0]), reverse=True)
        """The longest first, as one password may be a piece of another."""

    def __bool__(self) -> bool:
        return bool(self._forms)

    def text(self, text: str) -> str:
        for form, reference in self._forms:
            text = text.replace(form, reference)
        return text

    def value(self, value: Any) -> Any:
        """Return the JSON value with redacted texts and keys."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            entries = cast("dict[str, Any]", value)
            return {self.text(key): self.value(entry) for key, entry in entries.items()}
        if isinstance(value, list):
            return [self.value(item) for item in cast("list[Any]", value)]
        return value


NO_REDACTION = Redaction({})
