"""News of changes for the session's model: outcomes that have become known, the user's decisions, removed files."""

from collections.abc import Callable, Sequence
from pathlib import Path

from placet.changes.journal.unfinished import is_any_news
from placet.changes.ledger import Ledger
from placet.core.executor import in_thread
from placet.core.messages import Part, TextPart
from placet.sessions.services.services import Services
from placet.sessions.turns.recorder import Recorder


async def change_news(
    services: Services, recorder: Recorder, ledger: Ledger, family: Callable[[], str]
) -> tuple[Part, ...]:
    """Return the texts for the model; each text once. Raises StoreError.

    `family` returns the session whose change set the session shares.
    """
    session_id = recorder.info.id
    missing = await in_thread(ledger.missing)
    gone = await _removed(missing, services, family(), ledger) if missing else ()
    if not (services.has_pipeline or await is_any_news(services.database, session_id)):
        return gone
    from placet.changes.undo.revert import Party  # A session without changes does without.

    unsure, party = services.pipeline.unsure, Party(recorder.emit, ledger)
    await unsure.look(await services.journal.unsettled(session_id), party.tell_applied)
    news = (*unsure.news(session_id), *await services.change_sets.news(session_id))
    return (*gone, *(TextPart(text=text, synthetic=True) for text in news))


async def _removed(missing: Sequence[Path], services: Services, family: str, ledger: Ledger) -> tuple[Part, ...]:
    """Return the words for the model about files that somebody else has removed since the session read the files."""
    from placet.changes.commands.command_sync import removed  # Most sessions do without.
    from placet.changes.review.staged_documents import StagedDocuments

    seen = StagedDocuments(services.ports.documents, services.change_sets, family)
    names = ", ".join(services.workspace.name(path) for path in await removed(seen, ledger, missing))
    if not names:
        return ()
    text = f"The user or another program has removed or renamed these files since you read them: {names}."
    return (TextPart(text=text, synthetic=True),)
