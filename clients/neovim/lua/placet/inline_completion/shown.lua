---The suggestion on the screen: compared with the user's typing, accepted, dismissed and hidden.
local daemon_client = require('placet.daemon.client')
local ghost_text = require('placet.inline_completion.ghost_text')
local keys = require('placet.inline_completion.keys')
local silence = require('placet.inline_completion.silence')
local suggestions = require('placet.inline_completion.suggestion')
local undo_block = require('placet.editor.undo_block')

local api = vim.api
local M = {}

local ANCHORS = api.nvim_create_namespace('placet.inline_completion.anchors')

---@class placet.ShownSuggestion
---@field bufnr integer
---@field uri string
---@field client vim.lsp.Client
---@field suggestion placet.Suggestion
---@field anchor integer mark at the place of the suggestion
---@field rest string text that the user has not typed
---@field keys placet.SuggestionKeys

---@type placet.ShownSuggestion?
local current

---Return whether the suggestion is in a buffer.
---@param bufnr integer
---@return boolean
function M.is_in(bufnr)
  return current ~= nil and current.bufnr == bufnr
end

---Remove the suggestion from the screen.
function M.hide()
  local hidden = current
  if not hidden then
    return
  end
  current = nil
  ghost_text.clear(hidden.bufnr)
  keys.restore(hidden.keys)
  if api.nvim_buf_is_valid(hidden.bufnr) then
    api.nvim_buf_del_extmark(hidden.bufnr, ANCHORS, hidden.anchor)
  end
end

---Return the text between the place of the suggestion and the cursor, or nil if another text stands around
---the two.
---@param of placet.ShownSuggestion
---@return string?
local function typed_text(of)
  local place = api.nvim_buf_get_extmark_by_id(of.bufnr, ANCHORS, of.anchor, {})
  local row, column = unpack(api.nvim_win_get_cursor(0))
  local first, start = place[1], place[2]
  row = row - 1
  local _, breaks = of.suggestion.text:gsub('\n', '')
  if not first or row < first or row > first + breaks or (row == first and column < start) then
    return nil
  end
  local line = api.nvim_buf_get_lines(of.bufnr, row, row + 1, true)[1]
  local before = api.nvim_buf_get_lines(of.bufnr, first, first + 1, true)[1]:sub(1, start)
  if line:sub(column + 1) ~= of.suggestion.after or before ~= of.suggestion.before then
    return nil
  end
  return table.concat(api.nvim_buf_get_text(of.bufnr, first, start, row, column, {}), '\n')
end

---Compare the suggestion on the screen with the text: draw the rest of the suggestion, or hide the
---suggestion.
---@return placet.ShownSuggestion? suggestion that still fits
function M.look()
  if not current then
    return nil
  end
  local is_here = current.bufnr == api.nvim_get_current_buf() and silence.may_show()
  local typed = is_here and typed_text(current) or nil
  local rest = typed and suggestions.rest(current.suggestion, typed)
  if not rest then
    M.hide()
  elseif rest ~= current.rest then
    current.rest = rest
    ghost_text.draw(current.bufnr, rest)
  end
  return current
end

---Insert a part of the suggestion as an undo block of its own.
---@param part 'all'|'word'|'line'
local function accept(part)
  local of = assert(current)
  local bufnr, text = of.bufnr, suggestions.part(of.rest, part)
  local row, column = unpack(api.nvim_win_get_cursor(0))
  local stop = column + (text == of.rest and of.suggestion.replaced or 0)
  local lines = vim.split(text, '\n', { plain = true })
  undo_block.begin(bufnr)
  api.nvim_buf_set_text(bufnr, row - 1, column, row - 1, stop, lines)
  api.nvim_win_set_cursor(0, { row + #lines - 1, #lines[#lines] + (#lines == 1 and column or 0) })
  -- Insert mode itself must begin the next block: by CTRL-G u Neovim saves the line before the next key.
  api.nvim_feedkeys(vim.keycode('<C-g>u'), 'ni', false)
  M.look()
end

local function dismiss()
  local of = assert(current)
  M.hide()
  daemon_client.request(of.client, 'agent/inlineCompletion', { dismissedUri = of.uri }, function() end)
end

---Carry out a key, or give the key to the user's own mapping if the suggestion has gone or a menu is open.
---@param action string
---@param key string
local function press(action, key)
  if not M.look() then
    return api.nvim_feedkeys(vim.keycode(key), 'mit', false)
  elseif action == 'dismiss' then
    dismiss()
  else
    accept(action:match('_(%a+)$') or 'all')
  end
end

---@param client vim.lsp.Client
---@param bufnr integer
---@param uri string
---@param suggestion placet.Suggestion
function M.show(client, bufnr, uri, suggestion)
  M.hide()
  local row, column = unpack(api.nvim_win_get_cursor(0))
  current = {
    bufnr = bufnr,
    uri = uri,
    client = client,
    suggestion = suggestion,
    anchor = api.nvim_buf_set_extmark(bufnr, ANCHORS, row - 1, column, {
      right_gravity = false,
      undo_restore = false,
    }),
    rest = suggestion.text,
    keys = keys.map(bufnr, press),
  }
  ghost_text.draw(bufnr, suggestion.text)
end

return M
