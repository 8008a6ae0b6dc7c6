"""News of changes for the session's model: outcomes that have become known, and decisions of the user."""

from placet.changes.journal.unfinished import is_any_news
from placet.changes.ledger import Ledger
from placet.core.messages import Part, TextPart
from placet.sessions.services.services import Services
from placet.sessions.turns.recorder import Recorder


async def change_news(services: Services, recorder: Recorder, ledger: Ledger) -> tuple[Part, ...]:
    """Return the texts for the model; each text once. Raises StoreError."""
    session_id = recorder.info.id
    if not (services.has_pipeline or await is_any_news(services.database, session_id)):
        return ()
    from placet.changes.undo.revert import Party  # A session without changes does without.

    unsure, party = services.pipeline.unsure, Party(recorder.emit, ledger)
    await unsure.look(await services.journal.unsettled(session_id), party.tell_applied)
    news = (*unsure.news(session_id), *await services.change_sets.news(session_id))
    return tuple(TextPart(text=text, synthetic=True) for text in news)
