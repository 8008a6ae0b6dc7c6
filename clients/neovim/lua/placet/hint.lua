---The line of keys above a window under review: its winbar, given back afterwards.
local api = vim.api
local M = {}

---@type table<integer, string> window -> the winbar it had
local before = {}

---@param text string
local function plain(text)
  return (text:gsub('%%', '%%%%'))
end

---@param title string
---@param decided integer
---@param total integer
---@param keys table<string, string|false>
---@return string
function M.text(title, decided, total, keys)
  local parts = { ('%%#PlacetHint# Placet: %s  %d/%d decided %%='):format(plain(title), decided, total) }
  for _, entry in ipairs({
    { 'next', 'next' },
    { 'accept', 'accept' },
    { 'reject', 'reject' },
    { 'accept_all', 'all' },
    { 'reject_all', 'none' },
    { 'later', 'later' },
  }) do
    local key = keys[entry[1]]
    if key then
      parts[#parts + 1] = ('%%#PlacetHintKey# %s%%#PlacetHint# %s '):format(plain(key), entry[2])
    end
  end
  return table.concat(parts)
end

---@param window integer
---@param text string
function M.show(window, text)
  if before[window] == nil then
    before[window] = api.nvim_get_option_value('winbar', { win = window, scope = 'local' })
  end
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
