---`editor/requestPermission` as a choice, shown by `vim.ui.select`: every request but one about a change
---whose files wait in the change set.
local long_text = require('placet.permission.long_text')
local scope = require('placet.permission.scope')
local ui_select = require('placet.ui.select')
local visible_text = require('placet.ui.visible_text')
local pending_requests = require('placet.permission.pending_requests')

local M = {}

local ACTIONS = { allow = 'allowed', ask = 'asked', deny = 'denied' }

---Return the text of a request. The command comes first, with a mark on each line: no line of a command can
---imitate our own text.
---@param params placet.wire.RequestPermission
---@return string[]
local function lines_of(params)
  local lines = {}
  local function add(pattern, ...)
    lines[#lines + 1] = pattern:format(...)
  end
  for index, line in ipairs(params.command and visible_text.lines(params.command) or {}) do
    add('%s %s', index == 1 and '$' or '>', line)
  end
  if not params.command or params.permission ~= 'bash' then
    add('%s', visible_text.plain(params.title))
  end
  if params.cwd then
    add('  in %s', visible_text.spelled(vim.fn.fnamemodify(params.cwd, ':~')))
  end
  if params.url then
    add('  %s', visible_text.spelled(params.url))
  end
  for _, line in ipairs(params.arguments and vim.split(params.arguments, '\n', { plain = true }) or {}) do
    add('  | %s', visible_text.spelled(line))
  end
  if #(params.parts or {}) > 1 then
    for _, part in ipairs(params.parts) do
      add('  %s: %s', ACTIONS[part.action] or part.action, visible_text.spelled(part.pattern))
    end
  end
  for _, file in ipairs((params.change or {}).files or {}) do
    add('  %s %s', file.kind, visible_text.spelled(vim.fn.fnamemodify(vim.uri_to_fname(file.uri), ':~:.')))
    for _, hunk in ipairs(file.hunks or {}) do
      for _, side in ipairs({ { '-', hunk.oldLines }, { '+', hunk.newLines } }) do
        for _, line in ipairs(side[2]) do
          add('  %s %s', side[1], visible_text.spelled((line:gsub('\n$', ''))))
        end
      end
    end
  end
  if params.note then
    add('  %s', visible_text.plain(params.note))
  end
  if params.rule and params.rule ~= '' then
    add('  rule: %s', visible_text.plain(params.rule))
  end
  if params.description then
    add('  %s', visible_text.plain(params.description))
  end
  return lines
end

---@param params placet.wire.RequestPermission
---@param is_seen boolean whether the user has seen the whole request
---@return table[]
local function choices_of(params, is_seen)
  local choices = {}
  if is_seen then
    choices[1] = { label = 'Allow once', answer = { outcome = 'once' } }
    for _, offer in ipairs(params.always or {}) do
      choices[#choices + 1] = {
        label = scope.label(offer),
        answer = { outcome = 'always', scope = offer.scope },
      }
    end
  else
    choices[1] = { label = 'Show the whole text', shows = true }
  end
  choices[#choices + 1] = { label = 'Reject', answer = { outcome = 'reject' } }
  choices[#choices + 1] = { label = 'Reject with a reason', wants_reason = true }
  return choices
end

---Let the user choose an answer.
---@param ask placet.PendingRequest
---@param is_seen? boolean whether the user has read the whole long text
function M.choose(ask, is_seen)
  local lines = lines_of(ask.params)
  local is_long = long_text.is_long(lines)
  ask.close = ui_select.open(choices_of(ask.params, is_seen or not is_long), {
    prompt = is_long and long_text.brief(lines) or table.concat(lines, '\n'),
    kind = 'placet_permission',
    format_item = function(choice)
      return choice.label
    end,
  }, function(choice)
    if not choice then
      return pending_requests.postpone(ask)
    elseif choice.shows then
      ask.close = long_text.show(lines, function()
        if pending_requests.is_waiting(ask) then
          M.choose(ask, true)
        end
      end)
      return
    elseif not choice.wants_reason then
      return ask.answer(choice.answer)
    end
    vim.ui.input({ prompt = 'Reason for rejecting: ' }, function(reason)
      if not reason then
        return pending_requests.postpone(ask)
      end
      ask.answer({ outcome = 'reject', feedback = reason })
    end)
  end)
end

---@type placet.RequestHandler
function M.serve(params, _, answer)
  local function show(ask)
    M.choose(ask)
  end
  return pending_requests.add({ params = params, show = show }, answer)
end

return M
