"""A bundle with everything a bundle can have, git repositories of bundles, and a user who runs `placet`."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from fork_support.completed import run_forked

SERVER = Path(__file__).with_name("server.py")

HOOKS = {"SessionStart": [{"hooks": [{"type": "command", "command": "${CLAUDE_PLUGIN_ROOT}/scripts/start.sh"}]}]}
FILES: dict[str, str] = {
    ".claude-plugin/plugin.json": json.dumps({"name": "helper", "version": "1.2.0", "description": "Helps."}),
    "commands/hello.md": "---\ndescription: Say hello\n---\nHello $1, see ${CLAUDE_PLUGIN_ROOT}/notes.txt",
    "commands/deep/one.md": "Deep text: !`echo from-the-shell`\n",
    "agents/security.md": "---\ndescription: Looks for holes\npermission:\n  bash: allow\n---\nYou look for holes.\n",
    "skills/review/SKILL.md": "---\ndescription: How to review\n---\nRead twice.\n",
    "hooks/hooks.json": json.dumps({"description": "Starts.", "hooks": HOOKS}),
    "scripts/start.sh": '#!/bin/sh\necho "context of the bundle"\ntouch "$CLAUDE_PLUGIN_DATA/started"\n',
    ".mcp.json": json.dumps(
        {"mcpServers": {"notes": {"command": sys.executable, "args": ["${CLAUDE_PLUGIN_ROOT}/server.py"]}}}
    ),
    "server.py": SERVER.read_text("utf-8"),
    ".lsp.json": json.dumps(
        {"py": {"command": "some-server", "args": ["--stdio"], "extensionToLanguage": {".tsx": "typescriptreact"}}}
    ),
    "notes.txt": "A note.\n",
}
"""Files of the bundle `helper`; the scripts are programs."""


def write_bundle(directory: Path, files: Mapping[str, str] = FILES) -> Path:
    for name, text in files.items():
        file = directory / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
        if name.startswith("scripts/"):
            file.chmod(0o755)
    return directory


def git(directory: Path, *arguments: str) -> str:
    """The output of git, for a user of the test."""
    identity = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    done = subprocess.run(("git", *identity, *arguments), cwd=directory, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def commit(directory: Path) -> str:
    """Commit everything in the directory, in a new repository at the first call; return the commit."""
    if not (directory / ".git").exists():
        git(directory, "init", "-q", "-b", "main")
    git(directory, "add", "-A")
    git(directory, "commit", "-q", "--allow-empty", "-m", "A state of the bundle")
    return git(directory, "rev-parse", "HEAD")


class User:
    """A user with directories of their own; `placet` runs a command line."""

    def __init__(self, directory: Path) -> None:
        self.home = directory / "home"
        self.project = directory / "project"
        self.home.mkdir()
        self.project.mkdir()
        self.config = self.home / ".config" / "placet"
        self.data = self.home / ".local" / "share" / "placet"
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "PLACET_"))},
            "HOME": str(self.home),
            "USERPROFILE": str(self.home),
            "PLACET_MODEL": "builtin/rules",
        }

    def placet(self, *arguments: str, code: int = 0) -> str:
        """Both outputs of the command line, which must end with the code."""
        done = run_forked(*arguments, directory=self.project, environment=self.environment)
        assert done.returncode == code, (done.returncode, done.stdout, done.stderr)
        return done.stdout + done.stderr

    def settings(self, **values: Any) -> None:
        self.config.mkdir(parents=True, exist_ok=True)
        (self.config / "placet.json").write_text(json.dumps(values))

    def register(self) -> dict[str, Any]:
        """The register of bundles, empty without a file."""
        file = self.config / "bundles.json"
        return json.loads(file.read_text())["bundles"] if file.exists() else {}

    def traces(self) -> set[str]:
        """The names of everything that Placet has stored of bundles."""
        return {path.name for place in (self.data / "bundles",) if place.is_dir() for path in place.rglob("*")}

    def script(self, *turns: list[dict[str, Any]]) -> None:
        """Let a scripted model play these turns."""
        file = self.home / "script.json"
        file.write_text(json.dumps({"turns": [{"events": turn} for turn in turns]}))
        self.environment["PLACET_MODEL"] = f"scripted/{file}"


@contextmanager
def served(root: Path) -> Generator[str]:
    """Serve the repositories below the directory by git's own http-backend; yield the address."""
    environment = {
        **os.environ,
        "GIT_PROJECT_ROOT": str(root),
        "GIT_HTTP_EXPORT_ALL": "1",
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "safe.directory",
        "GIT_CONFIG_VALUE_0": "*",
    }
    backend = Path(subprocess.check_output(("git", "--exec-path"), text=True).strip()) / "git-http-backend"

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer(b"")

        def do_POST(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            body = self.rfile.read(length) if length else b"".join(self._chunks())
            self._answer(body)

        def _chunks(self) -> Generator[bytes]:
            while size := int(self.rfile.readline().strip() or b"0", 16):
                yield self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()

        def _answer(self, body: bytes) -> None:
            path, _, query = self.path.partition("?")
            variables = {
                "REQUEST_METHOD": self.command,
                "PATH_INFO": path,
                "QUERY_STRING": query,
                "CONTENT_TYPE": self.headers.get("Content-Type", ""),
                "CONTENT_LENGTH": str(len(body)),
                "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
                "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
                "REMOTE_ADDR": "127.0.0.1",
            }
            done = subprocess.run((str(backend),), input=body, env={**environment, **variables}, capture_output=True)
            head, _, content = done.stdout.partition(b"\r\n\r\n")
            lines = [line.partition(b": ") for line in head.split(b"\r\n")]
            status = next((value for name, _, value in lines if name == b"Status"), b"200")
            self.send_response(int(status.split()[0]))
            for name, _, value in lines:
                if name and name != b"Status":
                    self.send_header(name.decode(), value.decode())
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
