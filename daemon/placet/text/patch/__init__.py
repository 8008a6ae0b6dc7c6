"""Patches of `apply_patch`: parsed, and applied to texts in memory."""

from placet.text.patch.application import PatchedFile, apply_sections
from placet.text.patch.grammar import (
    AddFile,
    DeleteFile,
    PatchSection,
    UpdateFile,
    parse_patch,
    patch_paths,
    with_paths,
)

__all__ = [
    "AddFile",
    "DeleteFile",
    "PatchSection",
    "PatchedFile",
    "UpdateFile",
    "apply_sections",
    "parse_patch",
    "patch_paths",
    "with_paths",
]
