from corpus_support import corpus
from placet.agent.commands.unknown import unknown_command

KNOWN = ("back", "compact", "git/commit", "model", "review", "review-mode", "server:prompt", "status", "undo")


def is_path(name: str) -> bool:
    return name in ("/tmp", "/etc")


@corpus(
    ("text", "guess"),
    [
        ("/undoo", "`/undo`?"),
        ("/Undo", "`/undo`?"),
        ("  /stats now", "`/status`?"),
        ("/reviewmode ask", "`/review-mode` or `/review`?"),
        ("/modell\nnow", "`/model`?"),
        ("/xyzzy", ""),
        ("/é", ""),
    ],
)
def test_a_name_of_no_command_is_refused_with_the_nearest_names(text: str, guess: str) -> None:
    words = unknown_command(text, KNOWN, is_path)
    assert words is not None
    assert "nothing was sent" in words
    assert (f"Did you mean {guess}" in words) if guess else ("Did you mean" not in words)


@corpus(
    "text",
    [
        *("/undo", "/git/commit now", "/server:prompt x", " /model a/b"),
        *("/tmp is full", "/etc", "/users/7 returns 404", "/usr/bin is a path", "/a.txt is empty", "/"),
        *("//undo", "/ undo", "undo /undoo", "fix /undoo", "", "/* a comment */", "/-x"),
    ],
)
def test_a_command_a_path_and_any_other_text_are_sent(text: str) -> None:
    assert unknown_command(text, KNOWN, is_path) is None
