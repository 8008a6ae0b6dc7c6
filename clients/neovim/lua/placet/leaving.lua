---What waits for a decision when the user leaves Neovim. `:qa`, `:wqa` and `:xa` are held back
---once, as by an unwritten buffer, and show what waits; the next one, or one with !, leaves.
local change_set = require('placet.change_set')
local status = require('placet.status')
local units_of = require('placet.change_set.units')
local words = require('placet.ui.words')

local api = vim.api
local M = {}

---What was told last.
---@type string?
local told

---Return what stays of a change set. A file for which a call of the agent waits goes with the request.
---@param set placet.ChangeSet
---@return string[]
local function lines_of_set(set)
  local lines = {}
  local files = vim.tbl_filter(function(file)
    return units_of.group(file) ~= 'waiting'
  end, set.files)
  if #files == 0 then
    return lines
  end
  local hunks = words.counts(vim.tbl_extend('force', set.counts, { waiting = 0 }))
  local counts = ('%s in %s'):format(hunks, words.counted(#files, 'file'))
  -- The counts first: a long directory is cut at the edge of the window.
  lines[1] = ('- %s of %s'):format(counts, vim.fn.fnamemodify(set.root, ':~'))
  for _, file in ipairs(files) do
    local name = vim.fn.fnamemodify(vim.uri_to_fname(file.place), ':~:.')
    lines[#lines + 1] = ('    %s  +%d -%d'):format(name, file.additions, file.deletions)
  end
  lines[#lines + 1] = '  They stay: `:Placet review` shows them again, also tomorrow.'
  return lines
end

---Return what waits for a decision, or what would end, as lines of Markdown.
---@return string[]
local function waiting()
  local lines = {}
  for _, set in ipairs(change_set.all()) do
    vim.list_extend(lines, lines_of_set(set))
  end
  local details = status.details()
  if details.waiting > 0 then
    local requests = words.counted(details.waiting, 'request')
    lines[#lines + 1] = ('- %s of the agent; leaving rejects them.'):format(requests)
  end
  if details.working > 0 then
    lines[#lines + 1] = ('- %s; leaving stops them.'):format(words.counted(details.working, 'running turn'))
  end
  return lines
end

---@param bufnr integer
local function set_up(bufnr)
  vim.bo[bufnr].buftype = 'acwrite'
  vim.bo[bufnr].bufhidden = 'wipe'
  vim.bo[bufnr].swapfile = false
  vim.bo[bufnr].filetype = 'markdown'
  api.nvim_create_autocmd('BufWriteCmd', {
    buffer = bufnr,
    desc = 'Placet: the list of what waits is not a file',
    callback = function()
      vim.bo[bufnr].modified = false
    end,
  })
  vim.keymap.set('n', 'q', function()
    local before = vim.fn.bufnr('#')
    vim.bo[bufnr].modified = false
    if before > 0 and before ~= bufnr then
      vim.cmd.buffer(before)
    end
    if api.nvim_buf_is_valid(bufnr) then
      api.nvim_buf_delete(bufnr, { force = true })
    end
  end, { buffer = bufnr, nowait = true, desc = 'Placet: back to the file' })
end

---Hold an exit back and show what waits, unless the same was told before, or Neovim has no screen.
function M.check()
  for _, bufnr in ipairs(api.nvim_list_bufs()) do
    if api.nvim_buf_get_name(bufnr):match('^placet://waiting') then
      api.nvim_buf_delete(bufnr, { force = true })
    end
  end
  local lines = waiting()
  local text = table.concat(lines, '\n')
  if #lines == 0 or text == told or #api.nvim_list_uis() == 0 then
    return
  end
  told = text
  local bufnr = api.nvim_create_buf(false, false)
  api.nvim_buf_set_name(bufnr, 'placet://waiting')
  set_up(bufnr)
  local shown = { '# Placet: waiting for your decision', '', unpack(lines) }
  vim.list_extend(shown, { '', '`:qa` again, or `:qa!`, leaves Neovim; `q` goes back.' })
  api.nvim_buf_set_lines(bufnr, 0, -1, true, shown)
  vim.bo[bufnr].modified = true
  vim.bo[bufnr].readonly = true -- Also `:wqa` and `:xa` stop here, and with ! they leave.
  vim.schedule(function()
    -- `:qa` shows the buffer that holds it back, the others do not.
    if api.nvim_buf_is_valid(bufnr) and api.nvim_get_current_buf() ~= bufnr then
      vim.cmd.buffer(bufnr)
    end
  end)
end

return M
