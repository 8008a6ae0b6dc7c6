---Floating window with the effect of going back to a prompt. The user chooses the share to go back over.
local centered = require('placet.ui.centered')
local config = require('placet.config')
local keymaps = require('placet.ui.keymaps')
local visible_text = require('placet.ui.visible_text')
local words = require('placet.going_back.words')

local api = vim.api
local M = {}

local namespace = api.nvim_create_namespace('placet.going_back')
local TITLE = 'Placet: go back to here'

---@class placet.PreviewLine
---@field chunks placet.Chunk[]
---@field share? placet.BackShare

---@param preview placet.wire.BackPreview
---@return placet.PreviewLine[]
local function choices_of(preview)
  local keys = config.get().back.keys
  return vim.tbl_map(function(share)
    return {
      share = share,
      chunks = {
        { ('   %-3s'):format(keys[share] or ''), 'Special' },
        { ('%-16s'):format(words.share(share)), 'Function' },
        { words.effect(share, preview), 'Comment' },
      },
    }
  end, words.SHARES)
end

---@param heading string
---@param items placet.Chunk[][]
---@return placet.PreviewLine[] no line without items
local function section(heading, items)
  if #items == 0 then
    return {}
  end
  local lines = { { chunks = {} }, { chunks = { { (' %s '):format(heading), 'Title' } } } }
  for _, chunks in ipairs(items) do
    lines[#lines + 1] = { chunks = vim.list_extend({ { '   ' } }, chunks) }
  end
  return lines
end

---@param files placet.wire.BackFile[]
---@return placet.Chunk[][]
local function restored_items(files)
  local width = 0
  for _, file in ipairs(files) do
    width = math.max(width, vim.fn.strdisplaywidth(words.name(file.uri)))
  end
  return vim.tbl_map(function(file)
    local name = words.name(file.uri)
    local padding = (' '):rep(width - vim.fn.strdisplaywidth(name))
    return {
      { name .. padding .. '  ' },
      { ('%6s '):format('+' .. file.additions), 'Added' },
      { ('%6s'):format('-' .. file.deletions), 'Removed' },
    }
  end, files)
end

---@param files placet.wire.BackFile[]
---@return placet.Chunk[][]
local function conflict_items(files)
  return vim.tbl_map(function(file)
    local reason = file.reason or 'You have edited the same lines since.'
    return { { words.name(file.uri) .. '  ' }, { visible_text.plain(reason), 'DiagnosticWarn' } }
  end, files)
end

---@param prompt placet.PromptOfTranscript
---@param preview placet.wire.BackPreview
---@return placet.PreviewLine[]
local function lines_of(prompt, preview)
  local lines = { { chunks = { { ' Back to: ' }, { words.title(prompt), 'String' } } }, { chunks = {} } }
  vim.list_extend(lines, choices_of(preview))
  local restored = words.with_status(preview.files, 'restored')
  vim.list_extend(lines, section('Files to be restored', restored_items(restored)))
  local conflicts = words.with_status(preview.files, 'conflict')
  vim.list_extend(lines, section('Files that stay as they are', conflict_items(conflicts)))
  local staged = vim.tbl_map(function(uri)
    return { { words.name(uri) } }
  end, preview.staged or {})
  vim.list_extend(lines, section('Leave the changes to review', staged))
  local effects = vim.tbl_map(function(effect)
    return { { visible_text.plain(effect.text), 'DiagnosticWarn' } }
  end, preview.effects or {})
  return vim.list_extend(lines, section('Not undone', effects))
end

---@param bufnr integer
---@param lines placet.PreviewLine[]
---@return integer width of the longest line
local function fill(bufnr, lines)
  local width = 0
  for number, line in ipairs(lines) do
    local text = table.concat(vim.tbl_map(function(chunk)
      return chunk[1]
    end, line.chunks))
    width = math.max(width, vim.fn.strdisplaywidth(text))
    api.nvim_buf_set_lines(bufnr, number - 1, -1, true, { text })
    local column = 0
    for _, chunk in ipairs(line.chunks) do
      local last = column + #chunk[1]
      api.nvim_buf_set_extmark(bufnr, namespace, number - 1, column, { end_col = last, hl_group = chunk[2] })
      column = last
    end
  end
  return width
end

---@param width integer
---@param height integer
---@return vim.api.keyset.win_config
local function layout(width, height)
  local window = centered.layout(TITLE, width, math.min(height, vim.o.lines - 6))
  local keys = config.get().back.keys
  if keys.quit and keys.help then
    window.footer = (' %s cancel  %s keys '):format(keys.quit, keys.help)
    window.footer_pos = 'right'
  end
  return window
end

---@param window integer
local function close(window)
  if api.nvim_win_is_valid(window) then
    api.nvim_win_close(window, true)
  end
end

---@param window integer
---@param lines placet.PreviewLine[]
---@param use fun(share: placet.BackShare)
---@return placet.Key[]
local function keys_of(window, lines, use)
  local function choose(share)
    close(window)
    use(share)
  end
  local keys = {
    {
      action = 'choose',
      does = 'go back as the line under the cursor says',
      run = function()
        local line = lines[api.nvim_win_get_cursor(window)[1]]
        if line.share then
          choose(line.share)
        end
      end,
    },
  }
  for _, share in ipairs(words.SHARES) do
    keys[#keys + 1] = {
      action = share,
      does = 'go back: ' .. words.share(share):lower(),
      run = function()
        choose(share)
      end,
    }
  end
  keys[#keys + 1] = {
    action = 'quit',
    does = 'close the window and change nothing',
    run = function()
      close(window)
    end,
  }
  return keys
end

---Show the effect of going back to a prompt, and call a function with the share that the user chooses.
---@param prompt placet.PromptOfTranscript
---@param preview placet.wire.BackPreview
---@param use fun(share: placet.BackShare)
function M.open(prompt, preview, use)
  local lines = lines_of(prompt, preview)
  local bufnr = api.nvim_create_buf(false, true)
  vim.bo[bufnr].bufhidden = 'wipe'
  local width = math.min(math.max(fill(bufnr, lines) + 1, 46), vim.o.columns - 4)
  local window = api.nvim_open_win(bufnr, true, layout(width, #lines))
  vim.bo[bufnr].modifiable = false
  vim.wo[window][0].cursorline = true
  vim.wo[window][0].wrap = true
  vim.wo[window][0].linebreak = true
  vim.wo[window][0].breakindent = true
  local whole = layout(width, api.nvim_win_text_height(window, {}).all)
  whole.style = nil -- The style would set the window's options again.
  api.nvim_win_set_config(window, whole)
  local first = vim.iter(ipairs(lines)):find(function(_, line)
    return line.share ~= nil
  end)
  api.nvim_win_set_cursor(window, { first, 0 })
  local keys = keys_of(window, lines, use)
  keymaps.map_with_help(bufnr, 'Placet: keys of going back', keys, config.get().back.keys)
end

return M
