"""Hooks of a project as the user sees them before the user decides whether to trust the project."""

import hashlib

from placet.core.regular_files import read_regular_file
from placet.project.hook_files import MOST_BYTES, digest_of, hooks_in
from placet.project.inventory import InventoryItem


def shown_hooks(item: InventoryItem) -> list[str]:
    """Return the lines that show the hooks of a project's file to the user; empty for a file without hooks. Blocks.

    A file that has changed since the inventory shows nothing, as the user's trust is about the file of the inventory.
    """
    if item.kind not in ("hooks", "settings", "workspace"):
        return []
    try:
        content = read_regular_file(item.path, MOST_BYTES) if item.content is None else item.content
        hooks = hooks_in(content)
    except (OSError, ValueError):
        return []
    if hooks is None or item.digest not in (digest_of(hooks), hashlib.sha256(content).hexdigest()):
        return []
    from placet.extensions.bundles.summary import hook_lines  # Few projects have hooks.

    return list(hook_lines(hooks))
