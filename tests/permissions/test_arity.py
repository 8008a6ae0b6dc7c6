from corpus_support import corpus
from placet.permissions.arity import prefix

OPENCODE = {
    1: """
        cat|cd|chmod|chown|cp|echo|env|export|grep|kill|killall|ln|ls|mkdir|mv|ps|pwd|rm|rmdir|sleep|source|tail|touch
        unset|which
    """,
    2: """
        bazel|brew|bun|cargo|cdk|cf|cmake|composer|consul|crictl|deno|docker|eksctl|firebase|flyctl|git|go|gradle|helm
        heroku|hugo|ip|kind|kubectl|kustomize|make|mc|minikube|mongosh|mysql|mvn|ng|npm|npx|nvm|nx|openssl|pip|pipenv
        pnpm|podman|poetry|psql|pulumi|pyenv|python|rake|rbenv|redis-cli|rustup|serverless|skaffold|sls|sst|swift
        systemctl|terraform|tmux|turbo|ufw|vault|vercel|volta|wp|yarn
    """,
    3: """
        aws|az|doctl|gcloud|gh|sfdx|bun run|bun x|cargo add|cargo run|consul kv|deno task|docker builder|docker compose
        docker container|docker image|docker network|docker volume|eksctl create|git config|git remote|git stash
        ip addr|ip link|ip netns|ip route|kind create|kubectl kustomize|kubectl rollout|mc admin|npm exec|npm init
        npm run|npm view|openssl req|openssl x509|pnpm dlx|pnpm exec|pnpm run|podman container|podman image
        pulumi stack|terraform workspace|vault auth|vault kv|yarn dlx|yarn run
    """,
}
"""How many words OpenCode (github.com/sst/opencode) counts for each of the entries of its table."""
ENTRIES = [
    (entry.strip(), count)
    for count, lines in OPENCODE.items()
    for line in lines.split("\n")
    for entry in line.split("|")
    if entry.strip()
]


@corpus(("entry", "count"), ENTRIES)
def test_no_offer_is_wider_than_the_one_of_opencode(entry: str, count: int) -> None:
    words = prefix([*entry.split(), "one", "two", "three"])
    assert words is not None
    assert len(words) >= count


def test_every_entry_of_opencode_is_tested() -> None:
    assert len(dict(ENTRIES)) >= 136


@corpus(
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


@corpus("argv", [["git"], ["git", "-C", "x"], ["npm", "run"], ["git", "a b"], ["ls*"], ["git", ""], []])
def test_nothing_is_offered_where_that_cannot_be_said(argv: list[str]) -> None:
    assert prefix(argv) is None
