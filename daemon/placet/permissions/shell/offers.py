"""Programs for which "always" is offered for their own text alone: a pattern would allow far more than was seen.

A grant such as `rsync *` holds for every later call, and this package does not know each option of these programs.
"""

from collections.abc import Iterator, Sequence

_OPTIONS = "an option of it can run another program, and not all of its options are known here"
_COMMAND = "its arguments are a command that it runs, and they are not taken apart here"
_ELSEWHERE = "its arguments are a command that it runs in another place, and they are not taken apart here"
_FETCHED = "its arguments name code that it fetches and runs"
_ROOT = "it runs its arguments as another user"
_SQL = "its arguments are statements that can read and write any file"

MOST_WORDS = 64
"""Number of words in which a command behind another program is looked for."""

_REASONS = {
    _OPTIONS: """
        ack|ag|bat|bsdtar|c++|cc|clang|clang++|cmake|cpio|ctags|fd|fdfind|file|g++|gcc|iconv|java|javac|ld|man|mypy
        openssl|pax|rsync|rustc|scp|sftp|shuf|yq|zip|ffmpeg|convert|magick|vim|sshfs|aria2c|7z|7za|7zz|ar|exiftool
    """,
    _COMMAND: """
        xvfb-run|hyperfine|concurrently|nodemon|cross-env|dotenv|npm-run-all|run-p|run-s|perf|valgrind|rlwrap|numactl
        setarch|linux64|prlimit|setpriv|capsh|faketime|eatmydata|proxychains|proxychains4|torsocks|tsocks|coverage
        kernprof|nix-shell|ssh-agent|dbus-run-session|aws-vault|doppler|chpst|envdir|tini|dumb-init|catchsegv
        start-stop-daemon|newgrp|sg|runcon|cgexec|direnv exec|conda run|mamba run|micromamba run|nix run|nix shell
        nix develop|mise exec|mise x|asdf exec|op run|xargs|watch|corepack|volta run|fnm exec|nvm exec|devbox run
        chronic
    """,
    _ELSEWHERE: """
        docker run|docker exec|docker compose run|docker compose exec|podman run|podman exec|kubectl exec|kubectl run
        kubectl debug|heroku run|fly ssh|vagrant ssh
    """,
    _FETCHED: "go run|deno run|deno install|pipx run|uv tool run|bun x",
    _ROOT: "sudo|doas",
    _SQL: "sqlite3|psql|mysql|mariadb|mongosh|redis-cli",
}
NOT_OFFERED = {
    " ".join(entry.split()): reason
    for reason, lines in _REASONS.items()
    for line in lines.splitlines()
    for entry in line.split("|")
    if entry.strip()
}
"""Programs, or programs with a subcommand, each with the reason why no pattern is offered."""


def reason_against(argv: Sequence[str]) -> str:
    """Return why "always" offers no pattern for a command, or "" if a pattern may be offered."""
    program = argv[0].rpartition("/")[2]
    words = (program, *argv[1:])
    return next((reason for count in (1, 2, 3) if (reason := NOT_OFFERED.get(" ".join(words[:count])))), "")


def commands_behind(words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield the words that may be a command started by a program whose arguments are not taken apart.

    Which word begins the command is not known here: each word may, also a command line in a single word. Nothing is
    yielded for more than `MOST_WORDS` words.
    """
    if is_starter(words) and len(words) <= MOST_WORDS:
        for at, word in enumerate(words[1:], 1):
            if word.strip() and not word.startswith("-"):
                yield (*word.split(), *words[at + 1 :])


def is_starter(words: Sequence[str]) -> bool:
    """Return whether the program starts a command that its arguments name, and the analysis does not take apart."""
    return bool(words) and words[0] != "xargs" and reason_against(words) == _COMMAND
