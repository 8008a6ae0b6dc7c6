// Made by `placet schema --typescript`. Do not edit: change the Python classes, then `make docs`.

export const PROTOCOL = 1;

export interface ActiveDocument {
  uri: string;
  languageId?: string | null;
  dirty?: boolean;
  /** Of the cursor, 0-based. */
  line: number;
  /** As the editor counts; for people. */
  column?: number;
}

export interface AgentInfo {
  name: string;
  description: string;
  mode: 'primary' | 'subagent' | 'all';
  model?: string;
  source: string;
}

export interface AgentList {
  agents: AgentInfo[];
  default: string;
  problems: string[];
}

/** An answer began or ended; its parts come in events of their own, so `message.parts` is empty here. */
export interface AgentMessageChanged {
  kind: 'agent_message';
  message: AssistantMessage;
}

/** Text of the answer. `offset` is where in the part it stands (in code points), so that a replay does no harm. */
export interface AgentMessageChunk {
  kind: 'agent_message_chunk';
  messageId: string;
  partId: string;
  offset: number;
  text: string;
}

export interface AgentPart {
  id: string;
  type: 'agent';
  name: string;
}

export interface AgentPartInput {
  id?: string;
  type: 'agent';
  name: string;
}

/** Thinking, in the same manner. */
export interface AgentThoughtChunk {
  kind: 'agent_thought_chunk';
  messageId: string;
  partId: string;
  offset: number;
  text: string;
  signature?: string;
  redacted?: string;
}

export interface AppliedFile {
  uri: string;
  version?: number | null;
  /** Of the text after saving and formatting. */
  sha256: string;
  dirty?: boolean;
  changedBySave?: boolean;
  /** The whole text, when saving changed it. */
  text?: string | null;
}

export interface AppliedFiles {
  files: AppliedFile[];
}

/** LSP's own request; `agent` is there for a client that declared `strictApply`. */
export interface ApplyEdit {
  label?: string;
  /** A WorkspaceEdit. */
  edit: Record<string, unknown>;
  agent?: StrictApply;
}

export interface ApplyEditResult {
  /** False with a `failureReason` when one file does not fit; then no file was changed. */
  applied: boolean;
  failureReason?: string | null;
  agent?: AppliedFiles | null;
}

/** Put questions to the user. Waits as `editor/requestPermission` does. */
export interface AskQuestion {
  /** Empty: it is part of what the user is doing (`agent/auth/login`), to be put at once; dismissed is declined. */
  sessionId: string;
  questions: QuestionItem[];
}

/** One answer of the model: one step of a turn. */
export interface AssistantMessage {
  role: 'assistant';
  id: string;
  /** The user message that opened the turn. */
  parentId: string;
  created: number;
  completed?: number;
  agent: string;
  model: string;
  /** It only sums up the conversation, in a CompactionPart, and is no answer to the user. */
  summary: boolean;
  /** The provider's reason: stop, tool_calls, length, … */
  finish?: string;
  error?: TurnError;
  tokens: Tokens;
  cost: number;
  parts: (TextPart | ReasoningPart | FilePart | AgentPart | DiagnosticsPart | ToolPart | StepStartPart | StepFinishPart | PatchPart | SubtaskPart | RetryPart | CompactionPart)[];
}

export interface AvailableCommand {
  name: string;
  description: string;
  /** What may be written behind the name. */
  argumentHint?: string;
  /** Whose it is: `built in`, a file, the settings, a skill, an MCP server. */
  source: string;
}

export interface AvailableCommandsUpdate {
  kind: 'available_commands_update';
  commands: AvailableCommand[];
}

/** End the running turn of a session, if there is one. */
export interface Cancel {
  sessionId: string;
}

export interface Change {
  id: string;
  files: FileOfChange[];
}

/** What is now in the documents; `files` is what was really applied, which may be less than was proposed. */
export interface ChangeApplied {
  kind: 'change_applied';
  messageId: string;
  changeId: string;
  callId?: string;
  files: ChangedFile[];
  /** What the user left out of what was proposed; absent when that is nothing. */
  refused?: RefusedFile[];
  /** The subagent's session whose change it is, when this tells one it was made for; that one is told as well. */
  madeIn?: string;
}

export interface ChangeList {
  changes: ListedChange[];
}

export interface ChangeProposed {
  kind: 'change_proposed';
  messageId: string;
  changeId: string;
  callId?: string;
  files: ChangedFile[];
}

export interface ChangeReverted {
  kind: 'change_reverted';
  messageId: string;
  changeId: string;
  /** The subagent's session whose change it is, when this tells one it was made for; that one is told as well. */
  madeIn?: string;
}

export interface ChangedFile {
  uri: string;
  kind: 'create' | 'modify' | 'delete' | 'rename';
  newUri?: string;
  additions: number;
  deletions: number;
  /** Unified, always appliable. */
  diff: string;
  /** True where the user put another text in place of the proposed one. */
  edited?: boolean;
}

export interface CommandInfo {
  name: string;
  description: string;
  argumentHint?: string;
  source: string;
}

export interface CommandList {
  commands: CommandInfo[];
  problems: string[];
}

export interface CommentOnChange {
  uri: string;
  /** Its id; absent: the file as a whole. */
  hunk?: number | null;
  text: string;
}

/** Have the agent `commit` write the message of a commit: for what is staged, or else for what is changed. It follows the last commits. Of files that the agent may not read unasked it sees the names alone. */
export interface CommitMessage {
  /** URI of a folder in the repository; by default the first of those that are open. */
  root?: string | null;
  /** What the commit changes, as `git diff` prints it; by default git is asked. */
  diff?: string | null;
  /** By default `agent.commit.model`, `smallModel`, or the settings' model. */
  model?: string | null;
}

/** How much of the model's context the conversation takes, by estimate. */
export interface CompactResult {
  tokensBefore: number;
  tokensAfter: number;
}

/** Sum up the conversation for the model now, so that it can go on in less space. After the turns that were asked for before. `agent/cancel` ends it, and then it fails. */
export interface CompactSession {
  sessionId: string;
}

/** The conversation was summed up for the model; a screen goes on showing all of it. */
export interface Compaction {
  kind: 'compaction';
  messageId: string;
  part: CompactionPart;
}

/** From here on the model has the summary in place of what came before; the screen still has all of it. */
export interface CompactionPart {
  id: string;
  type: 'compaction';
  /** Done because the model had no more room, rather than because the user asked for it. */
  auto: boolean;
  summary: string;
  /** The first message that the model still has word for word; None: it has none of those before. */
  keptFrom?: string;
  /** What the model was given, by estimate, and what it is given now. */
  tokensBefore: number;
  tokensAfter: number;
}

/** What can be meant by the unfinished `@...`, or the `/...` at the start, at a place in a prompt. Files and directories, `@path#` for the symbols of a file, `@symbol:`, subagents, `@diagnostics`, resources of MCP servers, commands, and behind `/agent`, `/model` and `/sessions` what there is of those. An editor whose prompts are documents can ask `textDocument/completion` instead. */
export interface Complete {
  /** Where the prompt will go: the files it has read come first. */
  sessionId?: string | null;
  /** All of the prompt. */
  text: string;
  position: Position;
}

/** As in LSP; to be run when the item is chosen, or when the prompt is sent that begins with it. */
export interface CompletionCommand {
  title: string;
  /** `placet.` and the command's name: `agent` (agent/session/setAgent), `compact` (agent/session/compact), `export` (agent/session/export), `fork` (agent/session/fork), `model` (agent/session/setModel), `redo` (agent/redo), `sessions` (agent/session/list, with a session's id behind it agent/session/load), `undo` (agent/undo). */
  command: string;
}

export interface CompletionData {
  kind: 'file' | 'directory' | 'symbol' | 'agent' | 'diagnostics' | 'resource' | 'command' | 'argument';
}

export interface CompletionEdit {
  /** All that is written of it, also what stands behind the position; on one line. */
  range: Range;
  newText: string;
}

/** LSP's, with those of its fields that are in use here. */
export interface CompletionItem {
  label: string;
  /** LSP's CompletionItemKind. */
  kind: number;
  detail?: string;
  /** What is written, where the daemon has chosen what fits; `/name` for commands, which may be filtered here. */
  filterText: string;
  sortText: string;
  textEdit: CompletionEdit;
  /** Only of `/` items, and not in the answer to `textDocument/completion`, as editors would run it at once. */
  command?: CompletionCommand;
  data: CompletionData;
}

export interface CompletionList {
  /** Ask again when more is typed. */
  isIncomplete: boolean;
  items: CompletionItem[];
}

/** Another agent is in charge. */
export interface CurrentModeUpdate {
  kind: 'current_mode_update';
  agent: string;
  /** What answers now. */
  model?: string;
}

/** Delete a session with its history and its subagents' sessions. What it changed in files stays. If it is a subagent's, what it changed remains to be undone in the session that it worked for. */
export interface DeleteSession {
  sessionId: string;
}

/** Diagnostics of the user's own language servers, fresh where that can be had in time. */
export interface Diagnostics {
  /** Absent: of all documents. */
  uris?: string[];
  /** LSP's numbers: 1 is an error, 4 a hint. */
  minSeverity: number;
  /** Document versions by URI: judged before them does not count as fresh. */
  after: Record<string, number>;
  /** How long nothing new must have come. */
  quietMs: number;
  timeoutMs: number;
  limit: number;
}

/** What a change did to the diagnostics of the files it touched. */
export interface DiagnosticsDelta {
  kind: 'diagnostics_delta';
  messageId: string;
  changeId: string;
  added: (Record<string, unknown>)[];
  removed: (Record<string, unknown>)[];
  fresh: boolean;
}

export interface DiagnosticsItem {
  uri: string;
  version?: number | null;
  fresh: boolean;
  /** LSP diagnostics. */
  diagnostics: (Record<string, unknown>)[];
  /** Who judges the file, for example `pyright`; none: nobody does. Absent: not known. */
  providers?: string[] | null;
}

export interface DiagnosticsPart {
  id: string;
  type: 'diagnostics';
  /** The file whose diagnostics are meant; None: all that the editor has. */
  uri?: string;
}

export interface DiagnosticsPartInput {
  id?: string;
  type: 'diagnostics';
  /** The file whose diagnostics are meant; None: all that the editor has. */
  uri?: string | null;
}

export interface DiagnosticsResult {
  items: DiagnosticsItem[];
  timedOut?: boolean;
  truncated?: boolean;
}

/** The user has let the editor trust its folders, or has taken that back. `initializationOptions.agent.trusted` says it at the start; an editor that says nothing trusts them. In folders that it does not trust nothing is used of what a project brings, whatever the user has decided about it here, and no language server is started. */
export interface DidChangeTrust {
  trusted: boolean;
}

/** The user looks at a document. To be sent at most a few times a second. */
export interface DidFocus {
  uri: string;
  selection?: Range | null;
  visible?: Range | null;
}

/** The user has put into a file, by the editor's own edit, what they had left out of a change. The model is told so beside the next prompt. */
export interface DidPutIn {
  sessionId: string;
  changeId: string;
  /** The file as `agent/changes` lists it. */
  uri: string;
  /** The ids of those, as `agent/changes` lists them. */
  hunks: number[];
}

/** The user has begun to write a prompt: the model host is started, if it rests. To be sent once a prompt. */
export interface DidType {
  /** Where the prompt will go, if that is known. */
  sessionId?: string | null;
}

export interface EditedFile {
  uri: string;
  /** The whole text the user wants instead of the proposed one. */
  text: string;
}

export interface EditorDocument {
  uri: string;
  /** All that follows is only there if it is open. */
  open: boolean;
  dirty?: boolean;
  version?: number | null;
  text?: string | null;
  eol?: string | null;
  encoding?: string | null;
  bom?: boolean;
  languageId?: string | null;
}

export interface EditorDocuments {
  /** One for each URI asked for. */
  items: EditorDocument[];
}

/** Of files alone; whatever was not asked for is left out. */
export interface EditorState {
  /** The document the user was last in; null: none. */
  active?: ActiveDocument | null;
  /** In the active document. */
  selections?: Range[] | null;
  visible?: VisibleDocument[] | null;
  open?: OpenedDocument[] | null;
  folders?: string[] | null;
}

export interface Expected {
  uri: string;
  /** Null for a document that is not open. */
  version?: number;
  /** Of the text as the editor holds it: its own line endings, no BOM, encoded in UTF-8. */
  sha256: string;
}

/** Why a call would be allowed, asked or denied. Nothing is done, and nobody is asked. */
export interface ExplainPermission {
  /** Of the call (`bash`, `edit`, `webfetch`, …), or the name of a tool. */
  permission: string;
  /** The command line for `bash`, a path for files, else the pattern that would be asked. */
  subject: string;
  sessionId?: string | null;
  agent?: string | null;
}

export interface ExplanationInfo {
  outcome: 'allow' | 'ask' | 'deny';
  judged: JudgedInfo[];
  unasked: string[];
  notOffered?: string;
}

/** The session as text. It holds what was said and what tools have read, and no keys. */
export interface ExportSession {
  sessionId: string;
  /** `json` can be imported again; `markdown` is to be read. */
  format?: 'json' | 'markdown';
  /** With the texts of the files that were changed, before and after; in `json` only. */
  contents?: boolean;
}

export interface ExportedSession {
  text: string;
}

/** Texts have LF line ends. */
export interface FileOfChange {
  uri: string;
  kind: 'create' | 'modify' | 'delete' | 'rename';
  newUri?: string;
  oldText: string;
  newText: string;
  hunks: HunkOfChange[];
}

export interface FilePart {
  id: string;
  type: 'file';
  /** `file:` for a file of the project, `data:` for content carried along. */
  uri: string;
  mime: string;
  name?: string;
  range?: LineRange;
}

export interface FilePartInput {
  id?: string;
  type: 'file';
  /** `file:` for a file of the project, `data:` for content carried along. */
  uri: string;
  mime?: string;
  name?: string | null;
  range?: LineRange | null;
}

/** Begin a new session with what was said in another. Files are not touched, and changes stay the other's to undo. Of a turn that runs, what it has finished is taken over. */
export interface ForkSession {
  sessionId: string;
  /** The prompt before which the new session ends; absent: it has everything. */
  messageId?: string | null;
}

/** Where the user is. Asked with a prompt, if the setting `context.editor` is on. */
export interface GetState {
  /** What of it; absent: everything. */
  include?: ('active' | 'selections' | 'visible' | 'open' | 'folders')[];
}

/** How the daemon is. */
export interface GetStatus {
}

/** What the user allowed with "always". */
export interface GrantInfo {
  id: string;
  permission: string;
  pattern: string;
  scope: 'session' | 'project' | 'user';
  given: string;
  source: string;
}

/** A run of changed lines, with their ends; line numbers are 0-based. */
export interface HunkOfChange {
  /** Counts from 1 within its file. */
  id: number;
  oldStart: number;
  oldLines: string[];
  newStart: number;
  newLines: string[];
}

/** Begin a new session with what was exported as `json`, in the folders the editor has open. */
export interface ImportSession {
  text: string;
}

/** One thing that a call would ask for. */
export interface JudgedInfo {
  permission: string;
  pattern: string;
  action: 'allow' | 'ask' | 'deny';
  rule: RuleInfo;
  grant?: GrantInfo;
}

/** Ask the user's own language servers. Edits come back as data; they are never applied. */
export interface LanguageFeature {
  method: 'textDocument/definition' | 'textDocument/typeDefinition' | 'textDocument/implementation' | 'textDocument/references' | 'textDocument/hover' | 'textDocument/documentSymbol' | 'textDocument/signatureHelp' | 'textDocument/rename' | 'textDocument/codeAction' | 'textDocument/formatting' | 'textDocument/prepareCallHierarchy' | 'workspace/symbol' | 'callHierarchy/incomingCalls' | 'callHierarchy/outgoingCalls';
  /** Of that method, as in LSP. */
  params: Record<string, unknown>;
  timeoutMs: number;
}

export interface LanguageFeatureResult {
  /** `loading`: a server is still indexing. */
  status: 'ok' | 'noProvider' | 'timeout' | 'loading';
  /** Of that method, as in LSP, merged over the servers. */
  result?: unknown;
  providers?: string[];
  /** Of the documents the result speaks of. */
  versions?: Record<string, number>;
}

/** Lines of a file, 1-based, both ends included. */
export interface LineRange {
  start: number;
  end: number;
}

/** The agents there are: those a session can be given to, and those that can only be named in a prompt. */
export interface ListAgents {
}

/** Every change of a session, oldest first, with its hunks and state; last what waits for the user's answer. Those of its subagents are among them: at the message that had them work, with the subagent's session as `madeIn` and its name as `agent`. */
export interface ListChanges {
  sessionId: string;
  /** Only these. */
  changeIds?: string[] | null;
  /** With the texts of the files before and after, as far as they are not too much. */
  contents?: boolean;
}

/** The slash commands: a prompt that begins with `/name` is carried out as the command says. The prompt stays as the user has typed it; what the command says is a synthetic part beside it. */
export interface ListCommands {
}

/** The models that can be chosen without further ado. Any other `provider/name` can be set as well. These are the settings' and the built-in one, then those of servers that listen on this machine where Ollama, vLLM, LM Studio and llama-server usually do, then those of each provider whose key is there. */
export interface ListModels {
  query?: string;
  limit?: number;
}

/** The permission requests that wait for an answer. Those the user put away are sent to the editor again. */
export interface ListPending {
  /** Only this session's. */
  sessionId?: string | null;
}

/** The permission rules and grants in force, and where each is written. */
export interface ListRules {
  /** As they bind this session, with the grants that hold in it. */
  sessionId?: string | null;
  /** As they bind this agent; by default the session's, or the default agent. */
  agent?: string | null;
}

/** The sessions of these folders, the one last used first. */
export interface ListSessions {
  /** Only those where each of its words is in the title, in a prompt or in an answer. */
  query?: string;
  limit?: number;
  /** Where to go on, from the previous answer. */
  cursor?: string | null;
}

/** The ways to sign in to a provider that the user's own plugins have, and the key of the model that is set. */
export interface ListSignIns {
}

/** The tools there are: built in, of MCP servers, of the user's and trusted projects' files and plugins. */
export interface ListTools {
}

export interface ListedChange {
  id: string;
  turnId?: string;
  messageId?: string;
  callId?: string;
  /** The subagent's session that made it. */
  madeIn?: string;
  agent?: string;
  kind: 'edit' | 'command' | 'undo';
  /** `planned`: being applied. `refused`: nothing of it was allowed. `unsure`: the editor has not answered yet. */
  state: 'proposed' | 'planned' | 'applied' | 'failed' | 'reverted' | 'refused' | 'unsure';
  /** Of what is `proposed`: the permission request that waits, which `agent/permission/pending` shows again. */
  requestId?: string;
  /** Of what is `proposed`. */
  title?: string;
  /** For an undo: the changes it takes back. */
  undoes: string[];
  /** In milliseconds since the epoch; absent for what is `proposed`. */
  created?: number;
  files: ListedFile[];
}

export interface ListedFile {
  uri: string;
  kind: 'create' | 'modify' | 'delete' | 'rename';
  newUri?: string;
  /** `dropped`: nothing of the file was allowed. Absent for a change that failed, and for an undo. */
  state?: 'proposed' | 'kept' | 'dropped' | 'reverted';
  /** True for a file that was undone alone, whose change stands. */
  reverted?: boolean;
  /** True where the user put another text in place of the proposed one. */
  edited?: boolean;
  /** Lines, of what was done; of what was dropped for a file of which nothing was allowed. Absent, as the hunks are, where the file is no text or too large to be compared. */
  additions?: number;
  deletions?: number;
  /** In the order of their places. `oldStart` is a line of the text before, also for hunks that were dropped. */
  hunks?: ListedHunk[];
  /** With `contents`: the text before and after with LF line ends, empty where there was or is no file. */
  oldText?: string;
  newText?: string;
}

/** A run of changed lines, and what became of it; the lines of a file with LF line ends. */
export interface ListedHunk {
  id: number;
  oldStart: number;
  oldLines: string[];
  newStart: number;
  newLines: string[];
  /** `dropped`: the user left it out. `reverted`: it was undone. */
  state: 'proposed' | 'kept' | 'dropped' | 'reverted';
}

/** Open a session again. The answer holds what happened after `since`, in order, as `agent/update` would have told it. */
export interface LoadSession {
  sessionId: string;
  /** The last `seq` the editor has seen; 0 for everything. */
  since?: number;
}

export interface LoadedSession {
  session: SessionInfo;
  events: SessionEvent[];
}

/** A model, and the key for it. */
export interface Login {
  id: string;
  key: 'environment' | 'keyring' | 'file' | 'missing' | 'not_needed';
  variables: string[];
}

/** The MCP servers that are set up, after doing something with one of them. `connect` starts a server (again) and answers once it is there or has failed, `disconnect` ends it. `auth` has the user sign in: the address is opened by `window/showDocument`, or told by `window/showMessage`, and the answer comes when that is over. `logout` forgets the sign-in. */
export interface ManageMcp {
  action?: 'list' | 'connect' | 'disconnect' | 'auth' | 'logout';
  server?: string | null;
}

export interface McpList {
  servers: McpServerInfo[];
}

export interface McpServerInfo {
  name: string;
  state: 'disabled' | 'waiting' | 'connecting' | 'connected' | 'needs_auth' | 'failed' | 'disconnected';
  kind: 'local' | 'remote';
  problems: string[];
  tools: string[];
  prompts: string[];
  resources: number;
  signedIn: boolean;
}

/** What is known of a model without asking anyone beyond this machine; absent what is not known. */
export interface ModelInfo {
  id: string;
  default: boolean;
  contextSize?: number;
  outputLimit?: number;
  vision?: boolean;
  tools?: boolean | 'prompted';
  inputPrice?: number;
  outputPrice?: number;
  transport?: 'fast' | 'compatible';
  server?: string;
}

export interface ModelList {
  models: ModelInfo[];
  total: number;
  missing?: string;
}

/** Begin a session in the folders the editor has open. */
export interface NewSession {
  /** One of `agent/agents`; by default the settings'. */
  agent?: string | null;
  /** `provider/name`; by default the settings'. */
  model?: string | null;
  title?: string | null;
}

/** Something the user should know of the turn that does not end it. */
export interface Notice {
  kind: 'notice';
  turnId: string;
  code: string;
  message: string;
  hint: string;
}

export interface Offer {
  scope: 'session' | 'project' | 'user';
  /** What "always" would allow. */
  patterns: string[];
}

export interface OpenedDocument {
  uri: string;
  dirty?: boolean;
}

export interface Option {
  label: string;
  description: string;
}

/** One of the things that are asked at once: a command of a line, a file of a change. */
export interface PartOfPermission {
  pattern: string;
  action: 'allow' | 'ask' | 'deny';
  /** The rule or the grant that decides about it, and where it is written, in words. */
  by: string;
}

/** A change that was applied to files. */
export interface PatchPart {
  id: string;
  type: 'patch';
  changeId: string;
  callId?: string;
  uris: string[];
  additions: number;
  deletions: number;
  reverted: boolean;
}

export interface PendingList {
  requests: RequestPermission[];
}

export interface Permission {
  /** `dismissed` is no answer: the request stays pending and can be opened again. */
  outcome: 'once' | 'always' | 'reject' | 'dismissed';
  scope?: 'session' | 'project' | 'user' | null;
  /** The hunks allowed, by URI; absent: all. A file that is not named is refused. */
  hunks?: Record<string, number[]> | null;
  edited?: EditedFile[];
  /** With `reject`: what to do instead; the turn then goes on. */
  feedback?: string | null;
  /** With any outcome but `dismissed`: what the agent is told of single files and hunks, each with what became of it. With `reject` they are feedback. */
  comments?: CommentOnChange[];
}

export interface PermissionList {
  rules: RuleInfo[];
  grants: GrantInfo[];
  problem?: string;
}

export interface Plan {
  kind: 'plan';
  entries: PlanEntry[];
}

export interface PlanEntry {
  content: string;
  status: 'pending' | 'in_progress' | 'completed' | 'cancelled';
  priority: 'high' | 'medium' | 'low';
}

/** As in LSP, in the negotiated encoding. */
export interface Position {
  line: number;
  character: number;
}

/** Ask. The request stays open until the turn has ended; its events come as `agent/update` before the answer. `$/cancelRequest` and `agent/cancel` end the turn, and the answer is a normal result with `stopReason: "cancelled"`. */
export interface Prompt {
  sessionId: string;
  parts: (TextPartInput | FilePartInput | AgentPartInput | DiagnosticsPartInput)[];
  /** While a turn runs: `after` waits for its end; `steer` joins it, the model sees the text with its next request, and the answer is that turn's. When none runs, both open a turn. */
  queue?: 'steer' | 'after';
}

export interface PromptResult {
  stopReason: 'end_turn' | 'cancelled' | 'max_steps' | 'refused' | 'rejected' | 'error';
  /** The user message that opened the turn; absent when it was cancelled before it began. */
  messageId?: string;
  usage: Usage;
  /** With `stopReason: "error"`: what happened and what to do. */
  error?: TurnError;
}

export interface QuestionItem {
  header: string;
  question: string;
  options: Option[];
  multiple: boolean;
  /** Whether the user may answer in own words. */
  custom: boolean;
  /** Typed where nobody sees it, and kept nowhere: of a sign-in. */
  secret: boolean;
}

export interface QuestionResult {
  /** The chosen labels per question; null when the user declined. */
  answers: string[][] | null;
}

export interface Range {
  start: Position;
  end: Position;
}

/** Documents as the editor has them, also those it has not opened for us. */
export interface ReadDocuments {
  uris: string[];
}

export interface ReasoningPart {
  id: string;
  type: 'reasoning';
  text: string;
  /** The provider's seal on its own thinking; it must come back to it unchanged. */
  signature?: string;
  /** Thinking the provider sent only encrypted. */
  redacted?: string;
}

/** Take back the last undo. */
export interface Redo {
  sessionId: string;
}

/** What the user did not allow of a proposed file. */
export interface RefusedFile {
  uri: string;
  kind: 'create' | 'modify' | 'delete' | 'rename';
  newUri?: string;
  /** Nothing of it was allowed. */
  whole: boolean;
  /** With the ids of the proposal, and the lines of the file as it was when the user was asked. */
  hunks: HunkOfChange[];
}

/** A command may have changed files: read the disk again where there is nothing unsaved. */
export interface Reload {
  /** Absent: every open document. */
  uris?: string[];
}

export interface ReloadResult {
  files: ReloadedFile[];
}

export interface ReloadedFile {
  uri: string;
  status: 'reloaded' | 'unchanged' | 'conflict';
}

/** Give a session a title. */
export interface RenameSession {
  sessionId: string;
  title: string;
}

/** Ask the user's placet. Waits as long as it takes; `$/cancelRequest` takes the question off the screen. */
export interface RequestPermission {
  requestId: string;
  sessionId: string;
  /** The agents from the session's own down to the one that asks; empty when it is the session's own. */
  origin: string[];
  toolCall: ToolCallReference;
  permission: string;
  /** What is asked, on one line of at most 100 characters: a command, shortened in the middle, or Placet's words. */
  title: string;
  patterns: string[];
  always: Offer[];
  /** The rule that decided to ask, and where it is written, in words. */
  rule: string;
  /** What is asked, one by one, with what decides about each. */
  parts: PartOfPermission[];
  change?: Change;
  command?: string;
  /** Path of the directory that the command would run in. */
  cwd?: string;
  url?: string;
  /** What the model or a server says of the call, on one line that begins with who says it. Never show it first. */
  description?: string;
  /** What Placet says beside the title, on one line. */
  note?: string;
  /** The whole arguments of the call as indented JSON, for calls that have no command, change or URL. Show all. */
  arguments?: string;
}

export interface Retry {
  kind: 'retry';
  messageId: string;
  attempt: number;
  waitSeconds: number;
  error: TurnError;
}

export interface RetryPart {
  id: string;
  type: 'retry';
  attempt: number;
  waitSeconds: number;
  error: TurnError;
}

/** Take back what the user allowed with "always". What was done under it stays. */
export interface RevokeGrant {
  id: string;
}

export interface RuleInfo {
  permission: string;
  pattern: string;
  action: 'allow' | 'ask' | 'deny';
  source: string;
  line?: number;
  warning?: string;
}

/** Save these documents, which hold an edit of ours and nothing of the user's that was unsaved before. */
export interface Save {
  uris: string[];
}

export interface SaveResult {
  files: SavedFile[];
}

export interface SavedFile {
  uri: string;
  saved: boolean;
  /** Why not. */
  reason?: string | null;
}

/** One event as it leaves its session. `seq` only grows within a session; it may have gaps. */
export interface SessionEvent {
  sessionId: string;
  seq: number;
  update: TurnStarted | TurnEnded | UserMessageAdded | AgentMessageChanged | AgentMessageChunk | AgentThoughtChunk | ToolCall | ToolCallUpdate | Plan | UsageUpdate | SessionInfoUpdate | CurrentModeUpdate | AvailableCommandsUpdate | ChangeProposed | ChangeApplied | ChangeReverted | DiagnosticsDelta | Retry | Notice | Compaction | ToolResultCleared;
}

/** What a list of sessions shows. */
export interface SessionInfo {
  id: string;
  parentId?: string;
  title: string;
  agent: string;
  /** What answers. */
  model: string;
  /** What answers where the agent has no model of its own: as the user last chose. */
  baseModel: string;
  /** URIs of the folders it works in. */
  roots: string[];
  created: number;
  updated: number;
  /** The session it began as a copy of. */
  forkedFrom?: string;
  /** What it has cost so far; only in answers to `agent/session/list` and `agent/session/load`. */
  usage?: SessionUsage;
}

export interface SessionInfoUpdate {
  kind: 'session_info_update';
  title: string;
}

export interface SessionList {
  sessions: SessionInfo[];
  /** Absent on the last page. */
  cursor?: string;
}

export interface SessionSummary {
  /** Two or three sentences, in the user's language. */
  text: string;
}

/** What a session and its subagents have spent together. */
export interface SessionUsage {
  tokens: Tokens;
  cost: number;
  /** The subagents' share of it. */
  subagents?: Spent;
  /** Beside it, what the session that this one is a copy of had spent on what was copied. */
  inherited?: Spent;
}

/** Choose who answers from the next turn on. */
export interface SetAgent {
  sessionId: string;
  agent: string;
}

/** Choose the model from the next turn on. */
export interface SetModel {
  sessionId: string;
  model: string;
}

/** Sign in to a provider, and keep the key that comes of it. What the way needs is asked by `editor/question` without a session, which is part of what the user is doing: it is put at once, and what is `secret` is not shown. An address is opened by `window/showDocument`, or told by `window/showMessage`. The answer comes when that is over; what fails is an error with words for the user, and `$/cancelRequest` gives it up. */
export interface SignInTo {
  provider: string;
  method?: number | null;
}

export interface SignInWay {
  provider: string;
  method: number;
  label: string;
  plugin?: string;
}

export interface SignInWays {
  ways: SignInWay[];
  problems: string[];
}

export interface SignedIn {
  outcome: 'signedIn' | 'cancelled';
  message: string;
}

/** Tokens and their cost in US dollars, where calls of unknown price count as 0. */
export interface Spent {
  tokens: Tokens;
  cost: number;
}

export interface Status {
  version: string;
  pid: number;
  /** Resident, in bytes; absent where the system does not say. */
  memory?: number;
  /** The sessions in which a turn runs. */
  running: string[];
  /** Permission requests that wait for an answer. */
  pending: number;
  /** Path of the log file; absent when it goes to stderr, which is where editors keep a server's log. */
  log?: string;
  /** What answers in a session that names no model, and whether there is a key for it. */
  model?: Login;
  /** URIs of the folders it works in. */
  roots: string[];
  /** Path of the file in which sessions are kept. */
  store?: string;
  /** The editor that it serves, with its version; each editor has a daemon of its own. */
  client?: string;
  /** What contains the commands that it runs: nothing; they have the user's own rights. */
  sandbox: 'none';
}

export interface StepFinishPart {
  id: string;
  type: 'step-finish';
  reason: string;
  tokens: Tokens;
  /** In US dollars, 0 where the price is not known. */
  cost: number;
}

export interface StepStartPart {
  id: string;
  type: 'step-start';
}

/** What a client with `strictApply` does beyond LSP: check all, then apply all as one undo step, then save. */
export interface StrictApply {
  /** An edit of the same id is applied once. */
  editId: string;
  expect: Expected[];
  save: 'always' | 'ifWasClean' | 'never';
  /** The user's turn that the edit is for: all that it does to a document may be one undo step. Absent for an undo. */
  turnId?: string;
}

export interface SubtaskPart {
  id: string;
  type: 'subtask';
  agent: string;
  prompt: string;
  description: string;
}

/** Have the agent `summary` say what the session has done, as for a commit; the conversation stays as it is. */
export interface SummarizeSession {
  sessionId: string;
}

export interface TextPart {
  id: string;
  type: 'text';
  text: string;
  /** Written by Placet rather than by the user or the model (an attached file, an interruption note). */
  synthetic: boolean;
}

export interface TextPartInput {
  id?: string;
  type: 'text';
  text: string;
  /** Written by Placet rather than by the user or the model (an attached file, an interruption note). */
  synthetic?: boolean;
}

/** Tokens of one model call, from the provider's own figures; `input` excludes the cached ones. */
export interface Tokens {
  input: number;
  output: number;
  reasoning: number;
  cacheRead: number;
  cacheWrite: number;
}

/** A tool call appeared; `part.state` is as of now. */
export interface ToolCall {
  kind: 'tool_call';
  messageId: string;
  part: ToolPart;
}

export interface ToolCallReference {
  messageId: string;
  callId: string;
  tool: string;
}

/** The same call, later; `part` replaces what was known of it. */
export interface ToolCallUpdate {
  kind: 'tool_call_update';
  messageId: string;
  part: ToolPart;
}

export interface ToolCompleted {
  status: 'completed';
  input: Record<string, unknown>;
  title: string;
  /** What the model is told. */
  output: string;
  /** What the screen shows. */
  metadata: Record<string, unknown>;
  attachments: FilePart[];
  start: number;
  end: number;
  /** When it was cleared for the model, to save room; the screen still has it. */
  compacted?: number;
}

export interface ToolFailed {
  status: 'error';
  input: Record<string, unknown>;
  title: string;
  /** What the model is told. */
  error: string;
  metadata: Record<string, unknown>;
  start: number;
  end: number;
}

export interface ToolInfo {
  id: string;
  description: string;
  source: string;
  reason: string;
}

export interface ToolList {
  tools: ToolInfo[];
}

export interface ToolPart {
  id: string;
  type: 'tool';
  /** The model's own name for the call; unique within its message. */
  callId: string;
  tool: string;
  state: ToolPending | ToolRunning | ToolCompleted | ToolFailed;
}

/** The model is still writing the call; `raw` is its JSON so far. */
export interface ToolPending {
  status: 'pending';
  input: Record<string, unknown>;
  raw: string;
}

/** The model no longer has the result of this call, which is long past; a screen goes on showing it. */
export interface ToolResultCleared {
  kind: 'tool_result_cleared';
  messageId: string;
  partId: string;
  /** In milliseconds since the epoch. */
  at: number;
}

export interface ToolRunning {
  status: 'running';
  input: Record<string, unknown>;
  title: string;
  metadata: Record<string, unknown>;
  start: number;
}

export interface TurnEnded {
  kind: 'turn_ended';
  turnId: string;
  stopReason: 'end_turn' | 'cancelled' | 'max_steps' | 'refused' | 'rejected' | 'error';
  error?: TurnError;
}

/** Why a turn or a model call failed, for the user: what happened, and what to do. */
export interface TurnError {
  code: string;
  message: string;
  hint: string;
}

export interface TurnStarted {
  kind: 'turn_started';
  /** The id of the user message that opened it. */
  turnId: string;
}

/** Take back what a turn, a message or some changes did to files. Without a target, the last turn that changed anything. With `uris`, only of those files; and with them alone, all that the session did to them. What a subagent did, the message did that had it work, and so its turn. */
export interface Undo {
  sessionId: string;
  turnId?: string | null;
  messageId?: string | null;
  changeIds?: string[] | null;
  uris?: string[] | null;
}

export interface UndoResult {
  files: UndoneFile[];
}

export interface UndoneFile {
  uri: string;
  /** `conflict`: the user has changed the same lines since, and the file was left alone. */
  status: 'restored' | 'conflict' | 'unchanged';
  /** Why not, for a conflict. */
  reason?: string;
}

/** Sums over the turn; cost in US dollars, 0 where the price is not known. */
export interface Usage {
  tokens: Tokens;
  cost: number;
}

/** After each model call: its tokens and cost (US dollars), and how full the context is. When a session is loaded, the last one is told again; the session's own `usage` has its cost already. */
export interface UsageUpdate {
  kind: 'usage_update';
  messageId: string;
  tokens: Tokens;
  cost: number;
  contextUsed: number;
  contextSize?: number;
}

/** A prompt; it opens a turn, and the turn is known by its id. Or it steers a turn that runs. */
export interface UserMessage {
  role: 'user';
  id: string;
  created: number;
  agent: string;
  model: string;
  parts: (TextPart | ReasoningPart | FilePart | AgentPart | DiagnosticsPart | ToolPart | StepStartPart | StepFinishPart | PatchPart | SubtaskPart | RetryPart | CompactionPart)[];
  /** The turn that it was taken into; None for a message that opened one. */
  steers?: string;
  /** How the turn it opened ended; None while it runs, or when the daemon died in it. */
  stopReason?: 'end_turn' | 'cancelled' | 'max_steps' | 'refused' | 'rejected' | 'error';
  error?: TurnError;
}

export interface UserMessageAdded {
  kind: 'user_message';
  message: UserMessage;
}

export interface VisibleDocument {
  uri: string;
  /** Line, 0-based; both ends included. */
  first: number;
  last: number;
}

export interface WrittenMessage {
  /** A subject, and if there is more to say, an empty line and a body. */
  text: string;
}

export type Update = TurnStarted | TurnEnded | UserMessageAdded | AgentMessageChanged | AgentMessageChunk | AgentThoughtChunk | ToolCall | ToolCallUpdate | Plan | UsageUpdate | SessionInfoUpdate | CurrentModeUpdate | AvailableCommandsUpdate | ChangeProposed | ChangeApplied | ChangeReverted | DiagnosticsDelta | Retry | Notice | Compaction | ToolResultCleared;

export type Part = TextPart | ReasoningPart | FilePart | AgentPart | DiagnosticsPart | ToolPart | StepStartPart | StepFinishPart | PatchPart | SubtaskPart | RetryPart | CompactionPart;

export type ToolState = ToolPending | ToolRunning | ToolCompleted | ToolFailed;

export type PromptPart = TextPartInput | FilePartInput | AgentPartInput | DiagnosticsPartInput;

export type Message = UserMessage | AssistantMessage;

/** What the editor may ask of the daemon. */
export interface EditorRequests {
  /** Begin a session in the folders the editor has open. */
  'agent/session/new': {
    params: NewSession;
    result: SessionInfo;
  };
  /** The sessions of these folders, the one last used first. */
  'agent/session/list': {
    params: ListSessions;
    result: SessionList;
  };
  /** Open a session again. The answer holds what happened after `since`, in order, as `agent/update` would have told it. */
  'agent/session/load': {
    params: LoadSession;
    result: LoadedSession;
  };
  /** Begin a new session with what was said in another. Files are not touched, and changes stay the other's to undo. Of a turn that runs, what it has finished is taken over. */
  'agent/session/fork': {
    params: ForkSession;
    result: SessionInfo;
  };
  /** The session as text. It holds what was said and what tools have read, and no keys. */
  'agent/session/export': {
    params: ExportSession;
    result: ExportedSession;
  };
  /** Begin a new session with what was exported as `json`, in the folders the editor has open. */
  'agent/session/import': {
    params: ImportSession;
    result: SessionInfo;
  };
  /** Give a session a title. */
  'agent/session/rename': {
    params: RenameSession;
    result: SessionInfo;
  };
  /** Delete a session with its history and its subagents' sessions. What it changed in files stays. If it is a subagent's, what it changed remains to be undone in the session that it worked for. */
  'agent/session/delete': {
    params: DeleteSession;
    result: null;
  };
  /** Sum up the conversation for the model now, so that it can go on in less space. After the turns that were asked for before. `agent/cancel` ends it, and then it fails. */
  'agent/session/compact': {
    params: CompactSession;
    result: CompactResult;
  };
  /** Have the agent `summary` say what the session has done, as for a commit; the conversation stays as it is. */
  'agent/session/summarize': {
    params: SummarizeSession;
    result: SessionSummary;
  };
  /** Choose who answers from the next turn on. */
  'agent/session/setAgent': {
    params: SetAgent;
    result: SessionInfo;
  };
  /** Choose the model from the next turn on. */
  'agent/session/setModel': {
    params: SetModel;
    result: SessionInfo;
  };
  /** Ask. The request stays open until the turn has ended; its events come as `agent/update` before the answer. `$/cancelRequest` and `agent/cancel` end the turn, and the answer is a normal result with `stopReason: "cancelled"`. */
  'agent/prompt': {
    params: Prompt;
    result: PromptResult;
  };
  /** Take back what a turn, a message or some changes did to files. Without a target, the last turn that changed anything. With `uris`, only of those files; and with them alone, all that the session did to them. What a subagent did, the message did that had it work, and so its turn. */
  'agent/undo': {
    params: Undo;
    result: UndoResult;
  };
  /** Take back the last undo. */
  'agent/redo': {
    params: Redo;
    result: UndoResult;
  };
  /** Every change of a session, oldest first, with its hunks and state; last what waits for the user's answer. Those of its subagents are among them: at the message that had them work, with the subagent's session as `madeIn` and its name as `agent`. */
  'agent/changes': {
    params: ListChanges;
    result: ChangeList;
  };
  /** The models that can be chosen without further ado. Any other `provider/name` can be set as well. These are the settings' and the built-in one, then those of servers that listen on this machine where Ollama, vLLM, LM Studio and llama-server usually do, then those of each provider whose key is there. */
  'agent/models': {
    params: ListModels;
    result: ModelList;
  };
  /** The agents there are: those a session can be given to, and those that can only be named in a prompt. */
  'agent/agents': {
    params: ListAgents;
    result: AgentList;
  };
  /** The slash commands: a prompt that begins with `/name` is carried out as the command says. The prompt stays as the user has typed it; what the command says is a synthetic part beside it. */
  'agent/commands': {
    params: ListCommands;
    result: CommandList;
  };
  /** The tools there are: built in, of MCP servers, of the user's and trusted projects' files and plugins. */
  'agent/tools': {
    params: ListTools;
    result: ToolList;
  };
  /** The MCP servers that are set up, after doing something with one of them. `connect` starts a server (again) and answers once it is there or has failed, `disconnect` ends it. `auth` has the user sign in: the address is opened by `window/showDocument`, or told by `window/showMessage`, and the answer comes when that is over. `logout` forgets the sign-in. */
  'agent/mcp': {
    params: ManageMcp;
    result: McpList;
  };
  /** The ways to sign in to a provider that the user's own plugins have, and the key of the model that is set. */
  'agent/auth/methods': {
    params: ListSignIns;
    result: SignInWays;
  };
  /** Sign in to a provider, and keep the key that comes of it. What the way needs is asked by `editor/question` without a session, which is part of what the user is doing: it is put at once, and what is `secret` is not shown. An address is opened by `window/showDocument`, or told by `window/showMessage`. The answer comes when that is over; what fails is an error with words for the user, and `$/cancelRequest` gives it up. */
  'agent/auth/login': {
    params: SignInTo;
    result: SignedIn;
  };
  /** What can be meant by the unfinished `@...`, or the `/...` at the start, at a place in a prompt. Files and directories, `@path#` for the symbols of a file, `@symbol:`, subagents, `@diagnostics`, resources of MCP servers, commands, and behind `/agent`, `/model` and `/sessions` what there is of those. An editor whose prompts are documents can ask `textDocument/completion` instead. */
  'agent/complete': {
    params: Complete;
    result: CompletionList;
  };
  /** Have the agent `commit` write the message of a commit: for what is staged, or else for what is changed. It follows the last commits. Of files that the agent may not read unasked it sees the names alone. */
  'agent/commitMessage': {
    params: CommitMessage;
    result: WrittenMessage;
  };
  /** How the daemon is. */
  'agent/status': {
    params: GetStatus;
    result: Status;
  };
  /** The permission requests that wait for an answer. Those the user put away are sent to the editor again. */
  'agent/permission/pending': {
    params: ListPending;
    result: PendingList;
  };
  /** The permission rules and grants in force, and where each is written. */
  'agent/permission/rules': {
    params: ListRules;
    result: PermissionList;
  };
  /** Why a call would be allowed, asked or denied. Nothing is done, and nobody is asked. */
  'agent/permission/explain': {
    params: ExplainPermission;
    result: ExplanationInfo;
  };
  /** Take back what the user allowed with "always". What was done under it stays. */
  'agent/permission/revoke': {
    params: RevokeGrant;
    result: null;
  };
}

/** What the editor may tell the daemon. */
export interface EditorNotifications {
  /** End the running turn of a session, if there is one. */
  'agent/cancel': {
    params: Cancel;
  };
  /** The user has let the editor trust its folders, or has taken that back. `initializationOptions.agent.trusted` says it at the start; an editor that says nothing trusts them. In folders that it does not trust nothing is used of what a project brings, whatever the user has decided about it here, and no language server is started. */
  'agent/didChangeTrust': {
    params: DidChangeTrust;
  };
  /** The user looks at a document. To be sent at most a few times a second. */
  'agent/didFocus': {
    params: DidFocus;
  };
  /** The user has put into a file, by the editor's own edit, what they had left out of a change. The model is told so beside the next prompt. */
  'agent/didPutIn': {
    params: DidPutIn;
  };
  /** The user has begun to write a prompt: the model host is started, if it rests. To be sent once a prompt. */
  'agent/didType': {
    params: DidType;
  };
}

/** What the daemon may ask of the editor. */
export interface DaemonRequests {
  /** LSP's own request; `agent` is there for a client that declared `strictApply`. */
  'workspace/applyEdit': {
    params: ApplyEdit;
    result: ApplyEditResult;
  };
  /** Documents as the editor has them, also those it has not opened for us. */
  'editor/readDocuments': {
    params: ReadDocuments;
    result: EditorDocuments;
  };
  /** Save these documents, which hold an edit of ours and nothing of the user's that was unsaved before. */
  'editor/save': {
    params: Save;
    result: SaveResult;
  };
  /** A command may have changed files: read the disk again where there is nothing unsaved. */
  'editor/reload': {
    params: Reload;
    result: ReloadResult;
  };
  /** Where the user is. Asked with a prompt, if the setting `context.editor` is on. */
  'editor/state': {
    params: GetState;
    result: EditorState;
  };
  /** Diagnostics of the user's own language servers, fresh where that can be had in time. */
  'editor/diagnostics': {
    params: Diagnostics;
    result: DiagnosticsResult;
  };
  /** Ask the user's own language servers. Edits come back as data; they are never applied. */
  'editor/languageFeature': {
    params: LanguageFeature;
    result: LanguageFeatureResult;
  };
  /** Ask the user's placet. Waits as long as it takes; `$/cancelRequest` takes the question off the screen. */
  'editor/requestPermission': {
    params: RequestPermission;
    result: Permission;
  };
  /** Put questions to the user. Waits as `editor/requestPermission` does. */
  'editor/question': {
    params: AskQuestion;
    result: QuestionResult;
  };
}

/** What the daemon may tell the editor. */
export interface DaemonNotifications {
  /** One event as it leaves its session. `seq` only grows within a session; it may have gaps. */
  'agent/update': {
    params: SessionEvent;
  };
}
