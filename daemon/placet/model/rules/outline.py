"""Outline of a file: the script reads the whole file, and the language's grammar finds the definitions."""

from placet.languages.grammar import language_of
from placet.languages.syntax import Definition
from placet.languages.syntax import outline as definitions_in
from placet.model.rules.intents import Outline
from placet.model.rules.reading import open_file
from placet.model.rules.script import NotDone, Script
from placet.text.counted import counted


def outline(intent: Outline) -> Script:
    """Answer the definitions with kind, name and `path:line`, nested as in the file."""
    file = yield from open_file(intent.path)
    language = language_of(file.path)
    if language is None:
        raise NotDone(
            f"`{file.path}` has {counted(len(file.lines), 'line')}. I have no grammar for its kind: "
            "only for Python, JavaScript and TypeScript."
        )
    definitions = definitions_in(file.text, language)
    heading = f"`{file.path}`: {language}, {counted(len(file.lines), 'line')}, {_counts(definitions)}."
    rows = (
        f"{'  ' * definition.depth}- {definition.kind} `{definition.name}` — `{file.path}:{definition.line}`"
        for definition in definitions
    )
    return "\n".join([heading, "", *rows]).strip()


def _counts(definitions: tuple[Definition, ...]) -> str:
    if not definitions:
        return "no definitions"
    numbers: dict[str, int] = {}
    for definition in definitions:
        numbers[definition.kind] = numbers.get(definition.kind, 0) + 1
    return ", ".join(f"{number} {_plural(kind, number)}" for kind, number in numbers.items())


def _plural(kind: str, number: int) -> str:
    if number == 1:
        return kind
    return f"{kind}es" if kind == "class" else f"{kind}s"
