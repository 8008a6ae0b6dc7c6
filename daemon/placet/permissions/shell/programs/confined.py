"""Commands that cannot work inside the sandbox, each with the reason: such commands ask to leave before they run.

The files that a sandbox protects, and the services behind sockets, are listed in docs/SANDBOX.md.
"""

import itertools
from collections.abc import Sequence

from placet.permissions.shell.inspection import names
from placet.permissions.shell.programs.git_options import git_words
from placet.permissions.shell.programs.git_reading import git_reading
from placet.permissions.spellings import by_program, reason_for

_SERVICE = "it speaks to a service of this machine, which the sandbox hides"
_OTHER_USER = "it runs its arguments as another user, which the sandbox forbids"
_DESKTOP = "it starts a program of the desktop, which the sandbox hides"
_SYSTEM = "it changes the system, or files in your home"
_GIT_CONFIG = "it writes git's configuration, which the sandbox protects"
_HOOKS = "it installs hooks of git, which the sandbox protects"
SIGNS = "it signs with your key, which the sandbox hides"

_REASONS = by_program(
    {
        _SERVICE: """
            docker *|docker-compose *|podman *|nerdctl *|kubectl *|helm *|minikube *|kind *|adb *|systemctl *|service *
            systemd-run *|launchctl *|crontab *|at *|batch *|ssh-add *|gpg *|gpg2 *
        """,
        _OTHER_USER: "sudo *|doas *|su *|pkexec *|runuser *",
        _DESKTOP: "open *|xdg-open *|code *|cursor *|gio *|notify-send *|osascript *",
        _SYSTEM: """
            apt *|apt-get *|dnf *|yum *|pacman *|zypper *|snap *|flatpak *|brew *|port *|mount *|umount *|rustup *
            cargo install *|cargo uninstall *|pipx install *|uv tool install *|go install *|gem install *|npm -g *
            npm --location=global *|pnpm -g *|yarn global *|yarn -g *|pip install --user *|pip3 install --user *
        """,
        _HOOKS: "pre-commit install *|pre-commit uninstall *|husky install *|husky init *",
        _GIT_CONFIG: """
            git lfs install *|git flow init *|git maintenance start *|git remote add *|git remote remove *
            git remote rm *|git remote rename *|git remote set-url *|git remote set-branches *|git remote set-head *
            git submodule add *|git submodule init *|git submodule deinit *|git submodule set-url *
            git submodule set-branch *|git submodule sync *|git submodule absorbgitdirs *|git submodule --init *
            git push -u *|git branch -u *|git branch --unset-upstream *|git branch --edit-description *
            git checkout -t *|git switch -t *|git sparse-checkout init *|git sparse-checkout set *
            git sparse-checkout add *|git sparse-checkout reapply *|git sparse-checkout disable *
        """,
        SIGNS: """
            git commit -S *|git merge -S *|git rebase -S *|git cherry-pick -S *|git revert -S *|git tag -s *
            git rebase --gpg-sign *|git cherry-pick --gpg-sign *|git revert --gpg-sign *|git tag -u *
        """,
    }
)
"""Patterns of commands, as rules have patterns, by the reason."""
_LOOKS = {"docker": ("--version", "--help"), "kubectl": ("--help",), "brew": ("--version",)}
_COMMITTING = names("commit merge rebase cherry-pick revert am pull")


def reason_to_leave(argv: Sequence[str]) -> str:
    """Return why the command cannot work inside the sandbox, or "" if the command may work."""
    if len(argv) == 2 and argv[1] in _LOOKS.get(argv[0].rpartition("/")[2], ()):
        return ""
    match git_words(argv):
        case ["config", *words] if git_reading(argv[1:]) is None and _writes_setting(words):
            return _GIT_CONFIG
        case _:
            return reason_for(argv, _REASONS)


def makes_commit(argv: Sequence[str]) -> bool:
    """Return whether the command of git makes commits, which the config may tell git to sign."""
    words = git_words(argv)
    return bool(words) and words[0] in _COMMITTING and "--no-gpg-sign" not in words


def _writes_setting(words: Sequence[str]) -> bool:
    """Return whether `git config` gets a name with a value, or an action: a name alone is shown."""
    operands = list(itertools.dropwhile(lambda word: word.startswith("-"), words))
    acts = any(word.startswith(("--unset", "--add", "--replace", "--re", "--edit", "-e")) for word in words)
    return acts or len(operands) > 1
