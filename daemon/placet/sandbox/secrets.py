"""Places in a user's home where programs keep secrets; commands in the sandbox cannot read there."""

from collections.abc import Iterable
from functools import cache
from pathlib import Path

_DIRECTORIES = (
    *(".ssh", ".gnupg", ".aws", ".azure", ".kube", ".oci", ".fly", ".terraform.d", ".password-store"),
    *(".config/gcloud", ".config/gh", ".config/glab-cli", ".config/hub", ".config/op", ".config/doctl"),
    *(".config/rclone", ".config/github-copilot", ".local/share/keyrings", ".local/share/kwalletd"),
    # Browsers, mail, and messages.
    *(".mozilla", ".thunderbird", ".config/google-chrome", ".config/chromium", ".config/BraveSoftware"),
    *(".config/microsoft-edge", ".config/vivaldi", ".config/opera", ".config/evolution", ".local/share/evolution"),
    *(".config/Signal", ".config/Slack", ".config/discord", ".config/1Password", ".config/Bitwarden"),
    *(".config/keepassxc", "Mail", "Maildir", "snap/firefox", "snap/chromium"),
    # Conversations of other agents.
    *(".claude/projects", ".codex/sessions", ".gemini/tmp", ".local/share/opencode"),
)
_FILES = (
    *(".netrc", ".npmrc", ".pypirc", ".pgpass", ".my.cnf", ".s3cfg", ".boto", ".vault-token", ".terraformrc"),
    *(".git-credentials", ".config/git/credentials", ".cargo/credentials", ".cargo/credentials.toml"),
    *(".docker/config.json", ".config/containers/auth.json", ".gem/credentials", ".databrickscfg"),
    *(".msmtprc", ".fetchmailrc", ".Xauthority", ".ICEauthority"),
    *(".claude.json", ".claude/.credentials.json", ".codex/auth.json", ".gemini/oauth_creds.json"),
    *(".bash_history", ".zsh_history", ".python_history", ".node_repl_history", ".psql_history", ".mysql_history"),
    *(".sqlite_history", ".rediscli_history", ".viminfo", ".local/share/fish/fish_history", ".local/share/atuin"),
)
_OF_ROOT = ("/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/security/opasswd")
"""Files of the system that a user whose number is 0 can read without any capability, as their owner."""


@cache
def secrets_of(home: Path, *, is_root: bool = False) -> tuple[Path, ...]:
    """Return the places of secrets, which may be missing on disk."""
    return (*(home / name for name in (*_DIRECTORIES, *_FILES)), *(map(Path, _OF_ROOT) if is_root else ()))


def holds_token(npmrc: Iterable[str]) -> bool:
    """Return whether the lines of npm's settings hold a secret; npm does not work without its settings."""
    return any("_auth" in line or "_password" in line for line in npmrc)
