from hypothesis import given
from hypothesis import strategies as st

from corpus_support import corpus
from placet.agent.mentions.mentions import LONGEST, Mention, Reading, find_mentions
from placet.core.messages import LineRange


def first(text: str) -> Mention:
    [mention] = find_mentions(text)
    return mention


def targets(text: str) -> list[str]:
    """What each mention is in its most literal reading."""
    return [mention.readings[0].target for mention in find_mentions(text)]


@corpus(
    ("text", "found"),
    [
        ("look at @src/a.py please", ["src/a.py"]),
        ("@src/a.py", ["src/a.py"]),
        ("see @src/a.py.", ["src/a.py"]),
        ("see @src/a.py... or not", ["src/a.py"]),
        ("@a.py, @b.py and\n@c.py", ["a.py", "b.py", "c.py"]),
        ("@~/notes.md", ["~/notes.md"]),
        ("@../other/x.go", ["../other/x.go"]),
        ("@.env", [".env"]),
        ("@src/", ["src/"]),
        ("@src/app/[id]/page.tsx", ["src/app/[id]/page.tsx"]),
        ("@C:\\code\\a.py", ["C:\\code\\a.py"]),
        ("@diagnostics:src/a.py", ["diagnostics:src/a.py"]),
        ("@symbol:Box.open", ["symbol:Box.open"]),
        ('@"my notes/a b.md" and @c', ["my notes/a b.md", "c"]),
        ("日本語の@src/a.py", []),
        ("（@src/a.py", ["src/a.py"]),
        ("@a's", ["a's"]),
        ("me@example.com, first.last+tag@sub.example.org", []),
        ("git@github.com:a/b.git", []),
        ("a `@src/a.py` b", []),
        ("`npm i @types/node`, then @a", ["a"]),
        ("`` a ` @no `` @yes", ["yes"]),
        ("an unclosed ` backtick, @a", ["a"]),
        ("one ` here\n\nand @a between ` two paragraphs", ["a"]),
        ("```python\n@property\ndef a(): ...\n```\n@a", ["a"]),
        ("~~~\n@no\n```\n@no\n~~~\n@yes", ["yes"]),
        ("````\n```\n@no\n```\n````\n@yes", ["yes"]),
        ("- item\n  ```\n  @no\n  ```\n- @yes", ["yes"]),
        ("> ```\n> @no\n> ```\n\n@yes", ["yes"]),
        ("```\n@no, and the fence is never closed", []),
        ("```inline``` @yes", ["yes"]),
        ("@", []),
        ("@ a", []),
        ("@, @. @`", []),
        (f"@{'x' * LONGEST}", []),
    ],
)
def test_mentions_are_found(text: str, found: list[str]) -> None:
    assert targets(text) == found


@corpus(
    ("written", "target", "lines"),
    [
        ("@a.py#L10-20", "a.py", (10, 20)),
        ("@a.py#L10-L20", "a.py", (10, 20)),
        ("@a.py#10-20", "a.py", (10, 20)),
        ("@a.py#10", "a.py", (10, 10)),
        ("@a.py#20-10", "a.py", (20, 20)),
        ("@a.py#0", "a.py", (1, 1)),
        ('@"a b.py"#L3', "a b.py", (3, 3)),
        ('@"a b.py"#3-4', "a b.py", (3, 4)),
    ],
)
def test_lines_are_taken_from_the_end(written: str, target: str, lines: tuple[int, int]) -> None:
    assert Reading(target, LineRange(start=lines[0], end=lines[1])) in first(written).readings


def test_the_most_literal_reading_comes_first() -> None:
    lines = LineRange(start=1, end=1)
    assert first("(@a#1)").readings == (Reading("a#1)"), Reading("a#1"), Reading("a", lines))


@corpus("written", ["@a's", "@a’s", "“@a”", "(@a).)", "@a!?", "@a…", "（@a）。"])
def test_marks_of_the_sentence_may_be_left_out(written: str) -> None:
    assert first(written).readings[-1] == Reading("a")


def test_a_mention_knows_where_it_stands() -> None:
    text = 'see @"a b"#1-2, and @c.'
    assert [text[mention.start : mention.end] for mention in find_mentions(text)] == ['@"a b"#1-2', "@c"]


NAMES = st.text(
    st.characters(exclude_characters="`,.\"@#()[]{}<>;:!?'*_~|\\", exclude_categories=["Z", "C"]), min_size=1
)
PATHS = st.lists(NAMES, min_size=1, max_size=4).map("/".join)
PROSE = st.text(st.characters(exclude_characters="@`~"), max_size=40)
SPACE = st.sampled_from([" ", "\n", "\t", " (", ' "', ": "])
END = st.sampled_from(["", " ", "\n", ".", ". ", ",", "`x`", ")", "),", '"', '" ', "; ", "!", "'s"])
RANGES = st.one_of(st.none(), st.tuples(st.integers(1, 10**6), st.integers(0, 1000)))


@given(PROSE, SPACE, PATHS, RANGES, END, PROSE)
def test_a_path_in_prose_is_found_whatever_stands_around_it(before, space, path, lines, end, after) -> None:
    suffix = "" if lines is None else f"#L{lines[0]}-{lines[0] + lines[1]}"
    wanted = Reading(path, None if lines is None else LineRange(start=lines[0], end=lines[0] + lines[1]))
    if end in ("", "`x`"):
        after = ""
    text = f"{before}{space}@{path}{suffix}{end}{' ' if end and after else ''}{after}"
    [mention] = find_mentions(text)
    assert wanted in mention.readings
    assert text[mention.start : mention.end].startswith(f"@{path}{suffix}")


@given(
    PROSE, st.text(st.characters(exclude_characters='"\n', exclude_categories=["Cs"]), min_size=1, max_size=30), PROSE
)
def test_a_quoted_path_is_found_as_it_is(before, path, after) -> None:
    mention = next(one for one in find_mentions(f'{before} @"{path}" {after}') if one.start == len(before) + 1)
    assert mention.readings == (Reading(path),)


@given(st.text(), st.integers(3, 5), st.sampled_from("`~"), st.text())
def test_nothing_within_a_fence_is_a_mention(before, length, mark, inside) -> None:
    fence = mark * length
    inside = inside.replace(mark, "x")
    opening = "" if not before else "\n"
    before = before.replace("`", "x").replace("~", "x")
    text = f"{before}{opening}{fence}\n{inside}\n@a.py\n{fence}\n"
    assert all(mention.start < len(before) for mention in find_mentions(text))


@given(st.text())
def test_any_text_is_read_and_mentions_neither_overlap_nor_hold_a_blank(text) -> None:
    at = 0
    for mention in find_mentions(text):
        assert mention.start >= at
        at = mention.end
        written = text[mention.start : mention.end]
        assert written.startswith("@")
        assert "\n" not in written
        assert all(reading.target for reading in mention.readings)
        assert not text[mention.start - 1 : mention.start].isalnum() or mention.start == 0


@given(st.from_regex(r"[\w.+-]*\w@[\w-]+(\.[\w-]+)+", fullmatch=True))
def test_an_address_of_mail_is_no_mention(address) -> None:
    assert find_mentions(f"write to {address} now") == []


def test_hostile_text_takes_no_long_time() -> None:
    for text in ("`" * 200_000, "` " * 100_000, "@" * 200_000, '@"' * 100_000, "@a." * 70_000, "```\n" * 50_000):
        find_mentions(text)
    find_mentions("".join("`" * number + " " for number in range(600)))
