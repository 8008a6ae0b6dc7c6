---Queue of permission requests and questions that wait for the user. At most one request is on the screen,
---and no request interrupts the user's typing.
local events = require('placet.events')
local focus = require('placet.editor.focus')
local ui_select = require('placet.ui.select')
local visible_text = require('placet.ui.visible_text')

local api = vim.api
local M = {}

---@class placet.PendingRequest
---@field params placet.wire.RequestPermission|placet.wire.AskQuestion
---@field kind 'permission'|'question'
---@field title string
---@field answer fun(result: any) answers the request and removes the request from the queue
---@field show fun(ask: placet.PendingRequest, by_user: boolean) shows the request
---@field fits fun(ask: placet.PendingRequest): boolean whether the request interrupts nobody when shown
---@field close fun() removes the request from the screen
---@field is_shown boolean
---@field is_postponed? boolean whether the user has postponed the request

---@type placet.PendingRequest[]
local queue = {}
---@type fun()? closes the list of pending requests
local close_list

---Return whether a prompt may be shown: the user is in Normal mode and does not type.
---@return boolean
function M.is_idle()
  local mode = api.nvim_get_mode()
  return mode.mode == 'n' and not mode.blocking and vim.fn.getcmdwintype() == '' and not focus.is_typing()
end

---@param asked? placet.wire.RequestPermission the new permission request
local function update_status(asked)
  local requests = vim.tbl_filter(function(ask)
    return ask.kind == 'permission'
  end, queue)
  events.emit('requests_changed', #requests, asked)
end

---@param ask placet.PendingRequest
---@param by_user boolean
local function present(ask, by_user)
  if by_user or ask:fits() then
    ask.is_shown, ask.is_postponed = true, false
    ask:show(by_user)
  else
    vim.notify(('Placet asks: %s. :Placet review'):format(ask.title))
  end
end

---Show the next request that the user has not postponed, unless a request is on the screen.
local function present_next()
  local is_busy = close_list or vim.iter(queue):any(function(ask)
    return ask.is_shown
  end)
  local ask = vim.iter(queue):find(function(candidate)
    return not candidate.is_postponed
  end)
  if ask and not is_busy then
    present(ask, false)
  end
end

---@param ask placet.PendingRequest
---@return boolean
local function remove(ask)
  for index, queued in ipairs(queue) do
    if queued == ask then
      table.remove(queue, index)
      ask.is_shown = false
      update_status()
      if close_list then
        close_list()
        close_list = nil
        vim.schedule(M.review)
      else
        vim.schedule(present_next)
      end
      return true
    end
  end
  return false
end

---@param ask placet.PendingRequest
---@return boolean
function M.is_waiting(ask)
  return vim.list_contains(queue, ask)
end

---Return the request about a change, unless the user has postponed the request.
---@param change_id? string
---@return placet.PendingRequest?
function M.of_change(change_id)
  return vim.iter(queue):find(function(ask)
    return change_id ~= nil and ask.params.changeId == change_id and not ask.is_postponed
  end)
end

---Add a request to the queue. The returned function removes a request that was cancelled or answered
---elsewhere.
---@param ask placet.PendingRequest with `params` and `show`; the other fields have defaults
---@param answer fun(result: any)
---@return fun() cancel
function M.add(ask, answer)
  ask.kind = ask.kind or 'permission'
  ask.title = ask.title or visible_text.plain(ask.params.title)
  ask.fits = ask.fits or M.is_idle
  ask.close = function() end
  ask.answer = function(result)
    if remove(ask) then
      answer(result)
    end
  end
  queue[#queue + 1] = ask
  update_status(ask.kind == 'permission' and ask.params or nil)
  present_next()
  return function()
    if remove(ask) then
      ask.close()
    end
  end
end

---Postpone a request.
---@param ask placet.PendingRequest
function M.postpone(ask)
  ask.is_shown = false
  if M.is_waiting(ask) then
    ask.is_postponed = true
    vim.notify('Placet: request postponed; :Placet review opens the request')
    vim.schedule(present_next)
  end
end

---Open the pending request. From several requests the user chooses. Without a request the change set opens.
function M.review()
  if #queue == 0 then
    return events.emit('nothing_pending')
  elseif #queue == 1 then
    return present(queue[1], true)
  end
  close_list = ui_select.open(vim.list_slice(queue), {
    prompt = 'Pending requests',
    kind = 'placet_waiting',
    format_item = function(ask)
      local origin = table.concat(ask.params.origin or {}, ' › ')
      return visible_text.plain(origin ~= '' and ('%s: %s'):format(origin, ask.title) or ask.title)
    end,
  }, function(ask)
    close_list = nil
    if ask and M.is_waiting(ask) then
      for _, other in ipairs(queue) do
        if other ~= ask and other.is_shown then
          other.close()
          other.is_shown = false
        end
      end
      present(ask, true)
    end
  end)
end

---Close all requests of a session whose turn has ended.
---@param session_id string
function M.close_session(session_id)
  for _, ask in ipairs(vim.list_slice(queue)) do
    if ask.params.sessionId == session_id and remove(ask) then
      ask.close()
    end
  end
end

return M
