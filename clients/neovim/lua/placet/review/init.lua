---Review of a proposed change, hunk by hunk. The review writes no file: the decisions are the answer to the
---permission request.
local actions = require('placet.review.actions')
local change_set = require('placet.change_set.actions')
local decision = require('placet.review.decision')
local winbar = require('placet.review.winbar')
local quickfix = require('placet.hunks.quickfix')
local keys = require('placet.hunks.keys')
local file_buffer = require('placet.hunks.file_buffer')
local order = require('placet.hunks.order')
local virtual_lines = require('placet.hunks.virtual_lines')
local hunk_editor = require('placet.hunks.hunk_editor')
local side_by_side = require('placet.hunks.side_by_side')
local FileView = require('placet.hunks.file_view')
local tabpage = require('placet.review.tabpage')
local outcome = require('placet.review.outcome')
local pending_requests = require('placet.permission.pending_requests')
local visible_text = require('placet.ui.visible_text')

local api = vim.api
local M = {}

---@class placet.Review
---@field ask placet.PendingRequest
---@field change placet.wire.Change
---@field units placet.ReviewUnit[]
---@field surfaces placet.FileView[]
---@field backups placet.KeymapBackup[]
---@field group integer
---@field list placet.QuickfixState
---@field visit placet.ReviewTab
---@field current_unit? placet.ReviewUnit unit that the user went to last

---@type placet.Review?
local current

---@param review placet.Review
local function draw(review)
  local windows = {}
  for _, surface in ipairs(review.surfaces) do
    FileView.draw(surface)
    vim.list_extend(windows, vim.fn.win_findbuf(surface.bufnr))
  end
  winbar.show(windows, review.ask.title, decision.count(review.units), #review.units)
end

---Return whether the change can be shown in the current window without interrupting the user.
---@param ask placet.PendingRequest
function M.fits_here(ask)
  local name = api.nvim_buf_get_name(0)
  local uri = name ~= '' and vim.uri_from_bufnr(0)
  return api.nvim_get_mode().mode == 'n'
    and vim.fn.getcmdwintype() == ''
    and vim.bo.buftype == ''
    and vim.iter(ask.params.change.files):any(function(file)
      return file.kind ~= 'create' and file_buffer.is_of(file, uri)
    end)
end

---@param review placet.Review
---@return boolean
local function is_seen(review)
  return vim.iter(review.surfaces):any(function(surface)
    return #vim.fn.win_findbuf(surface.bufnr) > 0
  end)
end

---Watch the windows of the review. Closing all of them postpones the review.
---@param review placet.Review
local function watch(review)
  local function check()
    if current ~= review then
      return
    end
    local is_whole = vim.iter(review.surfaces):all(function(surface)
      return api.nvim_buf_is_loaded(surface.bufnr)
    end)
    local is_left = review.visit.window and not api.nvim_win_is_valid(review.visit.window)
    if not is_whole or (is_left and not is_seen(review)) then
      M.later()
    else
      draw(review)
    end
  end
  api.nvim_create_autocmd({ 'BufWinEnter', 'WinNew', 'WinClosed', 'WinResized' }, {
    group = review.group,
    desc = 'Placet: watch the windows of the review; closing all windows postpones the request',
    callback = vim.schedule_wrap(check),
  })
  for _, surface in ipairs(review.surfaces) do
    api.nvim_create_autocmd({ 'TextChanged', 'TextChangedI', 'TextChangedP' }, {
      group = review.group,
      buffer = surface.bufnr,
      desc = 'Placet: mark the hunks whose lines the user changes',
      callback = function()
        for _, view in ipairs(review.surfaces) do
          if view.bufnr == surface.bufnr and FileView.note_conflicts(view) then
            draw(review)
          end
        end
      end,
    })
    api.nvim_create_autocmd('WinScrolled', {
      group = review.group,
      pattern = '*',
      desc = 'Placet: say how many lines of a hunk are below the window',
      callback = function()
        local window = api.nvim_get_current_win()
        if api.nvim_win_get_buf(window) == surface.bufnr then
          FileView.hint(surface, window)
        end
      end,
    })
    api.nvim_create_autocmd('BufUnload', {
      group = review.group,
      buffer = surface.bufnr,
      callback = vim.schedule_wrap(check),
    })
  end
end

---@param review placet.Review
local function open_surfaces(review)
  for _, file in ipairs(review.change.files) do
    local surface = FileView.open(file, decision.of_file(review.units, file))
    review.surfaces[#review.surfaces + 1] = surface
    review.backups[#review.backups + 1] = keys.map(surface.bufnr)
  end
end

---Return the entries of the quickfix list.
---@param surfaces placet.FileView[]
---@return vim.quickfix.entry[]
local function items_of(surfaces)
  local items = {}
  for _, surface in ipairs(surfaces) do
    for _, unit in ipairs(surface.units) do
      local hunk = unit.hunk
      items[#items + 1] = {
        bufnr = surface.bufnr,
        lnum = FileView.rows(surface, unit) + 1,
        text = hunk and ('hunk %d: +%d -%d'):format(unit.number, #hunk.newLines, #hunk.oldLines)
          or ('%s file'):format(unit.file.kind),
      }
    end
  end
  return items
end

---Return the change with its files in the order of the review.
---@param change placet.wire.Change
---@return placet.wire.Change
local function ordered(change)
  local name = api.nvim_buf_get_name(0)
  local uri = name ~= '' and vim.uri_from_bufnr(0)
  local files = order.sorted(change.files, function(file)
    return file_buffer.is_of(file, uri)
  end)
  return vim.tbl_extend('force', change, { files = files })
end

---Open the review of a change. Earlier decisions are kept.
---@param ask placet.PendingRequest
---@param by_user boolean only then may the cursor and the window change
function M.open(ask, by_user)
  M.close()
  ask.change = ask.change or ordered(ask.params.change)
  ask.units = ask.units or decision.units_of(ask.change)
  ---@type placet.Review
  local review = {
    ask = ask,
    change = ask.change,
    units = ask.units,
    surfaces = {},
    backups = {},
    group = api.nvim_create_augroup('placet.review', { clear = true }),
    list = { users = 0, views = {} },
    visit = tabpage.begin(),
  }
  current = review
  open_surfaces(review)
  review.list = quickfix.open('review', ask.title, items_of(review.surfaces), by_user)
  watch(review)
  draw(review)
  if by_user then
    M.go_to(review, decision.next_open(review.units, 0) or review.units[1])
  else
    vim.tbl_map(FileView.show_top, review.surfaces)
  end
end

---Move the cursor to a unit.
---@param review placet.Review
---@param unit placet.ReviewUnit
function M.go_to(review, unit)
  local surface = assert(vim.iter(review.surfaces):find(function(view)
    return view.file == unit.file
  end))
  local window = tabpage.go_to(review.visit, surface.bufnr)
  review.current_unit = unit
  draw(review)
  FileView.reveal(surface, unit, window)
end

---Redraw the review. A file with new units gets a new view if necessary.
---@param review placet.Review
---@param file? placet.wire.FileOfChange file with new units
function M.renew(review, file)
  for index, surface in ipairs(review.surfaces) do
    local units = file and decision.of_file(review.units, file)
    if surface.file == file and not FileView.renew(surface, units) then
      keys.restore(review.backups[index])
      FileView.close(surface)
      review.surfaces[index] = FileView.open(file, units)
      review.backups[index] = keys.map(review.surfaces[index].bufnr)
    end
  end
  if file then
    quickfix.renew('review', items_of(review.surfaces))
  end
  draw(review)
end

---Close the review. The permission request stays pending.
---@param ask? placet.PendingRequest close only the review of this request
function M.close(ask)
  local review = current
  if not review or (ask and review.ask ~= ask) then
    return
  end
  current = nil
  review.ask.is_shown = false
  api.nvim_del_augroup_by_id(review.group)
  for _, backup in ipairs(review.backups) do
    keys.restore(backup)
  end
  winbar.hide()
  quickfix.close(review.list)
  hunk_editor.close('review')
  side_by_side.close('review')
  tabpage.finish(review.visit)
  for _, surface in ipairs(review.surfaces) do
    FileView.close(surface)
  end
  virtual_lines.forget()
end

---Postpone the review. `:Placet review` opens the review again.
function M.later()
  if current then
    local ask = current.ask
    M.close()
    pending_requests.postpone(ask)
  end
end

---@param review placet.Review
---@param answer placet.wire.Permission
function M.finish(review, answer)
  if current == review then
    M.close()
    outcome.expect(review.ask.params, answer)
    review.ask.answer(answer)
  end
end

---@param review placet.Review
function M.is_current(review)
  return current == review
end

---Run an action of the review, for the keys and for `:Placet accept` and `:Placet reject`. placet.hunks.keys
---lists the actions. Outside the buffers of a review the action concerns the change set.
---@param action string
---@param range? {first: integer, last: integer} 1-based lines to accept (`accept`)
function M.act(action, range)
  local is_here = current
    and vim.iter(current.surfaces):any(function(surface)
      return surface.bufnr == api.nvim_get_current_buf()
    end)
  if not is_here and change_set.is_meant(action, current ~= nil) then
    change_set.act(action, range)
  elseif not actions[action] then
    vim.notify(('Placet: unknown review action `%s`'):format(action), vim.log.levels.WARN)
  elseif not current then
    change_set.fetch(action)
  else
    actions[action](M, current, range)
  end
end

---`editor/requestPermission` about a change: the request waits in the queue, and its review shows the hunks.
---@type placet.RequestHandler
function M.serve(params, _, answer)
  ---@type placet.PendingRequest
  local ask
  ask = {
    params = params,
    kind = 'permission',
    title = visible_text.plain(params.title),
    is_shown = false,
    answer = function() end,
    close = function()
      M.close(ask)
    end,
    fits = function()
      return M.fits_here(ask)
    end,
    show = function(by_user)
      M.open(ask, by_user)
    end,
  }
  return pending_requests.add(ask, answer)
end

---@return boolean
function M.is_open()
  return current ~= nil
end

return M
