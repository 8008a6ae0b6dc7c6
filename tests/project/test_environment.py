import pytest

from placet.project.environment import without_secrets


@pytest.mark.parametrize(
    "name",
    [
        "OPENAI_API_KEY",
        "APIKEY",
        "AWS_ACCESS_KEY_ID",
        "AWS_SECRET_ACCESS_KEY",
        "SECRET_KEY_BASE",
        "GITHUB_TOKEN",
        "TOKEN",
        "NPM_TOKEN_2",
        "AUTHTOKEN",
        "CLIENT_SECRET",
        "PGPASSWORD",
        "db_password",
        "SSH_PASSPHRASE",
        "GOOGLE_APPLICATION_CREDENTIALS",
    ],
)
def test_what_is_named_like_a_secret_is_left_out(name: str) -> None:
    assert without_secrets({name: "x", "PATH": "/bin"}) == {"PATH": "/bin"}


@pytest.mark.parametrize("name", ["PATH", "HOME", "SSH_AUTH_SOCK", "TOKENIZERS_PARALLELISM", "KEYBOARD", "PWD", "LANG"])
def test_what_programs_need_is_passed_on(name: str) -> None:
    assert without_secrets({name: "x"}) == {name: "x"}
