"""Random changes of files, for the fact that every character that Accept writes was on the screen before."""

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass

SEED = 35
WORDS = (
    *("value", "=", "compute(", ")", "return", "…", "**bold**", "`code`", "[link](https://example.org/a)", "<b>"),
    *("\t", "\t\t", "   ", "界", "漢字かな", "한국어", "ｆｕｌｌ", "e\u0301", "a\u0308\u0323", "👩‍💻", "🇫🇮", "❤️"),
    *("x" * 30, "界" * 20, "/a/long/path/without/a/blank/in/it/to/a/file.md", "ﬁ", "ß", "\u200b", "\u00a0"),
)


@dataclass(frozen=True)
class Change:
    """A file before and after, in one hunk; `before` is None for a new file."""

    name: str
    before: str | None
    old: str
    new: str

    def call(self, path: str) -> tuple[str, dict[str, str]]:
        """Return the name and the arguments of the tool call that makes the change in the file."""
        if self.before is None:
            return "write", {"filePath": path, "content": self.new}
        return "edit", {"filePath": path, "oldString": self.old, "newString": self.new}

    def written(self, text: str) -> str:
        """Return what the text of the file has in place of the old text."""
        if self.before is None:
            return text
        head, _, tail = self.before.partition(self.old)
        return text.removeprefix(head).removesuffix(tail)


def random_changes(
    count: int, words: Sequence[str] = WORDS, endings: Sequence[str] = (".txt", ".md", ".py", ".ts")
) -> list[Change]:
    """Return changes of so many files, the same with each call; a quarter of the files are new."""
    chance, changes = random.Random(SEED), []
    for number in range(count):
        name = f"file{number}{chance.choice(endings)}"
        old, new = _lines(chance, words, "old ", 2), _lines(chance, words, "new ", 5)
        before = None if number % 4 == 3 else f"above\n{old}below\n"
        changes.append(Change(name, before, old, new))
    return changes


def _lines(chance: random.Random, words: Sequence[str], first: str, most: int) -> str:
    """Return lines of up to 230 characters, some of which are empty, with a first word in each other line."""

    def line() -> str:
        wanted, text = chance.choice((0, 12, 39, 40, 79, 80, 81, 120, 200, 230)), first
        while len(text) < wanted:
            text += chance.choice(words) + chance.choice(("", " "))
        return text.rstrip()

    return "".join(f"{line()}\n" for _ in range(chance.randint(1, most)))


def bare(text: str) -> str:
    """Return the text without blanks."""
    return re.sub(r"\s", "", text)


def not_shown(written: str, text: str) -> str:
    """Return the rest of what was written behind the longest beginning that the text holds; '' for all."""
    if written in text:
        return ""
    length = max(length for length in range(len(written) + 1) if written[:length] in text)
    return written[length:]
