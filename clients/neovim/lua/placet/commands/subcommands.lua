---Subcommands of `:Placet`. A word is a subcommand if the word stands alone, if the subcommand accepts the
---rest of the line, or if a colon follows the word. Otherwise the line is a prompt.
local M = {}

---@class placet.SubcommandCall
---@field argument string text after the word
---@field range? placet.Range
---@field bang boolean
---@field as_prompt fun() sends the whole line as a prompt

---@class placet.Subcommand
---@field name string
---@field usage? string arguments, for the list of subcommands
---@field about string description in one line
---@field run fun(call: placet.SubcommandCall)
---@field takes? 'text'|fun(argument: string): boolean accepted argument without colon; nil: no argument
---@field takes_text? boolean whatever follows a colon
---@field complete? fun(lead: string): string[]

---Return a module that is loaded at the first call of a function: completion of a command line must not wait
---for all modules.
---@param module string
local function call_of(module)
  return setmetatable({}, {
    __index = function(_, name)
      return function(...)
        return require(module)[name](...)
      end
    end,
  })
end

local attach = call_of('placet.compose.attach')
local actions = call_of('placet.change_set.actions')
local change_set = call_of('placet.change_set.opening')
local choices = call_of('placet.sessions.choices')
local code_actions = call_of('placet.commands.code_actions')
local commit = call_of('placet.commands.commit')
local compose = call_of('placet.compose')
local context = call_of('placet.compose.context')
local going_back = call_of('placet.going_back')
local inline_completion = call_of('placet.commands.inline_completion')
local information = call_of('placet.commands.information')
local login = call_of('placet.commands.login')
local mcp = call_of('placet.commands.mcp')
local option_words = call_of('placet.sessions.option_words')
local options = call_of('placet.sessions.options')
local requests = call_of('placet.permission.pending_requests')
local session = call_of('placet.commands.sessions')
local worktree = call_of('placet.commands.worktree')

---@param words string[]
local function one_of(words)
  return function(argument)
    return vim.list_contains(words, argument)
  end, function()
    return words
  end
end

---@param pattern string
local function like(pattern)
  return function(argument)
    return argument:match(pattern) ~= nil
  end
end

local is_part, parts = one_of({ 'all', 'file' })
local is_now, now = one_of({ 'now' })
local is_mode, modes = one_of({ 'ask', 'stage', 'apply' })
local is_caution, cautions = one_of({ 'more', 'default', 'less' })
local is_profile, profiles = one_of({ 'default', 'auto', 'full', 'small', 'smallest' })

---@param verb 'accept'|'reject'
local function decide(verb)
  return function(call)
    local action = call.argument == '' and verb or ('%s_%s'):format(verb, call.argument)
    actions.act(action, call.range)
  end
end

---@param action string
local function act(action)
  return function()
    actions.act(action)
  end
end

---@param run fun(argument: string)
local function with_argument(run)
  return function(call)
    run(call.argument)
  end
end

---@param run fun(bang: boolean)
local function with_bang(run)
  return function(call)
    run(call.bang)
  end
end

---@type placet.Subcommand[]
M.LIST = {
  {
    name = 'ask',
    usage = '[text]',
    about = 'open a prompt buffer, or always send the text as a prompt',
    takes = 'text',
    takes_text = true,
    run = function(call)
      compose.ask(call.argument, call.range)
    end,
  },
  {
    name = 'steer',
    usage = '[text]',
    about = 'send the text to the running turn, like `:Placet! text`',
    takes = 'text',
    takes_text = true,
    run = function(call)
      compose.ask(call.argument, call.range, 'steer')
    end,
  },
  {
    name = 'after',
    usage = '[: text]',
    about = 'send a prompt after the running turn (default)',
    takes_text = true,
    run = function(call)
      compose.ask(call.argument, call.range, 'after')
    end,
  },
  {
    name = 'fix',
    about = 'fix the diagnostics at the cursor or in the range',
    run = function(call)
      code_actions.ask('fix', call.range)
    end,
  },
  {
    name = 'explain',
    about = 'explain the diagnostics at the cursor or in the range, or the lines',
    run = function(call)
      code_actions.ask('explain', call.range)
    end,
  },
  { name = 'chat', about = "show the session's chat", run = session.chat },
  {
    name = 'add',
    usage = '[context]',
    about = 'attach lines, a buffer, a list, a diff or a file to the next prompt',
    takes = function(argument)
      return context.is_named(argument)
    end,
    complete = function()
      return context.names()
    end,
    run = function(call)
      attach.add(call.argument ~= '' and call.argument or call.range or 'buffer')
    end,
  },
  { name = 'review', about = 'open a pending request, or else the changes to review', run = requests.review },
  {
    name = 'change-set',
    about = 'show the changes to review; with ! all hunks in the quickfix list',
    run = with_bang(change_set.open),
  },
  {
    name = 'review-mode',
    usage = '[mode]',
    about = 'ask before each change, collect changes, or apply changes and review afterwards',
    takes = is_mode,
    complete = modes,
    run = with_argument(options.choose_review),
  },
  {
    name = 'accept',
    usage = '[all|file]',
    about = 'accept (keep) the hunk at the cursor, all hunks of the file, or all hunks',
    takes = is_part,
    complete = parts,
    run = decide('accept'),
  },
  {
    name = 'reject',
    usage = '[all|file]',
    about = 'reject (undo) the hunk at the cursor, all hunks of the file, or all hunks',
    takes = is_part,
    complete = parts,
    run = decide('reject'),
  },
  {
    name = 'comment',
    usage = '[now]',
    about = 'comment on the hunk at the cursor, with your decision; with `now` without a decision',
    takes = is_now,
    complete = now,
    run = function(call)
      act(call.argument == 'now' and 'send_comment' or 'comment')()
    end,
  },
  { name = 'edit', about = 'edit the proposed lines', run = act('edit') },
  { name = 'side-by-side', about = 'show the change in diff mode', run = act('side_by_side') },
  { name = 'undo', about = 'undo the last turn that changed files', run = session.undo },
  { name = 'redo', about = 'redo the last undone turn', run = session.redo },
  {
    name = 'back',
    usage = '[prompt|redo]',
    about = 'go back to a prompt in talk and files; `redo` takes back the last going back',
    takes = function(argument)
      return going_back.takes(argument)
    end,
    complete = going_back.candidates,
    run = with_argument(going_back.command),
  },
  { name = 'cancel', about = 'cancel the running turn', run = session.cancel },
  { name = 'changes', about = 'list all files that the session has changed', run = session.changes },
  {
    name = 'commit',
    about = 'write a commit message into the open commit buffer, or into a window',
    run = commit.write,
  },
  {
    name = 'agent',
    usage = '[name]',
    about = 'set the agent of this session',
    takes = like('^[%w_./-]+$'),
    complete = choices.agent_names,
    run = function(call)
      options.choose('agent', call.argument, call.as_prompt)
    end,
  },
  {
    name = 'model',
    usage = '[provider/name]',
    about = 'set the model of this session',
    takes = like('^[%w_.-]+/%S+$'),
    complete = choices.model_names,
    run = function(call)
      options.choose('model', call.argument)
    end,
  },
  {
    name = 'favourite',
    usage = '[provider/name]',
    about = 'mark a model as a favourite, or remove the mark; without a name the model of this session',
    takes = like('^[%w_.-]+/%S+$'),
    complete = choices.model_names,
    run = with_argument(options.toggle_favourite),
  },
  {
    name = 'effort',
    usage = '[level]',
    about = 'set how much the model thinks: a level, a number of tokens, or `default`',
    takes = function(argument)
      return option_words.is_effort(argument)
    end,
    complete = choices.efforts,
    run = with_argument(options.choose_effort),
  },
  {
    name = 'profile',
    usage = '[profile]',
    about = 'set how much is asked of the model: auto, full, small, smallest, or `default`',
    takes = is_profile,
    complete = profiles,
    run = with_argument(options.choose_profile),
  },
  {
    name = 'caution',
    usage = '[degree]',
    about = 'set how careful this session is: ask before every act, where it matters, or less',
    takes = is_caution,
    complete = cautions,
    run = with_argument(options.choose_caution),
  },
  {
    name = 'sessions',
    usage = '[title]',
    about = 'switch to another session of this project',
    takes = like('.'),
    complete = choices.session_titles,
    run = function(call)
      session.pick(call.argument, call.as_prompt)
    end,
  },
  {
    name = 'new',
    usage = '[: text]',
    about = 'start a session, with the text as the first prompt',
    takes_text = true,
    run = function(call)
      session.new(call.argument, call.range)
    end,
  },
  {
    name = 'search',
    usage = '[: words]',
    about = 'search the sessions of this project',
    takes_text = true,
    run = with_argument(session.search),
  },
  {
    name = 'fork',
    about = 'fork the session; with ! before a picked prompt',
    run = with_bang(session.fork),
  },
  {
    name = 'rename',
    usage = '[: title]',
    about = 'rename the session',
    takes_text = true,
    run = with_argument(session.rename),
  },
  {
    name = 'delete',
    about = 'delete the session; with ! without confirmation',
    run = with_bang(session.delete),
  },
  {
    name = 'export',
    usage = '[file.md|file.json]',
    about = 'export the session to a window or file; with ! overwrite the file',
    takes = like('^%S+%.%a+$'),
    complete = function(lead)
      return vim.fn.getcompletion(lead, 'file')
    end,
    run = function(call)
      session.export(call.argument, call.bang)
    end,
  },
  {
    name = 'import',
    usage = 'file.json',
    about = 'import a session from JSON',
    takes = like('^%S+%.json$'),
    complete = function(lead)
      return vim.fn.getcompletion(lead, 'file')
    end,
    run = with_argument(session.import),
  },
  {
    name = 'summarize',
    about = 'show a summary of the session',
    run = session.summarize,
  },
  {
    name = 'compact',
    about = 'compact the conversation to save tokens',
    run = session.compact,
  },
  {
    name = 'permissions',
    about = 'show all permission rules and their sources',
    run = information.permissions,
  },
  {
    name = 'revoke',
    usage = '[id]',
    about = 'revoke a grant',
    takes = like('^grt_%w+$'),
    complete = choices.grant_ids,
    run = with_argument(information.revoke),
  },
  {
    name = 'worktree',
    usage = '[action] [name]',
    about = 'make, open, bring back or remove a git worktree in which sessions work apart',
    takes = function(argument)
      return worktree.takes(argument)
    end,
    complete = worktree.candidates,
    run = with_argument(worktree.command),
  },
  {
    name = 'completion',
    usage = '[action] [minutes]',
    about = 'suggestions at the cursor: `on`, `off`, `snooze` for some minutes, or `status`',
    takes = function(argument)
      return inline_completion.takes(argument)
    end,
    complete = inline_completion.candidates,
    run = with_argument(inline_completion.command),
  },
  {
    name = 'mcp',
    usage = '[server]',
    about = 'connect, disconnect or sign in to an MCP server, and show problems',
    takes = like('^[%w_.-]+$'),
    complete = choices.mcp_servers,
    run = function(call)
      mcp.choose(call.argument, call.as_prompt)
    end,
  },
  {
    name = 'login',
    usage = '[provider]',
    about = 'sign in to a model provider with a subscription, a plugin or an API key',
    takes = like('^[%w_.-]+$'),
    run = function(call)
      login.choose(call.argument, call.as_prompt)
    end,
  },
  {
    name = 'status',
    about = 'show activity, model and cost',
    run = information.status,
  },
  { name = 'log', about = "open the daemon's log", run = information.log },
  {
    name = 'help',
    usage = '[word]',
    about = 'show this list, or the help of a subcommand',
    takes = function(argument)
      return M.find(argument) ~= nil
    end,
    complete = function()
      return M.names()
    end,
    run = function(call)
      information.help(call.argument, M.LIST)
    end,
  },
}

---@param name string
---@return placet.Subcommand?
function M.find(name)
  return vim.iter(M.LIST):find(function(subcommand)
    return subcommand.name == name
  end)
end

---@return string[]
function M.names()
  return vim.tbl_map(function(subcommand)
    return subcommand.name
  end, M.LIST)
end

return M
