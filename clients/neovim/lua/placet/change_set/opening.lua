---Ways to a change set: of the current session, or of another session with changes to review.
local change_set = require('placet.change_set')
local choices = require('placet.sessions.choices')
local daemon = require('placet.daemon')
local float = require('placet.change_set.float')
local hunk_list = require('placet.change_set.hunk_list')
local known = require('placet.sessions.known')
local sessions = require('placet.sessions')
local switching = require('placet.chat.switching')

local M = {}

---@param text string
local function notify(text)
  vim.notify('Placet: ' .. text)
end

---Let the user choose another session with changes to review, and open its change set.
---@param client vim.lsp.Client
---@param current string
---@param open fun(set: placet.ChangeSet)
---@param nothing string message if no session has changes to review
local function review_elsewhere(client, current, open, nothing)
  sessions.list(client, '', function(all)
    local others = vim.tbl_filter(function(session)
      return session.id ~= current and (session.toReview or 0) > 0
    end, all)
    if #others == 0 then
      return notify(nothing)
    end
    choices.pick_session(others, current, 'Sessions with changes to review', function(session)
      switching.switch(client, session.id, function()
        change_set.refresh(client, session.id, open)
      end)
    end)
  end)
end

---Call a function with the change set of the session, as the daemon lists the set now. A Neovim without a
---current session takes a session with changes to review.
---@param use fun(set: placet.ChangeSet)
---@param nothing string message if no session of the project has changes to review
function M.with_change_set(use, nothing)
  sessions.with_known(function(client, session_id)
    change_set.refresh(client, session_id, function(set)
      if #set.files == 0 then
        return review_elsewhere(client, session_id, use, nothing)
      end
      use(set)
    end)
  end, function()
    notify(nothing)
  end, true)
end

---Show the change set of the session: in a floating window, or in the quickfix list. A known set is shown at
---once, and read again meanwhile.
---@param in_quickfix boolean
---@param nothing? string message if no session of the project has changes to review
function M.open(in_quickfix, nothing)
  local open = (in_quickfix and hunk_list or float).open
  local running = daemon.running()
  local listed = running and change_set.of_root(running.root_dir)
  if listed and #listed.files > 0 and listed.session_id == known.current(running) then
    open(listed)
    return change_set.refresh(running, listed.session_id)
  end
  M.with_change_set(open, nothing or 'no changes to review')
end

---Open the change set for a user who wanted to open a request, while no request is pending.
function M.open_instead()
  M.open(false, 'no pending requests, and no changes to review')
end

return M
