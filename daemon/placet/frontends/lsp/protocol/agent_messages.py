"""What the editor asks of the daemon: params and results, camelCase on the wire. wire.py says which belongs to what."""

from typing import Literal

from pydantic import Field

from placet.core.events import SessionEvent
from placet.core.messages import PromptPart, Queue, StopReason, Tokens, TurnError, Value
from placet.frontends.lsp.protocol.editor_messages import Range, RequestPermission
from placet.sessions.services.login import Login
from placet.sessions.store.records import SessionInfo


class NewSession(Value):
    """Begin a session in the folders the editor has open."""

    agent: str | None = None
    """One of `agent/agents`; by default the settings'."""
    model: str | None = None
    """`provider/name`; by default the settings'."""
    title: str | None = None


class ListSessions(Value):
    """The sessions of these folders, the one last used first."""

    query: str = ""
    """Only those where each of its words is in the title, in a prompt or in an answer."""
    limit: int = Field(default=50, ge=1, le=1000)
    cursor: str | None = None
    """Where to go on, from the previous answer."""


class SessionList(Value):
    sessions: tuple[SessionInfo, ...]
    cursor: str | None = None
    """Absent on the last page."""


class LoadSession(Value):
    """Open a session again.

    The answer holds what happened after `since`, in order, as `agent/update` would have told it.
    """

    session_id: str
    since: int = Field(default=0, ge=0)
    """The last `seq` the editor has seen; 0 for everything."""


class LoadedSession(Value):
    session: SessionInfo
    events: tuple[SessionEvent, ...]


class ForkSession(Value):
    """Begin a new session with what was said in another. Files are not touched, and changes stay the other's to undo.

    Of a turn that runs, what it has finished is taken over.
    """

    session_id: str
    message_id: str | None = None
    """The prompt before which the new session ends; absent: it has everything."""


class ExportSession(Value):
    """The session as text. It holds what was said and what tools have read, and no keys."""

    session_id: str
    format: Literal["json", "markdown"] = "json"
    """`json` can be imported again; `markdown` is to be read."""
    contents: bool = False
    """With the texts of the files that were changed, before and after; in `json` only."""


class ExportedSession(Value):
    text: str


class ImportSession(Value):
    """Begin a new session with what was exported as `json`, in the folders the editor has open."""

    text: str


class RenameSession(Value):
    """Give a session a title."""

    session_id: str
    title: str = Field(min_length=1)


class DeleteSession(Value):
    """Delete a session with its history and its subagents' sessions. What it changed in files stays.

    If it is a subagent's, what it changed remains to be undone in the session that it worked for.
    """

    session_id: str


class CompactSession(Value):
    """Sum up the conversation for the model now, so that it can go on in less space.

    After the turns that were asked for before. `agent/cancel` ends it, and then it fails.
    """

    session_id: str


class CompactResult(Value):
    """How much of the model's context the conversation takes, by estimate."""

    tokens_before: int
    tokens_after: int


class SummarizeSession(Value):
    """Have the agent `summary` say what the session has done, as for a commit; the conversation stays as it is."""

    session_id: str


class SessionSummary(Value):
    text: str
    """Two or three sentences, in the user's language."""


class SetAgent(Value):
    """Choose who answers from the next turn on."""

    session_id: str
    agent: str


class SetModel(Value):
    """Choose the model from the next turn on."""

    session_id: str
    model: str


class Prompt(Value):
    """Ask. The request stays open until the turn has ended; its events come as `agent/update` before the answer.

    `$/cancelRequest` and `agent/cancel` end the turn, and the answer is a normal result with `stopReason: "cancelled"`.
    """

    session_id: str
    parts: tuple[PromptPart, ...] = Field(min_length=1)
    queue: Queue = "after"
    """While a turn runs: `after` waits for its end; `steer` joins it, the model sees the text with its next request,
    and the answer is that turn's. When none runs, both open a turn."""


class Usage(Value):
    """Sums over the turn; cost in US dollars, 0 where the price is not known."""

    tokens: Tokens = Tokens()
    cost: float = 0.0


class PromptResult(Value):
    stop_reason: StopReason
    message_id: str | None = None
    """The user message that opened the turn; absent when it was cancelled before it began."""
    usage: Usage = Usage()
    error: TurnError | None = None
    """With `stopReason: "error"`: what happened and what to do."""


class Undo(Value):
    """Take back what a turn, a message or some changes did to files.

    Without a target, the last turn that changed anything. With `uris`, only of those files; and with them alone, all
    that the session did to them. What a subagent did, the message did that had it work, and so its turn.
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
    """Why not, for a conflict."""


class UndoResult(Value):
    files: tuple[UndoneFile, ...]


class CommitMessage(Value):
    """Have the agent `commit` write the message of a commit: for what is staged, or else for what is changed.

    It follows the last commits. Of files that the agent may not read unasked it sees the names alone.
    """

    root: str | None = None
    """URI of a folder in the repository; by default the first of those that are open."""
    diff: str | None = None
    """What the commit changes, as `git diff` prints it; by default git is asked."""
    model: str | None = None
    """By default `agent.commit.model`, `smallModel`, or the settings' model."""


class WrittenMessage(Value):
    text: str
    """A subject, and if there is more to say, an empty line and a body."""


class GetStatus(Value):
    """How the daemon is."""


class Status(Value):
    version: str
    pid: int
    memory: int | None = None
    """Resident, in bytes; absent where the system does not say."""
    running: tuple[str, ...]
    """The sessions in which a turn runs."""
    pending: int
    """Permission requests that wait for an answer."""
    log: str | None = None
    """Path of the log file; absent when it goes to stderr, which is where editors keep a server's log."""
    model: Login | None = None
    """What answers in a session that names no model, and whether there is a key for it."""
    roots: tuple[str, ...] = ()
    """URIs of the folders it works in."""
    store: str | None = None
    """Path of the file in which sessions are kept."""
    client: str | None = None
    """The editor that it serves, with its version; each editor has a daemon of its own."""
    sandbox: Literal["none"] = "none"
    """What contains the commands that it runs: nothing; they have the user's own rights."""


class ListPending(Value):
    """The permission requests that wait for an answer. Those the user put away are sent to the editor again."""

    session_id: str | None = None
    """Only this session's."""


class ListRules(Value):
    """The permission rules and grants in force, and where each is written."""

    session_id: str | None = None
    """As they bind this session, with the grants that hold in it."""
    agent: str | None = None
    """As they bind this agent; by default the session's, or the default agent."""


class ExplainPermission(Value):
    """Why a call would be allowed, asked or denied. Nothing is done, and nobody is asked."""

    permission: str
    """Of the call (`bash`, `edit`, `webfetch`, …), or the name of a tool."""
    subject: str
    """The command line for `bash`, a path for files, else the pattern that would be asked."""
    session_id: str | None = None
    agent: str | None = None


class RevokeGrant(Value):
    """Take back what the user allowed with "always". What was done under it stays."""

    id: str


class PendingList(Value):
    requests: tuple[RequestPermission, ...]


class Cancel(Value):
    """End the running turn of a session, if there is one."""

    session_id: str


class DidChangeTrust(Value):
    """The user has let the editor trust its folders, or has taken that back.

    `initializationOptions.agent.trusted` says it at the start; an editor that says nothing trusts them. In folders that
    it does not trust nothing is used of what a project brings, whatever the user has decided about it here, and no
    language server is started.
    """

    trusted: bool


class DidType(Value):
    """The user has begun to write a prompt: the model host is started, if it rests. To be sent once a prompt."""

    session_id: str | None = None
    """Where the prompt will go, if that is known."""


class DidFocus(Value):
    """The user looks at a document. To be sent at most a few times a second."""

    uri: str
    selection: Range | None = None
    visible: Range | None = None
