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

local placet = call_of('placet')
local session = call_of('placet.sessions.commands')
local choices = call_of('placet.commands.choices')
local information = call_of('placet.commands.information')
local commit = call_of('placet.commands.commit')

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

---@param verb 'accept'|'reject'
local function judge(verb)
  return function(call)
    local action = call.argument == '' and verb or ('%s_%s'):format(verb, call.argument)
    require('placet.review').act(action, call.range)
  end
end

---@param action string
local function act(action)
  return function()
    require('placet.review').act(action)
  end
end

---@type placet.Subcommand[]
M.LIST = {
  {
    name = 'ask',
    usage = '[text]',
    about = 'write a prompt in a buffer of its own; or ask the text, whatever it begins with',
    takes = 'text',
    takes_text = true,
    run = function(call)
      placet.ask(call.argument, call.range)
    end,
  },
  {
    name = 'steer',
    usage = '[text]',
    about = 'tell the turn that runs, which goes on with it; the same as `:Placet! text`',
    takes = 'text',
    takes_text = true,
    run = function(call)
      placet.ask(call.argument, call.range, 'steer')
    end,
  },
  {
    name = 'after',
    usage = '[: text]',
    about = 'ask when the turn that runs has ended, which is what a prompt does by itself',
    takes_text = true,
    run = function(call)
      placet.ask(call.argument, call.range, 'after')
    end,
  },
  {
    name = 'fix',
    about = 'mend what is diagnosed at the cursor or in the range',
    run = function(call)
      placet.fix(call.range)
    end,
  },
  {
    name = 'explain',
    about = 'explain what is diagnosed at the cursor or in the range, else the lines',
    run = function(call)
      placet.explain(call.range)
    end,
  },
  { name = 'chat', about = "show the session's page", run = placet.chat },
  {
    name = 'add',
    usage = '[what]',
    about = 'put lines, a buffer, a list, a diff or a file beside the next prompt',
    takes = function(argument)
      return require('placet.compose.context').is_named(argument)
    end,
    complete = function()
      return require('placet.compose.context').names()
    end,
    run = function(call)
      placet.add(call.argument ~= '' and call.argument or call.range or 'buffer')
    end,
  },
  { name = 'review', about = 'open what waits for your answer', run = placet.review },
  {
    name = 'accept',
    usage = '[all|file]',
    about = 'accept the hunk at the cursor, all hunks of its file, or all there are',
    takes = is_part,
    complete = parts,
    run = judge('accept'),
  },
  {
    name = 'reject',
    usage = '[all|file]',
    about = 'reject the hunk at the cursor, all hunks of its file, or all there are',
    takes = is_part,
    complete = parts,
    run = judge('reject'),
  },
  { name = 'comment', about = 'tell the model something about the hunk at the cursor', run = act('comment') },
  { name = 'edit', about = 'change the proposed text before it is accepted', run = act('edit') },
  { name = 'side-by-side', about = 'see the change as two buffers in diff mode', run = act('side_by_side') },
  { name = 'undo', about = 'take back the last turn that changed anything', run = placet.undo },
  { name = 'redo', about = 'take back the last undo', run = placet.redo },
  { name = 'cancel', about = 'stop the turn that runs', run = placet.cancel },
  { name = 'changes', about = 'list every file that the session has changed', run = session.changes },
  {
    name = 'commit',
    about = 'write the message of a commit: into the buffer git opened for it, else in a window',
    run = commit.write,
  },
  {
    name = 'agent',
    usage = '[name]',
    about = 'choose who answers in this session',
    takes = like('^[%w_./-]+$'),
    complete = choices.agent_names,
    run = function(call)
      session.choose('agent', call.argument, call.as_prompt)
    end,
  },
  {
    name = 'model',
    usage = '[provider/name]',
    about = 'choose the model that answers in this session',
    takes = like('^[%w_.-]+/%S+$'),
    complete = choices.model_names,
    run = function(call)
      session.choose('model', call.argument)
    end,
  },
  {
    name = 'sessions',
    usage = '[title]',
    about = 'go on with another session of this project',
    takes = like('.'),
    complete = choices.session_titles,
    run = function(call)
      session.pick(call.argument, call.as_prompt)
    end,
  },
  {
    name = 'new',
    usage = '[: text]',
    about = 'begin a session, with the text as its first prompt',
    takes_text = true,
    run = function(call)
      session.new(call.argument, call.range)
    end,
  },
  {
    name = 'search',
    usage = '[: words]',
    about = 'find sessions by what was said in them',
    takes_text = true,
    run = function(call)
      session.search(call.argument)
    end,
  },
  {
    name = 'fork',
    about = 'go on in a copy of the session; with ! up to before a prompt that you pick',
    run = function(call)
      session.fork(call.bang)
    end,
  },
  {
    name = 'rename',
    usage = '[: title]',
    about = 'give the session another title',
    takes_text = true,
    run = function(call)
      session.rename(call.argument)
    end,
  },
  {
    name = 'delete',
    about = 'delete the session, after a question; with ! at once',
    run = function(call)
      session.delete(call.bang)
    end,
  },
  {
    name = 'export',
    usage = '[file.md|file.json]',
    about = 'the session as text in a window, or in a file; with ! over one that is there',
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
    about = 'begin a session with one that was exported as JSON',
    takes = like('^%S+%.json$'),
    complete = function(lead)
      return vim.fn.getcompletion(lead, 'file')
    end,
    run = function(call)
      session.import(call.argument)
    end,
  },
  {
    name = 'summarize',
    about = 'read in a few sentences what the session has done',
    run = session.summarize,
  },
  {
    name = 'compact',
    about = 'sum up the conversation for the model, so that it takes less space',
    run = session.compact,
  },
  {
    name = 'permissions',
    about = 'what is allowed, asked and denied, and where that is written',
    run = information.permissions,
  },
  {
    name = 'revoke',
    usage = '[id]',
    about = 'take back what you allowed for longer',
    takes = like('^grt_%w+$'),
    complete = choices.grant_ids,
    run = function(call)
      information.revoke(call.argument)
    end,
  },
  {
    name = 'mcp',
    usage = '[server]',
    about = 'connect, disconnect or log in to an MCP server, and see what is wrong with it',
    takes = like('^[%w_.-]+$'),
    complete = choices.mcp_servers,
    run = function(call)
      require('placet.commands.mcp').choose(call.argument, call.as_prompt)
    end,
  },
  {
    name = 'login',
    usage = '[provider]',
    about = 'sign in to a provider of models, as a plugin has it or by its key',
    takes = like('^[%w_.-]+$'),
    run = function(call)
      require('placet.commands.login').choose(call.argument, call.as_prompt)
    end,
  },
  {
    name = 'status',
    about = 'what Placet is doing, with which model, at what cost',
    run = information.status,
  },
  { name = 'log', about = "open the daemon's log", run = placet.log },
  {
    name = 'help',
    usage = '[word]',
    about = 'this list; or the manual, at one of these words',
    takes = function(argument)
      return M.find(argument) ~= nil
    end,
    complete = function()
      return M.names()
    end,
    run = function(call)
      information.help(call.argument)
    end,
  },
}

---@param name string
---@return placet.Subcommand?
function M.find(name)
  return vim.iter(M.LIST):find(function(one)
    return one.name == name
  end)
end

---@return string[]
function M.names()
  return vim.tbl_map(function(one)
    return one.name
  end, M.LIST)
end

return M
