"""Runs the commands of `placet` given as a JSON list of lists, one after the other in one process: `-P -m` this."""

import contextlib
import json
import sys

from placet.__main__ import main


def run() -> None:
    for arguments in json.loads(sys.argv[1]):
        sys.stdout.write(f"=== {' '.join(arguments)}\n")
        sys.stdout.flush()
        with contextlib.suppress(SystemExit):
            main(arguments)
        sys.stdout.flush()


if __name__ == "__main__":
    run()
