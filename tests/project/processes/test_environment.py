"""What is taken for a secret, by name and by shape."""

from corpus_support import corpus
from placet.project.processes.environment import Secrets, secrets_in, without_secrets

SHAPED = "sk-proj-" + "a1" * 20


@corpus(
    "name",
    [
        *("OPENAI_API_KEY", "ANTHROPIC_AUTH_TOKEN", "AWS_SECRET_ACCESS_KEY", "AWS_ACCESS_KEY_ID", "AWS_SESSION_TOKEN"),
        *("HF_TOKEN", "WX_ZENAPIKEY", "SNOWFLAKE_JWT", "GOOGLE_APPLICATION_CREDENTIALS", "GITHUB_PAT", "PGPASSWORD"),
        *("AZURE_PASSWORD", "MYSQL_PWD", "SENTRY_DSN", "npm_config__auth", "AICORE_CLIENT_SECRET", "OCI_KEY"),
    ],
)
def test_secret_names_are_kept_from_commands(name: str) -> None:
    assert without_secrets({name: "x"}) == {}
    assert secrets_in({name: "x"}) == {name: "x"}


@corpus(
    "value",
    [
        SHAPED,
        f"export {SHAPED}",
        "gsk_" + "a1" * 20,
        "AIza" + "b" * 35,
        "ghp_" + "c" * 36,
        "postgres://ada:love@db/x",
        "-----BEGIN RSA PRIVATE KEY-----\nMII",
    ],
)
def test_a_value_that_looks_like_a_key_is_kept_from_commands_whatever_its_name(value: str) -> None:
    assert without_secrets({"MINE": value}) == {}


@corpus(
    ("name", "value"),
    [
        ("PATH", "/usr/bin:/bin"),
        ("PWD", "/home/ada"),
        ("OLDPWD", "/"),
        ("XAUTHORITY", "/run/x"),
        ("SSH_AUTH_SOCK", "/run/ssh"),
        ("HTTPS_PROXY", "http://ada:love@proxy:3128"),
        ("KEYBOARD", "us"),
        ("AUTHOR", "Ada"),
        ("OPENAI_API_BASE", "http://127.0.0.1:1/v1"),
        ("GREETING", "ask-me-anything-you-like-today"),
        ("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring"),
    ],
)
def test_what_commands_need_stays(name: str, value: str) -> None:
    assert without_secrets({name: value}) == {name: value}


def test_secrets_show_only_their_names() -> None:
    assert f"{Secrets(A_KEY=SHAPED)} {Secrets(A_KEY=SHAPED)!r}" == "<secrets: A_KEY> <secrets: A_KEY>"
