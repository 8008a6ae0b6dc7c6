---Look whether changes of a project wait for a review, without a daemon: the daemon keeps a small index
---beside its store, see "Without a daemon" in docs/PROTOCOL.md.
local api = vim.api
local M = {}

local VERSION = 1

---Projects whose changes the user was told of.
---@type table<string, true>
local told = {}

---Return the directory of Placet's data.
---@return string
local function data_directory()
  local home = vim.uv.os_homedir() or ''
  if vim.fn.has('win32') == 1 then
    return vim.fs.joinpath(vim.env.LOCALAPPDATA or vim.fs.joinpath(home, 'AppData', 'Local'), 'placet')
  end
  local chosen = vim.trim(vim.env.XDG_DATA_HOME or '')
  if vim.startswith(chosen, '/') then
    return vim.fs.joinpath(chosen, 'placet')
  elseif vim.fn.has('mac') == 1 then
    return vim.fs.joinpath(home, 'Library', 'Application Support', 'placet')
  end
  return vim.fs.joinpath(home, '.local', 'share', 'placet')
end

---@class placet.FolderToReview
---@field files integer
---@field sessions integer

---Return the folders with changes to review by path, as the daemon last noted them; without a readable index
---no folder.
---@return table<string, placet.FolderToReview>
local function folders()
  local file = io.open(vim.fs.joinpath(data_directory(), 'to-review.json'), 'r')
  if not file then
    return {}
  end
  local is_read, index = pcall(vim.json.decode, file:read('*a'))
  file:close()
  if not is_read or type(index) ~= 'table' or index.version ~= VERSION then
    return {}
  end
  local found = {}
  for uri, folder in pairs(index.folders) do
    found[vim.fs.normalize(vim.uri_to_fname(uri))] = folder
  end
  return found
end

---Tell the user once of the changes that wait in the project of a buffer, unless a session of the project is
---in use. No daemon is started.
---@param bufnr integer
function M.look(bufnr)
  if #api.nvim_list_uis() == 0 or not api.nvim_buf_is_valid(bufnr) or vim.bo[bufnr].buftype ~= '' then
    return
  end
  local found = folders()
  if not next(found) then
    return
  end
  -- Loaded only here: Neovim looks at each start, and most projects have nothing to review.
  local root = require('placet.daemon').root_of(bufnr)
  local folder = found[vim.fs.normalize(root)] or found[vim.uv.fs_realpath(root) or root]
  if not folder or told[root] or require('placet.sessions.known').current_in(root) then
    return
  end
  told[root] = true
  local words = require('placet.ui.words')
  local files = words.counted(folder.files, 'file')
  local where = folder.sessions > 1 and (' in %d sessions'):format(folder.sessions) or ''
  vim.notify(('Placet: %s%s to review; :Placet review shows them'):format(files, where))
end

return M
