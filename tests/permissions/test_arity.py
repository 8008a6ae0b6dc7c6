import pytest

from placet.permissions.arity import prefix


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("rm -rf x", "rm"),
        ("unknown-program x y", "unknown-program"),
        ("git commit -m x", "git commit"),
        ("git remote add origin x", "git remote add"),
        ("npm install x", "npm install"),
        ("npm run test -- -x", "npm run test"),
        ("docker ps", "docker ps"),
        ("docker compose up -d", "docker compose up"),
        ("aws s3 ls", "aws s3 ls"),
        ("kubectl get pods", "kubectl get"),
        ("kubectl rollout status x", "kubectl rollout status"),
        ("python script.py x", "python script.py"),
        ("python -m pytest -q", "python -m pytest"),
        ("uv run pytest", "uv run pytest"),
        ("make test", "make test"),
    ],
)
def test_the_words_that_say_what_a_command_does(command: str, expected: str) -> None:
    assert prefix(command.split()) == tuple(expected.split())


@pytest.mark.parametrize(
    "argv", [["git"], ["git", "-C", "x"], ["npm", "run"], ["git", "a b"], ["ls*"], ["git", ""], []]
)
def test_nothing_is_offered_where_that_cannot_be_said(argv: list[str]) -> None:
    assert prefix(argv) is None
