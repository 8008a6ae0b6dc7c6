"""What tree-sitter finds in a source text."""

import subprocess
import sys

from corpus_support import corpus
from placet.languages.grammar import LanguageName, language_of
from placet.languages.syntax import Definition, outline
from time_support import wait_seconds


def named(text: str, language: LanguageName) -> list[tuple[str, str, int, int]]:
    return [
        (definition.kind, definition.name, definition.line, definition.depth) for definition in outline(text, language)
    ]


def test_python_definitions_have_kind_name_line_and_depth() -> None:
    text = (
        "LIMIT = 3\nname: str = ''\n\n\n@decorated\nclass Box:\n    size = 1\n\n    async def open(self):\n"
        "        def inner(): ...\n\n\nif LIMIT:\n    def late(): ...\n"
    )
    assert named(text, "python") == [
        ("constant", "LIMIT", 1, 0),
        ("variable", "name", 2, 0),
        ("class", "Box", 6, 0),
        ("method", "open", 9, 1),
        ("function", "inner", 10, 2),
        ("function", "late", 14, 0),
    ]


def test_a_definition_ends_on_its_last_line() -> None:
    assert outline("def a():\n    return 1\n\n\nb = 2\n", "python")[0] == Definition("function", "a", 1, 2)


def test_javascript_functions_are_found_however_they_are_written() -> None:
    text = (
        "export default class A {\n  run = () => 1;\n  get size() { return 1 }\n}\nfunction* walk() {}\n"
        "const call = async () => { const inner = function () {} };\nconst LIMIT = 1, { x } = call;\nlet y;\n"
    )
    assert named(text, "javascript") == [
        ("class", "A", 1, 0),
        ("method", "run", 2, 1),
        ("method", "size", 3, 1),
        ("function", "walk", 5, 0),
        ("function", "call", 6, 0),
        ("function", "inner", 6, 1),
        ("constant", "LIMIT", 7, 0),
        ("variable", "y", 8, 0),
    ]


def test_typescript_knows_interfaces_types_enums_and_namespaces() -> None:
    text = (
        "interface Point { x: number }\ntype Id = string\nenum Color { Red }\nnamespace Inner {\n"
        "  export function f(): void;\n}\nabstract class Q { abstract m(): void }\n"
    )
    assert named(text, "typescript") == [
        ("interface", "Point", 1, 0),
        ("type", "Id", 2, 0),
        ("enum", "Color", 3, 0),
        ("namespace", "Inner", 4, 0),
        ("function", "f", 5, 1),
        ("class", "Q", 7, 0),
        ("method", "m", 7, 1),
    ]


def test_tsx_with_markup_is_understood() -> None:
    assert named("export const App = () => <b>hi</b>\nfunction Row(): X { return <i/> }\n", "tsx") == [
        ("function", "App", 1, 0),
        ("function", "Row", 2, 0),
    ]


def test_broken_code_gives_what_can_be_recognised() -> None:
    assert ("function", "good", 1, 0) in named("def good():\n    pass\n\ndef bad(:\n", "python")


def test_deep_nesting_does_not_exhaust_the_stack() -> None:
    text = "x = " + "(" * 3000 + "1" + ")" * 3000 + "\n\ndef f(): ...\n"
    assert ("function", "f", 3, 0) in named(text, "python")


@corpus(
    ("path", "language"),
    [
        ("a/b.py", "python"),
        ("A.PYI", "python"),
        ("x.mjs", "javascript"),
        ("x.tsx", "tsx"),
        ("x.rs", None),
        ("py", None),
    ],
)
def test_the_suffix_names_the_language(path: str, language: str | None) -> None:
    assert language_of(path) == language


def test_nothing_of_tree_sitter_is_loaded_before_it_is_needed() -> None:
    code = (
        "import sys, placet.languages.syntax as syntax\n"
        "assert not [name for name in sys.modules if 'tree_sitter' in name]\n"
        "syntax.outline('', 'python')\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=wait_seconds())
