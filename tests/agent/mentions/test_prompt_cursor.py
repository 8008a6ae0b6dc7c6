from hypothesis import assume, example, given
from hypothesis import strategies as st

from corpus_support import corpus
from placet.agent.mentions.mentions import Reading, find_mentions
from placet.agent.mentions.prompt_cursor import (
    UnfinishedArgument,
    UnfinishedCommand,
    UnfinishedMention,
    spelled,
    unfinished_at,
)
from placet.core.messages import LineRange


def at(marked: str) -> tuple[str, int]:
    """The text and the place in it that `|` marks."""
    before, _, after = marked.partition("|")
    return before + after, len(before)


def mention(marked: str) -> UnfinishedMention | None:
    found = unfinished_at(*at(marked))
    assert found is None or isinstance(found, UnfinishedMention)
    return found


@corpus(
    ("marked", "target", "replaced"),
    [
        ("@|", "", "@"),
        ("see @|", "", "@"),
        ("see @src/a|", "src/a", "@src/a"),
        ("(@src/a|)", "src/a", "@src/a"),
        ("see @src/han|dlers.py.", "src/han", "@src/handlers.py"),
        ("see @src/a.|", "src/a.", "@src/a."),
        ("@a.py, @b|", "b", "@b"),
        ("first\nsee @b|", "b", "@b"),
        ("first\r\nsee @b|\r\nlast", "b", "@b"),
        ('@"my no|', "my no", '@"my no'),
        ('@"my no|"', "my no", '@"my no"'),
        ('@"my no|tes.md" or', "my no", '@"my notes.md"'),
        ('@"a b.py"#L|', "a b.py#L", '@"a b.py"#L'),
        ("@a.py#gre|", "a.py#gre", "@a.py#gre"),
        ("@symbol:Box.op|", "symbol:Box.op", "@symbol:Box.op"),
        ("@types/@fo|", "types/@fo", "@types/@fo"),
        ("`code` and @a|", "a", "@a"),
    ],
)
def test_a_mention_is_unfinished_where_the_user_is_in_it(marked: str, target: str, replaced: str) -> None:
    text, _ = at(marked)
    found = mention(marked)

    assert found is not None
    assert (found.target, text[found.start : found.end]) == (target, replaced)


@corpus(
    "marked",
    ["|", "a|", "me@example|", "@a |", "@a, |", "`@a|", "`@a|`", "```\n@a|", "```\n@a|\n```", "|@a", "`a`@b|", "a /x|"],
)
def test_there_is_none_where_mentions_do_not_begin(marked: str) -> None:
    assert unfinished_at(*at(marked)) is None


@corpus(
    ("marked", "found"),
    [
        ("/|", UnfinishedCommand(0, 1, "")),
        ("/com|", UnfinishedCommand(0, 4, "com")),
        ("\n  /com|pact", UnfinishedCommand(3, 11, "com")),
        ("/agent |", UnfinishedArgument(7, 7, "agent", "")),
        ("/agent pl|an now", UnfinishedArgument(7, 11, "agent", "pl")),
        ("/s:p one  tw|o", UnfinishedArgument(10, 13, "s:p", "tw", ("one",))),
        ("/s:p one |", UnfinishedArgument(9, 9, "s:p", "", ("one",))),
        ("/agent plan |", UnfinishedArgument(12, 12, "agent", "", ("plan",))),
        ("//|", None),
    ],
)
def test_a_command_stands_at_the_start_alone(marked: str, found: object) -> None:
    assert unfinished_at(*at(marked)) == found


@corpus(
    ("target", "before", "text"),
    [
        ("src/a.py", "", "@src/a.py"),
        ("src/", "", "@src/"),
        ("a b.py", "", '@"a b.py"'),
        ("a,b", "", '@"a,b"'),
        ("a.", "", '@"a."'),
        (".env", "", "@.env"),
        ("a#1", "", "@a#1"),
        ("a", ")", "@a"),
        ("a", ".", "@a"),
        ("a", "(x", "@a "),
        ("a b", "#3", '@"a b" '),
        ("a`b", "", None),
        ('a "b"', "", None),
        ('"a', "", None),
        ("a\nb", "", None),
    ],
)
def test_a_target_is_spelled_so_that_it_is_read_as_itself(target: str, before: str, text: str | None) -> None:
    assert spelled(target, before=before) == text


def test_lines_are_spelled_behind_the_name() -> None:
    assert spelled("a.py", LineRange(start=3, end=9)) == "@a.py#L3-9"
    assert spelled("a b.py", LineRange(start=3, end=3)) == '@"a b.py"#L3'


NAMES = st.lists(
    st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=12), min_size=1, max_size=3
)
PROSE = st.text(st.one_of(st.sampled_from(' @"`.,/#()\n~'), st.characters(exclude_categories=["Cs"])), max_size=20)
LINES = st.one_of(
    st.none(), st.tuples(st.integers(1, 999), st.integers(0, 99)).map(lambda one: LineRange(start=one[0], end=sum(one)))
)


@given(PROSE, st.sampled_from(["@", '@"', "@sr", '@"my no', "@a.py#gr", "@.", "@(", "@symbol:x"]), PROSE, NAMES, LINES)
@example("", "@", "\\\r", ["a"], None)
@example("", '@"', '"#1', ["a b"], None)
@example("", "@", "'s", ["a"], None)
def test_what_is_chosen_is_read_as_what_was_meant(before, written, after, name, lines) -> None:
    text, offset = before + written + after, len(before + written)
    found = unfinished_at(text, offset)
    assume(isinstance(found, UnfinishedMention))
    target = "/".join(name)
    spelling = spelled(target, lines, before=found.rest)
    assume(spelling is not None)

    result = text[: found.start] + spelling + text[found.end :]

    [chosen] = [one for one in find_mentions(result) if one.start == found.start]
    assert Reading(target, lines) in chosen.readings
    assert found.start < offset <= found.end
    assert "\n" not in text[found.start : found.end]


@given(PROSE, PROSE)
def test_any_place_in_any_text_can_be_asked_about(before, after) -> None:
    found = unfinished_at(before + after, len(before))
    assert found is None or 0 <= found.start <= len(before) <= found.end <= len(before + after)
