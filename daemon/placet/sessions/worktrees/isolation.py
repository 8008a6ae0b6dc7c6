"""Isolation of a subagent: a git worktree of its own, and services that know the worktree in place of the folders."""

from collections.abc import Sequence
from pathlib import Path

from placet.core.errors import RequestError, SandboxFailed
from placet.core.executor import in_thread
from placet.core.tasks import to_the_end
from placet.core.values import replace
from placet.languages.features import language_features
from placet.languages.servers.own import OwnServers
from placet.permissions.leaving import SANDBOX, is_reading
from placet.permissions.rules import Roots, Rule, from_settings, root_names
from placet.project.files.disk import DiskDocuments
from placet.project.paths import Workspace, real
from placet.sessions.services.programs import contained_by
from placet.sessions.services.services import Services
from placet.sessions.worktrees.making import delete_worktree, directory_in, first_folder, make_worktree, take_back
from placet.settings.review_modes import ReviewMode
from placet.worktrees.create import note_ended
from placet.worktrees.records import Subagent, Worktree, worktree_at
from placet.worktrees.unwritten_files import UnwrittenFile


class Isolation:
    """Worktree of one subagent and of the subagents below; lives as long as the subagent's work."""

    def __init__(self, worktree: Worktree, services: Services, names: Roots, rules: tuple[Rule, ...]) -> None:
        self.worktree = worktree
        self.services = services
        self.names = names
        """Names of the folders for absolute patterns: a rule about a path of the tree holds for the worktree's too."""
        self.rules = rules
        """Rules of the worktree, above the built-in rules alone."""

    @property
    def note(self) -> str:
        """Return what the subagent must know of its place."""
        return (
            f"You work in a git worktree of your own, {self.worktree.path}, in place of {self.worktree.repository}: "
            "read and change files there alone. It began with the files as your caller sees them, also with proposed "
            "changes that the user has not accepted yet. Your changes come back for the user's review when you end. "
            "Commit nothing."
        )

    async def end(self) -> str:
        """End the services, and remove the worktree unless changes would be lost; return why the worktree stays."""
        if self.services.has_pipeline:
            await self.services.pipeline.close()
        await self.services.ports.features.close()
        locations = self.services.locations
        # As the record says now: the changes may have come back meanwhile.
        worktree = await in_thread(worktree_at, locations.worktrees, self.worktree.path)
        if worktree is None:
            return ""
        try:
            removed = await delete_worktree(locations, await note_ended(worktree))
        except RequestError as error:
            return f"The worktree stays at {worktree.path}: {error}"
        return f"Its commits stay on the branch {removed.kept_branch}." if removed.kept_branch else ""


async def isolate(
    services: Services, subagent: Subagent, review: ReviewMode, unwritten: Sequence[UnwrittenFile]
) -> Isolation:
    """Make a worktree of the first folder's repository with the uncommitted changes. Raises RequestError.

    `unwritten` are the files that the calling session sees and the disk does not have. The folders in the repository
    are the subagent's folders. The documents are those of the disk, and questions, grants and events go the way of all
    sessions.
    """
    folder = first_folder(services.workspace.roots)
    created = await make_worktree(
        services.locations, folder, takes_changes=True, unwritten=unwritten, subagent=subagent
    )
    try:
        return await _isolation(services, created.worktree, review)
    except BaseException:
        await to_the_end(take_back(services.locations, created.worktree))
        raise


async def _isolation(services: Services, worktree: Worktree, review: ReviewMode) -> Isolation:
    """Return the isolation of a subagent in the worktree."""
    roots = services.workspace.roots
    pairs = await in_thread(_pairs, worktree, roots)
    inside = tuple(pairs)
    config, documents = services.current.config, DiskDocuments()
    contain = contained_by(lambda: services.settings, services.locations)
    servers = OwnServers(
        documents, inside, config.settings.languages, may_start=config.may_start_programs, contain=contain
    )
    ports = replace(services.ports, documents=documents, features=language_features(documents, inside, servers))
    names = await in_thread(lambda: tuple(sum(root_names(pair), ()) for pair in pairs.items()))
    rules = (
        (Rule("edit", "*", "allow", "the worktree of the subagent"),)
        if review == "apply" or await _is_contained(services, inside)
        else ()
    )
    return Isolation(worktree, services.apart(Workspace(inside), ports), names, rules)


def _pairs(worktree: Worktree, roots: Sequence[Path]) -> dict[Path, Path]:
    """Return the folders of the worktree, each with the folder for which it stands. Looks at the disk."""
    return {
        directory_in(worktree, root): root for root in roots if real(root).is_relative_to(real(worktree.repository))
    }


def _leaves(permission: str, pattern: str) -> bool:
    """Return whether a rule or a grant may let a command leave the sandbox, or write outside of the folders."""
    return permission == SANDBOX and not is_reading(permission, (pattern,))


async def _is_contained(services: Services, roots: tuple[Path, ...]) -> bool:
    """Return whether every command runs in the sandbox: then no edited file runs with the user's rights unseen."""
    settings = services.settings
    if settings.acp.commands_in_terminal and settings.sandbox.mode != "require":
        return False
    rules = from_settings(settings.written, services.rules)
    if any(rule.action == "allow" and _leaves(rule.permission, rule.pattern) for rule in rules):
        return False
    if any(_leaves(grant.permission, grant.pattern) for grant in services.gate.grants.all()):
        return False
    try:
        outputs = services.locations.tool_output
        offered = await services.sandboxes.offer(settings.sandbox, roots, only_reads=False, outputs=outputs)
    except SandboxFailed:
        return False
    return offered is not None and not offered.is_partial
