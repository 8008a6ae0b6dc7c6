"""Review of a session's change set: the list of the files, and the user's decisions."""

from collections.abc import Sequence

from placet.changes.review.staged_file import StagedView, conflict_text
from placet.core.executor import in_thread
from placet.frontends.lsp.connection.showing import show_message
from placet.frontends.lsp.handlers.define import HandlerContext, request
from placet.frontends.lsp.protocol.review_messages import (
    DecidedFile,
    DecidedFiles,
    DecideStaged,
    ListStaged,
    StagedFile,
    StagedFiles,
    read_decision,
)
from placet.text.diff import count_lines
from placet.text.lines import to_lf


@request("agent/review/list")
async def list_staged(context: HandlerContext, params: ListStaged) -> StagedFiles:
    session = await context.sessions.show(params.session_id)
    views = await session.change_set.views(with_waiting=context.client.profile.shows_waiting_files)
    if views:
        session.change_set.expect_decision()
    return await listed(views, contents=params.contents)


@request("agent/review/decide")
async def decide_staged(context: HandlerContext, params: DecideStaged) -> DecidedFiles:
    session = await context.sessions.show(params.session_id)

    def tell(text: str) -> None:
        show_message(context.client, f"Placet: {text}")

    decided = await session.change_set.decide([read_decision(decision) for decision in params.decisions], tell)
    return DecidedFiles(
        files=tuple(
            DecidedFile(uri=file.place.as_uri(), status=file.status, reason=file.reason or None) for file in decided
        )
    )


async def listed(views: Sequence[StagedView], *, contents: bool) -> StagedFiles:
    """Return the list for the client, with the texts if `contents` is true."""
    return await in_thread(lambda: StagedFiles(files=tuple(_file(view, contents=contents) for view in views)))


def _file(view: StagedView, *, contents: bool) -> StagedFile:
    file, proposed = view.file, view.proposed
    hunks = () if proposed is None or proposed.is_raw else proposed.hunks
    additions, deletions = count_lines(hunks)
    texts = {}
    if contents:
        present_text = "" if view.document is None else to_lf(view.document.text)
        old_text, new_text = (present_text, file.text) if proposed is None else (proposed.old_text, proposed.new_text)
        texts = {"old_text": old_text, "new_text": new_text, "diff": "" if proposed is None else proposed.diff}
        if view.reason_against and file.state != "unreviewed" and not file.is_raw:
            texts["both_texts"] = conflict_text(view)
    return StagedFile(
        uri=file.place.as_uri(),
        kind=file.kind,
        state="unreviewed" if file.state == "unreviewed" else "staged",
        waits=file.changes[0] if file.state == "waiting" else None,
        old_uri=None if file.new_path is None else file.path.as_uri(),
        version=view.version,
        additions=additions,
        deletions=deletions,
        hunks=hunks,
        permissions=view.permissions or None,
        description=view.description or None,
        conflict=view.conflict or None,
        **texts,
    )
