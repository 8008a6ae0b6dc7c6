"""One run of a command of Placet, from its start to its end, as `subprocess.run` has it."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from fork_support import PLACET
from fork_support.started import start_placet


def run_forked(
    *arguments: str,
    directory: Path | None = None,
    environment: Mapping[str, str] | None = None,
    stdin: str | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run `placet ARGUMENTS`; `stdin` comes through a pipe, and without it there is nothing to read.

    The directory and the environment are this process's own unless they are given.
    """
    process = start_placet(
        arguments,
        directory or Path.cwd(),
        os.environ if environment is None else environment,
        stdin=subprocess.DEVNULL if stdin is None else subprocess.PIPE,
    )
    out, said = process.communicate(stdin)
    assert process.returncode is not None
    return subprocess.CompletedProcess([*PLACET, *arguments], process.returncode, out, said)
