"""Table of the number of words by which a command names its action, so that "always" is offered for this action alone.

The counts follow each program's own synopsis: `git commit -m x` is two words, `docker compose up` three, `rm x` a
single word. A program outside the table counts as a single word.
"""

import re
from collections.abc import Sequence

_BY_COUNT: dict[int, str] = {
    # A subcommand, and then its arguments.
    2: """
        apt apt-get asdf bazel brew bun bundle bunx cargo cdk cf cmake code composer conda consul cosign crictl dart
        deno direnv dnf docker dotnet eksctl elm firebase flutter fly flyctl gem git go gradle hatch helm heroku hg
        hugo ip jj jupyter just k3d k9s kind kubectl kustomize lerna luarocks make mamba mc meson minikube mise mix
        mongosh mvn mysql nest netlify ng nix npm npx nvm nx opam openssl pacman pdm pip pip3 pipenv pipx pixi pnpm
        podman poetry pre-commit psql pulumi pyenv rake rbenv redis-cli restic rustup rye sbt serverless skaffold sls
        snap sst stack supabase svn swift systemctl task terraform tmux tmuxp tofu turbo ufw uv uvx vagrant vault
        vercel volta wp wrangler yarn zig
    """
    + """
        bash elixir groovy guile julia lua luajit node nodejs octave osascript perl php pypy pypy3 python python3 racket
        Rscript ruby scala sh tclsh ts-node tsx zsh
    """,  # The second line: a script, and then its arguments.
    # A group, a subcommand, and then its arguments.
    3: """
        aws az doctl gcloud gh glab sfdx oci ibmcloud
    """,
}
_GROUPS = """
    bun run|bun x|bun pm|bundle exec|cargo add|cargo nextest|cargo run|composer run|conda env|consul kv|deno task
    direnv exec|docker buildx|docker builder|docker compose|docker container|docker image|docker network|docker volume
    docker system|dotnet tool|eksctl create|git bisect|git config|git notes|git reflog|git remote|git stash
    git submodule|git worktree|git lfs|git flow|go mod|go tool|go work|hatch env|hatch run|helm repo|ip addr|ip link
    ip netns|ip route|kind create|kubectl config|kubectl kustomize|kubectl rollout|mc admin|mise exec|nix flake
    nix profile|npm run|npm exec|npm init|npm pkg|npm config|npm cache|npm view|openssl req|openssl x509|pdm run
    pip cache|pip config|pipenv run|pipx run|pixi run|pnpm run|pnpm exec|pnpm dlx|podman container|podman image
    podman volume|poetry run|poetry env|poetry self|pulumi stack|python -m|python3 -m|rustup target|rustup toolchain
    rye run|terraform state|terraform workspace|uv pip|uv python|uv run|uv tool|vault auth|vault kv|yarn run|yarn dlx
    yarn workspace
"""
_COUNTS: dict[str, int] = {
    **{program: count for count, programs in _BY_COUNT.items() for program in programs.split()},
    **{" ".join(group.split()): 3 for line in _GROUPS.splitlines() for group in line.split("|") if group.strip()},
}
_MODULES = frozenset({"python -m", "python3 -m"})


def prefix(argv: Sequence[str]) -> tuple[str, ...] | None:
    """Return the words that name the command's action; the longest entry of the table decides.

    Return None if the command has fewer words, or if an option, a blank or a wildcard stands among the words.
    """
    table_words = (_without_version(argv[0]), *argv[1:2]) if argv else ()
    count = next((_COUNTS[" ".join(table_words[:n])] for n in (2, 1) if " ".join(table_words[:n]) in _COUNTS), 1)
    words = tuple(argv[:count])
    named = tuple(word for word in words if word)
    is_module = " ".join((*table_words[:1], *words[1:2])) in _MODULES
    has_option = any(word.startswith("-") for word in named[2 if is_module else 1 :])
    if len(named) < count or has_option or any(set(word) & set("*?[] \t\n") for word in words):
        return None
    return words


def _without_version(program: str) -> str:
    """Return the name by which the table knows a program: `/usr/bin/python3.11` is `python3`."""
    name = program.rpartition("/")[2]
    return name if name in _COUNTS else re.sub(r"[.-]?[\d.]+$", "", name)
