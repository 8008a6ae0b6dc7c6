---What waits for the user's answer: permissions and questions, one on the screen at a time, none in the way.
local focus = require('placet.editor.focus')
local ui_select = require('placet.ui.select')
local status = require('placet.status')
local visible_text = require('placet.ui.visible_text')

local api = vim.api
local M = {}

---@class placet.PendingRequest
---@field params placet.wire.RequestPermission|placet.wire.AskQuestion
---@field kind 'permission'|'question'
---@field title string
---@field answer fun(result: any) answers it and takes it off the list
---@field show fun(by_user: boolean) puts it on the screen
---@field fits fun(): boolean whether it can be shown now without taking anything from the user
---@field close fun() takes it off the screen
---@field is_shown boolean
---@field is_put_off? boolean the user has seen it, and wants to answer later
---@field units? placet.ReviewUnit[] of a change: what was decided so far

---@type placet.PendingRequest[]
local queue = {}
---@type fun()? closes the list of what waits
local close_list

---Whether a prompt that takes all keys may be put up: the user is neither typing nor within a command.
---@return boolean
function M.is_idle()
  local mode = api.nvim_get_mode()
  return mode.mode == 'n' and not mode.blocking and vim.fn.getcmdwintype() == '' and not focus.is_typing()
end

---@param asked? placet.wire.RequestPermission the permission that was asked for just now
local function tell(asked)
  status.permissions(#vim.tbl_filter(function(ask)
    return ask.kind == 'permission'
  end, queue), asked)
end

---@param ask placet.PendingRequest
---@param by_user boolean
local function present(ask, by_user)
  if by_user or ask.fits() then
    ask.is_shown, ask.is_put_off = true, false
    ask.show(by_user)
  else
    vim.notify(('Placet asks: %s. :Placet review'):format(ask.title))
  end
end

---Show the next one that the user has not put off, unless another is on the screen.
local function present_next()
  local is_busy = close_list or vim.iter(queue):any(function(ask)
    return ask.is_shown
  end)
  local ask = vim.iter(queue):find(function(one)
    return not one.is_put_off
  end)
  if ask and not is_busy then
    present(ask, false)
  end
end

---@param ask placet.PendingRequest
---@return boolean
local function remove(ask)
  for index, one in ipairs(queue) do
    if one == ask then
      table.remove(queue, index)
      ask.is_shown = false
      tell()
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

---Have the user's answer; what is returned takes the question away, answered elsewhere or cancelled.
---@param ask placet.PendingRequest without `answer`
---@param answer fun(result: any)
---@return fun() cancel
function M.add(ask, answer)
  ask.answer = function(result)
    if remove(ask) then
      answer(result)
    end
  end
  queue[#queue + 1] = ask
  tell(ask.kind == 'permission' and ask.params or nil)
  present_next()
  return function()
    if remove(ask) then
      ask.close()
    end
  end
end

---The user has seen it and does not answer now.
---@param ask placet.PendingRequest
function M.put_off(ask)
  ask.is_shown = false
  if M.is_waiting(ask) then
    ask.is_put_off = true
    vim.notify('Placet: kept for later; :Placet review opens it again')
    vim.schedule(present_next)
  end
end

---Open what waits; of several the user chooses.
function M.review()
  if #queue == 0 then
    return vim.notify('Placet: nothing waits for your answer')
  elseif #queue == 1 then
    return present(queue[1], true)
  end
  close_list = ui_select.open(vim.list_slice(queue), {
    prompt = 'What waits for your answer',
    kind = 'placet_waiting',
    format_item = function(ask)
      return (#(ask.params.origin or {}) > 0 and table.concat(ask.params.origin, ' › ') .. ': ' or '')
        .. visible_text.plain(ask.title)
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

---A turn has ended: nothing it asked can still be answered.
---@param session_id string
function M.close_session(session_id)
  for _, ask in ipairs(vim.list_slice(queue)) do
    if ask.params.sessionId == session_id and remove(ask) then
      ask.close()
    end
  end
end

return M
