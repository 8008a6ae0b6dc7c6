"""Keys in the text around the cursor: none of them leaves in a request."""

from hypothesis import given
from hypothesis import strategies as st

from corpus_support import corpus
from placet.completion.secrets import REMOVED, holds_secret, without_secrets

KEYS = (
    "sk-proj-abcdefghijklmnop1234",
    "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
    "AKIAABCDEFGHIJKLMNOP",
    "AIzaSyA1234567890abcdefghijklmnopqrstuv",
    "xoxb-1234567890-abcdefghijkl",
    "npm_abcdefghijklmnopqrstuvwxyz012345",
    "glpat-abcdefghijklmnopqrst",
    "eyJhbGciOiJIUzI1.eyJzdWIiOiIxMjM0.abcDEF123",
    "-----BEGIN RSA PRIVATE KEY-----",
)


@given(st.sampled_from(KEYS), st.text(alphabet="ab =\"'\n", max_size=30), st.text(alphabet="ab =\"'\n,)", max_size=30))
def test_a_key_in_the_text_does_not_leave(key: str, before: str, after: str):
    text = f"{before} {key} {after}"
    assert key not in without_secrets(text)
    assert holds_secret(text)


@corpus(
    ("text", "expected"),
    [
        ('url = "postgres://user:hunter22@host/db"', f'url = "postgres://{REMOVED}@host/db"'),
        ('key = "hB4kQ9zX2mW7vT1nR8pL5cJ0dF3gS6yA"', f'key = "{REMOVED}"'),
        ("k = 1\n" + "MIIEpAIBAAKCAQEA7bq3N0n7cQkq8fW1Zr0l2o3p4q5r6s7t8u9v0w1x2y3z4A5B\n" * 2, f"k = 1\n{REMOVED}\n"),
        ('a = "a_long_name_of_a_thing_without_digits"', 'a = "a_long_name_of_a_thing_without_digits"'),
        ('a = "https://example.com/Path/One/Two3"', 'a = "https://example.com/Path/One/Two3"'),
        ('password = "hunter22"', f'password = "{REMOVED}"'),
        ("config['db_password'] = 'hunter22'", f"config['db_password'] = '{REMOVED}'"),
        ('{"apiKey": "abc-def-ghi"}', f'{{"apiKey": "{REMOVED}"}}'),
        ("export GITHUB_TOKEN=abcdef123", f"export GITHUB_TOKEN={REMOVED}"),
        ("DB_PASSWORD=hunter22", f"DB_PASSWORD={REMOVED}"),
        ("DEBUG=enabled", "DEBUG=enabled"),
        ("def login(password: str, token: str) -> None:", "def login(password: str, token: str) -> None:"),
        ("password = read_password()", "password = read_password()"),
        ("x = foo(1)", "x = foo(1)"),
    ],
)
def test_what_looks_like_a_key_is_replaced_and_all_else_stays(text: str, expected: str):
    assert without_secrets(text) == expected
