"""`python -m scripts.lua_walls`, run by `make check`: the modules of the Neovim plugin know only lower rooms.

`clients/neovim/rows.txt` lists the rooms, the top row first. A room is a folder of `lua/placet`, or a file beside the
folders; the room `init` is the module `placet`. A module may know modules of its own room and of lower rows. Modules
form no circle.

A module knows another module if a string names the other module, wherever the string stands: inside a function, in a
table, or in `package.loaded`. Comments do not count, and names of autocommand groups and namespaces do not count.
"""

import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
PLUGIN = ROOT / "clients" / "neovim"
GENERATED = "_meta"
MOST_BESIDE = 60
"""Characters before or after a string in which the use of the string is looked for."""

_TOKEN = re.compile(
    r"""--\[(?P<comment>=*)\[.*?\](?P=comment)\]"""
    r"""|--[^\n]*"""
    r"""|\[(?P<long>=*)\[(?P<long_text>.*?)\](?P=long)\]"""
    r"""|"(?P<double>(?:\\.|[^"\\\n])*)"|'(?P<single>(?:\\.|[^'\\\n])*)'""",
    re.DOTALL,
)
_LOADS = re.compile(r"(?:\brequire\s*\(?|\bloaded\s*\[)\s*$")
_NAMES_NO_MODULE = re.compile(r"\bnvim_create_(?:augroup|namespace)\s*\(\s*$")
_IN_EXPRESSION = re.compile(r"""require\s*\(?\s*["'](placet[\w.]*)["']""")


@dataclass(frozen=True)
class Reference:
    """Place in a module where a string names another module."""

    source: str
    line: int
    target: str


def modules_of(plugin: Path) -> dict[str, Path]:
    """Return the files of the modules by the names that `require` takes, without the generated files."""
    lua = plugin / "lua"
    modules: dict[str, Path] = {}
    for path in sorted(lua.rglob("*.lua")):
        parts = path.relative_to(lua).with_suffix("").parts
        if GENERATED not in parts:
            modules[".".join(parts[:-1] if parts[-1] == "init" else parts)] = path
    return modules


def room_of(module: str) -> str:
    """Return the name of a module's room in the list of rooms."""
    return module.split(".")[1] if "." in module else "init"


def references(module: str, text: str, modules: dict[str, Path]) -> Iterator[Reference]:
    """Yield the references of a module to other modules, and to modules that do not exist."""
    for token in _TOKEN.finditer(text):
        name = next((token[group] for group in ("double", "single", "long_text") if token[group] is not None), None)
        if name is None:
            continue
        line = text.count("\n", 0, token.start()) + 1
        before = text[max(0, token.start() - MOST_BESIDE) : token.start()]
        is_own = name.split(".")[0] == "placet" and _LOADS.search(before) is not None
        is_module = name in modules and name != "placet" and not _NAMES_NO_MODULE.search(before)
        if computed := _begun(name, text[token.end() : token.end() + MOST_BESIDE]):
            targets = [target for target in modules if target.startswith(computed)]
        elif is_own or is_module:
            targets = [name]
        else:
            targets = _IN_EXPRESSION.findall(name)
        yield from (Reference(module, line, target) for target in targets if target != module)


def _begun(name: str, after: str) -> str | None:
    """Return the beginning of a module's name to which code adds the end, by `..` or by `%s`."""
    begun = re.fullmatch(r"(placet\.(?:\w+\.)*)(%s)?.*", name)
    is_added_to = begun is not None and (begun[2] is not None or (begun[1] == name and after.lstrip().startswith("..")))
    return begun[1] if begun is not None and is_added_to else None


def rows_of(plugin: Path) -> list[list[str]]:
    """Return the rooms of each row, the bottom row first."""
    lines = (plugin / "rows.txt").read_text("utf-8").splitlines()
    return [[room.strip() for room in line.split("|")] for line in reversed(lines) if line.strip()]


def circles_of(graph: dict[str, set[str]]) -> list[list[str]]:
    """Return the strongly connected components of more than one module: in each, every module reaches every other."""
    reached = {module: _reachable(graph, module) for module in graph}
    components = {
        tuple(sorted(other for other in reached[module] if module in reached[other]))
        for module in graph
        if module in reached[module]
    }
    return [list(component) for component in sorted(components)]


def _reachable(graph: dict[str, set[str]], start: str) -> set[str]:
    found: set[str] = set()
    waiting = [start]
    while waiting:
        for target in graph.get(waiting.pop(), set()) - found:
            found.add(target)
            waiting.append(target)
    return found & graph.keys()


def faults(plugin: Path) -> Iterator[str]:
    """Yield a sentence for each broken wall of the plugin in a folder."""
    modules, listed = modules_of(plugin), rows_of(plugin)
    rows = {room: number for number, row in enumerate(listed) for room in row}
    found = [
        reference for name, path in modules.items() for reference in references(name, path.read_text("utf-8"), modules)
    ]
    rooms = {room_of(module) for module in modules}
    counts = Counter(room for row in listed for room in row)
    yield from (f"{room} stands in {count} rows" for room, count in sorted(counts.items()) if count > 1)
    yield from (f"{room} stands in no row" for room in sorted(rooms - rows.keys()))
    yield from (f"{room} stands in a row, but there is no such room" for room in sorted(rows.keys() - rooms))
    for reference in found:
        place = f"{modules[reference.source].relative_to(plugin).as_posix()}:{reference.line}"
        source, target = room_of(reference.source), room_of(reference.target)
        if reference.target not in modules:
            yield f"{place} names {reference.target}, but there is no such module"
        elif source != target and rows.get(target, len(rows)) >= rows.get(source, 0):
            yield f"{place} names {reference.target}, but {target} is not in a lower row than {source}"
    graph = {module: {reference.target for reference in found if reference.source == module} for module in modules}
    yield from (f"circle: {' '.join(circle)}" for circle in circles_of(graph))


def main() -> int:
    """Print the faults; return 1 if there is a fault."""
    found = list(faults(PLUGIN))
    sys.stderr.writelines(f"{fault}\n" for fault in found)
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
