---@meta
-- Made by `placet schema --lua`. Do not edit: change the Python classes, then `make docs`.
error('Cannot require a meta file')

---@alias placet.wire.Protocol 1

---`vim.NIL`, where a field must be there.
---@alias placet.wire.Null userdata

---@class placet.wire.ActiveDocument
---@field uri string
---@field languageId? string
---@field dirty? boolean
---Of the cursor, 0-based.
---@field line integer
---As the editor counts; for people.
---@field column? integer

---@class placet.wire.AgentInfo
---@field name string
---@field description string
---@field mode 'primary'|'subagent'|'all'
---@field model? string
---@field source string

---@class placet.wire.AgentList
---@field agents placet.wire.AgentInfo[]
---@field default string
---@field problems string[]

---An answer began or ended; its parts come in events of their own, so `message.parts` is empty here.
---@class placet.wire.AgentMessageChanged
---@field kind 'agent_message'
---@field message placet.wire.AssistantMessage

---Text of the answer. `offset` is where in the part it stands (in code points), so that a replay does
---no harm.
---@class placet.wire.AgentMessageChunk
---@field kind 'agent_message_chunk'
---@field messageId string
---@field partId string
---@field offset integer
---@field text string

---@class placet.wire.AgentPart
---@field id string
---@field type 'agent'
---@field name string

---@class placet.wire.AgentPartInput
---@field id? string
---@field type 'agent'
---@field name string

---Thinking, in the same manner.
---@class placet.wire.AgentThoughtChunk
---@field kind 'agent_thought_chunk'
---@field messageId string
---@field partId string
---@field offset integer
---@field text string
---@field signature? string
---@field redacted? string

---@class placet.wire.AppliedFile
---@field uri string
---@field version? integer
---Of the text after saving and formatting.
---@field sha256 string
---@field dirty? boolean
---@field changedBySave? boolean
---The whole text, when saving changed it.
---@field text? string

---@class placet.wire.AppliedFiles
---@field files placet.wire.AppliedFile[]

---LSP's own request; `agent` is there for a client that declared `strictApply`.
---@class placet.wire.ApplyEdit
---@field label? string
---A WorkspaceEdit.
---@field edit table<string, any>
---@field agent? placet.wire.StrictApply

---@class placet.wire.ApplyEditResult
---False with a `failureReason` when one file does not fit; then no file was changed.
---@field applied boolean
---@field failureReason? string
---@field agent? placet.wire.AppliedFiles

---Put questions to the user. Waits as `editor/requestPermission` does.
---@class placet.wire.AskQuestion
---Empty: it is part of what the user is doing (`agent/auth/login`), to be put at once; dismissed is
---declined.
---@field sessionId string
---@field questions placet.wire.QuestionItem[]

---One answer of the model: one step of a turn.
---@class placet.wire.AssistantMessage
---@field role 'assistant'
---@field id string
---The user message that opened the turn.
---@field parentId string
---@field created integer
---@field completed? integer
---@field agent string
---@field model string
---It only sums up the conversation, in a CompactionPart, and is no answer to the user.
---@field summary boolean
---The provider's reason: stop, tool_calls, length, …
---@field finish? string
---@field error? placet.wire.TurnError
---@field tokens placet.wire.Tokens
---@field cost number
---@field parts placet.wire.Part[]

---@class placet.wire.AvailableCommand
---@field name string
---@field description string
---What may be written behind the name.
---@field argumentHint? string
---Whose it is: `built in`, a file, the settings, a skill, an MCP server.
---@field source string

---@class placet.wire.AvailableCommandsUpdate
---@field kind 'available_commands_update'
---@field commands placet.wire.AvailableCommand[]

---End the running turn of a session, if there is one.
---@class placet.wire.Cancel
---@field sessionId string

---@class placet.wire.Change
---@field id string
---@field files placet.wire.FileOfChange[]

---What is now in the documents; `files` is what was really applied, which may be less than was
---proposed.
---@class placet.wire.ChangeApplied
---@field kind 'change_applied'
---@field messageId string
---@field changeId string
---@field callId? string
---@field files placet.wire.ChangedFile[]
---What the user left out of what was proposed; absent when that is nothing.
---@field refused? placet.wire.RefusedFile[]
---The subagent's session whose change it is, when this tells one it was made for; that one is told as
---well.
---@field madeIn? string

---@class placet.wire.ChangeList
---@field changes placet.wire.ListedChange[]

---@class placet.wire.ChangeProposed
---@field kind 'change_proposed'
---@field messageId string
---@field changeId string
---@field callId? string
---@field files placet.wire.ChangedFile[]

---@class placet.wire.ChangeReverted
---@field kind 'change_reverted'
---@field messageId string
---@field changeId string
---The subagent's session whose change it is, when this tells one it was made for; that one is told as
---well.
---@field madeIn? string

---@class placet.wire.ChangedFile
---@field uri string
---@field kind 'create'|'modify'|'delete'|'rename'
---@field newUri? string
---@field additions integer
---@field deletions integer
---Unified, always appliable.
---@field diff string
---True where the user put another text in place of the proposed one.
---@field edited? boolean

---@class placet.wire.CommandInfo
---@field name string
---@field description string
---@field argumentHint? string
---@field source string

---@class placet.wire.CommandList
---@field commands placet.wire.CommandInfo[]
---@field problems string[]

---@class placet.wire.CommentOnChange
---@field uri string
---Its id; absent: the file as a whole.
---@field hunk? integer
---@field text string

---Have the agent `commit` write the message of a commit: for what is staged, or else for what is
---changed. It follows the last commits. Of files that the agent may not read unasked it sees the names
---alone.
---@class placet.wire.CommitMessage
---URI of a folder in the repository; by default the first of those that are open.
---@field root? string
---What the commit changes, as `git diff` prints it; by default git is asked.
---@field diff? string
---By default `agent.commit.model`, `smallModel`, or the settings' model.
---@field model? string

---How much of the model's context the conversation takes, by estimate.
---@class placet.wire.CompactResult
---@field tokensBefore integer
---@field tokensAfter integer

---Sum up the conversation for the model now, so that it can go on in less space. After the turns that
---were asked for before. `agent/cancel` ends it, and then it fails.
---@class placet.wire.CompactSession
---@field sessionId string

---The conversation was summed up for the model; a screen goes on showing all of it.
---@class placet.wire.Compaction
---@field kind 'compaction'
---@field messageId string
---@field part placet.wire.CompactionPart

---From here on the model has the summary in place of what came before; the screen still has all of it.
---@class placet.wire.CompactionPart
---@field id string
---@field type 'compaction'
---Done because the model had no more room, rather than because the user asked for it.
---@field auto boolean
---@field summary string
---The first message that the model still has word for word; None: it has none of those before.
---@field keptFrom? string
---What the model was given, by estimate, and what it is given now.
---@field tokensBefore integer
---@field tokensAfter integer

---What can be meant by the unfinished `@...`, or the `/...` at the start, at a place in a prompt.
---Files and directories, `@path#` for the symbols of a file, `@symbol:`, subagents, `@diagnostics`,
---resources of MCP servers, commands, and behind `/agent`, `/model` and `/sessions` what there is of
---those. An editor whose prompts are documents can ask `textDocument/completion` instead.
---@class placet.wire.Complete
---Where the prompt will go: the files it has read come first.
---@field sessionId? string
---All of the prompt.
---@field text string
---@field position placet.wire.Position

---As in LSP; to be run when the item is chosen, or when the prompt is sent that begins with it.
---@class placet.wire.CompletionCommand
---@field title string
---`placet.` and the command's name: `agent` (agent/session/setAgent), `compact`
---(agent/session/compact), `export` (agent/session/export), `fork` (agent/session/fork), `model`
---(agent/session/setModel), `redo` (agent/redo), `sessions` (agent/session/list, with a session's id
---behind it agent/session/load), `undo` (agent/undo).
---@field command string

---@class placet.wire.CompletionData
---@field kind 'file'|'directory'|'symbol'|'agent'|'diagnostics'|'resource'|'command'|'argument'

---@class placet.wire.CompletionEdit
---All that is written of it, also what stands behind the position; on one line.
---@field range placet.wire.Range
---@field newText string

---LSP's, with those of its fields that are in use here.
---@class placet.wire.CompletionItem
---@field label string
---LSP's CompletionItemKind.
---@field kind integer
---@field detail? string
---What is written, where the daemon has chosen what fits; `/name` for commands, which may be filtered
---here.
---@field filterText string
---@field sortText string
---@field textEdit placet.wire.CompletionEdit
---Only of `/` items, and not in the answer to `textDocument/completion`, as editors would run it at
---once.
---@field command? placet.wire.CompletionCommand
---@field data placet.wire.CompletionData

---@class placet.wire.CompletionList
---Ask again when more is typed.
---@field isIncomplete boolean
---@field items placet.wire.CompletionItem[]

---Another agent is in charge.
---@class placet.wire.CurrentModeUpdate
---@field kind 'current_mode_update'
---@field agent string
---What answers now.
---@field model? string

---Delete a session with its history and its subagents' sessions. What it changed in files stays. If it
---is a subagent's, what it changed remains to be undone in the session that it worked for.
---@class placet.wire.DeleteSession
---@field sessionId string

---Diagnostics of the user's own language servers, fresh where that can be had in time.
---@class placet.wire.Diagnostics
---Absent: of all documents.
---@field uris? string[]
---LSP's numbers: 1 is an error, 4 a hint.
---@field minSeverity integer
---Document versions by URI: judged before them does not count as fresh.
---@field after table<string, integer>
---How long nothing new must have come.
---@field quietMs integer
---@field timeoutMs integer
---@field limit integer

---What a change did to the diagnostics of the files it touched.
---@class placet.wire.DiagnosticsDelta
---@field kind 'diagnostics_delta'
---@field messageId string
---@field changeId string
---@field added table<string, any>[]
---@field removed table<string, any>[]
---@field fresh boolean

---@class placet.wire.DiagnosticsItem
---@field uri string
---@field version? integer
---@field fresh boolean
---LSP diagnostics.
---@field diagnostics table<string, any>[]
---Who judges the file, for example `pyright`; none: nobody does. Absent: not known.
---@field providers? string[]

---@class placet.wire.DiagnosticsPart
---@field id string
---@field type 'diagnostics'
---The file whose diagnostics are meant; None: all that the editor has.
---@field uri? string

---@class placet.wire.DiagnosticsPartInput
---@field id? string
---@field type 'diagnostics'
---The file whose diagnostics are meant; None: all that the editor has.
---@field uri? string

---@class placet.wire.DiagnosticsResult
---@field items placet.wire.DiagnosticsItem[]
---@field timedOut? boolean
---@field truncated? boolean

---The user has let the editor trust its folders, or has taken that back.
---`initializationOptions.agent.trusted` says it at the start; an editor that says nothing trusts them.
---In folders that it does not trust nothing is used of what a project brings, whatever the user has
---decided about it here, and no language server is started.
---@class placet.wire.DidChangeTrust
---@field trusted boolean

---The user looks at a document. To be sent at most a few times a second.
---@class placet.wire.DidFocus
---@field uri string
---@field selection? placet.wire.Range
---@field visible? placet.wire.Range

---The user has put into a file, by the editor's own edit, what they had left out of a change. The
---model is told so beside the next prompt.
---@class placet.wire.DidPutIn
---@field sessionId string
---@field changeId string
---The file as `agent/changes` lists it.
---@field uri string
---The ids of those, as `agent/changes` lists them.
---@field hunks integer[]

---The user has begun to write a prompt: the model host is started, if it rests. To be sent once a
---prompt.
---@class placet.wire.DidType
---Where the prompt will go, if that is known.
---@field sessionId? string

---@class placet.wire.EditedFile
---@field uri string
---The whole text the user wants instead of the proposed one.
---@field text string

---@class placet.wire.EditorDocument
---@field uri string
---All that follows is only there if it is open.
---@field open boolean
---@field dirty? boolean
---@field version? integer
---@field text? string
---@field eol? string
---@field encoding? string
---@field bom? boolean
---@field languageId? string

---@class placet.wire.EditorDocuments
---One for each URI asked for.
---@field items placet.wire.EditorDocument[]

---Of files alone; whatever was not asked for is left out.
---@class placet.wire.EditorState
---The document the user was last in; null: none.
---@field active? placet.wire.ActiveDocument
---In the active document.
---@field selections? placet.wire.Range[]
---@field visible? placet.wire.VisibleDocument[]
---@field open? placet.wire.OpenedDocument[]
---@field folders? string[]

---@class placet.wire.Expected
---@field uri string
---Null for a document that is not open.
---@field version? integer
---Of the text as the editor holds it: its own line endings, no BOM, encoded in UTF-8.
---@field sha256 string

---Why a call would be allowed, asked or denied. Nothing is done, and nobody is asked.
---@class placet.wire.ExplainPermission
---Of the call (`bash`, `edit`, `webfetch`, …), or the name of a tool.
---@field permission string
---The command line for `bash`, a path for files, else the pattern that would be asked.
---@field subject string
---@field sessionId? string
---@field agent? string

---@class placet.wire.ExplanationInfo
---@field outcome 'allow'|'ask'|'deny'
---@field judged placet.wire.JudgedInfo[]
---@field unasked string[]
---@field notOffered? string

---The session as text. It holds what was said and what tools have read, and no keys.
---@class placet.wire.ExportSession
---@field sessionId string
---`json` can be imported again; `markdown` is to be read.
---@field format? 'json'|'markdown'
---With the texts of the files that were changed, before and after; in `json` only.
---@field contents? boolean

---@class placet.wire.ExportedSession
---@field text string

---Texts have LF line ends.
---@class placet.wire.FileOfChange
---@field uri string
---@field kind 'create'|'modify'|'delete'|'rename'
---@field newUri? string
---@field oldText string
---@field newText string
---@field hunks placet.wire.HunkOfChange[]

---@class placet.wire.FilePart
---@field id string
---@field type 'file'
---`file:` for a file of the project, `data:` for content carried along.
---@field uri string
---@field mime string
---@field name? string
---@field range? placet.wire.LineRange

---@class placet.wire.FilePartInput
---@field id? string
---@field type 'file'
---`file:` for a file of the project, `data:` for content carried along.
---@field uri string
---@field mime? string
---@field name? string
---@field range? placet.wire.LineRange

---Begin a new session with what was said in another. Files are not touched, and changes stay the
---other's to undo. Of a turn that runs, what it has finished is taken over.
---@class placet.wire.ForkSession
---@field sessionId string
---The prompt before which the new session ends; absent: it has everything.
---@field messageId? string

---Where the user is. Asked with a prompt, if the setting `context.editor` is on.
---@class placet.wire.GetState
---What of it; absent: everything.
---@field include? ('active'|'selections'|'visible'|'open'|'folders')[]

---How the daemon is.
---@class placet.wire.GetStatus

---What the user allowed with "always".
---@class placet.wire.GrantInfo
---@field id string
---@field permission string
---@field pattern string
---@field scope 'session'|'project'|'user'
---@field given string
---@field source string

---A run of changed lines, with their ends; line numbers are 0-based.
---@class placet.wire.HunkOfChange
---Counts from 1 within its file.
---@field id integer
---@field oldStart integer
---@field oldLines string[]
---@field newStart integer
---@field newLines string[]

---Begin a new session with what was exported as `json`, in the folders the editor has open.
---@class placet.wire.ImportSession
---@field text string

---One thing that a call would ask for.
---@class placet.wire.JudgedInfo
---@field permission string
---@field pattern string
---@field action 'allow'|'ask'|'deny'
---@field rule placet.wire.RuleInfo
---@field grant? placet.wire.GrantInfo

---Ask the user's own language servers. Edits come back as data; they are never applied.
---@class placet.wire.LanguageFeature
---@field method 'textDocument/definition'|'textDocument/typeDefinition'|'textDocument/implementation'|'textDocument/references'|'textDocument/hover'|'textDocument/documentSymbol'|'textDocument/signatureHelp'|'textDocument/rename'|'textDocument/codeAction'|'textDocument/formatting'|'textDocument/prepareCallHierarchy'|'workspace/symbol'|'callHierarchy/incomingCalls'|'callHierarchy/outgoingCalls'
---Of that method, as in LSP.
---@field params table<string, any>
---@field timeoutMs integer

---@class placet.wire.LanguageFeatureResult
---`loading`: a server is still indexing.
---@field status 'ok'|'noProvider'|'timeout'|'loading'
---Of that method, as in LSP, merged over the servers.
---@field result? any
---@field providers? string[]
---Of the documents the result speaks of.
---@field versions? table<string, integer>

---Lines of a file, 1-based, both ends included.
---@class placet.wire.LineRange
---@field start integer
---@field end integer

---The agents there are: those a session can be given to, and those that can only be named in a prompt.
---@class placet.wire.ListAgents

---Every change of a session, oldest first, with its hunks and state; last what waits for the user's
---answer. Those of its subagents are among them: at the message that had them work, with the
---subagent's session as `madeIn` and its name as `agent`.
---@class placet.wire.ListChanges
---@field sessionId string
---Only these.
---@field changeIds? string[]
---With the texts of the files before and after, as far as they are not too much.
---@field contents? boolean

---The slash commands: a prompt that begins with `/name` is carried out as the command says. The prompt
---stays as the user has typed it; what the command says is a synthetic part beside it.
---@class placet.wire.ListCommands

---The models that can be chosen without further ado. Any other `provider/name` can be set as well.
---These are the settings' and the built-in one, then those of servers that listen on this machine
---where Ollama, vLLM, LM Studio and llama-server usually do, then those of each provider whose key is
---there.
---@class placet.wire.ListModels
---@field query? string
---@field limit? integer

---The permission requests that wait for an answer. Those the user put away are sent to the editor
---again.
---@class placet.wire.ListPending
---Only this session's.
---@field sessionId? string

---The permission rules and grants in force, and where each is written.
---@class placet.wire.ListRules
---As they bind this session, with the grants that hold in it.
---@field sessionId? string
---As they bind this agent; by default the session's, or the default agent.
---@field agent? string

---The sessions of these folders, the one last used first.
---@class placet.wire.ListSessions
---Only those where each of its words is in the title, in a prompt or in an answer.
---@field query? string
---@field limit? integer
---Where to go on, from the previous answer.
---@field cursor? string

---The ways to sign in to a provider that the user's own plugins have, and the key of the model that is
---set.
---@class placet.wire.ListSignIns

---The tools there are: built in, of MCP servers, of the user's and trusted projects' files and
---plugins.
---@class placet.wire.ListTools

---@class placet.wire.ListedChange
---@field id string
---@field turnId? string
---@field messageId? string
---@field callId? string
---The subagent's session that made it.
---@field madeIn? string
---@field agent? string
---@field kind 'edit'|'command'|'undo'
---`planned`: being applied. `refused`: nothing of it was allowed. `unsure`: the editor has not
---answered yet.
---@field state 'proposed'|'planned'|'applied'|'failed'|'reverted'|'refused'|'unsure'
---Of what is `proposed`: the permission request that waits, which `agent/permission/pending` shows
---again.
---@field requestId? string
---Of what is `proposed`.
---@field title? string
---For an undo: the changes it takes back.
---@field undoes string[]
---In milliseconds since the epoch; absent for what is `proposed`.
---@field created? integer
---@field files placet.wire.ListedFile[]

---@class placet.wire.ListedFile
---@field uri string
---@field kind 'create'|'modify'|'delete'|'rename'
---@field newUri? string
---`dropped`: nothing of the file was allowed. Absent for a change that failed, and for an undo.
---@field state? 'proposed'|'kept'|'dropped'|'reverted'
---True for a file that was undone alone, whose change stands.
---@field reverted? boolean
---True where the user put another text in place of the proposed one.
---@field edited? boolean
---Lines, of what was done; of what was dropped for a file of which nothing was allowed. Absent, as the
---hunks are, where the file is no text or too large to be compared.
---@field additions? integer
---@field deletions? integer
---In the order of their places. `oldStart` is a line of the text before, also for hunks that were
---dropped.
---@field hunks? placet.wire.ListedHunk[]
---With `contents`: the text before and after with LF line ends, empty where there was or is no file.
---@field oldText? string
---@field newText? string

---A run of changed lines, and what became of it; the lines of a file with LF line ends.
---@class placet.wire.ListedHunk
---@field id integer
---@field oldStart integer
---@field oldLines string[]
---@field newStart integer
---@field newLines string[]
---`dropped`: the user left it out. `reverted`: it was undone.
---@field state 'proposed'|'kept'|'dropped'|'reverted'

---Open a session again. The answer holds what happened after `since`, in order, as `agent/update`
---would have told it.
---@class placet.wire.LoadSession
---@field sessionId string
---The last `seq` the editor has seen; 0 for everything.
---@field since? integer

---@class placet.wire.LoadedSession
---@field session placet.wire.SessionInfo
---@field events placet.wire.SessionEvent[]

---A model, and the key for it.
---@class placet.wire.Login
---@field id string
---@field key 'environment'|'keyring'|'file'|'missing'|'not_needed'
---@field variables string[]

---The MCP servers that are set up, after doing something with one of them. `connect` starts a server
---(again) and answers once it is there or has failed, `disconnect` ends it. `auth` has the user sign
---in: the address is opened by `window/showDocument`, or told by `window/showMessage`, and the answer
---comes when that is over. `logout` forgets the sign-in.
---@class placet.wire.ManageMcp
---@field action? 'list'|'connect'|'disconnect'|'auth'|'logout'
---@field server? string

---@class placet.wire.McpList
---@field servers placet.wire.McpServerInfo[]

---@class placet.wire.McpServerInfo
---@field name string
---@field state 'disabled'|'waiting'|'connecting'|'connected'|'needs_auth'|'failed'|'disconnected'
---@field kind 'local'|'remote'
---@field problems string[]
---@field tools string[]
---@field prompts string[]
---@field resources integer
---@field signedIn boolean

---What is known of a model without asking anyone beyond this machine; absent what is not known.
---@class placet.wire.ModelInfo
---@field id string
---@field default boolean
---@field contextSize? integer
---@field outputLimit? integer
---@field vision? boolean
---@field tools? boolean|'prompted'
---@field inputPrice? number
---@field outputPrice? number
---@field transport? 'fast'|'compatible'
---@field server? string

---@class placet.wire.ModelList
---@field models placet.wire.ModelInfo[]
---@field total integer
---@field missing? string

---Begin a session in the folders the editor has open.
---@class placet.wire.NewSession
---One of `agent/agents`; by default the settings'.
---@field agent? string
---`provider/name`; by default the settings'.
---@field model? string
---@field title? string

---Something the user should know of the turn that does not end it.
---@class placet.wire.Notice
---@field kind 'notice'
---@field turnId string
---@field code string
---@field message string
---@field hint string

---@class placet.wire.Offer
---@field scope 'session'|'project'|'user'
---What "always" would allow.
---@field patterns string[]

---@class placet.wire.OpenedDocument
---@field uri string
---@field dirty? boolean

---@class placet.wire.Option
---@field label string
---@field description string

---One of the things that are asked at once: a command of a line, a file of a change.
---@class placet.wire.PartOfPermission
---@field pattern string
---@field action 'allow'|'ask'|'deny'
---The rule or the grant that decides about it, and where it is written, in words.
---@field by string

---A change that was applied to files.
---@class placet.wire.PatchPart
---@field id string
---@field type 'patch'
---@field changeId string
---@field callId? string
---@field uris string[]
---@field additions integer
---@field deletions integer
---@field reverted boolean

---@class placet.wire.PendingList
---@field requests placet.wire.RequestPermission[]

---@class placet.wire.Permission
---`dismissed` is no answer: the request stays pending and can be opened again.
---@field outcome 'once'|'always'|'reject'|'dismissed'
---@field scope? 'session'|'project'|'user'
---The hunks allowed, by URI; absent: all. A file that is not named is refused.
---@field hunks? table<string, integer[]>
---@field edited? placet.wire.EditedFile[]
---With `reject`: what to do instead; the turn then goes on.
---@field feedback? string
---With any outcome but `dismissed`: what the agent is told of single files and hunks, each with what
---became of it. With `reject` they are feedback.
---@field comments? placet.wire.CommentOnChange[]

---@class placet.wire.PermissionList
---@field rules placet.wire.RuleInfo[]
---@field grants placet.wire.GrantInfo[]
---@field problem? string

---@class placet.wire.Plan
---@field kind 'plan'
---@field entries placet.wire.PlanEntry[]

---@class placet.wire.PlanEntry
---@field content string
---@field status 'pending'|'in_progress'|'completed'|'cancelled'
---@field priority 'high'|'medium'|'low'

---As in LSP, in the negotiated encoding.
---@class placet.wire.Position
---@field line integer
---@field character integer

---Ask. The request stays open until the turn has ended; its events come as `agent/update` before the
---answer. `$/cancelRequest` and `agent/cancel` end the turn, and the answer is a normal result with
---`stopReason: "cancelled"`.
---@class placet.wire.Prompt
---@field sessionId string
---@field parts placet.wire.PromptPart[]
---While a turn runs: `after` waits for its end; `steer` joins it, the model sees the text with its
---next request, and the answer is that turn's. When none runs, both open a turn.
---@field queue? 'steer'|'after'

---@class placet.wire.PromptResult
---@field stopReason 'end_turn'|'cancelled'|'max_steps'|'refused'|'rejected'|'error'
---The user message that opened the turn; absent when it was cancelled before it began.
---@field messageId? string
---@field usage placet.wire.Usage
---With `stopReason: "error"`: what happened and what to do.
---@field error? placet.wire.TurnError

---@class placet.wire.QuestionItem
---@field header string
---@field question string
---@field options placet.wire.Option[]
---@field multiple boolean
---Whether the user may answer in own words.
---@field custom boolean
---Typed where nobody sees it, and kept nowhere: of a sign-in.
---@field secret boolean

---@class placet.wire.QuestionResult
---The chosen labels per question; null when the user declined.
---@field answers string[][]|placet.wire.Null

---@class placet.wire.Range
---@field start placet.wire.Position
---@field end placet.wire.Position

---Documents as the editor has them, also those it has not opened for us.
---@class placet.wire.ReadDocuments
---@field uris string[]

---@class placet.wire.ReasoningPart
---@field id string
---@field type 'reasoning'
---@field text string
---The provider's seal on its own thinking; it must come back to it unchanged.
---@field signature? string
---Thinking the provider sent only encrypted.
---@field redacted? string

---Take back the last undo.
---@class placet.wire.Redo
---@field sessionId string

---What the user did not allow of a proposed file.
---@class placet.wire.RefusedFile
---@field uri string
---@field kind 'create'|'modify'|'delete'|'rename'
---@field newUri? string
---Nothing of it was allowed.
---@field whole boolean
---With the ids of the proposal, and the lines of the file as it was when the user was asked.
---@field hunks placet.wire.HunkOfChange[]

---A command may have changed files: read the disk again where there is nothing unsaved.
---@class placet.wire.Reload
---Absent: every open document.
---@field uris? string[]

---@class placet.wire.ReloadResult
---@field files placet.wire.ReloadedFile[]

---@class placet.wire.ReloadedFile
---@field uri string
---@field status 'reloaded'|'unchanged'|'conflict'

---Give a session a title.
---@class placet.wire.RenameSession
---@field sessionId string
---@field title string

---Ask the user's placet. Waits as long as it takes; `$/cancelRequest` takes the question off the
---screen.
---@class placet.wire.RequestPermission
---@field requestId string
---@field sessionId string
---The agents from the session's own down to the one that asks; empty when it is the session's own.
---@field origin string[]
---@field toolCall placet.wire.ToolCallReference
---@field permission string
---What is asked, on one line of at most 100 characters: a command, shortened in the middle, or
---Placet's words.
---@field title string
---@field patterns string[]
---@field always placet.wire.Offer[]
---The rule that decided to ask, and where it is written, in words.
---@field rule string
---What is asked, one by one, with what decides about each.
---@field parts placet.wire.PartOfPermission[]
---@field change? placet.wire.Change
---@field command? string
---Path of the directory that the command would run in.
---@field cwd? string
---@field url? string
---What the model or a server says of the call, on one line that begins with who says it. Never show it
---first.
---@field description? string
---What Placet says beside the title, on one line.
---@field note? string
---The whole arguments of the call as indented JSON, for calls that have no command, change or URL.
---Show all.
---@field arguments? string

---@class placet.wire.Retry
---@field kind 'retry'
---@field messageId string
---@field attempt integer
---@field waitSeconds number
---@field error placet.wire.TurnError

---@class placet.wire.RetryPart
---@field id string
---@field type 'retry'
---@field attempt integer
---@field waitSeconds number
---@field error placet.wire.TurnError

---Take back what the user allowed with "always". What was done under it stays.
---@class placet.wire.RevokeGrant
---@field id string

---@class placet.wire.RuleInfo
---@field permission string
---@field pattern string
---@field action 'allow'|'ask'|'deny'
---@field source string
---@field line? integer
---@field warning? string

---Save these documents, which hold an edit of ours and nothing of the user's that was unsaved before.
---@class placet.wire.Save
---@field uris string[]

---@class placet.wire.SaveResult
---@field files placet.wire.SavedFile[]

---@class placet.wire.SavedFile
---@field uri string
---@field saved boolean
---Why not.
---@field reason? string

---One event as it leaves its session. `seq` only grows within a session; it may have gaps.
---@class placet.wire.SessionEvent
---@field sessionId string
---@field seq integer
---@field update placet.wire.Update

---What a list of sessions shows.
---@class placet.wire.SessionInfo
---@field id string
---@field parentId? string
---@field title string
---@field agent string
---What answers.
---@field model string
---What answers where the agent has no model of its own: as the user last chose.
---@field baseModel string
---URIs of the folders it works in.
---@field roots string[]
---@field created integer
---@field updated integer
---The session it began as a copy of.
---@field forkedFrom? string
---What it has cost so far; only in answers to `agent/session/list` and `agent/session/load`.
---@field usage? placet.wire.SessionUsage

---@class placet.wire.SessionInfoUpdate
---@field kind 'session_info_update'
---@field title string

---@class placet.wire.SessionList
---@field sessions placet.wire.SessionInfo[]
---Absent on the last page.
---@field cursor? string

---@class placet.wire.SessionSummary
---Two or three sentences, in the user's language.
---@field text string

---What a session and its subagents have spent together.
---@class placet.wire.SessionUsage
---@field tokens placet.wire.Tokens
---@field cost number
---The subagents' share of it.
---@field subagents? placet.wire.Spent
---Beside it, what the session that this one is a copy of had spent on what was copied.
---@field inherited? placet.wire.Spent

---Choose who answers from the next turn on.
---@class placet.wire.SetAgent
---@field sessionId string
---@field agent string

---Choose the model from the next turn on.
---@class placet.wire.SetModel
---@field sessionId string
---@field model string

---Sign in to a provider, and keep the key that comes of it. What the way needs is asked by
---`editor/question` without a session, which is part of what the user is doing: it is put at once, and
---what is `secret` is not shown. An address is opened by `window/showDocument`, or told by
---`window/showMessage`. The answer comes when that is over; what fails is an error with words for the
---user, and `$/cancelRequest` gives it up.
---@class placet.wire.SignInTo
---@field provider string
---@field method? integer

---@class placet.wire.SignInWay
---@field provider string
---@field method integer
---@field label string
---@field plugin? string

---@class placet.wire.SignInWays
---@field ways placet.wire.SignInWay[]
---@field problems string[]

---@class placet.wire.SignedIn
---@field outcome 'signedIn'|'cancelled'
---@field message string

---Tokens and their cost in US dollars, where calls of unknown price count as 0.
---@class placet.wire.Spent
---@field tokens placet.wire.Tokens
---@field cost number

---@class placet.wire.Status
---@field version string
---@field pid integer
---Resident, in bytes; absent where the system does not say.
---@field memory? integer
---The sessions in which a turn runs.
---@field running string[]
---Permission requests that wait for an answer.
---@field pending integer
---Path of the log file; absent when it goes to stderr, which is where editors keep a server's log.
---@field log? string
---What answers in a session that names no model, and whether there is a key for it.
---@field model? placet.wire.Login
---URIs of the folders it works in.
---@field roots string[]
---Path of the file in which sessions are kept.
---@field store? string
---The editor that it serves, with its version; each editor has a daemon of its own.
---@field client? string
---What contains the commands that it runs: nothing; they have the user's own rights.
---@field sandbox 'none'

---@class placet.wire.StepFinishPart
---@field id string
---@field type 'step-finish'
---@field reason string
---@field tokens placet.wire.Tokens
---In US dollars, 0 where the price is not known.
---@field cost number

---@class placet.wire.StepStartPart
---@field id string
---@field type 'step-start'

---What a client with `strictApply` does beyond LSP: check all, then apply all as one undo step, then
---save.
---@class placet.wire.StrictApply
---An edit of the same id is applied once.
---@field editId string
---@field expect placet.wire.Expected[]
---@field save 'always'|'ifWasClean'|'never'
---The user's turn that the edit is for: all that it does to a document may be one undo step. Absent
---for an undo.
---@field turnId? string

---@class placet.wire.SubtaskPart
---@field id string
---@field type 'subtask'
---@field agent string
---@field prompt string
---@field description string

---Have the agent `summary` say what the session has done, as for a commit; the conversation stays as
---it is.
---@class placet.wire.SummarizeSession
---@field sessionId string

---@class placet.wire.TextPart
---@field id string
---@field type 'text'
---@field text string
---Written by Placet rather than by the user or the model (an attached file, an interruption note).
---@field synthetic boolean

---@class placet.wire.TextPartInput
---@field id? string
---@field type 'text'
---@field text string
---Written by Placet rather than by the user or the model (an attached file, an interruption note).
---@field synthetic? boolean

---Tokens of one model call, from the provider's own figures; `input` excludes the cached ones.
---@class placet.wire.Tokens
---@field input integer
---@field output integer
---@field reasoning integer
---@field cacheRead integer
---@field cacheWrite integer

---A tool call appeared; `part.state` is as of now.
---@class placet.wire.ToolCall
---@field kind 'tool_call'
---@field messageId string
---@field part placet.wire.ToolPart

---@class placet.wire.ToolCallReference
---@field messageId string
---@field callId string
---@field tool string

---The same call, later; `part` replaces what was known of it.
---@class placet.wire.ToolCallUpdate
---@field kind 'tool_call_update'
---@field messageId string
---@field part placet.wire.ToolPart

---@class placet.wire.ToolCompleted
---@field status 'completed'
---@field input table<string, any>
---@field title string
---What the model is told.
---@field output string
---What the screen shows.
---@field metadata table<string, any>
---@field attachments placet.wire.FilePart[]
---@field start integer
---@field end integer
---When it was cleared for the model, to save room; the screen still has it.
---@field compacted? integer

---@class placet.wire.ToolFailed
---@field status 'error'
---@field input table<string, any>
---@field title string
---What the model is told.
---@field error string
---@field metadata table<string, any>
---@field start integer
---@field end integer

---@class placet.wire.ToolInfo
---@field id string
---@field description string
---@field source string
---@field reason string

---@class placet.wire.ToolList
---@field tools placet.wire.ToolInfo[]

---@class placet.wire.ToolPart
---@field id string
---@field type 'tool'
---The model's own name for the call; unique within its message.
---@field callId string
---@field tool string
---@field state placet.wire.ToolState

---The model is still writing the call; `raw` is its JSON so far.
---@class placet.wire.ToolPending
---@field status 'pending'
---@field input table<string, any>
---@field raw string

---The model no longer has the result of this call, which is long past; a screen goes on showing it.
---@class placet.wire.ToolResultCleared
---@field kind 'tool_result_cleared'
---@field messageId string
---@field partId string
---In milliseconds since the epoch.
---@field at integer

---@class placet.wire.ToolRunning
---@field status 'running'
---@field input table<string, any>
---@field title string
---@field metadata table<string, any>
---@field start integer

---@class placet.wire.TurnEnded
---@field kind 'turn_ended'
---@field turnId string
---@field stopReason 'end_turn'|'cancelled'|'max_steps'|'refused'|'rejected'|'error'
---@field error? placet.wire.TurnError

---Why a turn or a model call failed, for the user: what happened, and what to do.
---@class placet.wire.TurnError
---@field code string
---@field message string
---@field hint string

---@class placet.wire.TurnStarted
---@field kind 'turn_started'
---The id of the user message that opened it.
---@field turnId string

---Take back what a turn, a message or some changes did to files. Without a target, the last turn that
---changed anything. With `uris`, only of those files; and with them alone, all that the session did to
---them. What a subagent did, the message did that had it work, and so its turn.
---@class placet.wire.Undo
---@field sessionId string
---@field turnId? string
---@field messageId? string
---@field changeIds? string[]
---@field uris? string[]

---@class placet.wire.UndoResult
---@field files placet.wire.UndoneFile[]

---@class placet.wire.UndoneFile
---@field uri string
---`conflict`: the user has changed the same lines since, and the file was left alone.
---@field status 'restored'|'conflict'|'unchanged'
---Why not, for a conflict.
---@field reason? string

---Sums over the turn; cost in US dollars, 0 where the price is not known.
---@class placet.wire.Usage
---@field tokens placet.wire.Tokens
---@field cost number

---After each model call: its tokens and cost (US dollars), and how full the context is. When a session
---is loaded, the last one is told again; the session's own `usage` has its cost already.
---@class placet.wire.UsageUpdate
---@field kind 'usage_update'
---@field messageId string
---@field tokens placet.wire.Tokens
---@field cost number
---@field contextUsed integer
---@field contextSize? integer

---A prompt; it opens a turn, and the turn is known by its id. Or it steers a turn that runs.
---@class placet.wire.UserMessage
---@field role 'user'
---@field id string
---@field created integer
---@field agent string
---@field model string
---@field parts placet.wire.Part[]
---The turn that it was taken into; None for a message that opened one.
---@field steers? string
---How the turn it opened ended; None while it runs, or when the daemon died in it.
---@field stopReason? 'end_turn'|'cancelled'|'max_steps'|'refused'|'rejected'|'error'
---@field error? placet.wire.TurnError

---@class placet.wire.UserMessageAdded
---@field kind 'user_message'
---@field message placet.wire.UserMessage

---@class placet.wire.VisibleDocument
---@field uri string
---Line, 0-based; both ends included.
---@field first integer
---@field last integer

---@class placet.wire.WrittenMessage
---A subject, and if there is more to say, an empty line and a body.
---@field text string

---@alias placet.wire.Update
---| placet.wire.TurnStarted
---| placet.wire.TurnEnded
---| placet.wire.UserMessageAdded
---| placet.wire.AgentMessageChanged
---| placet.wire.AgentMessageChunk
---| placet.wire.AgentThoughtChunk
---| placet.wire.ToolCall
---| placet.wire.ToolCallUpdate
---| placet.wire.Plan
---| placet.wire.UsageUpdate
---| placet.wire.SessionInfoUpdate
---| placet.wire.CurrentModeUpdate
---| placet.wire.AvailableCommandsUpdate
---| placet.wire.ChangeProposed
---| placet.wire.ChangeApplied
---| placet.wire.ChangeReverted
---| placet.wire.DiagnosticsDelta
---| placet.wire.Retry
---| placet.wire.Notice
---| placet.wire.Compaction
---| placet.wire.ToolResultCleared

---@alias placet.wire.Part
---| placet.wire.TextPart
---| placet.wire.ReasoningPart
---| placet.wire.FilePart
---| placet.wire.AgentPart
---| placet.wire.DiagnosticsPart
---| placet.wire.ToolPart
---| placet.wire.StepStartPart
---| placet.wire.StepFinishPart
---| placet.wire.PatchPart
---| placet.wire.SubtaskPart
---| placet.wire.RetryPart
---| placet.wire.CompactionPart

---@alias placet.wire.ToolState
---| placet.wire.ToolPending
---| placet.wire.ToolRunning
---| placet.wire.ToolCompleted
---| placet.wire.ToolFailed

---@alias placet.wire.PromptPart
---| placet.wire.TextPartInput
---| placet.wire.FilePartInput
---| placet.wire.AgentPartInput
---| placet.wire.DiagnosticsPartInput

---@alias placet.wire.Message
---| placet.wire.UserMessage
---| placet.wire.AssistantMessage

---What the editor may ask of the daemon.
---@class placet.wire.EditorRequests
---Begin a session in the folders the editor has open.
---@field ['agent/session/new'] { params: placet.wire.NewSession, result: placet.wire.SessionInfo }
---The sessions of these folders, the one last used first.
---@field ['agent/session/list'] { params: placet.wire.ListSessions, result: placet.wire.SessionList }
---Open a session again. The answer holds what happened after `since`, in order, as `agent/update`
---would have told it.
---@field ['agent/session/load'] { params: placet.wire.LoadSession, result: placet.wire.LoadedSession }
---Begin a new session with what was said in another. Files are not touched, and changes stay the
---other's to undo. Of a turn that runs, what it has finished is taken over.
---@field ['agent/session/fork'] { params: placet.wire.ForkSession, result: placet.wire.SessionInfo }
---The session as text. It holds what was said and what tools have read, and no keys.
---@field ['agent/session/export'] { params: placet.wire.ExportSession, result: placet.wire.ExportedSession }
---Begin a new session with what was exported as `json`, in the folders the editor has open.
---@field ['agent/session/import'] { params: placet.wire.ImportSession, result: placet.wire.SessionInfo }
---Give a session a title.
---@field ['agent/session/rename'] { params: placet.wire.RenameSession, result: placet.wire.SessionInfo }
---Delete a session with its history and its subagents' sessions. What it changed in files stays. If it
---is a subagent's, what it changed remains to be undone in the session that it worked for.
---@field ['agent/session/delete'] { params: placet.wire.DeleteSession, result: nil }
---Sum up the conversation for the model now, so that it can go on in less space. After the turns that
---were asked for before. `agent/cancel` ends it, and then it fails.
---@field ['agent/session/compact'] { params: placet.wire.CompactSession, result: placet.wire.CompactResult }
---Have the agent `summary` say what the session has done, as for a commit; the conversation stays as
---it is.
---@field ['agent/session/summarize'] { params: placet.wire.SummarizeSession, result: placet.wire.SessionSummary }
---Choose who answers from the next turn on.
---@field ['agent/session/setAgent'] { params: placet.wire.SetAgent, result: placet.wire.SessionInfo }
---Choose the model from the next turn on.
---@field ['agent/session/setModel'] { params: placet.wire.SetModel, result: placet.wire.SessionInfo }
---Ask. The request stays open until the turn has ended; its events come as `agent/update` before the
---answer. `$/cancelRequest` and `agent/cancel` end the turn, and the answer is a normal result with
---`stopReason: "cancelled"`.
---@field ['agent/prompt'] { params: placet.wire.Prompt, result: placet.wire.PromptResult }
---Take back what a turn, a message or some changes did to files. Without a target, the last turn that
---changed anything. With `uris`, only of those files; and with them alone, all that the session did to
---them. What a subagent did, the message did that had it work, and so its turn.
---@field ['agent/undo'] { params: placet.wire.Undo, result: placet.wire.UndoResult }
---Take back the last undo.
---@field ['agent/redo'] { params: placet.wire.Redo, result: placet.wire.UndoResult }
---Every change of a session, oldest first, with its hunks and state; last what waits for the user's
---answer. Those of its subagents are among them: at the message that had them work, with the
---subagent's session as `madeIn` and its name as `agent`.
---@field ['agent/changes'] { params: placet.wire.ListChanges, result: placet.wire.ChangeList }
---The models that can be chosen without further ado. Any other `provider/name` can be set as well.
---These are the settings' and the built-in one, then those of servers that listen on this machine
---where Ollama, vLLM, LM Studio and llama-server usually do, then those of each provider whose key is
---there.
---@field ['agent/models'] { params: placet.wire.ListModels, result: placet.wire.ModelList }
---The agents there are: those a session can be given to, and those that can only be named in a prompt.
---@field ['agent/agents'] { params: placet.wire.ListAgents, result: placet.wire.AgentList }
---The slash commands: a prompt that begins with `/name` is carried out as the command says. The prompt
---stays as the user has typed it; what the command says is a synthetic part beside it.
---@field ['agent/commands'] { params: placet.wire.ListCommands, result: placet.wire.CommandList }
---The tools there are: built in, of MCP servers, of the user's and trusted projects' files and
---plugins.
---@field ['agent/tools'] { params: placet.wire.ListTools, result: placet.wire.ToolList }
---The MCP servers that are set up, after doing something with one of them. `connect` starts a server
---(again) and answers once it is there or has failed, `disconnect` ends it. `auth` has the user sign
---in: the address is opened by `window/showDocument`, or told by `window/showMessage`, and the answer
---comes when that is over. `logout` forgets the sign-in.
---@field ['agent/mcp'] { params: placet.wire.ManageMcp, result: placet.wire.McpList }
---The ways to sign in to a provider that the user's own plugins have, and the key of the model that is
---set.
---@field ['agent/auth/methods'] { params: placet.wire.ListSignIns, result: placet.wire.SignInWays }
---Sign in to a provider, and keep the key that comes of it. What the way needs is asked by
---`editor/question` without a session, which is part of what the user is doing: it is put at once, and
---what is `secret` is not shown. An address is opened by `window/showDocument`, or told by
---`window/showMessage`. The answer comes when that is over; what fails is an error with words for the
---user, and `$/cancelRequest` gives it up.
---@field ['agent/auth/login'] { params: placet.wire.SignInTo, result: placet.wire.SignedIn }
---What can be meant by the unfinished `@...`, or the `/...` at the start, at a place in a prompt.
---Files and directories, `@path#` for the symbols of a file, `@symbol:`, subagents, `@diagnostics`,
---resources of MCP servers, commands, and behind `/agent`, `/model` and `/sessions` what there is of
---those. An editor whose prompts are documents can ask `textDocument/completion` instead.
---@field ['agent/complete'] { params: placet.wire.Complete, result: placet.wire.CompletionList }
---Have the agent `commit` write the message of a commit: for what is staged, or else for what is
---changed. It follows the last commits. Of files that the agent may not read unasked it sees the names
---alone.
---@field ['agent/commitMessage'] { params: placet.wire.CommitMessage, result: placet.wire.WrittenMessage }
---How the daemon is.
---@field ['agent/status'] { params: placet.wire.GetStatus, result: placet.wire.Status }
---The permission requests that wait for an answer. Those the user put away are sent to the editor
---again.
---@field ['agent/permission/pending'] { params: placet.wire.ListPending, result: placet.wire.PendingList }
---The permission rules and grants in force, and where each is written.
---@field ['agent/permission/rules'] { params: placet.wire.ListRules, result: placet.wire.PermissionList }
---Why a call would be allowed, asked or denied. Nothing is done, and nobody is asked.
---@field ['agent/permission/explain'] { params: placet.wire.ExplainPermission, result: placet.wire.ExplanationInfo }
---Take back what the user allowed with "always". What was done under it stays.
---@field ['agent/permission/revoke'] { params: placet.wire.RevokeGrant, result: nil }

---What the editor may tell the daemon.
---@class placet.wire.EditorNotifications
---End the running turn of a session, if there is one.
---@field ['agent/cancel'] { params: placet.wire.Cancel }
---The user has let the editor trust its folders, or has taken that back.
---`initializationOptions.agent.trusted` says it at the start; an editor that says nothing trusts them.
---In folders that it does not trust nothing is used of what a project brings, whatever the user has
---decided about it here, and no language server is started.
---@field ['agent/didChangeTrust'] { params: placet.wire.DidChangeTrust }
---The user looks at a document. To be sent at most a few times a second.
---@field ['agent/didFocus'] { params: placet.wire.DidFocus }
---The user has put into a file, by the editor's own edit, what they had left out of a change. The
---model is told so beside the next prompt.
---@field ['agent/didPutIn'] { params: placet.wire.DidPutIn }
---The user has begun to write a prompt: the model host is started, if it rests. To be sent once a
---prompt.
---@field ['agent/didType'] { params: placet.wire.DidType }

---What the daemon may ask of the editor.
---@class placet.wire.DaemonRequests
---LSP's own request; `agent` is there for a client that declared `strictApply`.
---@field ['workspace/applyEdit'] { params: placet.wire.ApplyEdit, result: placet.wire.ApplyEditResult }
---Documents as the editor has them, also those it has not opened for us.
---@field ['editor/readDocuments'] { params: placet.wire.ReadDocuments, result: placet.wire.EditorDocuments }
---Save these documents, which hold an edit of ours and nothing of the user's that was unsaved before.
---@field ['editor/save'] { params: placet.wire.Save, result: placet.wire.SaveResult }
---A command may have changed files: read the disk again where there is nothing unsaved.
---@field ['editor/reload'] { params: placet.wire.Reload, result: placet.wire.ReloadResult }
---Where the user is. Asked with a prompt, if the setting `context.editor` is on.
---@field ['editor/state'] { params: placet.wire.GetState, result: placet.wire.EditorState }
---Diagnostics of the user's own language servers, fresh where that can be had in time.
---@field ['editor/diagnostics'] { params: placet.wire.Diagnostics, result: placet.wire.DiagnosticsResult }
---Ask the user's own language servers. Edits come back as data; they are never applied.
---@field ['editor/languageFeature'] { params: placet.wire.LanguageFeature, result: placet.wire.LanguageFeatureResult }
---Ask the user's placet. Waits as long as it takes; `$/cancelRequest` takes the question off the
---screen.
---@field ['editor/requestPermission'] { params: placet.wire.RequestPermission, result: placet.wire.Permission }
---Put questions to the user. Waits as `editor/requestPermission` does.
---@field ['editor/question'] { params: placet.wire.AskQuestion, result: placet.wire.QuestionResult }

---What the daemon may tell the editor.
---@class placet.wire.DaemonNotifications
---One event as it leaves its session. `seq` only grows within a session; it may have gaps.
---@field ['agent/update'] { params: placet.wire.SessionEvent }
