"""The language servers as one call of the lsp tool asks them, and the names of the servers that answered."""

from pathlib import Path
from typing import Any, cast

from placet.core.errors import ToolError
from placet.core.messages import JsonObject
from placet.text.lines import split_lines
from placet.text.positions import character_at
from placet.tools.framework.context import ToolContext

TIMEOUT_SECONDS = 10.0


class Servers:
    def __init__(self, context: ToolContext) -> None:
        self._context = context
        self._providers: dict[str, None] = {}
        self._is_approximate = False
        self._is_proposed = False
        self._unaware: dict[str, None] = {}

    async def ask(self, method: str, params: JsonObject) -> Any:
        """Return the result. Raises ToolError when nobody can answer, as an empty answer would mislead."""
        answer = await self._context.features.request(method, params, timeout_seconds=TIMEOUT_SECONDS)
        match answer.status:
            case "ok":
                self._providers |= dict.fromkeys(answer.providers)
                self._is_approximate = self._is_approximate or answer.is_approximate
                self._is_proposed = self._is_proposed or answer.is_proposed
                if not answer.is_proposed:
                    await self._note_staged(answer.result)
                return answer.result
            case "noProvider":
                raise ToolError(f"No language server here answers {method}. Use grep and read instead.")
            case "loading":
                raise ToolError("The language server is still reading the project. Try again in a while, or use grep.")
            case "timeout":
                raise ToolError(f"The language server did not answer {method} in time. Try again, or use grep.")

    async def at(self, path: Path, line: int, character: int) -> JsonObject:
        """Return LSP's position params (0-based, UTF-16) for a place counted from 1, in characters.

        Raises ToolError for a line beyond the end.
        """
        lines = split_lines((await self._context.documents.read(path)).text)
        if line > max(len(lines), 1):
            name = self._context.workspace.name(path)
            raise ToolError(f"{name} has {len(lines)} lines; there is no line {line}.")
        text = lines[line - 1].rstrip("\r\n") if lines else ""
        position = {"line": line - 1, "character": character_at(text, character - 1, "utf-16")}
        return {"textDocument": {"uri": path.as_uri()}, "position": position}

    @property
    def providers(self) -> tuple[str, ...]:
        """Return the names of the providers that answered."""
        return tuple(self._providers)

    @property
    def unaware(self) -> str:
        """Return the names of staged files in the answers of providers that do not know the staged text."""
        return ", ".join(self._unaware)

    @property
    def footer(self) -> str:
        """Return a note on the providers that answered, and on the certainty of the answer."""
        providers = ", ".join(self._providers)
        note = f"(From {providers}.)" if providers else ""
        if self._is_proposed:
            providers += ", asked by Placet about the proposed text"
            note = f"(From {providers}.)"
        if self._is_approximate:
            note = f"(By name only, from {providers}: some may be missing, some may be others of the same name.)"
        if self._unaware:
            note += f" (Positions in {self.unaware} are those of the file as it is, without the staged change.)"
        return note.strip()

    async def _note_staged(self, result: Any) -> None:
        """Note the staged files that the result names."""
        if staged := await self._context.changes.staged():
            uris = _uris_in(result)
            self._unaware |= {self._context.workspace.name(path): None for path in staged if path.as_uri() in uris}


def _uris_in(value: Any) -> set[str]:
    """Return every `file:` URI in a value, keys included."""
    match value:
        case str():
            return {value} if value.startswith("file:") else set()
        case list():
            return {uri for item in cast("list[Any]", value) for uri in _uris_in(item)}
        case dict():
            return {uri for pair in cast("JsonObject", value).items() for item in pair for uri in _uris_in(item)}
        case _:
            return set()
