---Requests of the agent about changes whose files wait in the change set. The user answers the request, or
---decides about the files: the daemon cancels the request with the decision about the last file.
local buffers = require('placet.change_set.buffers')
local change_set = require('placet.change_set')
local keys = require('placet.hunks.keys')
local known = require('placet.sessions.known')
local navigation = require('placet.change_set.navigation')
local pending_requests = require('placet.permission.pending_requests')
local permission = require('placet.permission')
local switching = require('placet.chat.switching')
local units_of = require('placet.change_set.units')
local visible_text = require('placet.ui.visible_text')

local api = vim.api
local M = {}

---Columns of a notice beside the title of the request and the keys.
local NOTICE_COLUMNS = 20

---Return the undecided units of a request, in the order of the change set.
---@param ask placet.PendingRequest
---@return placet.ChangeSet?
---@return placet.ReviewUnit[]
local function units_for(ask)
  local set = change_set.of_session(ask.params.sessionId)
  return set, set and units_of.of_call(set.units, ask.params.changeId) or {}
end

---@param ask placet.PendingRequest
local function redraw(ask)
  local set = change_set.of_session(ask.params.sessionId)
  if set then
    change_set.redraw(set)
  end
end

---Return whether the change set of a session is shown for its project, or may be shown.
---@param client vim.lsp.Client
---@param session_id string
local function is_shown(client, session_id)
  local current = known.current_in(client.root_dir)
  return not current or current == session_id or change_set.of_session(session_id) ~= nil
end

---Return whether the user sees a file of the request, without typing.
---@param ask placet.PendingRequest
local function is_seen(ask)
  local _, units = units_for(ask)
  return api.nvim_get_mode().mode == 'n'
    and vim.fn.getcmdwintype() == ''
    and vim.iter(units):any(function(unit)
      return vim.fn.bufwinid(buffers.name_of(unit.file)) ~= -1
    end)
end

---Go to the first undecided hunk of a request, of the current file if possible. The set is read again if no
---hunk is known, and a request without files in the set is a choice.
---@param ask placet.PendingRequest
---@param client vim.lsp.Client
local function go_to_first(ask, client)
  local session_id = ask.params.sessionId
  local function go()
    local set, units = units_for(ask)
    if not pending_requests.is_waiting(ask) then
      return
    elseif units[1] then
      local view = navigation.here()
      local here = vim.iter(units):find(function(unit)
        return view ~= nil and unit.file.place == view.surface.file.place
      end)
      navigation.go_to(set, here or units[1])
    else
      permission.choose(ask)
    end
  end
  local _, units = units_for(ask)
  if units[1] then
    go()
  elseif is_shown(client, session_id) then
    change_set.refresh(client, session_id, go)
  else
    switching.switch(client, session_id, function()
      change_set.refresh(client, session_id, go)
    end)
  end
end

---Say that a change waits in a file that the user sees.
---@param ask placet.PendingRequest
local function tell(ask)
  local hint = keys.hint()
  local room = vim.o.columns - #hint - NOTICE_COLUMNS
  local title = visible_text.shortened(ask.title, math.max(room, NOTICE_COLUMNS))
  vim.notify(('Placet asks: %s. %s'):format(title, hint))
end

---`editor/requestPermission` about a change whose files are in the change set. The request is shown once the
---files are listed.
---@type placet.RequestHandler
function M.serve(params, client, answer)
  local is_over, cancel = false, nil ---@type boolean, fun()?
  local ask = {
    params = params,
    fits = is_seen,
    show = function(ask, by_user)
      if by_user then
        go_to_first(ask, client)
      else
        tell(ask)
      end
    end,
  }
  local function add()
    if not is_over then
      cancel = pending_requests.add(ask, answer)
      redraw(ask)
    end
  end
  if is_shown(client, params.sessionId) then
    change_set.refresh(client, params.sessionId, add)
  else
    add()
  end
  return function()
    is_over = true
    if cancel then
      cancel()
      redraw(ask)
    end
  end
end

---Answer a request. The user's comments on the hunks go along, as decisions about the hunks that are left.
---@param ask placet.PendingRequest
---@param result placet.wire.Permission
function M.answer(ask, result)
  local _, units = units_for(ask)
  for _, unit in ipairs(units) do
    if unit.comment then
      result.decisions = result.decisions or {}
      table.insert(result.decisions, units_of.comment({ unit }, unit.comment))
    end
  end
  ask.answer(result)
  redraw(ask)
end

---Postpone a request. `:Placet review` opens the request again.
---@param ask placet.PendingRequest
function M.later(ask)
  pending_requests.postpone(ask)
  redraw(ask)
end

return M
