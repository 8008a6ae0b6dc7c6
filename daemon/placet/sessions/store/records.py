"""Records of a session, as the store keeps the records."""

from placet.core.effort import Effort
from placet.core.events import UsageUpdate
from placet.core.messages import Message, Value
from placet.permissions.caution import Caution
from placet.sessions.store.usage import SessionUsage
from placet.settings.profile import ProfileChoice
from placet.settings.review_modes import ReviewMode


class SessionInfo(Value):
    """Facts about a session, as the store keeps the facts and a list of sessions shows them."""

    id: str
    parent_id: str | None = None
    title: str
    agent: str
    model: str
    """Model which answers the next prompt."""
    base_model: str = ""
    """Model for agents without a model of their own, as last chosen by the user."""
    roots: tuple[str, ...]
    """URIs of the session's folders."""
    created: int
    updated: int
    forked_from: str | None = None
    """Session of which this session is a copy."""
    review: ReviewMode | None = None
    """Way of reviewing changes, as chosen for the session; absent for the setting `review`."""
    caution: Caution | None = None
    """How careful the session is, as the user chose for the session; absent for `default`."""
    effort: Effort | None = None
    """How much the model thinks, as the user chose for the session: a level or a budget in tokens; absent for the
    agent's, or that of the settings.
    """
    profile: ProfileChoice | None = None
    """How much is asked of the model, as the user chose for the session; absent for the settings' choice."""
    back_to: str | None = None
    """Prompt to which the user went back: the prompt and all later messages are hidden until a redo, and are deleted
    with the next prompt.
    """
    files_back: bool | None = None
    """True if the user last went back in the files alone: a redo brings these files forth, until the next prompt."""
    usage: SessionUsage | None = None
    """Cost so far; only in answers to `agent/session/list` and `agent/session/load`."""
    to_review: int | None = None
    """Number of files in the change set of the session, staged and unreviewed; present where `usage` is present, and
    absent for an empty set.
    """


class StoredUsage(Value):
    """Last update about the use of the model's context."""

    seq: int
    update: UsageUpdate


class Cut(Value):
    """Moment at which the user went back in the conversation."""

    id: str
    message_id: str
    """First message that was hidden."""
    seq: int


class StoredSession(Value):
    """Session as stored, with the seq of the last change of every message and part."""

    info: SessionInfo
    seq: int
    messages: tuple[Message, ...]
    seqs: dict[str, int]
    usage: StoredUsage | None = None
    cuts: tuple[Cut, ...] = ()
    """Moments at which the user went back, oldest first, without those that were redone."""
