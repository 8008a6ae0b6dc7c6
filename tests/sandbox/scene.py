"""A home with secrets, a project with protected files, and processes of the host, for the rows of rows.py."""

import atexit
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Generator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from placet.sandbox.removal import remove_tree
from placet.settings.locations import Locations
from sandbox.rows import POOL

PLAIN_USER = 65534
SECRET = "MARKED"
_SECRETS = (
    *(".ssh/id_ed25519", ".aws/credentials", ".config/gh/hosts.yml", ".netrc", ".bash_history"),
    *(".local/share/keyrings/login.keyring", ".config/placet/keys.json", ".config/placet/grants.json"),
    *(".local/share/placet/placet.db", ".local/state/placet/log/daemon.log"),
    *(".cache/placet/sandbox/sessions/other/tmp/file", ".local/share/placet/tool-output/other/out"),
)
_BUILDER = """
import zipfile

def build_wheel(directory, config_settings=None, metadata_directory=None):
    name = "in_package-1-py3-none-any.whl"
    with zipfile.ZipFile(directory + "/" + name, "w") as wheel:
        wheel.writestr("in_package.py", "NAME = \\"packed\\"")
        wheel.writestr("in_package-1.dist-info/METADATA", "Metadata-Version: 2.1\\nName: in_package\\nVersion: 1\\n")
        wheel.writestr("in_package-1.dist-info/WHEEL", "Wheel-Version: 1.0\\nTag: py3-none-any\\n")
        wheel.writestr("in_package-1.dist-info/RECORD", "")
    return name
"""
"""Build backend without dependencies, for an installation without the network."""
_PROJECT_FILES = {
    "file.txt": "first\n",
    "placet.json": "{}\n",
    ".placet/tools/own.py": "",
    ".vscode/settings.json": "{}\n",
    "pkg/.vscode/settings.json": "{}\n",
    "odd\nname/.vscode/settings.json": "{}\n",
    "test_it.py": "def test_it():\n    assert True\n",
    "package/pyproject.toml": '[build-system]\nrequires = []\nbuild-backend = "builder"\nbackend-path = ["."]\n'
    '[project]\nname = "in_package"\nversion = "1"\n',
    "package/builder.py": _BUILDER,
    "node_package/package.json": '{"name": "node_package", "version": "1.0.0", "main": "main.js"}\n',
    "node_package/main.js": 'console.log("packed");\n',
    "Makefile": "program: program.c\n\tgcc -o program program.c\n",
    "program.c": '#include <stdio.h>\nint main(void) { puts("compiled"); return 0; }\n',
}
_LISTENER = """
import os, socket, sys
sockets = []
for path in sys.argv[1:]:
    made = socket.socket(socket.AF_UNIX)
    made.bind(path.replace("@", "\\0"))
    made.listen()
    sockets.append(made)
print("ready", flush=True)
sys.stdin.read()
"""


@dataclass(frozen=True, slots=True)
class Scene:
    """Prepared directory; `prefix` starts a program as the scene's user."""

    base: Path
    prefix: tuple[str, ...]
    victim: int
    """Process of the host whose variables hold a secret."""
    python: str
    """Python whose packages the scene's user can read."""

    @property
    def home(self) -> Path:
        return self.base / "home"

    @property
    def project(self) -> Path:
        return self.home / "work" / "project"

    @property
    def linked(self) -> Path:
        """Worktree linked to the repository `main` beside the project."""
        return self.home / "work" / "linked"

    @property
    def roots(self) -> tuple[Path, ...]:
        return (self.project, self.linked)

    @property
    def locations(self) -> Locations:
        return Locations(
            config=self.home / ".config/placet",
            data=self.home / ".local/share/placet",
            cache=self.home / ".cache/placet",
            log=self.home / ".local/state/placet/log",
        )

    @property
    def environment(self) -> Mapping[str, str]:
        return {
            "HOME": str(self.home),
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "LC_ALL": "C.UTF-8",
            "PROJECT": str(self.project),
            "LINKED": str(self.linked),
            "OUTSIDE": str(self.home / "outside"),
            "VICTIM": str(self.victim),
            "ABSTRACT": f"placet-test-{self.victim}",
            "TMP_SOCKET": str(self.base.with_suffix(".sock")),
            "PYTHON": self.python,
            "GIT_CONFIG_NOSYSTEM": "1",
            "SHELL": "/bin/bash",
        }

    def lay_anew(self) -> None:
        """Take the home back to what it was, but for the socket in the home, which a process of the host holds."""
        for entry in self.home.iterdir():
            if entry.is_dir() and not entry.is_symlink():
                remove_tree(entry)  # Also directories that a command has closed.
            elif not entry.is_socket():
                entry.unlink()
        _copy(_template(), self.base)
        self.give(self.home)

    def give(self, directory: Path) -> None:
        """Make the scene's user the owner of everything in the directory."""
        if self.prefix:
            _give(directory, PLAIN_USER)

    def directory(self, name: str) -> Path:
        return self.linked if name == "linked" else self.project

    def has_planted(self, plant: str) -> bool:
        """Return whether the file, relative to the scene, holds the word of an attempt."""
        file = self.base / plant
        return file.is_file() and "PLANTED" in file.read_text(errors="replace")


@contextmanager
def scene(*, as_plain_user: bool) -> Generator[Scene]:
    """Make a scene below the temporary directory that every user can reach, and remove the scene."""
    user = PLAIN_USER if as_plain_user and os.geteuid() == 0 else None
    prefix = () if user is None else ("setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", "--")
    with ExitStack() as stack:
        base = Path(tempfile.mkdtemp(prefix="placet-scene-", dir="/tmp")).resolve()
        stack.callback(shutil.rmtree, base, ignore_errors=True)
        _copy(_template(), base)
        base.chmod(0o755)
        if user is not None:
            os.chown(base, user, user)
            _give(base / "home", user)
        victim = stack.enter_context(_process(("sleep", "600"), prefix, {"KEY": SECRET}))
        made = Scene(base, prefix, victim, "/usr/bin/python3" if user is not None else sys.executable)
        tmp_socket = made.environment["TMP_SOCKET"]
        stack.callback(Path(tmp_socket).unlink, missing_ok=True)
        names = ("@" + made.environment["ABSTRACT"], tmp_socket, str(made.home / ".agent.sock"))
        stack.enter_context(_process(("/usr/bin/python3", "-c", _LISTENER, *names), prefix, {}, speaks=True))
        yield made


def _give(directory: Path, user: int) -> None:
    subprocess.run(("chown", "-R", f"{user}:{user}", directory), check=True)


@cache
def _template() -> Path:
    """Return a filled directory, made once for all scenes of the process, and removed at the end of the process."""
    base = Path(tempfile.mkdtemp(prefix="placet-template-", dir="/tmp")).resolve()
    atexit.register(shutil.rmtree, base, ignore_errors=True)
    _fill(base)
    return base


def _copy(template: Path, base: Path) -> None:
    """Copy a filled directory, with its hard links, and lead the linked worktree to the copy."""
    subprocess.run(("cp", "-a", template / "home", base), check=True)
    for name in ("home/work/linked/.git", "home/work/main/.git/worktrees/linked/gitdir"):
        file = base / name
        file.write_text(file.read_text().replace(str(template), str(base)))
    link = base / "home/work/project/old-link"
    link.unlink()
    link.symlink_to(base / "home/outside/file")


def _fill(base: Path) -> None:
    home = base / "home"
    project, main, outside = home / "work/project", home / "work/main", home / "outside"
    for name in _SECRETS:
        _write(home / name, f"{SECRET}\n")
    _write(home / ".npmrc", f"//registry.example/:_authToken={SECRET}\n")
    _write(home / ".gitconfig", "[user]\n\tname = T\n\temail = t@example.org\n")
    for name in (".bashrc", ".profile"):
        _write(home / name, "")
    for name in ("file", "linked"):
        _write(outside / name, "")
    for name, text in _PROJECT_FILES.items():
        _write(project / name, text)
    _write(project / "pool.py", POOL)
    _write(main / "file.txt", "first\n")
    for repository in (main, project, project / "nested"):
        _git(home, repository, "init", "-q")
        (repository / ".git/hooks").mkdir()
    _write(project / "nested/file.txt", "first\n")
    for repository in (main, project, project / "nested"):
        _git(home, repository, "add", "file.txt")
        _git(home, repository, "commit", "-qm", "first")
    for repository in (main, project):
        (repository / ".git/info").mkdir(exist_ok=True)
        _write(repository / ".git/info/attributes", "# none\n")
    _git(home, project, "init", "-q", "--bare", ".git/modules/sub")
    (project / ".git/modules/sub/hooks").mkdir()
    _git(home, main, "worktree", "add", "-q", str(home / "work/linked"))
    (project / "old-link").symlink_to(outside / "file")
    (project / "hard-link").hardlink_to(outside / "linked")


def _git(home: Path, directory: Path, *arguments: str) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    environment = {"HOME": str(home), "PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1", "GIT_TEMPLATE_DIR": ""}
    subprocess.run(("git", *arguments), cwd=directory, env=environment, check=True)


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


@contextmanager
def _process(
    arguments: tuple[str, ...], prefix: tuple[str, ...], variables: Mapping[str, str], *, speaks: bool = False
) -> Generator[int]:
    """Run a process of the host, until the end of the block; with `speaks`, after its first line."""
    with subprocess.Popen(
        (*prefix, *arguments),
        env={"PATH": os.environ["PATH"], **variables},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        try:
            if speaks:
                assert process.stdout is not None
                process.stdout.readline()
            yield process.pid
        finally:
            process.kill()
