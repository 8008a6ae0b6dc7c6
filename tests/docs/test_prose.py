"""The documents for readers of the code name things instead of pointing at them, in short paragraphs."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCUMENTS = ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md")
PRO_FORMS = frozenset(
    ["it", "its", "one", "ones", "that", "there", "they", "them", "those", "what", "who", "whoever", "whose", "others"]
)
MOST_PRO_FORMS = 0.03
"""Share of the words of a document."""
MOST_WORDS = 120
"""Words of a paragraph; a list is a paragraph where no blank lines separate the list's entries."""


def paragraphs(text: str) -> Iterator[list[str]]:
    """Yield the words of each paragraph, without code, tables, pictures, HTML and the targets of links."""
    prose = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    prose = re.sub(r"^\s*[|<!].*$", "", prose, flags=re.MULTILINE)
    prose = re.sub(r"`[^`]*`|\]\([^)]*\)", " ", prose)
    for paragraph in re.split(r"\n\s*\n", prose):
        yield re.findall(r"[a-z']+", paragraph.lower())


@pytest.mark.parametrize("document", DOCUMENTS)
def test_a_document_names_things(document: str) -> None:
    words = [word for words in paragraphs((ROOT / document).read_text("utf-8")) for word in words]
    assert sum(word in PRO_FORMS for word in words) < MOST_PRO_FORMS * len(words)


@pytest.mark.parametrize("document", DOCUMENTS)
def test_paragraphs_are_short(document: str) -> None:
    for words in paragraphs((ROOT / document).read_text("utf-8")):
        assert len(words) <= MOST_WORDS, " ".join(words[:12])
