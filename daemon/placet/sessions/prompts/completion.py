"""Completion of an unfinished `@…` or `/…` in a prompt: files, symbols, agents, diagnostics, commands."""

import asyncio
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

from placet.agent.commands.front_end_commands import commands_in
from placet.agent.mentions.prompt_cursor import (
    UnfinishedArgument,
    UnfinishedCommand,
    UnfinishedMention,
    spelled,
    unfinished_at,
)
from placet.agent.mentions.ranking import LIMIT, MISSPELLED, OPEN, READ, best_names, best_of, fit
from placet.agent.mentions.references import DIAGNOSTICS
from placet.agent.mentions.symbol_answers import NamedSymbol, read_symbols
from placet.agent.mentions.symbols import may_be_symbol
from placet.changes.review.seen_tree import SeenTree
from placet.core.errors import ToolError
from placet.core.executor import in_thread
from placet.core.messages import LineRange
from placet.project.file_list import FileList, FileNames, file_names
from placet.project.paths import from_uri, with_home
from placet.sessions.prompts.argument_completion import VALUES_SECONDS, arguments_of
from placet.sessions.prompts.commands import available_commands
from placet.sessions.services.services import Services

OUTLINE_SECONDS = 1.0
SYMBOL_SECONDS = 0.4
"""Seconds that language servers may take while the user types."""
FEWEST_LETTERS = 3
"""Fewest letters of a name that start a search of the whole project without being asked for."""
MOST_SYMBOLS = 200
MOST_DETAIL = 120
"""Characters of the text shown beside a resource."""

_SYMBOL = "symbol:"
_DIAGNOSTICS_OF = f"{DIAGNOSTICS}:"

Near = dict[Path, dict[str, float]]
"""Files that the user is likelier to mean, by root and name, with a weight for each."""
OfferKind = Literal["file", "directory", "symbol", "agent", "diagnostics", "resource", "command", "argument"]


class PromptedSession(Protocol):
    """Session for which the user writes a prompt."""

    @property
    def files_read(self) -> Iterable[Path]:
        """Return the files that the session has read."""
        ...

    async def tree(self) -> SeenTree:
        """Return the files as the session sees the files. Raises StoreError."""
        ...


@dataclass(frozen=True, slots=True)
class Offer:
    """Single proposal of the completion."""

    kind: OfferKind
    label: str
    text: str
    """Text to insert for the proposal."""
    detail: str = ""
    filter: str = ""
    """Text by which the proposal is filtered; empty: the proposal fits as long as the typed text stays unchanged."""
    symbol_kind: int = 0
    """LSP's SymbolKind."""
    runs: bool = False
    """Set for a command of the editor, not to be sent as a prompt."""


@dataclass(frozen=True, slots=True)
class Offers:
    """Proposals, the likeliest first, to replace `text[start:end]`."""

    start: int = 0
    end: int = 0
    offers: tuple[Offer, ...] = ()
    is_incomplete: bool = False
    """Set if more typing can bring further proposals."""


class Completion:
    """Completion of the prompts of a front end. Belongs to the event loop of the services."""

    def __init__(self, services: Services, loaded: Callable[[str], PromptedSession | None]) -> None:
        self._services = services
        self._loaded = loaded
        """Function from an id to the session; None for a session not loaded."""
        self._lists = {root: FileList(root) for root in services.workspace.outer_roots}

    async def complete(
        self, text: str, offset: int, *, session_id: str | None = None, open_paths: Sequence[Path] = ()
    ) -> Offers:
        """Return the proposals for the offset (code points) of a prompt. Any text is valid.

        `open_paths`: the files in the editor; the user is likelier to mean these, and the files read by the session.
        """
        match unfinished := unfinished_at(text, offset):
            case None:
                return Offers()
            case UnfinishedCommand(name=name):
                return Offers(unfinished.start, unfinished.end, tuple(self._commands(name, text[unfinished.end :][:1])))
            case UnfinishedArgument():
                arguments = await arguments_of(unfinished, self._services, session_id)
                offers = [Offer("argument", label, text, detail) for label, text, detail in arguments]
                return Offers(unfinished.start, unfinished.end, tuple(offers), is_incomplete=True)
            case UnfinishedMention():
                session = None if session_id is None else self._loaded(session_id)
                near = self._near(open_paths, () if session is None else session.files_read)
                tree = SeenTree() if session is None else await session.tree()
                offers = await self._mentions(unfinished, near, tree)
                return Offers(unfinished.start, unfinished.end, tuple(offers), is_incomplete=True)

    async def follow_folders(self) -> None:
        """Follow a change of the Services's folders: look for names in the new folders."""
        roots, before = self._services.workspace.outer_roots, self._lists
        self._lists = {root: before.get(root) or FileList(root) for root in roots}
        for root in before.keys() - self._lists.keys():
            await before[root].close()

    async def close(self) -> None:
        for file_list in self._lists.values():
            await file_list.close()

    def _commands(self, written: str, following: str) -> Iterator[Offer]:
        """Yield the commands of the editor itself, and the commands from which the daemon makes a prompt."""
        prompts = {
            command.name: (command.description, command.argument_hint or "")
            for command in available_commands(self._services)
        }
        own = {command.name: (command.description, command.argument) for command in commands_in("editor")}
        commands = dict(sorted((prompts | own).items()))
        for name in best_of(written, commands):
            description, argument = commands[name]
            text = f"/{name} " if argument and not following.startswith((" ", "\t")) else f"/{name}"
            yield Offer("command", f"/{name}", text, description, f"/{name}", runs=name in own)

    async def _mentions(self, unfinished: UnfinishedMention, near: Near, tree: SeenTree) -> list[Offer]:
        target, rest = unfinished.target, unfinished.rest
        if target.startswith(_SYMBOL):
            return await self._symbols(target.removeprefix(_SYMBOL), rest)
        if target.startswith(_DIAGNOSTICS_OF):
            files = await self._names(target.removeprefix(_DIAGNOSTICS_OF), near, tree)
            named = ((name, spelled(f"{_DIAGNOSTICS_OF}{name}", before=rest)) for name in files)
            return [Offer("diagnostics", name, text) for name, text in named if text and not name.endswith("/")]
        file, separator, section = target.rpartition("#")
        if separator and (path := await self._existing(file, tree)) is not None:
            return await self._sections(path, file, section, rest)
        worth = {name: value for names in near.values() for name, value in names.items()}
        if offers := await self._template_values(target, rest):
            return offers[:LIMIT]
        files = _files(await self._names(target, near, tree), worth, rest)
        ranks = _ranks(target, [*self._named(rest), *files, *self._resources(rest)], worth)
        offers = sorted(ranks, key=lambda offer: -ranks[offer])[:LIMIT]
        if len(target) >= FEWEST_LETTERS and not any(rank > MISSPELLED for rank in ranks.values()):
            return [*await self._symbols(target, rest), *offers][:LIMIT]
        return offers

    def _named(self, rest: str) -> Iterator[Offer]:
        """Yield the mentions that have a word of their own and are no files."""
        if text := spelled(DIAGNOSTICS, before=rest):
            yield Offer("diagnostics", DIAGNOSTICS, text, "diagnostics of the language servers")
        for agent in self._services.agents.subagents.values():
            if not agent.hidden and (text := spelled(agent.name, before=rest)):
                yield Offer("agent", agent.name, text, agent.description)

    def _resources(self, rest: str) -> Iterator[Offer]:
        """Yield the readable resources of MCP servers."""
        for name, resource in self._services.extensions.resources(self._services.locations.tool_output).offered():
            if text := spelled(name, before=rest):
                detail = resource.name if not resource.description else f"{resource.name}: {resource.description}"
                yield Offer("resource", name, text, detail[:MOST_DETAIL])

    async def _template_values(self, target: str, rest: str) -> list[Offer]:
        """Return the resources that MCP servers' values for the unfinished variable of a template give."""
        offers: list[Offer] = []
        for template in self._services.extensions.resources(self._services.locations.tool_output).templates(target):
            try:
                async with asyncio.timeout(VALUES_SECONDS):
                    names = await template.names()
            except (ToolError, TimeoutError):
                continue  # The user can write any value all the same.
            for name in (name for name in names if name.isprintable()):
                if text := spelled(name, before=rest):
                    offers.append(Offer("resource", name, text, template.resource.name[:MOST_DETAIL]))
        return offers

    def _near(self, open_paths: Iterable[Path], read: Iterable[Path]) -> Near:
        near: Near = {root: {} for root in self._lists}
        for worth, paths in ((OPEN, open_paths), (READ, read)):
            for path in paths:
                if (
                    root := next((candidate for candidate in self._lists if path.is_relative_to(candidate)), None)
                ) is not None:
                    name = self._services.workspace.relative(path)
                    near[root][name] = near[root].get(name, 0) + worth
        return near

    async def _names(self, written: str, near: Near, tree: SeenTree) -> list[str]:
        """Return files and directories of all roots, as the session sees the roots.

        A name of a later root that an earlier root has too is given by its whole path.
        """
        names: dict[str, None] = {}
        for root, files in self._lists.items():
            for name in await in_thread(_best_seen, written, await files.names(), near[root], root, tree):
                names[f"{root.as_posix()}/{name}" if name in names else name] = None
        return list(names)

    async def _existing(self, written: str, tree: SeenTree) -> Path | None:
        """Return the meant file in the first root that has such a file, or None."""
        if "\0" in written or not written:
            return None
        candidates = [root / with_home(written) for root in self._services.workspace.roots]
        return await in_thread(_first_file, candidates, tree)

    async def _sections(self, path: Path, file: str, section: str, rest: str) -> list[Offer]:
        """Return the symbols of a file, each as the range of its lines."""
        params = {"textDocument": {"uri": path.as_uri()}}
        answer = await self._services.ports.features.request(
            "textDocument/documentSymbol", params, timeout_seconds=OUTLINE_SECONDS
        )
        symbols: dict[str, NamedSymbol] = {}
        for symbol in read_symbols(answer.result):
            name = f"{symbol.container}.{symbol.name}" if symbol.container else symbol.name
            symbols.setdefault(name if name not in symbols else f"{name} (line {symbol.lines.start})", symbol)
        offers: list[Offer] = []
        for name in best_of(section, symbols)[:MOST_SYMBOLS]:
            lines = symbols[name].lines
            if text := spelled(file, lines, before=rest):
                offers.append(Offer("symbol", name, text, _lines(lines), symbol_kind=symbols[name].kind))
        return offers

    async def _symbols(self, written: str, rest: str) -> list[Offer]:
        """Return the matching names of the project's code."""
        *around, last = written.replace("::", ".").split(".")
        if not last or not may_be_symbol(last):
            return []
        answer = await self._services.ports.features.request(
            "workspace/symbol", {"query": last}, timeout_seconds=SYMBOL_SECONDS
        )
        symbols = await in_thread(_distinct, answer.result, around[-1] if around else "")
        offers: list[Offer] = []
        for name in best_of(last if not around else f"{around[-1]}.{last}", symbols)[:LIMIT]:
            symbol = symbols[name]
            path = from_uri(symbol.uri)
            where = "" if path is None else f"{self._services.workspace.relative(path)}:{symbol.lines.start}"
            if may_be_symbol(name) and (text := spelled(f"{_SYMBOL}{name}", before=rest)):
                offers.append(Offer("symbol", name, text, where, symbol_kind=symbol.kind))
        return offers


def _files(names: Iterable[str], near: Mapping[str, float], rest: str) -> Iterator[Offer]:
    for name in names:
        is_special = name.partition(":")[0] in (DIAGNOSTICS, _SYMBOL[:-1])
        text = spelled(f"./{name}" if is_special else name, before=rest)
        if text is None or not name.isprintable():
            continue
        detail = "open" if near.get(name, 0) >= OPEN else "read in this session" if name in near else ""
        yield Offer("directory" if name.endswith("/") else "file", name, text, detail)


def _ranks(written: str, offers: Sequence[Offer], worth: Mapping[str, float]) -> dict[Offer, float]:
    """Return the fitting proposals with their ranks. For an empty query, words rank between near files and the rest."""
    query = written.lower().removeprefix("./")
    if not query:
        word = {"agent": OPEN / 4, "diagnostics": OPEN / 4}
        return {offer: 1 + worth.get(offer.label, 0) + word.get(offer.kind, 0) for offer in offers}
    fits = {offer: fit(offer.label, query) for offer in offers}
    return {
        offer: rank + (worth.get(offer.label, 0) if rank > MISSPELLED else 0) for offer, rank in fits.items() if rank
    }


def _distinct(answer: Any, container: str) -> dict[str, NamedSymbol]:
    """Return the symbols by distinct names, as far as the containers tell the symbols apart."""
    symbols = [symbol for symbol in read_symbols(answer) if symbol.container.endswith(container)][: 10 * MOST_SYMBOLS]
    counted: dict[str, int] = {}
    for symbol in symbols:
        counted[symbol.name] = counted.get(symbol.name, 0) + 1
    distinct: dict[str, NamedSymbol] = {}
    for symbol in symbols:
        around = symbol.container.replace("::", ".").rpartition(".")[2]
        is_told_apart = (
            bool(around) and may_be_symbol(symbol.container) and (counted[symbol.name] > 1 or bool(container))
        )
        distinct.setdefault(f"{around}.{symbol.name}" if is_told_apart else symbol.name, symbol)
    return distinct


def _lines(lines: LineRange) -> str:
    return f"line {lines.start}" if lines.start == lines.end else f"lines {lines.start}-{lines.end}"


def _first_file(candidates: Iterable[Path], tree: SeenTree) -> Path | None:
    return next((Path(os.path.normpath(path)) for path in candidates if tree.is_file(path)), None)


def _best_seen(written: str, names: FileNames, near: Mapping[str, float], root: Path, tree: SeenTree) -> list[str]:
    """Return the best names below the root, with the files that the session has created, and without the files that the
    session has taken away. Blocks.
    """
    created, gone = tree.created_below(root), tree.gone_below(root)
    if not (created or gone):
        return best_names(written, names, near)
    listing = "\n".join(Path(name).as_posix() for name in created).encode("utf-8", "replace")
    best = dict.fromkeys((*best_names(written, file_names(listing), {}), *best_names(written, names, near)))
    return [name for name in best if name not in {Path(name).as_posix() for name in gone}]
