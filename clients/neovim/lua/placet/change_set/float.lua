---Floating window with the files of a change set. Each key acts on the file under the cursor.
local buffers = require('placet.change_set.buffers')
local centered = require('placet.ui.centered')
local change_set = require('placet.change_set')
local comment = require('placet.hunks.comment')
local config = require('placet.config')
local conflicts = require('placet.change_set.conflicts')
local decisions = require('placet.change_set.decisions')
local editing = require('placet.change_set.editing')
local highlights = require('placet.hunks.highlights')
local hunk_list = require('placet.change_set.hunk_list')
local keymaps = require('placet.ui.keymaps')
local navigation = require('placet.change_set.navigation')
local options = require('placet.sessions.options')
local units_of = require('placet.change_set.units')
local visible_text = require('placet.ui.visible_text')
local words = require('placet.ui.words')

local api = vim.api
local M = {}

local namespace = api.nvim_create_namespace('placet.change_set.float')

---@class placet.ChangeSetFloat
---@field bufnr integer
---@field window integer
---@field set placet.ChangeSet
---@field files table<integer, placet.ChangeFile> by line number
---@field here string name of the buffer from which the user came

---@type placet.ChangeSetFloat?
local open

local GROUPS = { 'waiting', 'staged', 'unreviewed' }

---@param file placet.ChangeFile
---@return string
local function facts_of(file)
  if file.conflict then
    return 'conflict: ' .. visible_text.plain(file.conflict)
  end
  local facts = { file.description and visible_text.plain(file.description) }
  if file.kind ~= 'modify' then
    facts[#facts + 1] = ({ create = 'new file', delete = 'deleted', rename = 'renamed' })[file.kind]
  end
  if #file.hunks > 0 and file.kind ~= 'delete' and file.kind ~= 'create' then
    facts[#facts + 1] = words.counted(#file.hunks, 'hunk')
  end
  local count = #vim.tbl_filter(conflicts.is_listed, file.units)
  facts[#facts + 1] = count > 0 and ('%d in conflict'):format(count) or nil
  if file.permissions then
    facts[#facts + 1] = words.permissions(file.permissions)
  end
  local has_comment = vim.iter(file.units):any(function(unit)
    return unit.comment ~= nil
  end)
  facts[#facts + 1] = has_comment and 'with a comment' or nil
  return table.concat(facts, ', ')
end

---@class placet.FloatLine
---@field chunks [string, string?][] text and highlight; without one as the line
---@field file? placet.ChangeFile

---@param set placet.ChangeSet
---@return placet.FloatLine[]
local function lines_of(set)
  local lines, names, width = {}, {}, 0
  for _, file in ipairs(set.files) do
    local name = visible_text.plain(vim.fn.fnamemodify(vim.uri_to_fname(file.place), ':~:.'))
    names[file] = name
    width = math.max(width, vim.fn.strdisplaywidth(name))
  end
  for _, group in ipairs(GROUPS) do
    -- The files come by path; the current file goes first.
    local own = {}
    for _, file in ipairs(set.files) do
      if units_of.group(file) == group then
        table.insert(own, buffers.name_of(file) == open.here and 1 or #own + 1, file)
      end
    end
    if #own > 0 then
      local total = ('%s, %s'):format(words.counted(#own, 'file'), words.counted(set.counts[group], 'hunk'))
      local highlight = group == 'unreviewed' and 'PlacetUnreviewed' or 'PlacetProposed'
      lines[#lines + 1] =
        { chunks = { { (' %s '):format(words.state(group)), highlight }, { total, 'Comment' } } }
    end
    for _, file in ipairs(own) do
      local has_counts = not file.conflict and not file.description
      local padding = (' '):rep(width - vim.fn.strdisplaywidth(names[file]))
      lines[#lines + 1] = {
        file = file,
        chunks = {
          { ('   %s%s  '):format(names[file], padding) },
          { ('%6s '):format(has_counts and '+' .. file.additions or ''), 'Added' },
          { ('%6s  '):format(has_counts and '-' .. file.deletions or ''), 'Removed' },
          { facts_of(file), file.conflict and 'DiagnosticError' or 'Comment' },
        },
      }
    end
  end
  return #lines > 0 and lines or { { chunks = { { ' No changes to review ', 'Comment' } } } }
end

---@param set placet.ChangeSet
---@return integer width of the longest line
local function fill(set)
  local texts, width = {}, 0
  local lines = lines_of(set)
  open.files = {}
  for number, line in ipairs(lines) do
    texts[number] = table.concat(vim.tbl_map(function(chunk)
      return chunk[1]
    end, line.chunks))
    width = math.max(width, vim.fn.strdisplaywidth(texts[number]))
    open.files[number] = line.file
  end
  vim.bo[open.bufnr].modifiable = true
  api.nvim_buf_set_lines(open.bufnr, 0, -1, true, texts)
  vim.bo[open.bufnr].modifiable = false
  api.nvim_buf_clear_namespace(open.bufnr, namespace, 0, -1)
  for number, line in ipairs(lines) do
    local column = 0
    for _, chunk in ipairs(line.chunks) do
      api.nvim_buf_set_extmark(open.bufnr, namespace, number - 1, column, {
        end_col = column + #chunk[1],
        hl_group = chunk[2],
      })
      column = column + #chunk[1]
    end
  end
  return width
end

---Return the most important keys, as far as the keys fit.
---@param width integer
---@return string?
local function footer(width)
  local keys, text = config.get().change_set.keys, ''
  for _, entry in ipairs({
    { 'help', 'keys' },
    { 'accept', 'accept' },
    { 'reject', 'reject' },
    { 'open', 'open' },
  }) do
    local part = keys[entry[1]] and (' %s %s '):format(keys[entry[1]], entry[2]) or ''
    if #text + #part <= width then
      text = entry[1] == 'help' and part or text:gsub('^', part, 1)
    end
  end
  return text ~= '' and text or nil
end

---@param width integer
---@return vim.api.keyset.win_config
local function layout(width)
  local height = math.max(1, math.min(api.nvim_buf_line_count(open.bufnr), vim.o.lines - 6))
  width = math.min(math.max(width + 1, 46), vim.o.columns - 4)
  local window = centered.layout('Placet: changes to review', width, height)
  window.footer = footer(width)
  window.footer_pos = window.footer and 'right' or nil
  return window
end

---Give the float the height of its wrapped lines.
local function fit_height()
  local height = api.nvim_win_text_height(open.window, {}).all
  api.nvim_win_set_height(open.window, math.min(height, vim.o.lines - 6))
end

---Close the float.
local function close()
  local float = open
  open = nil
  if float and api.nvim_win_is_valid(float.window) then
    api.nvim_win_close(float.window, true)
  end
end

---@param use fun(file: placet.ChangeFile, set: placet.ChangeSet)
local function with_file(use)
  return function()
    local file = open and open.files[api.nvim_win_get_cursor(0)[1]]
    if file then
      use(file, open.set)
    end
  end
end

---@param outcome 'accept'|'reject'
local function decide_file(outcome)
  return with_file(function(file, set)
    if file.conflict and outcome == 'accept' and file.state == 'staged' then
      close()
      return editing.side_by_side(set, file)
    end
    change_set.decide(set, file.units, outcome)
  end)
end

---@type placet.Key[]
local KEYS = {
  {
    action = 'open',
    does = 'go to the first hunk of the file',
    run = with_file(function(file, set)
      close()
      navigation.go_to(set, file.units[1])
    end),
  },
  { action = 'accept', does = 'accept or keep all hunks of the file', run = decide_file('accept') },
  { action = 'reject', does = 'reject or undo all hunks of the file', run = decide_file('reject') },
  {
    action = 'accept_all',
    does = 'accept or keep all hunks of all files',
    run = function()
      change_set.decide(open.set, open.set.units, 'accept')
    end,
  },
  {
    action = 'reject_all',
    does = 'reject or undo all hunks of all files',
    run = function()
      local set = open.set
      close()
      decisions.reject_all(set)
    end,
  },
  {
    action = 'comment',
    does = 'comment on the file, with your decision',
    run = with_file(function(file, set)
      comment.ask(file.units[1], function()
        change_set.redraw(set)
      end)
    end),
  },
  {
    action = 'send_comment',
    does = 'send a comment on the file now, and decide nothing',
    run = with_file(function(file, set)
      local name = vim.fn.fnamemodify(vim.uri_to_fname(file.place), ':t')
      comment.input(name, units_of.joined_comment(file.units), function(text)
        change_set.send_comment(set, file.units, text)
      end)
    end),
  },
  {
    action = 'edit',
    does = 'edit the proposed text',
    run = with_file(function(file, set)
      close()
      if #file.units > 1 then
        return editing.side_by_side(set, file)
      end
      editing.edit(set, file.units[1])
    end),
  },
  {
    action = 'side_by_side',
    does = 'show both texts of the file side by side',
    run = with_file(function(file, set)
      close()
      editing.side_by_side(set, file)
    end),
  },
  {
    action = 'list',
    does = 'show all hunks in the quickfix list',
    run = function()
      local set = open.set
      close()
      hunk_list.open(set)
    end,
  },
  {
    action = 'review_mode',
    does = 'choose the way of reviewing',
    run = function()
      close()
      options.choose_review('')
    end,
  },
  { action = 'quit', does = 'close the window', run = close },
  {
    action = 'help',
    does = 'show this list',
    run = function()
      M.help()
    end,
  },
}

---@param set placet.ChangeSet
function M.open(set)
  close()
  highlights.define()
  local bufnr = api.nvim_create_buf(false, true)
  api.nvim_buf_set_name(bufnr, 'placet-changes://' .. set.session_id)
  vim.bo[bufnr].bufhidden = 'wipe'
  vim.bo[bufnr].undolevels = -1
  local here = api.nvim_buf_get_name(0)
  open = { bufnr = bufnr, window = 0, set = set, files = {}, here = here }
  local width = fill(set)
  open.window = api.nvim_open_win(bufnr, true, layout(width))
  vim.wo[open.window][0].cursorline = true
  vim.wo[open.window][0].wrap = true
  vim.wo[open.window][0].linebreak = true
  vim.wo[open.window][0].breakindent = true
  vim.wo[open.window][0].breakindentopt = 'shift:2'
  fit_height()
  local first = vim.iter(pairs(open.files)):fold(math.huge, function(least, number)
    return math.min(least, number)
  end)
  api.nvim_win_set_cursor(open.window, { first < math.huge and first or 1, 0 })
  keymaps.map(bufnr, KEYS, config.get().change_set.keys)
  api.nvim_create_autocmd('BufWipeout', {
    buffer = bufnr,
    once = true,
    desc = 'Placet: the float with the change set is closed',
    callback = function()
      if open and open.bufnr == bufnr then
        open = nil
      end
    end,
  })
end

---Show the new list. The cursor stays on its line.
---@param set placet.ChangeSet
function M.renew(set)
  if open and open.set.root == set.root and api.nvim_win_is_valid(open.window) then
    open.set = set
    local cursor = api.nvim_win_get_cursor(open.window)
    local config_now = layout(fill(set))
    config_now.style = nil -- The style would set the window's options again.
    api.nvim_win_set_config(open.window, config_now)
    fit_height()
    api.nvim_win_set_cursor(open.window, { math.min(cursor[1], api.nvim_buf_line_count(open.bufnr)), 0 })
  end
end

---Show the list of keys.
function M.help()
  keymaps.show('Placet: keys of the changes to review', KEYS, config.get().change_set.keys)
end

return M
