"""No key leaves the host in words."""

import io

import pytest

from corpus_support import corpus
from placet.model.host.redaction import PUT_IN, RedactedStream, redact

OWN = "my/own+key=0123456789"


@pytest.fixture(autouse=True)
def key(monkeypatch):
    monkeypatch.setenv("STRANGE_API_KEY", OWN)
    monkeypatch.setenv("LOCAL_API_KEY", "none")


@corpus(
    ("text", "expected"),
    [
        (f"Incorrect API key provided: {OWN}.", f"Incorrect API key provided: {PUT_IN}."),
        ("GET /v1?x=1&q=my%2Fown%2Bkey%3D0123456789&y=2", f"GET /v1?x=1&q={PUT_IN}&y=2"),
        ("Incorrect API key provided: sk-proj-0123456789abcdef01.", f"Incorrect API key provided: {PUT_IN}"),
        ("provided: sk-proj-********************wxyz.", f"provided: {PUT_IN}"),
        ("Authorization: Bearer abc.def-ghi_jkl", f"Authorization: Bearer {PUT_IN}"),
        ("https://host/models?key=abcdefgh&alt=sse", f"https://host/models?key={PUT_IN}&alt=sse"),
        ("The server at https://ada:love@host/v1 failed", f"The server at https://{PUT_IN}@host/v1 failed"),
        (
            "none of the tokens: 128000 > 4096, see https://host/a@b",
            "none of the tokens: 128000 > 4096, see https://host/a@b",
        ),
        (
            "max_tokens: task-specific limits of gpt-4o-mini apply",
            "max_tokens: task-specific limits of gpt-4o-mini apply",
        ),
    ],
)
def test_keys_are_taken_out_and_nothing_else(text: str, expected: str) -> None:
    assert redact(text) == expected


def test_a_key_printed_in_pieces_is_taken_out_too() -> None:
    target = io.StringIO()
    stream = RedactedStream(target)

    print("the key", OWN[:7], sep=" ", end="", file=stream)
    stream.flush()
    print(OWN[7:], "\nnext", end="", file=stream)
    stream.close()

    assert target.getvalue() == f"the key {PUT_IN} \nnext\n"
