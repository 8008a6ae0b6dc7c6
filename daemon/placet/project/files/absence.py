"""Words for a path at which there is no file."""

from pathlib import Path

from placet.project.paths import real


def no_file(path: Path) -> str:
    """Return the sentence for the user and the model: a link that leads nowhere is named as a link. Looks at the
    disk.
    """
    if path.is_symlink():
        return f"{path} is a symbolic link to {real(path)}, and there is no such file. Name that file to make it."
    return f"There is no file {path}."
