---Context that the user can attach to a prompt, as prompt parts: lines, buffers, diagnostics, lists, git
---diffs and files.
local prompt_text = require('placet.chat.prompt_text')

local api = vim.api
local M = {}

---@class placet.Attachment
---@field label string
---@field part placet.wire.PromptPart

---@class placet.ContextSource where the user is, or was before the prompt was opened
---@field bufnr integer
---@field window? integer window of the buffer

local MOST_CHARACTERS = 100000
local SEVERITIES = { 'error', 'warning', 'information', 'hint' }

---@param path string
local function short(path)
  return vim.fn.fnamemodify(path, ':~:.')
end

---@param bufnr integer
local function is_file(bufnr)
  return vim.bo[bufnr].buftype == '' and api.nvim_buf_get_name(bufnr) ~= ''
end

---@param bufnr integer
local function name_of(bufnr)
  local name = api.nvim_buf_get_name(bufnr)
  return name ~= '' and short(name) or ('buffer %d'):format(bufnr)
end

---Return an attachment with synthetic text. The daemon does not look for mentions in synthetic text.
---@param label string
---@param language string
---@param lines string[]
---@return placet.Attachment
local function text(label, language, lines)
  local content = table.concat(lines, '\n'):sub(1, MOST_CHARACTERS)
  local longest = 2
  for run in content:gmatch('`+') do
    longest = math.max(longest, #run)
  end
  local fence = ('`'):rep(longest + 1)
  local whole = ('%s%s\n%s%s\n%s\n%s'):format(prompt_text.BESIDE, label, fence, language, content, fence)
  return { label = label, part = { type = 'text', synthetic = true, text = whole } }
end

---Attach lines of a buffer, including unsaved changes.
---@param range placet.Range
---@return placet.Attachment
function M.range(range)
  local label = range.first == range.last and ('%s:%d'):format(name_of(range.bufnr), range.first)
    or ('%s:%d-%d'):format(name_of(range.bufnr), range.first, range.last)
  if not is_file(range.bufnr) then
    local lines = api.nvim_buf_get_lines(range.bufnr, range.first - 1, range.last, false)
    return text(label, vim.bo[range.bufnr].filetype, lines)
  end
  local lines = { start = range.first, ['end'] = range.last }
  return { label = label, part = { type = 'file', uri = vim.uri_from_bufnr(range.bufnr), range = lines } }
end

---Attach a whole buffer, including unsaved changes.
---@param bufnr integer
---@return placet.Attachment
function M.buffer(bufnr)
  if not is_file(bufnr) then
    return text(name_of(bufnr), vim.bo[bufnr].filetype, api.nvim_buf_get_lines(bufnr, 0, -1, false))
  end
  return { label = name_of(bufnr), part = { type = 'file', uri = vim.uri_from_bufnr(bufnr) } }
end

---Attach the visible lines of a window.
---@param source placet.ContextSource
---@return placet.Attachment?
---@return string? reason
function M.visible(source)
  if not source.window then
    return nil, 'no window shows the file'
  end
  local first, last = vim.fn.line('w0', source.window), vim.fn.line('w$', source.window)
  return M.range({ bufnr = source.bufnr, first = first, last = last })
end

---Attach a file by path, also an image. The daemon reads the file when the prompt is sent.
---@param path string
---@return placet.Attachment?
---@return string? reason
function M.file(path)
  path = vim.fs.normalize(vim.fn.fnamemodify(path, ':p'))
  local kind = (vim.uv.fs_stat(path) or {}).type
  if not kind and vim.fn.bufexists(path) == 0 then
    return nil, ('file %s does not exist'):format(short(path))
  end
  local part = { type = 'file', uri = vim.uri_from_fname(path), name = vim.fs.basename(path) }
  return { label = short(path), part = part }
end

---Attach all diagnostics of a buffer, or of the editor without a buffer.
---@param bufnr? integer
---@return placet.Attachment
function M.diagnostics(bufnr)
  if bufnr and is_file(bufnr) then
    local part = { type = 'diagnostics', uri = vim.uri_from_bufnr(bufnr) }
    return { label = 'diagnostics of ' .. name_of(bufnr), part = part }
  end
  return { label = 'all diagnostics', part = { type = 'diagnostics' } }
end

---Attach the diagnostics of the cursor line.
---@param source placet.ContextSource
---@return placet.Attachment?
---@return string? reason
function M.diagnostic(source)
  local row = source.window and api.nvim_win_get_cursor(source.window)[1] or 1
  local lines = vim.tbl_map(function(diagnostic)
    local prefix = diagnostic.source and diagnostic.source .. ': ' or ''
    return ('%s:%d:%d: %s: %s%s'):format(
      name_of(source.bufnr),
      diagnostic.lnum + 1,
      diagnostic.col + 1,
      SEVERITIES[diagnostic.severity] or 'note',
      prefix,
      diagnostic.message
    )
  end, vim.diagnostic.get(source.bufnr, { lnum = row - 1 }))
  if #lines == 0 then
    return nil, ('no diagnostics on line %d'):format(row)
  end
  return text(('diagnostics of %s:%d'):format(name_of(source.bufnr), row), 'text', lines)
end

---@param list {items: table[], title: string}
---@param kind string
---@return placet.Attachment?
---@return string? reason
local function of_list(list, kind)
  if #list.items == 0 then
    return nil, ('the %s list is empty'):format(kind)
  end
  local lines = vim.tbl_map(function(item)
    local name = item.bufnr > 0 and name_of(item.bufnr) or ''
    local place = item.lnum > 0 and ('%s:%d:%d'):format(name, item.lnum, math.max(item.col, 1)) or name
    return vim.trim(('%s: %s'):format(place, vim.trim(item.text)))
  end, list.items)
  local is_named = list.title ~= '' and not list.title:match('^:set%l+%(%)$')
  local title = is_named and (' `%s`'):format(list.title) or ''
  local count = #lines == 1 and '1 entry' or ('%d entries'):format(#lines)
  return text(('%s list%s, %s'):format(kind, title, count), 'text', lines)
end

---@return placet.Attachment?
---@return string? reason
function M.quickfix()
  return of_list(vim.fn.getqflist({ items = 0, title = 0 }), 'quickfix')
end

---@param source placet.ContextSource
---@return placet.Attachment?
---@return string? reason
function M.loclist(source)
  return of_list(vim.fn.getloclist(source.window or 0, { items = 0, title = 0 }), 'location')
end

---Attach the output of `git diff`, of the working tree or of the staged changes.
---@param source placet.ContextSource
---@param staged boolean
---@param use fun(attachment?: placet.Attachment, reason?: string)
function M.diff(source, staged, use)
  local name = is_file(source.bufnr) and api.nvim_buf_get_name(source.bufnr) or vim.fn.getcwd()
  local directory = vim.fs.root(name, '.git') or vim.fn.getcwd()
  local command = { 'git', '--no-pager', 'diff', '--no-color', '--no-ext-diff' }
  if staged then
    command[#command + 1] = '--cached'
  end
  local function answer(result)
    if result.code ~= 0 then
      return use(nil, 'git: ' .. (result.stderr or ''):match('[^\n]*'))
    elseif vim.trim(result.stdout) == '' then
      return use(nil, staged and 'no staged changes' or 'no changes in the working tree')
    end
    local lines = vim.split(result.stdout, '\n', { plain = true, trimempty = true })
    use(text(staged and 'git diff of what is staged' or 'git diff', 'diff', lines))
  end
  if not pcall(vim.system, command, { cwd = directory, text = true }, vim.schedule_wrap(answer)) then
    use(nil, 'git is not installed')
  end
end

---Names of contexts for `:Placet add`, and their texts in the menu.
M.NAMES = {
  { name = 'buffer', about = 'the buffer with unsaved changes' },
  { name = 'visible', about = 'the visible lines' },
  { name = 'diagnostic', about = 'the diagnostics of the cursor line' },
  { name = 'diagnostics', about = 'the diagnostics of the buffer' },
  { name = 'all-diagnostics', about = 'the diagnostics of all files' },
  { name = 'quickfix', about = 'the quickfix list' },
  { name = 'loclist', about = 'the location list' },
  { name = 'diff', about = 'the git diff of the working tree' },
  { name = 'staged', about = 'the git diff of the staged changes' },
  { name = 'file', about = 'a file or image' },
}

---@type table<string, fun(source: placet.ContextSource): placet.Attachment?, string?>
local BY_NAME = {
  buffer = function(source)
    return M.buffer(source.bufnr)
  end,
  visible = M.visible,
  diagnostic = M.diagnostic,
  diagnostics = function(source)
    return M.diagnostics(source.bufnr)
  end,
  ['all-diagnostics'] = function()
    return M.diagnostics()
  end,
  quickfix = M.quickfix,
  loclist = M.loclist,
}

---Attach context by name: a name of NAMES, `file:` and a path, or a range.
---@param context string|placet.Range
---@param source placet.ContextSource
---@param use fun(attachment?: placet.Attachment, reason?: string)
function M.gather(context, source, use)
  if type(context) == 'table' then
    return use(M.range(context))
  end
  local path = context:match('^file:(.+)')
  if path then
    return use(M.file(path))
  elseif context == 'file' then
    return vim.ui.input({ prompt = 'File: ', completion = 'file' }, function(given)
      if given and given ~= '' then
        use(M.file(given))
      end
    end)
  elseif context == 'diff' or context == 'staged' then
    return M.diff(source, context == 'staged', use)
  elseif BY_NAME[context] then
    return use(BY_NAME[context](source))
  end
  use(nil, ('`%s` cannot be attached to a prompt; see :help placet-context'):format(context))
end

---@return string[]
function M.names()
  return vim.tbl_map(function(entry)
    return entry.name
  end, M.NAMES)
end

---@param context string
---@return boolean
function M.is_named(context)
  return vim.list_contains(M.names(), context) or context:match('^file:.') ~= nil
end

---Return the buffer and window of the user's file: the current window, the previous window, or any window
---with a file.
---@return placet.ContextSource
function M.source()
  local last = vim.fn.win_getid(vim.fn.winnr('#'))
  for _, window in ipairs({ api.nvim_get_current_win(), last, unpack(api.nvim_tabpage_list_wins(0)) }) do
    if window ~= 0 and vim.bo[api.nvim_win_get_buf(window)].buftype == '' then
      return { bufnr = api.nvim_win_get_buf(window), window = window }
    end
  end
  return { bufnr = api.nvim_get_current_buf(), window = api.nvim_get_current_win() }
end

return M
