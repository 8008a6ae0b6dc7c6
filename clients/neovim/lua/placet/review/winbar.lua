---Window bar with the keys of a review. The previous 'winbar' is restored at the end.
local config = require('placet.config')

local api = vim.api
local M = {}

---@type table<integer, string> window -> previous winbar
local before = {}

---Start of each of our window bars. A split window inherits a copy.
local MARK = '%#PlacetHint#'

---@param text string
local function plain(text)
  return (text:gsub('%%', '%%%%'))
end

local ENTRIES = {
  { 'accept', 'accept' },
  { 'reject', 'reject' },
  { 'accept_all', 'all' },
  { 'later', 'later' },
  { 'help', 'keys' },
}

---@param title string
---@param decided integer
---@param total integer
---@param width integer a narrow window shows no title and fewer keys
---@return string
local function text_of(title, decided, total, width)
  local head = (' Placet %d/%d '):format(decided, total)
  local keys, length = {}, #head + 1
  for _, entry in ipairs(ENTRIES) do
    local key = config.get().review.keys[entry[1]]
    if key and length + #key + #entry[2] + 2 <= width then
      keys[#keys + 1] = ('%%#PlacetHintKey# %s%%#PlacetHint# %s'):format(plain(key), entry[2])
      length = length + #key + #entry[2] + 2
    end
  end
  if length + vim.fn.strdisplaywidth(title) + 2 <= width then
    head = head .. ' ' .. plain(title)
  end
  return ('%s%s%%=%s '):format(MARK, head, table.concat(keys))
end

---@param window integer
---@return string
local function winbar_of(window)
  return api.nvim_get_option_value('winbar', { win = window, scope = 'local' })
end

---@param window integer
---@param text string
local function set(window, text)
  -- Setting 'winbar' fails in a window with one line.
  pcall(api.nvim_set_option_value, 'winbar', text, { win = window, scope = 'local' })
end

---Show the window bar in the given windows only.
---@param windows integer[]
---@param title string
---@param decided integer
---@param total integer
function M.show(windows, title, decided, total)
  for _, window in ipairs(api.nvim_list_wins()) do
    if not vim.list_contains(windows, window) and vim.startswith(winbar_of(window), MARK) then
      set(window, before[window] or '')
      before[window] = nil
    end
  end
  for _, window in ipairs(windows) do
    local own = winbar_of(window)
    if before[window] == nil then
      before[window] = vim.startswith(own, MARK) and '' or own
    end
    set(window, text_of(title, decided, total, api.nvim_win_get_width(window)))
  end
end

---Restore the previous window bars.
function M.hide()
  M.show({}, '', 0, 0)
  before = {}
end

return M
