"""Judge a final answer that is data: tell the model the schema, and check the answer against the schema."""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import referencing
from jsonschema.exceptions import SchemaError, ValidationError, best_match
from jsonschema.validators import Draft202012Validator, validator_for
from referencing.exceptions import Unresolvable

from placet.core.errors import SettingsError
from placet.core.json.shallow import loads

MOST_ATTEMPTS = 3
"""Highest number of answers, including the first."""

_FENCED = re.compile(r"```(?:json)?[ \t]*\n(.*?)\n[ \t]*```", re.DOTALL)
_MOST_SHOWN = 500


@dataclass(frozen=True, slots=True)
class Unfit:
    """Reason why an answer cannot be used."""

    reason: str


@dataclass(frozen=True, slots=True)
class Fit:
    """Value of an answer; the value satisfies the schema."""

    value: Any

    @property
    def text(self) -> str:
        return json.dumps(self.value, ensure_ascii=False, indent=2)


class OutputSchema:
    """JSON Schema of the user. References are resolved within the schema alone, never fetched."""

    def __init__(self, schema: Any, where: str) -> None:
        """Make the schema; `where` is for messages. Raises SettingsError for an invalid JSON Schema."""
        self._schema = schema
        kind = validator_for(schema, default=Draft202012Validator) if isinstance(schema, dict) else Draft202012Validator
        try:
            kind.check_schema(schema)
        except SchemaError as error:
            raise SettingsError(f"{where} is not a JSON Schema: {error.json_path}: {error.message}") from error
        self._validator = kind(schema, registry=referencing.Registry(), format_checker=kind.FORMAT_CHECKER)
        self._where = where

    @property
    def prompt_text(self) -> str:
        """Text for the model, beside the prompt."""
        return (
            "<system-reminder>\nA program reads your final answer. Do the work with your tools as usual; then let your "
            "last message be one JSON value that satisfies this JSON Schema, and nothing else: no words before or "
            f"after it, no code fence.\n\n{json.dumps(self._schema, ensure_ascii=False)}\n</system-reminder>"
        )

    def retry_text(self, unfit: Unfit) -> str:
        """Return the text for the model after an unusable answer."""
        return (
            f"Your answer cannot be used: {unfit.reason} Answer with the JSON value alone, corrected so that it "
            "satisfies the JSON Schema you were given."
        )

    def judge(self, answer: str) -> Fit | Unfit:
        """Judge the answer. Raises SettingsError if the schema has a reference outside itself."""
        try:
            value = _parsed(answer)
        except ValueError as error:
            return Unfit(f"it is not JSON ({error}).")
        try:
            problem = best_match(self._validator.iter_errors(value))
        except Unresolvable as error:
            raise SettingsError(f"{self._where} refers to something outside the schema: {error}") from error
        return Fit(value) if problem is None else Unfit(_explained(problem))


def read_output_schema(file: Path) -> OutputSchema:
    """Return the schema in the file. Raises SettingsError that names the file. Blocks."""
    try:
        schema = json.loads(file.read_text("utf-8-sig"))
    except OSError as error:
        raise SettingsError(f"The schema {file} cannot be read: {error.strerror or error}.") from error
    except ValueError as error:
        raise SettingsError(f"The schema {file} is not JSON: {error}.") from error
    return OutputSchema(schema, str(file))


def _parsed(answer: str) -> Any:
    """Parse the answer, or the only fenced block in the answer, as models add a fence. Raises ValueError."""
    try:
        return _strict(answer)
    except ValueError:
        blocks = _FENCED.findall(answer)
        if len(blocks) != 1:
            raise
        return _strict(blocks[0])


def _strict(text: str) -> Any:
    """Parse strict JSON: NaN and Infinity are no JSON, though Python's parser accepts both."""

    def refuse(name: str) -> Any:
        raise ValueError(f"{name} is no JSON")

    return loads(text, parse_constant=refuse)


def _explained(problem: ValidationError) -> str:
    message = problem.message
    shown = message if len(message) <= _MOST_SHOWN else f"{message[:_MOST_SHOWN]}…"
    return f"at {problem.json_path}, {shown}."
