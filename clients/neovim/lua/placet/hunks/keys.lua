---Buffer-local keys of a file with hunks. The previous mappings are restored when the hunks are gone.
local config = require('placet.config')
local keymaps = require('placet.ui.keymaps')

local api = vim.api
local M = {}

---@class placet.KeymapBackup
---@field bufnr integer
---@field before {mode: string, key: string, mapping: table|false}[] previous mappings of the buffer

---@class placet.ReviewKey
---@field action string
---@field plug string
---@field does string
---@field modes? string[] modes; nil: Normal mode

---Actions in a file for which a call of the agent waits, in the order of the key list.
---@type placet.ReviewKey[]
M.ALL = {
  { action = 'next', plug = 'next-hunk', does = 'go to the next hunk' },
  { action = 'previous', plug = 'previous-hunk', does = 'go to the previous hunk' },
  {
    action = 'accept',
    plug = 'accept',
    does = 'accept the hunk or the selected lines',
    modes = { 'n', 'x' },
  },
  { action = 'reject', plug = 'reject', does = 'reject the hunk' },
  { action = 'accept_file', plug = 'accept-file', does = 'accept all hunks of the file' },
  { action = 'reject_file', plug = 'reject-file', does = 'reject all hunks of the file' },
  { action = 'accept_all', plug = 'accept-all', does = 'accept all hunks of the request' },
  { action = 'reject_all', plug = 'reject-all', does = 'reject all hunks of the request' },
  { action = 'reject_with_reason', plug = 'reject-with-reason', does = 'reject the request with a reason' },
  { action = 'comment', plug = 'comment', does = 'comment on the hunk' },
  { action = 'edit', plug = 'edit', does = 'edit the proposed lines' },
  { action = 'side_by_side', plug = 'side-by-side', does = 'show old and new text side by side' },
  { action = 'files', plug = 'files', does = 'list the files with changes' },
  { action = 'always', plug = 'always', does = 'accept the request and always allow' },
  { action = 'later', plug = 'later', does = 'postpone the request' },
  { action = 'help', plug = 'review-help', does = 'show this list' },
}

---@param backup placet.KeymapBackup
---@param entry {plug: string, does: string}
---@param mode string
---@param key string
local function map_key(backup, entry, mode, key)
  local mapping = vim.fn.maparg(key, mode, false, true)
  local own = mapping.buffer == 1 and mapping or false
  backup.before[#backup.before + 1] = { mode = mode, key = key, mapping = own }
  -- nowait: Neovim's longer default keys (grn, gra) must not delay these keys.
  vim.keymap.set(mode, key, ('<Plug>(placet-%s)'):format(entry.plug), {
    buffer = backup.bufnr,
    nowait = true,
    remap = true,
    desc = 'Placet: ' .. entry.does,
  })
end

---Actions that have keys in every file of a change set.
local IN_FILES = { next = true, previous = true, side_by_side = true }

---Map the keys for the hunks of a file. A mapping of the user stays, unless the user has configured the key,
---or a request of the agent waits for the decision about the file.
---@param bufnr integer
---@param is_asked boolean whether a request waits
---@return placet.KeymapBackup
function M.map(bufnr, is_asked)
  local backup, keys = { bufnr = bufnr, before = {} }, config.get().change_set.hunk_keys
  local configured = vim.tbl_get(config.given(), 'change_set', 'hunk_keys') or {}
  api.nvim_buf_call(bufnr, function()
    for _, entry in ipairs(M.ALL) do
      local key = IN_FILES[entry.action] and keys[entry.action]
      if key and (configured[entry.action] or vim.fn.maparg(key, 'n') == '') then
        map_key(backup, entry, 'n', key)
      end
      key = is_asked and config.get().review.keys[entry.action]
      for _, mode in ipairs(key and (entry.modes or { 'n' }) or {}) do
        map_key(backup, entry, mode, key)
      end
    end
  end)
  return backup
end

---Return the most important keys of a file for which a call waits, in words.
---@return string
function M.hint()
  local keys, parts = config.get().review.keys, {}
  local shown = { { keys.accept, 'accepts' }, { keys.reject, 'rejects' }, { keys.help, 'all keys' } }
  for _, entry in ipairs(shown) do
    parts[#parts + 1] = entry[1] and ('%s %s'):format(unpack(entry)) or nil
  end
  return #parts > 0 and table.concat(parts, ', ') or ':Placet accept, :Placet reject'
end

---Return the key of a buffer, or else the command, that shows old and new text in windows of their own.
---@param bufnr integer
---@return string
function M.way_to_all(bufnr)
  local given = config.get()
  return api.nvim_buf_call(bufnr, function()
    for _, key in ipairs({ given.review.keys.side_by_side, given.change_set.hunk_keys.side_by_side }) do
      if key and vim.fn.maparg(key, 'n') == '<Plug>(placet-side-by-side)' then
        return key
      end
    end
    return ':Placet side-by-side'
  end)
end

---@param backup placet.KeymapBackup
function M.restore(backup)
  if not api.nvim_buf_is_loaded(backup.bufnr) then
    return
  end
  api.nvim_buf_call(backup.bufnr, function()
    for index = #backup.before, 1, -1 do
      local entry = backup.before[index] -- The newest first: one key may have two actions.
      pcall(vim.keymap.del, entry.mode, entry.key, { buffer = backup.bufnr })
      if entry.mapping then
        vim.fn.mapset(entry.mode, false, entry.mapping)
      end
    end
  end)
end

---Show the list of keys in a floating window.
function M.help()
  keymaps.show('Placet: keys of a change that waits', M.ALL, config.get().review.keys)
end

return M
