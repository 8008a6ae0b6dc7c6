---Placet for Neovim: public functions for the user's configuration. See :help placet.
local M = {}

---Return a module, which is loaded at its first use: the user's configuration runs while Neovim starts.
---@param module string
local function use(module)
  require('placet.subscriptions')
  return require(module)
end

---Store options. A call is optional: `vim.g.placet` has the same effect.
---@param opts? placet.Opts
function M.setup(opts)
  require('placet.config').store(opts)
end

---Return a short status for a statusline, or '' if Placet is not in use.
---@return string
function M.status()
  return package.loaded['placet.status'] and require('placet.status').text() or ''
end

---Return the values behind `status()`, or nil before the first use of Placet.
---@return placet.Status?
function M.details()
  return package.loaded['placet.status'] and require('placet.status').details() or nil
end

---Send a prompt. The answer appears in the chat.
---@param text string
---@param range? placet.Range
---@param options? placet.PromptOptions
function M.prompt(text, range, options)
  use('placet.compose.send').prompt(text, range, options)
end

---Send a prompt, or open the prompt buffer if the text is empty.
---@param text string
---@param range? placet.Range
---@param queue? 'steer'|'after'
function M.ask(text, range, queue)
  use('placet.compose').ask(text, range, queue)
end

---Attach context to the next prompt: a range, or 'buffer', 'visible', 'diagnostic', 'diagnostics',
---'all-diagnostics', 'quickfix', 'loclist', 'diff', 'staged', 'file', 'file:{path}'. The cursor stays in its
---window.
---@param context string|placet.Range
function M.add(context)
  use('placet.compose.attach').add(context)
end

---Ask Placet to fix the diagnostics at the cursor or in the range.
---@param range? placet.Range
function M.fix(range)
  use('placet.commands.code_actions').ask('fix', range)
end

---Ask Placet to explain the diagnostics at the cursor or in the range, or the lines if no diagnostics exist.
---@param range? placet.Range
function M.explain(range)
  use('placet.commands.code_actions').ask('explain', range)
end

---Open the next permission request or question.
function M.review()
  use('placet.permission.pending_requests').review()
end

---Show the chat of the session.
function M.chat()
  use('placet.commands.sessions').chat()
end

---Cancel the running turn.
function M.cancel()
  use('placet.commands.sessions').cancel()
end

---Undo the last turn that changed files. Lines that the user has edited since then keep the user's text.
function M.undo()
  use('placet.commands.sessions').undo()
end

---Redo the last undone turn.
function M.redo()
  use('placet.commands.sessions').redo()
end

---Compact the conversation, so that the model needs fewer tokens. The chat stays complete.
function M.compact()
  use('placet.commands.sessions').compact()
end

---Open the daemon's log.
function M.log()
  use('placet.commands.information').log()
end

---Stop all daemons of this Neovim and close all windows of Placet. The next use starts the daemons again.
---@param done? fun() called after the stop
function M.stop(done)
  require('placet.unload').stop(done)
end

return M
