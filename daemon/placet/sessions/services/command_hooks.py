"""Command hooks of the services: read from the settings and from Claude Code's files, and called by sessions."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from placet.core.ports import PermissionRequest
from placet.core.regular_files import read_regular_file
from placet.permissions.trust import ProjectTrust
from placet.project.hook_files import DIRECTORY, FILE_NAMES, MOST_BYTES, digest_of, hooks_in
from placet.settings import Action, Settings
from placet.settings.hooks import WrittenHooks

if TYPE_CHECKING:
    from placet.extensions.bundles.loading import LoadedBundle
    from placet.extensions.command_hooks.hooks import CommandHooks
    from placet.extensions.command_hooks.table import CommandHook
    from placet.permissions.ask import Ask, Caller


def user_files() -> tuple[Path, ...]:
    """Return the user's settings files of Claude Code."""
    try:
        return (Path.home() / DIRECTORY / FILE_NAMES[0],)
    except RuntimeError:  # The user may have no home directory.
        return ()


def command_hooks(
    settings: Settings,
    projects: Sequence[ProjectTrust],
    bundles: "Sequence[LoadedBundle]",
    problems: list[str],
) -> "tuple[CommandHook, ...]":
    """Return the hooks of the user, of bundles and of trusted projects, in this order. Blocks.

    Faults are added to `problems`.

    A project's file counts only with the hooks that the user trusts.
    """
    if settings.disable_all_hooks:
        return ()
    sources = [*_of_user(problems), *settings.written_hooks, *_of_projects(projects)]
    if not sources and not any(bundle.bundle.hooks for bundle in bundles):
        return ()
    from placet.extensions.command_hooks.table import HookOwner, read_hooks  # Most users have no hooks.

    hooks: list[CommandHook] = []
    for source in (source for source in sources if source.is_own):
        hooks += read_hooks(source.hooks, source.source, HookOwner(), problems)
    for bundle in bundles:
        owner = HookOwner(bundle=bundle.name, variables=bundle.variables, data=bundle.data)
        for part in bundle.bundle.hooks:
            hooks += read_hooks(part.values, f"the bundle {bundle.name}, {part.source}", owner, problems)
    for source in (source for source in sources if not source.is_own):
        owner = HookOwner(folder=_folder_of(source, projects))
        hooks += read_hooks(source.hooks, source.source, owner, problems)
    return tuple(hooks)


def _of_user(problems: list[str]) -> Iterator[WrittenHooks]:
    for file in user_files():
        try:
            hooks = hooks_in(read_regular_file(file, MOST_BYTES))
        except FileNotFoundError:
            continue
        except (OSError, ValueError) as error:
            problems.append(f"{file}: the hooks cannot be read: {error}")
            continue
        if hooks is not None:
            yield WrittenHooks(str(file), hooks)


def _of_projects(projects: Sequence[ProjectTrust]) -> Iterator[WrittenHooks]:
    trusted = {item.path: item for project in projects if project.trusted for item in project.inventory.items}
    for item in trusted.values():
        if item.kind == "hooks" and (hooks := _read(item.path)) is not None and digest_of(hooks) == item.digest:
            yield WrittenHooks(str(item.path), hooks, is_own=False, directory=item.path.parent)


def _read(file: Path) -> Mapping[str, Any] | None:
    """Return the hooks of a project's file; None for a file that has changed since the inventory."""
    try:
        return hooks_in(read_regular_file(file, MOST_BYTES))
    except (OSError, ValueError):
        return None


def _folder_of(source: WrittenHooks, projects: Sequence[ProjectTrust]) -> Path:
    folders = [project.inventory.folder for project in projects]
    inside = (folder for folder in folders if source.directory is not None and source.directory.is_relative_to(folder))
    return next(inside, folders[0] if folders else Path())


def hooks_opinion(hooks: "CommandHooks", ask: "Ask", caller: "Caller", action: Action) -> Action:
    """Return the action after the decision of the hooks for PreToolUse.

    A hook's `ask` turns an allowance into a question. A hook's `allow` answers a question of the built-in rules, and
    never a question of the user's own rules, nor a question that only a person answers.
    """
    decision = hooks.decision(caller.session_id, caller.call_id)
    if decision == "ask" and action == "allow":
        return "ask"
    if decision == "allow" and action == "ask":
        from placet.permissions.answerable import only_built_in_rules_ask

        return "allow" if only_built_in_rules_ask(ask, caller) else "ask"
    return action


def notify(hooks: "CommandHooks", directory: Path, request: PermissionRequest) -> None:
    """Run the hooks for Notification, because the user is asked for a permission; nothing waits for the hooks."""
    if not hooks.has("Notification"):
        return
    from placet.extensions.command_hooks.session_hooks import SessionHooks
    from placet.extensions.command_hooks.tool_names import hook_tool

    tool = hook_tool(request.tool, {}, directory, ()).names[0]
    kind = "permission_prompt"
    message = f"Placet needs your permission to use {tool}"
    fields = {"message": message, "title": request.title, "notification_type": kind}
    session_hooks = SessionHooks(hooks, request.session_id, directory)

    async def run() -> None:
        await session_hooks.run("Notification", fields, (kind,))

    hooks.begin(run())
