"""Messages from the editor to the daemon: params and results, camelCase on the wire. Handlers join the models to
methods.
"""

from typing import Literal

from pydantic import Field

from placet.core.events import QueuedPrompt, SessionEvent
from placet.core.messages import PromptPart, Queue, StopReason, Tokens, TurnError, Value
from placet.frontends.lsp.protocol.editor_messages import Range
from placet.frontends.lsp.protocol.permission_wire import RequestPermission
from placet.permissions.caution import Caution
from placet.sessions.services.login import Login
from placet.sessions.store.records import SessionInfo
from placet.settings.model_options import EffortSetting
from placet.settings.profile import ProfileChoice
from placet.settings.review_modes import ReviewMode


class NewSession(Value):
    """Begin a session in the folders the editor has open."""

    agent: str | None = None
    """Name from `agent/agents`; the default agent of the settings, if absent."""
    model: str | None = None
    """`provider/name`; by default the settings'."""
    title: str | None = None


class ListSessions(Value):
    """List the sessions of the open folders, the last used session first."""

    query: str = ""
    """Words to look for: every word of the query stands in the title, in a prompt or in an answer of a listed session.
    """
    limit: int = Field(default=50, ge=1, le=1000)
    cursor: str | None = None
    """Cursor from the previous answer, at which the list goes on."""


class SessionList(Value):
    sessions: tuple[SessionInfo, ...]
    cursor: str | None = None
    """Absent on the last page."""


class LoadSession(Value):
    """Open a session again.

    The answer holds every event after `since`, in order, as `agent/update` would have sent the events.
    """

    session_id: str
    since: int = Field(default=0, ge=0)
    """The last `seq` the editor has seen; 0 for everything."""


class LoadedSession(Value):
    session: SessionInfo
    events: tuple[SessionEvent, ...]
    queued: tuple[QueuedPrompt, ...] | None = None
    """Prompts of all clients that wait for the end of the running turn, in order; absent: none waits."""


class ForkSession(Value):
    """Begin a new session with a copy of another session's conversation. Files are not touched, and the other session
    keeps its changes for undo.

    The finished steps of a running turn are copied as well.
    """

    session_id: str
    message_id: str | None = None
    """Prompt before which the copy ends; absent: the copy is complete."""


class ExportSession(Value):
    """Return the session as text: the conversation and the text read by tools, without keys."""

    session_id: str
    format: Literal["json", "markdown"] = "json"
    """`json` can be imported again; `markdown` is to be read."""
    contents: bool = False
    """Add the texts of changed files, before and after; with `json` only."""


class ExportedSession(Value):
    text: str


class ImportSession(Value):
    """Begin a new session from an export in the format `json`, in the folders open in the editor."""

    text: str


class RenameSession(Value):
    """Give a session a title."""

    session_id: str
    title: str = Field(min_length=1)


class DeleteSession(Value):
    """Delete a session with its history and its subagents' sessions. The session's changes of files stay.

    The changes of a deleted subagent session can still be undone in the session for which the subagent worked.
    """

    session_id: str


class CompactSession(Value):
    """Summarize the conversation for the model now, so that the conversation goes on in less space.

    The turns already in the queue run before. `agent/cancel` ends the compaction, and the request then fails.
    """

    session_id: str


class CompactResult(Value):
    """Share of the model's context taken by the conversation, in tokens by estimate."""

    tokens_before: int
    tokens_after: int


class SummarizeSession(Value):
    """Ask the agent `summary` for a description of the session's work, as for a commit; the conversation stays
    unchanged.
    """

    session_id: str


class SessionSummary(Value):
    text: str
    """Two or three sentences, in the user's language."""


class SetAgent(Value):
    """Choose the agent for all turns from the next turn on."""

    session_id: str
    agent: str


class SetModel(Value):
    """Choose the model from the next turn on."""

    session_id: str
    model: str


class SetReview(Value):
    """Choose how changes of the session are reviewed from now on, also within a running turn."""

    session_id: str
    review: ReviewMode
    """`ask`: each change waits for the user's answer. `stage`: changes gather in the change set, and the agent goes on.
    `apply`: changes are written at once, and are marked as unreviewed in the change set.
    """


class SetCaution(Value):
    """Choose how careful the session is from the next call of a tool on, also within a running turn."""

    session_id: str
    caution: Caution
    """`more`: each act (commands, the web, tools of servers, changes) is asked, also where a rule, a grant or the
    sandbox would allow the act; the review mode still decides how changes are asked. `default`: the rules and the
    grants decide. `less`: pages and searches of the web are not asked, unless a rule asks. A denial always stands.
    """


class SetEffort(Value):
    """Choose how much the model thinks from its next call on, also within a running turn."""

    session_id: str
    effort: EffortSetting | None = None
    """A level, or a budget in tokens; what the model does not have counts as the nearest level of the model, and a
    notice says so. Absent: the effort of the agent, or of the settings.
    """


class SetProfile(Value):
    """Choose how much is asked of the model of a session, from the next turn on."""

    session_id: str
    profile: ProfileChoice | None = None
    """`full`: all tools. `small`: six tools and a short prompt. `smallest`: no tools; Placet finds the files, and the
    model answers with whole files. `auto`: as the model is. Absent: as the settings say.
    """


class Prompt(Value):
    """Send a prompt. The request stays open until the turn has ended; the turn's events arrive as `agent/update` before
    the answer.

    `$/cancelRequest` and `agent/cancel` end the turn, and the answer is a normal result with `stopReason: "cancelled"`.
    """

    session_id: str
    parts: tuple[PromptPart, ...] = Field(min_length=1)
    queue: Queue = "after"
    """Place of the prompt while a turn runs. `after` waits for the end of the turn. `steer` joins the turn: the model
    reads the text with its next request, and the answer is the running turn's. Without a running turn, both begin a
    turn.
    """


class Usage(Value):
    """Sums over the turn; cost in US dollars, 0 where the price is not known."""

    tokens: Tokens = Tokens()
    cost: float = 0.0


class PromptResult(Value):
    stop_reason: StopReason
    message_id: str | None = None
    """User message that opened the turn; absent if the prompt was cancelled before its turn began."""
    usage: Usage = Usage()
    error: TurnError | None = None
    """Error of the turn and advice for the user, with `stopReason: "error"`."""


class Undo(Value):
    """Undo the work of a turn, a message or some changes in files.

    Without a target, undo the last turn that changed any file. `uris` limit the undo to these files; `uris` alone undo
    all changes of the session to these files. A subagent's work counts as work of the message that started the
    subagent, and of the message's turn.
    """

    session_id: str
    turn_id: str | None = None
    message_id: str | None = None
    change_ids: tuple[str, ...] | None = None
    uris: tuple[str, ...] | None = None


class Redo(Value):
    """Take back the last undo."""

    session_id: str


class UndoneFile(Value):
    uri: str
    status: Literal["restored", "conflict", "unchanged"]
    """`conflict`: the user has changed the same lines since, and the file was left alone."""
    reason: str | None = None
    """Reason for a conflict."""


class UndoResult(Value):
    files: tuple[UndoneFile, ...]


class CommitMessage(Value):
    """Ask the agent `commit` for a commit message: about the staged changes, or without staged changes about all
    changes.

    The message follows the style of the last commits. The agent gets only the names of files which the agent may not
    read without asking.
    """

    root: str | None = None
    """URI of a folder in the repository; the first open folder, if absent."""
    diff: str | None = None
    """Diff of the commit, as `git diff` prints the diff; if absent, Placet runs git."""
    model: str | None = None
    """Model for the message; `agent.commit.model`, `smallModel` or the settings' model, if absent."""


class WrittenMessage(Value):
    text: str
    """Text of the commit message: a subject, and where needed an empty line and a body."""


class GetStatus(Value):
    """Return the state of the daemon."""


class LocalModelOffer(Value):
    """Model that Placet can run itself, without an account: docs/MODELS.md."""

    id: str
    title: str
    bytes: int
    """Size of the file to be fetched."""
    license: str
    command: str
    """Command for a terminal that fetches the file after a question."""
    text: str
    """The offer in words, with the abilities and the limits of the model."""


class Status(Value):
    version: str
    pid: int
    memory: int | None = None
    """Resident memory in bytes; absent where the system does not report the memory."""
    running: tuple[str, ...]
    """Ids of the sessions with a running turn."""
    pending: int
    """Number of permission requests without an answer."""
    log: str | None = None
    """Path of the log file; absent if the log goes to stderr, where editors keep a server's log."""
    model: Login | None = None
    """Model of a session that names no model, and the state of the model's key."""
    local_model: LocalModelOffer | None = None
    """Offer for a user without a model: absent if the model has a key, or needs no key and is a language model."""
    roots: tuple[str, ...] = ()
    """URIs of the daemon's folders."""
    store: str | None = None
    """Path of the file in which sessions are kept."""
    client: str | None = None
    """Name and version of the connected editor."""
    completion: str = "off"
    """State of the inline completion, in words, with the reason for silence. `off` at the front: no request is made."""
    sandbox: str = "none"
    """Sandbox around the commands of tools, in words. `none` at the front: commands run with the user's own rights."""


class ListPending(Value):
    """List the permission requests without an answer. The daemon sends dismissed requests to the editor again."""

    session_id: str | None = None
    """Session whose requests are listed; all sessions, if absent."""


class ListRules(Value):
    """List the permission rules and grants in force, each with the file or other source of the rule."""

    session_id: str | None = None
    """Session whose rules and grants are listed."""
    agent: str | None = None
    """Agent whose rules are listed; the session's agent or the default agent, if absent."""


class ExplainPermission(Value):
    """Explain the decision about a call: allow, ask or deny, and by which rule. The explanation runs no call and asks
    nobody.
    """

    permission: str
    """Permission of the call (`bash`, `edit`, `webfetch`, …), or the name of a tool."""
    subject: str
    """Subject of the call: the command line for `bash`, a path for files, else the pattern of the permission request.
    """
    session_id: str | None = None
    agent: str | None = None


class RevokeGrant(Value):
    """Revoke a grant that the user gave with "always". Earlier actions under the grant stay."""

    id: str


class PendingList(Value):
    requests: tuple[RequestPermission, ...]


class Cancel(Value):
    """End the running turn of a session, if any."""

    session_id: str


class DidChangeTrust(Value):
    """Tell the daemon that the user trusts the editor's folders, or trusts the folders no longer.

    `initializationOptions.agent.trusted` is the trust at the start; an editor without this field trusts its folders. In
    an untrusted folder Placet uses nothing brought by the project, whatever the user decided about the project in
    Placet, and starts no language server.
    """

    trusted: bool


class DidType(Value):
    """Tell the daemon that the user has begun to write a prompt: a resting model host is started. To be sent once a
    prompt.
    """

    session_id: str | None = None
    """Session of the coming prompt, if known."""


class DidFocus(Value):
    """Tell the daemon that the user looks at a document. To be sent at most a few times a second."""

    uri: str
    selection: Range | None = None
    visible: Range | None = None
