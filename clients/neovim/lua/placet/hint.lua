---The line of keys above a window under review: its winbar, given back afterwards.
local config = require('placet.config')

local api = vim.api
local M = {}

---@type table<integer, string> window -> the winbar it had
local before = {}

---@param text string
local function plain(text)
  return (text:gsub('%%', '%%%%'))
end

local ENTRIES = {
  { 'accept', 'accept' },
  { 'reject', 'reject' },
  { 'accept_all', 'all' },
  { 'reject_all', 'none' },
  { 'later', 'later' },
}

---@param title string
---@param decided integer
---@param total integer
---@param width integer the title gives way where the window is narrow
---@return string
local function text_of(title, decided, total, width)
  local head = (' Placet %d/%d '):format(decided, total)
  local keys, length = {}, #head + 1
  for _, entry in ipairs(ENTRIES) do
    local key = config.get().review.keys[entry[1]]
    if key then
      keys[#keys + 1] = ('%%#PlacetHintKey# %s%%#PlacetHint# %s'):format(plain(key), entry[2])
      length = length + #key + #entry[2] + 2
    end
  end
  if length + vim.fn.strdisplaywidth(title) + 2 <= width then
    head = head .. ' ' .. plain(title)
  end
  return ('%%#PlacetHint#%s%%=%s '):format(head, table.concat(keys))
end

---@param window integer
---@param title string
---@param decided integer
---@param total integer
function M.show(window, title, decided, total)
  if before[window] == nil then
    before[window] = api.nvim_get_option_value('winbar', { win = window, scope = 'local' })
  end
  local text = text_of(title, decided, total, api.nvim_win_get_width(window))
  api.nvim_set_option_value('winbar', text, { win = window, scope = 'local' })
end

---@param window? integer without: all
function M.hide(window)
  for shown, winbar in pairs(before) do
    if not window or shown == window then
      if api.nvim_win_is_valid(shown) then
        api.nvim_set_option_value('winbar', winbar, { win = shown, scope = 'local' })
      end
      before[shown] = nil
    end
  end
end

return M
