"""The analysis against bash itself: made-up lines are run with every program a stub, and what ran must be found."""

import os
import re
import sys
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from corpus_support import corpus, examples
from placet.permissions.shell import Findings, analyse
from shell_support.lines import grammatical_line, token_soup
from shell_support.traced import Call, TracedBash

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="bash is not there")

NOWHERE = Path("/nowhere")
PATIENT = settings(
    max_examples=int(os.environ.get("PLACET_SHELL_EXAMPLES", examples(120))),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@pytest.fixture(scope="module")
def bash(tmp_path_factory: pytest.TempPathFactory) -> TracedBash:
    bash = TracedBash(tmp_path_factory.mktemp("bash"))
    calls = [Call(str(bash.workspace), argv) for argv in (("a", "b c"), ("nothing", "x"))]
    assert bash.run("a 'b c'; nothing x") == calls, "programs are stubs, and what is none is seen too"
    return bash


def findings_of(bash: TracedBash, line: str) -> Findings:
    return analyse(line, directory=bash.workspace, home=bash.home)


def is_found(call: Call, findings: Findings) -> bool:
    """Whether the call is one of the found commands: word for word, but where only bash knew the word."""
    if set("".join(command.text for command in findings.commands)) & set("*?["):
        return is_named(call, findings)  # What a wildcard becomes depends on the files that are there.
    argv = tuple("/dev/fd/63" if word.startswith("/dev/fd/") else word for word in call.argv)
    for command in findings.commands:
        known = command.argv
        if known is None or len(known) != len(argv):
            continue
        if all(one == other or other == "{}" for one, other in zip(argv, known, strict=True)):
            return True
    return False


def is_named(call: Call, findings: Findings) -> bool:
    names = {(command.argv or tuple(command.text.split()) or ("",))[0] for command in findings.commands}
    return call.argv[0] in names


def check(bash: TracedBash, line: str) -> bool:
    """Whether the line was proved; what is proved must be so."""
    findings = findings_of(bash, line)
    calls = bash.run(line)
    if findings.unproved:
        return False
    found = {os.path.normpath(path) for path in findings.paths}
    for call in calls:
        assert is_found(call, findings), (call, findings)
        for word in call.argv[1:]:
            if word and word[0] not in "-/" and not set(line) & set("*?["):
                assert os.path.normpath(os.path.join(call.directory, word)) in found, (call, word, findings)
    return True


@PATIENT
@given(st.randoms(use_true_random=False))
def test_what_a_grammatical_line_runs_was_found_with_its_words_and_directory(bash: TracedBash, random: Random) -> None:
    check(bash, grammatical_line(random))


@PATIENT
@given(st.randoms(use_true_random=False))
@example(Random(1))
def test_what_a_soup_of_tokens_runs_was_found_or_the_line_is_unproved(bash: TracedBash, random: Random) -> None:
    check(bash, token_soup(random))


@corpus(
    "line",
    [  # Each was once believed to be something else.
        ">|declare time #x",
        "\nE\n\\\nc b",
        ">a time $",
        "b $",
        "eval c  'a'e -2> o  ]",
        " ]  ]",
        "!{then @a",
        "#\n<<<'b'\\?+ a",
        "x=a time &>o a b",
        "2>o { }",
        "a | time b",
        "a <&-$'b' c",
        "a 2>&- b",
        "a x 2>&1 # c\nb",
        "a <<E b\nx\nE\nc",
        "a > o b c",
        "a\n\\\nb",
        "a # '\nb\n#'",
        "a \\# ; b",
        'a "${x:=`b`}"',
        "a <<E\n`b`\nE",
        "a && cd d && b x; c x",
        "cd nope || a x; cd d; b x",
        "(cd d; a x); b x",
        "eval 'cd d'; a x",
    ],
)
def test_lines_the_grammar_alone_reads_otherwise(bash: TracedBash, line: str) -> None:
    check(bash, line)
    assert all(is_named(call, findings_of(bash, line)) for call in bash.run(line)) or findings_of(bash, line).unproved


def test_most_grammatical_lines_without_variables_functions_and_cases_are_proved(bash: TracedBash) -> None:
    """A reader that doubts everything would pass the rest; this one must not ask about everything."""
    random = Random(7)
    lines = [grammatical_line(random, depth=1) for _ in range(150)]
    lines = [line for line in lines if not set(line) & set("$`") and not re.search(r"git|cd|\(\)|case", line)]
    unproved = [line for line in lines if findings_of(bash, line).unproved]
    assert len(unproved) < len(lines) / 10, unproved


@settings(max_examples=examples(300))
@given(st.text() | st.randoms(use_true_random=False).map(token_soup))
def test_any_text_gets_findings(text: str) -> None:
    findings = analyse(text, directory=NOWHERE, home=NOWHERE)
    assert all(path.is_absolute() for path in findings.paths)


@corpus("piece", ["(", "{ ", "$(", '"$(', "`", "a && ", "if a; then ", "<(", "((", "case a in b) ", "eval "])
def test_deep_nesting_is_unproved_and_no_crash(piece: str) -> None:
    assert analyse(piece * 2000 + "a", directory=NOWHERE, home=NOWHERE).unproved
