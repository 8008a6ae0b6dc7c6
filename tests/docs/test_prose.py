"""Documents and docstrings name things instead of pointing at them, in whole sentences and short paragraphs."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from corpus_support import corpus

ROOT = Path(__file__).parents[2]
DOCUMENTS = ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md")


def words_of(text: str) -> list[str]:
    return re.findall(r"[a-z']+", text.lower())


PRO_FORMS = frozenset(words_of("it its one ones that there they them those what who whoever whose others"))
OPENINGS_OF_FRAGMENTS = frozenset(
    words_of(
        "all as by for from have how in it its let none nothing of that those to what where whether which who whoever"
        " whose why with"
    )
)
MOST_PRO_FORMS = 0.03
"""Share of the words of a document, or of all docstrings."""
MOST_FRAGMENTS = 0.05
"""Share of the docstrings that open with a word that no sentence and no noun phrase opens with."""
MOST_WORDS = 120
"""Words of a paragraph; a list is a paragraph where no blank lines separate the list's entries."""


MOST_WORDS_OF_A_DOCUMENT = {"README.md": 1100, "ARCHITECTURE.md": 2200}
"""Words of a document with tables and code, as `wc -w` counts; more words belong on a page below docs."""


def paragraphs(text: str) -> Iterator[list[str]]:
    """Yield the words of each paragraph, without code, tables, pictures, HTML and the targets of links."""
    prose = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    prose = re.sub(r"^\s*[|<!].*$", "", prose, flags=re.MULTILINE)
    prose = re.sub(r"`[^`]*`|\]\([^)]*\)", " ", prose)
    for paragraph in re.split(r"\n\s*\n", prose):
        yield words_of(paragraph)


@cache
def docstrings() -> dict[str, list[str]]:
    """Return the words of each docstring of the daemon, attributes' docstrings included, by file and line."""
    words: dict[str, list[str]] = {}
    for path in (ROOT / "daemon" / "placet").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            match node:
                case ast.Expr(value=ast.Constant(value=str() as text)) if words_of(text):
                    words[f"{path.relative_to(ROOT)}:{node.lineno}"] = words_of(text)
                case _:
                    pass
    return words


def share_of_pro_forms(words: list[str]) -> float:
    return sum(word in PRO_FORMS for word in words) / len(words)


@corpus("document", DOCUMENTS)
def test_a_document_names_things(document: str) -> None:
    words = [word for words in paragraphs((ROOT / document).read_text("utf-8")) for word in words]
    assert share_of_pro_forms(words) < MOST_PRO_FORMS


@corpus("document", DOCUMENTS)
def test_paragraphs_are_short(document: str) -> None:
    for words in paragraphs((ROOT / document).read_text("utf-8")):
        assert len(words) <= MOST_WORDS, " ".join(words[:12])


@corpus(("document", "most"), list(MOST_WORDS_OF_A_DOCUMENT.items()))
def test_a_document_is_read_in_a_few_minutes(document: str, most: int) -> None:
    assert len((ROOT / document).read_text("utf-8").split()) <= most


def test_docstrings_name_things() -> None:
    share = share_of_pro_forms([word for words in docstrings().values() for word in words])
    worst = sorted(docstrings(), key=lambda place: share_of_pro_forms(docstrings()[place]), reverse=True)
    assert share < MOST_PRO_FORMS, "\n".join(worst[:20])


def test_docstrings_are_sentences() -> None:
    fragments = [place for place, words in docstrings().items() if words[0] in OPENINGS_OF_FRAGMENTS]
    assert len(fragments) < MOST_FRAGMENTS * len(docstrings()), "\n".join(fragments[:20])
