---Keys of a suggestion. The keys are mapped only while the suggestion is shown; the previous mappings are
---restored afterwards. The key that asks is mapped as long as suggestions can be asked for.
local config = require('placet.config')

local api = vim.api
local M = {}

---@class placet.SuggestionKeys
---@field bufnr integer
---@field before {key: string, mapping: table|false}[] previous mappings of the buffer

---Actions on a suggestion, in the order of the help.
local ACTIONS = {
  { action = 'accept', does = 'accept the suggestion' },
  { action = 'accept_word', does = 'accept the next word of the suggestion' },
  { action = 'accept_line', does = 'accept the next line of the suggestion' },
  { action = 'dismiss', does = 'dismiss the suggestion' },
}

---@type table<integer, string> buffer -> key that asks
local asking = {}

---@param bufnr integer
---@param key string
---@param does string
---@param run fun()
local function map(bufnr, key, does, run)
  vim.keymap.set('i', key, run, { buffer = bufnr, nowait = true, desc = 'Placet: ' .. does })
end

---Map the keys of a suggestion in the current buffer.
---@param bufnr integer current buffer
---@param press fun(action: string, key: string) called for a key
---@return placet.SuggestionKeys
function M.map(bufnr, press)
  local keys = { bufnr = bufnr, before = {} }
  for _, entry in ipairs(ACTIONS) do
    local key = config.get().completion.keys[entry.action]
    if key then
      local mapping = vim.fn.maparg(key, 'i', false, true)
      keys.before[#keys.before + 1] = { key = key, mapping = mapping.buffer == 1 and mapping or false }
      map(bufnr, key, entry.does, function()
        press(entry.action, key)
      end)
    end
  end
  return keys
end

---@param keys placet.SuggestionKeys
function M.restore(keys)
  if not api.nvim_buf_is_loaded(keys.bufnr) then
    return
  end
  api.nvim_buf_call(keys.bufnr, function()
    for index = #keys.before, 1, -1 do
      local entry = keys.before[index] -- The newest first: one key may have two actions.
      pcall(vim.keymap.del, 'i', entry.key, { buffer = keys.bufnr }) -- The user may have removed the mapping.
      if entry.mapping then
        vim.fn.mapset('i', false, entry.mapping)
      end
    end
  end)
end

---Map the key that asks for a suggestion. A mapping of the user stays, unless the user has configured the
---key.
---@param bufnr integer
---@param ask fun()
function M.map_asking(bufnr, ask)
  local key = config.get().completion.keys.ask
  local is_given = vim.tbl_get(config.given(), 'completion', 'keys', 'ask') ~= nil
  if not key or asking[bufnr] then
    return
  end
  api.nvim_buf_call(bufnr, function()
    if is_given or vim.fn.maparg(key, 'i') == '' then
      map(bufnr, key, 'ask for a suggestion', ask)
      asking[bufnr] = key
    end
  end)
end

---@param bufnr integer
function M.unmap_asking(bufnr)
  local key = asking[bufnr]
  asking[bufnr] = nil
  if key and api.nvim_buf_is_loaded(bufnr) then
    pcall(vim.keymap.del, 'i', key, { buffer = bufnr }) -- The user may have removed the mapping.
  end
end

return M
