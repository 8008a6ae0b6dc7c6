from corpus_support import corpus
from placet.text.indentation import Indents, reindent


@corpus(
    ("text", "indents", "expected"),
    [
        ("a:\n  b\n", (("", "    "),), "    a:\n      b\n"),
        ("    a\nb\n", (("    ", "  "),), "  a\nb\n"),
        ("a\n  b\n    c\n", (("", "    "), ("  ", "        ")), "    a\n        b\n            c\n"),
        ("a\n    b\n", (("", "\t"), ("    ", "\t\t")), "\ta\n\t\tb\n"),
        ("    a\n        b\n", (("    ", "\t"),), "\ta\n\t\tb\n"),
        ("  a\n\n   \n  b", (("  ", ""),), "a\n\n   \nb"),
        ("x\n", (("", ""),), "x\n"),
        ("x\n", (), "x\n"),
        ("a\n        b\n", (("", "    "), ("        ", "        ")), "    a\n        b\n"),
    ],
)
def test_new_text_takes_over_how_the_indentation_was_quoted(text: str, indents: Indents, expected: str) -> None:
    assert reindent(text, indents) == expected
