"""A command's template: which words go where, and what a shell is to say."""

from hypothesis import given
from hypothesis import strategies as st

from corpus_support import corpus
from placet.agent.commands.template import CommandCall, ShellPart, call_in, filled, hint_in, parse, words_of


@corpus(
    ("arguments", "words"),
    [
        ("", []),
        ("one  two\nthree", ["one", "two", "three"]),
        ('"one two" three', ["one two", "three"]),
        ("'one two' \"\" x", ["one two", "", "x"]),
        ("[Image 1] here", ["[Image 1]", "here"]),
        ("don't take 'x' apart", ["don't", "take", "x", "apart"]),
        ('say "unfinished', ["say", '"unfinished']),
        ('"a"b c', ['"a"b', "c"]),
    ],
)
def test_words_are_parted_at_blanks_and_quotations_are_one_each(arguments, words):
    assert words_of(arguments) == words


@corpus(
    ("template", "arguments", "text"),
    [
        ("Say $ARGUMENTS!", 'a "b c"', 'Say a "b c"!'),
        ("$1 then $2", "a b c d", "a then b c d"),
        ("$2, $1, $2", "a b c", "b c, a, b c"),
        ("$1", "a b c", "a b c"),
        ("$1 and $2", "a", "a and "),
        ("$1/$3", "a b c d", "a/c d"),
        ("$10 $0 $$ $ARGUMENTSX", "a", "$10 $0 $$ $ARGUMENTSX\n\na"),
        ("Nothing to fill", "but said", "Nothing to fill\n\nbut said"),
        ("Nothing to fill", "", "Nothing to fill"),
        ("$ARGUMENTS", "$1 $ARGUMENTS", "$1 $ARGUMENTS"),
    ],
)
def test_placeholders_are_filled_and_the_last_number_takes_what_is_left(template, arguments, text):
    assert "".join(map(str, filled(template, arguments))) == text


def test_shell_parts_are_told_from_text_and_get_the_arguments_too():
    assert filled("On !`git branch $1`:\n!`git diff`.", "-a") == (
        "On ",
        ShellPart("git branch -a"),
        ":\n",
        ShellPart("git diff"),
        ".",
    )


@given(st.text())
def test_arguments_never_bring_a_shell_part_or_a_placeholder_of_their_own(arguments):
    assert filled("Say $ARGUMENTS", arguments) == ("Say " + arguments,)


@given(st.text())
def test_a_template_is_its_pieces(template):
    said = "".join(f"!`{one.line}`" if isinstance(one, ShellPart) else one for one in parse(template))
    assert said.replace(" ", "") == template.replace(" ", "") or any(
        isinstance(one, ShellPart) for one in parse(template)
    )


@corpus(
    ("text", "call"),
    [
        ("/review", CommandCall("review", "")),
        ("  /git/commit  now\nplease ", CommandCall("git/commit", "now\nplease")),
        ("/server:prompt a", CommandCall("server:prompt", "a")),
        ("review", None),
        ("see /review", None),
        ("/ review", None),
        ("//review", None),
        ("/review!", None),
    ],
)
def test_a_prompt_that_begins_with_a_slash_and_a_name_calls_it(text, call):
    assert call_in(text) == call


def test_a_template_tells_what_it_takes():
    assert hint_in("$2 $1 $2") == "[1] [2]"
    assert hint_in("Look at $ARGUMENTS") == "[arguments]"
    assert hint_in("Look") == ""
