"""Forks `python -m MODULE ARGUMENTS` for tests: what an earlier one has imported is imported once, and not by each.

A request for each process, `{"module", "imports", "arguments", "environment", "directory", "leadsSession",
"isKilledWithAsker"}`, has four descriptors: the process's stdin, stdout and stderr, and a pipe on which the process's
number is told, and at its end how it ended. `imports` are modules which the process will need and cannot tell, as it
will be killed. `isKilledWithAsker`: the process is killed where the pipe is no longer read.
The tests' own requests come on stdin's socket, those of other programs on connections to the socket whose descriptor is
the first argument. The others are the path of `stand_in.py` and the path of that socket: a fork starts Placet's own
modules (the model host, a worker, the shared daemon) through the stand-in, as forks too.
"""

import atexit
import contextlib
import gc
import importlib
import json
import marshal
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterable
from typing import Any

from placet.core import pydantic_plugins

LARGEST_REQUEST = 1 << 20
STAND_IN = sys.argv[2:4]
"""The program that stands for a fork, and the path of the socket on which it asks."""
NEEDED = {
    "placet.model.host": ("placet.model.host.service",),
    "placet.extensions.worker": ("placet.extensions.worker.service",),
}
"""What the modules import that tell nothing at their end."""


def main() -> dict[str, Any]:
    """Serve until stdin's socket is closed; return in each fork, with what the fork is asked to run."""
    requests = socket.socket(fileno=os.dup(0))
    listener = socket.socket(fileno=int(sys.argv[1]))
    listener.set_inheritable(False)
    woken, waker = os.pipe()
    os.set_blocking(waker, False)
    signal.set_wakeup_fd(waker)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    running: dict[int, int] = {}
    news: set[int] = set()
    poll = select.poll()
    for descriptor in (requests.fileno(), listener.fileno(), woken):
        poll.register(descriptor, select.POLLIN)
    while True:
        for ready, _ in poll.poll():
            if ready in (requests.fileno(), listener.fileno()):
                is_listener = ready == listener.fileno()
                line, descriptors = _request(listener if is_listener else requests, is_listener=is_listener)
                if not line and is_listener:
                    continue  # The program that asks was killed before it could ask.
                if not line:
                    sys.exit()
                request = marshal.loads(line)
                _import((*request["imports"], *NEEDED.get(request["module"], ())))
                told, told_in = os.pipe()
                if (pid := os.fork()) == 0:
                    own = [requests.detach(), listener.detach(), woken, waker, told, *news, *running.values()]
                    return _become(request, descriptors, told_in, own)
                os.close(told_in)
                news.add(told)
                poll.register(told, select.POLLIN)
                running[pid] = descriptors[3]
                for descriptor in descriptors[:3]:
                    os.close(descriptor)
                try:
                    os.write(descriptors[3], f"{pid}\n".encode())
                except BrokenPipeError:  # The program that asked was killed, and so is what stands for it.
                    os.kill(pid, signal.SIGKILL)
                    continue
                if request["isKilledWithAsker"]:
                    poll.register(descriptors[3], 0)  # Of a pipe that nobody reads poll tells without being asked.
            elif ready == woken:
                os.read(woken, 1 << 16)
                _tell_ends(running, poll)
            elif ready in news:
                poll.unregister(ready)
                news.remove(ready)
                _learn(ready)
            else:
                poll.unregister(ready)
                for pid in [pid for pid, pipe in running.items() if pipe == ready]:
                    os.kill(pid, signal.SIGKILL)


def _request(ready: socket.socket, *, is_listener: bool) -> tuple[bytes, list[int]]:
    """Return the next request with its descriptors."""
    asking = ready.accept()[0] if is_listener else ready
    line, descriptors, _, _ = socket.recv_fds(asking, LARGEST_REQUEST, 4)
    if is_listener:
        asking.close()
    return line, descriptors


def _become(request: dict[str, Any], descriptors: list[int], told_in: int, own: Iterable[int]) -> dict[str, Any]:
    """Make the fork what the started process would be; `own` are the server's descriptors."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # Also where the tests run in the background of a shell.
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # Also where the tests run below `nohup`.
    if request["leadsSession"]:
        os.setsid()
    for number, descriptor in enumerate(descriptors[:3]):
        os.dup2(descriptor, number)
    for descriptor in {*descriptors, *own} - {0, 1, 2}:
        os.close(descriptor)
    sys.stdout.reconfigure(line_buffering=os.isatty(1))  # As at the start of an interpreter.
    os.chdir(request["directory"])
    os.environ.clear()
    os.environ.update(request["environment"])
    if request["module"] not in NEEDED:  # What the others may import, as litellm, is too large for each fork.
        atexit.register(_tell_modules, told_in)
    subprocess.Popen = _Popen  # type: ignore[misc]
    return request


class _Popen(subprocess.Popen[Any]):
    """A program that a forked process starts: a module of Placet's is forked as well."""

    def __init__(self, arguments: Any, *others: Any, **given: Any) -> None:
        super().__init__(_through_stand_in(arguments), *others, **given)


def _through_stand_in(arguments: Any) -> Any:
    """Return the command with which the fork server starts a command of `python_command`, or of the shared daemon."""
    match arguments:
        case (sys.executable, "-P", "-m", str() as module, *own) if module.partition(".")[0] == "placet":
            # The parent of the fork is the fork server: its own is out of sight, as the number 0 says.
            own = ["0" if argument == str(os.getpid()) else argument for argument in own]
            return [sys.executable, "-IS", *STAND_IN, module, *own]
        case _:
            return arguments


def _tell_modules(told_in: int) -> None:
    with contextlib.suppress(BrokenPipeError), os.fdopen(told_in, "w") as file:
        json.dump([name for name in sys.modules if name != "__main__"], file)


def _learn(told: int) -> None:
    """Import what a process had imported at its end; one that was killed tells nothing."""
    with os.fdopen(told) as file:
        text = file.read() or "[]"
    with contextlib.suppress(ValueError):  # Where the process was killed while it told.
        _import(json.loads(text))


def _import(names: Iterable[str]) -> None:
    for name in names:
        if name not in sys.modules:
            with contextlib.suppress(ImportError):  # Some modules are made by others, and a project's own are not here.
                importlib.import_module(name)
    gc.freeze()  # A collection in a fork would copy every page.


def _tell_ends(running: dict[int, int], poll: select.poll) -> None:
    for pid, pipe in list(running.items()):
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            del running[pid]
            with contextlib.suppress(KeyError):
                poll.unregister(pipe)
            with contextlib.suppress(BrokenPipeError), os.fdopen(pipe, "w") as file:
                file.write(f"{os.waitstatus_to_exitcode(status)}\n")


def _end(code: int) -> None:
    """End a fork as an interpreter ends that does not take itself to pieces, which would copy all of its memory."""
    threading._shutdown()
    atexit._run_exitfuncs()
    with contextlib.suppress(OSError, ValueError):  # Of a closed pipe the interpreter tells at its own end.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    pydantic_plugins.leave_out()
    asked = main()
    sys.argv = [asked["module"], *asked["arguments"]]
    # As the script `placet` has it: no module of a project's stands in the way of a library's.
    sys.path[:1] = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
    try:
        runpy.run_module(asked["module"], run_name="__main__", alter_sys=True)
    except SystemExit as end:
        if not isinstance(end.code, int | None):
            raise
        _end(end.code or 0)
        raise
    _end(0)
