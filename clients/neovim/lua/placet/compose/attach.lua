---Attaching of context to a prompt: a selection, a named context, or a choice from a list.
local attachments = require('placet.compose.attachments')
local compose = require('placet.compose')
local context = require('placet.compose.context')
local sessions = require('placet.sessions')
local visible_text = require('placet.ui.visible_text')

local api = vim.api
local M = {}

---Attach context to the prompt of the current session. The cursor stays in its window.
---@param item string|placet.Range
function M.add(item)
  context.gather(item, context.source(), function(attachment, reason)
    if not attachment then
      return vim.notify('Placet: ' .. visible_text.plain(reason))
    end
    sessions.with(function(_, session_id)
      compose.open(session_id, { stay = true })
      attachments.add(compose.buffer_of(session_id) --[[@as integer]], attachment)
    end)
  end)
end

---Attach the selected lines to the next prompt, and leave Visual mode.
function M.add_selection()
  local first, last = vim.fn.line('v'), vim.fn.line('.')
  local range =
    { bufnr = api.nvim_get_current_buf(), first = math.min(first, last), last = math.max(first, last) }
  api.nvim_feedkeys(api.nvim_replace_termcodes('<Esc>', true, false, true), 'nx', false)
  M.add(range)
end

---Let the user choose the context to attach to a prompt.
---@param bufnr integer
function M.choose(bufnr)
  local source = context.source()
  vim.ui.select(context.NAMES, {
    prompt = 'Attach to the prompt:',
    kind = 'placet_context',
    format_item = function(item)
      return item.about
    end,
  }, function(item)
    if not item then
      return
    end
    context.gather(item.name, source, function(attachment, reason)
      if not attachment then
        return vim.notify('Placet: ' .. visible_text.plain(reason))
      end
      attachments.add(bufnr, attachment)
    end)
  end)
end

return M
