"""Which words mean which intent."""

from corpus_support import corpus
from placet.model.rules.intents import (
    Find,
    Fix,
    Intent,
    Outline,
    Rename,
    Replace,
    RunTests,
    Unclear,
    Unknown,
    understand,
)


@corpus(
    ("prompt", "intent"),
    [
        ("rename want_bytes to ensure_bytes", Rename("want_bytes", "ensure_bytes")),
        ('Please RENAME `want_bytes()` to "ensure_bytes" everywhere, please.', Rename("want_bytes", "ensure_bytes")),
        ("could you rename the function a to b across the project and its tests?", Rename("a", "b")),
        ("Rename a -> b in src/x.py", Rename("a", "b", "src/x.py")),
        ("change the name of the class Foo to Bar", Rename("Foo", "Bar")),
        ("find want_bytes", Find("want_bytes")),
        ('Find "hello world" in docs', Find("hello world", "docs")),
        ("where is `X` used?", Find("X")),
        ("where is foo defined", Find("foo")),
        ("hey placet, where do we use foo?", Find("foo")),
        ("show me all uses of Foo", Find("Foo")),
        ("find out where foo is used", Find("foo")),
        ("find all references to foo in @src/a.py", Find("foo", "src/a.py")),
        ("who uses foo?", Find("foo")),
        ("who calls foo in src/", Find("foo", "src/", calls_only=True)),
        ("callers of foo", Find("foo", calls_only=True)),
        ("where is foo called?", Find("foo", calls_only=True)),
        ("find `bug`", Find("bug", "")),
        ("outline src/a.py", Outline("src/a.py")),
        ("Explain @src/a.py please", Outline("src/a.py")),
        ("what is in a.py?", Outline("a.py")),
        ("what does a.py do?", Outline("a.py")),
        ("list the functions in a.py", Outline("a.py")),
        ("replace foo by bar in a.py", Replace("foo", "bar", "a.py")),
        ("replace \"foo bar\" with 'baz' in src/a.py.", Replace("foo bar", "baz", "src/a.py")),
        ("Replace all occurrences of `x  y` with `` in `my file.txt`", Replace("x  y", "", "my file.txt")),
        ("in a.py, replace foo with bar", Replace("foo", "bar", "a.py")),
        ("fix a.py", Fix("a.py")),
        ("fix lint", Fix()),
        ("please fix all the lint errors", Fix()),
        ("fix the linter warnings in this project", Fix()),
        ("fix the lint errors in src/a.py", Fix("src/a.py")),
        ("run the tests", RunTests()),
        ("Run all the unit tests, please", RunTests()),
        ("do the tests pass?", RunTests()),
        ("pytest", RunTests("pytest")),
        ("run npm test", RunTests("npm")),
        ("run pytest in tests/a.py", RunTests("pytest", "tests/a.py")),
        ("run tests/test_x.py", RunTests("", "tests/test_x.py")),
    ],
)
def test_the_wording_is_forgiven(prompt: str, intent: Intent) -> None:
    assert understand(prompt) == intent


@corpus(
    "prompt",
    [
        "write me a poem",
        "find the bug in my code",
        "find bugs",
        "explain recursion",
        "fix the bug",
        "where is the login handled",
        "make it faster",
        "go",
        "make a new file",
        "test the login page",
        "show x",
        "hello",
        "",
    ],
)
def test_what_needs_thought_is_not_guessed_at(prompt: str) -> None:
    assert understand(prompt) == Unknown()


@corpus(
    "prompt", ["rename stuff", "rename a to b. Then run the tests", "rename the file a.py to b.py", "replace a by b"]
)
def test_a_known_intent_without_its_objects_is_asked_back(prompt: str) -> None:
    assert isinstance(understand(prompt), Unclear)


def test_this_file_is_the_one_attached() -> None:
    assert understand("explain this file", ["/p/a.py"]) == Outline("/p/a.py")
    assert understand("replace a by b", ["/p/a.py"]) == Replace("a", "b", "/p/a.py")
    assert understand("explain this file", ["/p/a.py", "/p/b.py"]) == Unknown()
    assert understand("explain this file") == Unknown()
