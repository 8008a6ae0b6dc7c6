"""Pager of the demo: the first lines of stdin, and how many are left out, so that the demo is read in half a minute."""

import sys

LINES = 24


def main() -> int:
    for stream in (sys.stdin, sys.stdout):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="replace")
    lines = sys.stdin.read().splitlines()
    print("\n".join(lines[:LINES]))
    if left_out := len(lines[LINES:]):
        print(f"… {left_out} more lines: `make demo VERBOSE=1` shows all")
    return 0


if __name__ == "__main__":
    sys.exit(main())
