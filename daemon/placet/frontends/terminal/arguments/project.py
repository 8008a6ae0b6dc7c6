"""Define the option that names the project of a command."""

import argparse
from pathlib import Path


def add_project(parser: argparse.ArgumentParser) -> None:
    """Add `--cwd`: the project in which the command works."""
    parser.add_argument(
        "--cwd", type=Path, default=Path(), metavar="DIR", help="the project (default: the current directory)"
    )
