"""Run a line in real bash where every program is a stub, and see which were called, how, and in which directory."""

import contextlib
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

SHELL = "/bin/bash"
STUBS = ("a", "b", "c", "git")
REAL = ("env", "nice", "timeout", "nohup", "xargs", "find", "sh", "bash", "setsid", "stdbuf")
SECONDS = 2.0

_HANDLER = """() {{
  printf '%s\\0' "$PWD" "$#" "$@" >> '{log}'
  [ "$(/usr/bin/wc -c < '{log}')" -gt 20000 ] && kill -KILL 0
  [ "$1" = a -o "$1" = git ]
}}"""


@dataclass(frozen=True, slots=True)
class Call:
    directory: str
    argv: tuple[str, ...]


class TracedBash:
    """A directory of stubs, a home, and a workspace to run lines in."""

    def __init__(self, base: Path) -> None:
        self.workspace = base / "workspace"
        self.home = base / "home"
        self._log = base / "log"
        programs = base / "programs"
        for directory in (self.workspace / "d" / "e", self.home, programs):
            directory.mkdir(parents=True)
        for name in STUBS:
            stub = programs / name
            stub.write_text(
                f'#!{SHELL}\nprintf \'%s\\0\' "$PWD" "$(($# + 1))" {name} "$@" >> \'{self._log}\'\n'
                f"[ {name} = a -o {name} = git ]\n"
            )
            stub.chmod(0o755)
        for name in REAL:
            for place in ("/bin", "/usr/bin"):
                if Path(place, name).exists():
                    (programs / name).symlink_to(Path(place, name))
                    break
        handler = _HANDLER.format(log=self._log)
        self._environment = {
            "PATH": str(programs),
            "HOME": str(self.home),
            "FUNCNEST": "3",
            "BASH_FUNC_command_not_found_handle%%": handler,
        }

    def run(self, line: str) -> list[Call]:
        """The calls the line made."""
        self._log.write_bytes(b"")
        run_bounded(line, self.workspace, self._environment, seconds=SECONDS)
        return _parse(self._log.read_bytes())


def run_bounded(
    line: str,
    directory: Path,
    environment: Mapping[str, str],
    *,
    seconds: float,
    cpu_seconds: int = 1,
    file_bytes: int = 1 << 20,
) -> None:
    """Run the line in bash without a terminal, within limits of time and size, and end whatever the line started."""
    process = subprocess.Popen(
        [SHELL, "-c", line],
        cwd=directory,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    # From here: code between fork and exec would copy all of the tests' process.
    _limit(process.pid, cpu_seconds, file_bytes)
    try:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(seconds)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _limit(pid: int, cpu_seconds: int, file_bytes: int) -> None:
    """Limit a process that has just begun; where the system cannot, the limit of its time is left."""
    if sys.platform == "linux":
        with contextlib.suppress(ProcessLookupError):
            resource.prlimit(pid, resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds))
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (file_bytes, file_bytes))
            resource.prlimit(pid, resource.RLIMIT_CORE, (0, 0))


def _parse(data: bytes) -> list[Call]:
    fields = [field.decode("utf-8", "surrogateescape") for field in data.split(b"\0")]
    calls: list[Call] = []
    while len(fields) > 2:
        count = int(fields[1])
        calls.append(Call(fields[0], tuple(fields[2 : 2 + count])))
        del fields[: 2 + count]
    return calls
