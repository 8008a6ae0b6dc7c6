---Options of the user: `vim.g.placet`, overridden by `setup()`. The options are read at their first use.
local M = {}

---@class placet.ChatConfig
---@field position 'auto'|'right'|'left'|'below'|'above' auto: right if the screen is wide
---@field size number share of the screen, between 0 and 1
---@field thinking 'folded'|'shown'|'hidden' hidden: not in the buffer
---@field fold_above integer longest output of a tool, in lines, that is not folded
---@field live_lines integer lines of output to show while a command runs
---@field marks table<string, string> how a tool's call stands
---@field keys table<string, string|false> action -> key in Normal mode, false for no key

---@class placet.ComposeConfig
---@field height integer most lines of the prompt's window, which grows with its text
---@field keep_open boolean whether the prompt's window stays after sending
---@field completion 'auto'|'builtin'|'none' auto: Neovim's completion unless a completion plugin is loaded
---@field keys table<string, string|false>

---@class placet.ReviewConfig
---@field mode 'ask'|'stage'|'apply'|'default' way of reviewing in new sessions; default: as in placet.json
---@field signs 'auto'|'always'|'never' `-` and `+` before the lines; auto: only without colors
---@field keys table<string, string|false> action -> key in Normal mode, false for no key

---@class placet.ChangeSetConfig
---@field signs boolean a sign beside each hunk
---@field hunk_keys table<'next'|'previous'|'side_by_side', string|false> keys in the files, in Normal mode
---@field keys table<string, string|false> action -> key in the window with the change set, false for no key

---@alias placet.PickerName 'auto'|'select'|'snacks'|'telescope'|'fzf_lua'|'mini_pick'

---@class placet.BackConfig
---@field keys table<string, string|false> action -> key in the preview of going back, false for no key

---@class placet.CompletionConfig
---@field enabled boolean whether suggestions are shown from the start, if the daemon completes
---@field keys table<'accept'|'accept_word'|'accept_line'|'dismiss'|'ask', string|false> keys in Insert mode

---@class placet.Config
---@field cmd string[] command line of the daemon; empty: search for the daemon
---@field root_markers string[] files and directories that mark a project's root directory
---@field settings placet.Settings the daemon's settings (model, permission, …), above the user's placet.json
---@field ignore_diagnostics string[] language servers and namespaces whose diagnostics are ignored
---@field chat placet.ChatConfig
---@field compose placet.ComposeConfig
---@field review placet.ReviewConfig
---@field change_set placet.ChangeSetConfig
---@field back placet.BackConfig
---@field completion placet.CompletionConfig inline completion
---@field picker placet.PickerName picker for sessions, models and other lists

---@class placet.Opts
---@field cmd? string[]
---@field root_markers? string[]
---@field settings? placet.Settings
---@field ignore_diagnostics? string[]
---@field chat? table
---@field compose? table
---@field review? table
---@field change_set? table
---@field back? table
---@field completion? table
---@field picker? placet.PickerName

---@type placet.Config
M.defaults = {
  cmd = {},
  root_markers = { '.git', 'pyproject.toml', 'package.json', 'Cargo.toml', 'go.mod' },
  settings = {},
  ignore_diagnostics = {},
  chat = {
    position = 'auto',
    size = 0.4,
    thinking = 'folded',
    fold_above = 4,
    live_lines = 5,
    marks = { pending = '…', running = '…', completed = '✓', error = '✗' },
    keys = {
      compose = 'i',
      append = 'a',
      open = '<CR>',
      open_file = 'gf',
      cancel = '<C-c>',
      next_prompt = ']]',
      previous_prompt = '[[',
      toggle_fold = '<Tab>',
      toggle_thinking = 'gh',
      subagent = 'go',
      fork = 'gB',
      back = 'gb',
      redo_back = '<C-r>',
      undo_turn = 'gU',
      copy_answer = 'gy',
      review = 'gR',
      sessions = 'gs',
      quit = 'q',
      help = 'g?',
    },
  },
  compose = {
    height = 10,
    keep_open = false,
    completion = 'auto',
    keys = {
      send = '<CR>',
      send_here = '<C-s>',
      steer = 'g<CR>',
      steer_here = '<M-CR>',
      older = '<C-p>',
      newer = '<C-n>',
      add = 'g+',
      remove = 'g-',
      cancel = '<C-c>',
      quit = 'gq',
      help = 'g?',
    },
  },
  review = {
    mode = 'stage',
    signs = 'auto',
    keys = {
      next = ']c',
      previous = '[c',
      accept = 'ga',
      reject = 'gr',
      accept_file = 'gF',
      reject_file = 'gX',
      accept_all = 'gA',
      reject_all = 'gR',
      reject_with_reason = 'gC',
      always = 'g!',
      later = 'gq',
      comment = 'gm',
      edit = 'ge',
      side_by_side = 'gD',
      files = 'gL',
      help = 'g?',
    },
  },
  change_set = {
    signs = true,
    hunk_keys = { next = ']h', previous = '[h', side_by_side = 'gH' },
    keys = {
      open = '<CR>',
      accept = 'a',
      reject = 'r',
      accept_all = 'A',
      reject_all = 'R',
      comment = 'c',
      send_comment = 'C',
      edit = 'e',
      side_by_side = 'd',
      list = 'l',
      review_mode = 'm',
      quit = 'q',
      help = '?',
    },
  },
  back = {
    keys = {
      choose = '<CR>',
      all = 'a',
      talk = 't',
      files = 'f',
      quit = 'q',
      help = '?',
    },
  },
  completion = {
    enabled = true,
    keys = {
      accept = '<Tab>',
      accept_word = '<M-Right>',
      accept_line = '<M-C-Right>',
      dismiss = '<C-]>',
      ask = '<M-\\>',
    },
  },
  picker = 'auto',
}

---@type placet.Opts?
local stored
---@type placet.Config?
local resolved

---Store the options. The options are checked at their first use.
---@param opts? placet.Opts
function M.store(opts)
  stored = opts or {}
  resolved = nil
end

local LISTS = { cmd = true, root_markers = true, ignore_diagnostics = true }
---Options with keys that this module does not check.
local OPEN = { settings = true }

---@type table<string, string[]>
local CHOICES = {
  ['chat.position'] = { 'auto', 'right', 'left', 'below', 'above' },
  ['chat.thinking'] = { 'folded', 'shown', 'hidden' },
  ['compose.completion'] = { 'auto', 'builtin', 'none' },
  ['review.mode'] = { 'ask', 'stage', 'apply', 'default' },
  picker = { 'auto', 'select', 'snacks', 'telescope', 'fzf_lua', 'mini_pick' },
}

---@param value any
local function is_list_of_strings(value)
  return vim.islist(value) and vim.iter(value):all(function(item)
    return type(item) == 'string'
  end)
end

---Return the problem with an option's value, to follow the option's name.
---@param path string
---@param value any
---@param default any
---@return string?
local function fault_of(path, value, default)
  if default == nil then
    return nil
  elseif LISTS[path] then
    return not (type(value) == 'table' and is_list_of_strings(value)) and 'must be a list of strings' or nil
  elseif value == false and path:match('keys%.[^.]+$') then
    return nil
  elseif type(value) ~= type(default) then
    return ('must be a %s, not a %s'):format(type(default), type(value))
  elseif CHOICES[path] and not vim.list_contains(CHOICES[path], value) then
    return ('must be one of %s'):format(table.concat(CHOICES[path], ', '))
  elseif path == 'chat.size' and (value <= 0 or value > 1) then
    return 'must be above 0 and at most 1'
  end
end

---Return the valid options. Problems are added to `problems`.
---@param defaults table
---@param given table
---@param path string
---@param problems string[]
---@return table
local function valid_part(defaults, given, path, problems)
  local valid = {}
  for name, value in pairs(given) do
    local here = path .. tostring(name)
    local default = defaults[name]
    local fault = fault_of(here, value, default)
    if default == nil then
      problems[#problems + 1] = ('unknown option `%s`; see :help placet-options'):format(here)
      valid[name] = value
    elseif fault then
      problems[#problems + 1] = ('option `%s` %s; see :help placet-options'):format(here, fault)
    elseif type(default) == 'table' and not LISTS[here] and not OPEN[here] then
      valid[name] = valid_part(default, value, here .. '.', problems)
    else
      valid[name] = value
    end
  end
  return valid
end

---Return the value of `vim.g.placet`, of any type.
---@return any
local function global()
  local value = vim.g.placet
  if type(value) == 'function' then
    return value()
  end
  return value
end

---Return the valid options and the problems with the other options.
---@param opts placet.Opts
---@return table valid
---@return string[] problems
local function validated(opts)
  local problems = {}
  local valid = valid_part(M.defaults, opts, '', problems)
  local kind = type(global())
  if kind ~= 'table' and kind ~= 'nil' then
    local requirement = 'vim.g.placet must be a table or a function that returns a table'
    problems[#problems + 1] = ('%s, not a %s'):format(requirement, kind)
  end
  table.sort(problems)
  return valid, problems
end

---@param opts placet.Opts
---@return string[]
function M.problems(opts)
  local _, problems = validated(opts)
  return problems
end

---Return the user's options without defaults.
---@return placet.Opts
function M.given()
  local base = global()
  return vim.tbl_deep_extend('force', type(base) == 'table' and base or {}, stored or {})
end

---Return the way of reviewing changes in new sessions, or nil where the daemon's settings decide. A setting
---`review` of the user wins over the default of the option `review.mode`.
---@return placet.ReviewMode?
function M.default_review()
  local mode = M.get().review.mode
  local is_given = vim.tbl_get(M.given(), 'review', 'mode') ~= nil
  if mode == 'default' or (M.get().settings.review and not is_given) then
    return nil
  end
  return mode
end

---Return the current options. Each problem is shown once, and the default is used instead.
---@return placet.Config
function M.get()
  if resolved then
    return resolved
  end
  local valid, problems = validated(M.given())
  if #problems > 0 then
    vim.notify('Placet: ' .. table.concat(problems, '\n        '), vim.log.levels.WARN)
  end
  resolved = vim.tbl_deep_extend('force', M.defaults, valid)
  return resolved
end

return M
