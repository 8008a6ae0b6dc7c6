"""Hosts that are not as they should be."""

import os
from pathlib import Path


def package(directory: Path, name: str, text: str) -> dict[str, str]:
    """An environment in which a module of this name is found before the installed one."""
    file = directory.joinpath(*name.split(".")).with_suffix(".py")
    file.parent.mkdir(parents=True, exist_ok=True)
    for parent in list(file.relative_to(directory).parents)[:-1]:
        (directory / parent / "__init__.py").touch()
    file.write_text(text, "utf-8")
    return {**os.environ, "PYTHONPATH": str(directory)}
