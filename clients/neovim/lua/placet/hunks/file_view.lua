---View of the hunks of one file: the file's own buffer, or a preview buffer for a text that is in no file.
local visibility = require('placet.hunks.visibility')
local wrapping = require('placet.hunks.wrapping')
local highlights = require('placet.hunks.highlights')
local keys = require('placet.hunks.keys')
local layout = require('placet.hunks.layout')
local render_hunks = require('placet.hunks.render_hunks')
local proposal = require('placet.hunks.proposal')

local api = vim.api
local M = {}

---@class placet.ViewLayer namespaces of a view
---@field tracked integer
---@field drawn integer
---@field has_signs? boolean whether each hunk has a sign

---@class placet.FileView
---@field bufnr integer
---@field layer placet.ViewLayer
---@field kind 'in_place'|'new'
---@field file placet.wire.FileOfChange
---@field units placet.ReviewUnit[]
---@field first_rows table<placet.ReviewUnit, integer>

---@param surface placet.FileView
local function track(surface)
  local bufnr, tracked = surface.bufnr, surface.layer.tracked
  api.nvim_buf_clear_namespace(bufnr, tracked, 0, -1)
  local count = api.nvim_buf_line_count(bufnr)
  for _, unit in ipairs(surface.units) do
    local row, last = surface.first_rows[unit], nil
    if surface.kind == 'in_place' and unit.hunk then
      local is_insertion = #unit.hunk.oldLines == 0
      unit.is_above = is_insertion and row == 0
      row = math.min(is_insertion and math.max(row - 1, 0) or row, count - 1)
      last = row + math.max(#unit.hunk.oldLines - 1, 0)
    elseif surface.kind == 'new' then
      last = row + math.max(unit.hunk and #unit.hunk.newLines - 1 or 0, 0)
    elseif unit.file.kind == 'delete' then
      last = count - 1
    end
    last = math.min(last or row, count - 1)
    local length = #api.nvim_buf_get_lines(bufnr, last, last + 1, true)[1]
    unit.mark = api.nvim_buf_set_extmark(bufnr, tracked, row, 0, { end_row = last, end_col = length })
  end
end

---Fill a preview buffer with the current text.
---@param surface placet.FileView
local function fill(surface)
  local text = proposal.text(surface.file, surface.units)
  local rows, row = {}, 0
  for _, unit in ipairs(surface.units) do
    rows[unit] = row
    row = row + (unit.hunk and #unit.hunk.newLines or 0)
  end
  local lines = vim.split((text:gsub('\n$', '')), '\n', { plain = true })
  vim.bo[surface.bufnr].modifiable = true
  api.nvim_buf_set_lines(surface.bufnr, 0, -1, false, lines)
  vim.bo[surface.bufnr].modifiable = false
  vim.bo[surface.bufnr].modified = false
  surface.first_rows = rows
end

---Show units in a buffer that is loaded and stays loaded.
---@param bufnr integer
---@param layer placet.ViewLayer
---@param file placet.wire.FileOfChange
---@param units placet.ReviewUnit[]
---@param rows table<placet.ReviewUnit, integer> first row of each unit
---@return placet.FileView
function M.attach(bufnr, layer, file, units, rows)
  highlights.define()
  local surface = {
    bufnr = bufnr,
    kind = 'in_place',
    file = file,
    units = units,
    first_rows = rows,
    layer = layer,
  }
  track(surface)
  return surface
end

---Fill a buffer with a text that is in no file: a file to be created, or a deleted file.
---@param bufnr integer
---@param layer placet.ViewLayer
---@param file placet.wire.FileOfChange
---@param units placet.ReviewUnit[]
---@return placet.FileView
function M.preview(bufnr, layer, file, units)
  highlights.define()
  local surface = {
    bufnr = bufnr,
    kind = 'new',
    file = file,
    units = units,
    first_rows = {},
    layer = layer,
  }
  fill(surface)
  track(surface)
  return surface
end

---Return the current rows of a unit. The rows move while the user types.
---@param surface placet.FileView
---@param unit placet.ReviewUnit
---@return integer first 0-based row
---@return integer last
function M.rows(surface, unit)
  local mark =
    api.nvim_buf_get_extmark_by_id(surface.bufnr, surface.layer.tracked, unit.mark, { details = true })
  local first = mark[1] or 0
  local last = mark[3] and mark[3].end_row or first
  return first, math.max(first, last)
end

---Return the unit at a row. Where a rename and the first hunk share a row, the preferred unit is returned.
---@param surface placet.FileView
---@param row integer 0-based
---@param preferred? placet.ReviewUnit
---@return placet.ReviewUnit?
---@return integer number of the unit, else of the last unit above the row, or before the first unit
function M.at(surface, row, preferred)
  local above, unit_here = surface.units[1].number - 1, nil
  for _, unit in ipairs(surface.units) do
    local first, last = M.rows(surface, unit)
    if row >= first and row <= last then
      unit_here = (unit == preferred or not unit_here) and unit or unit_here
    elseif first < row then
      above = unit.number
    end
  end
  return unit_here, unit_here and unit_here.number or above
end

---Return the unit's hunk with only the lines inside the rows, or nil if no changed line is inside.
---@param surface placet.FileView
---@param unit placet.ReviewUnit
---@param first integer 0-based rows
---@param last integer
---@return placet.wire.Hunk? hunk
function M.selected(surface, unit, first, last)
  local top, bottom = M.rows(surface, unit)
  if not unit.hunk or bottom < first or top > last then
    return nil
  end
  local hunk = unit.hunk
  local old_row, new_row = math.huge, math.huge
  if surface.kind == 'in_place' then
    old_row = top
  else
    new_row = top
  end
  local function within(row)
    return row >= first and row <= last
  end
  local chosen = proposal.partial(hunk, function(index)
    return within(old_row + index - 1)
  end, function(index)
    return within(new_row + index - 1)
  end)
  return not vim.deep_equal(chosen.newLines, hunk.oldLines) and chosen or nil
end

---@param lines string[]
---@return string[] lines without line endings
local function bare(lines)
  return vim.tbl_map(function(line)
    return (line:gsub('[\r\n]+$', ''))
  end, lines)
end

---Note which hunks are in conflict: the user has changed the lines that the hunk replaces, as the daemon says
---or as the buffer shows.
---@param surface placet.FileView
---@return boolean whether the conflicts are others than before
function M.note_conflicts(surface)
  local has_changed = false
  for _, unit in ipairs(surface.kind == 'in_place' and surface.units or {}) do
    local is_in_conflict = unit.hunk ~= nil and unit.hunk.baseLines ~= nil
    if unit.hunk and #unit.hunk.oldLines > 0 and not is_in_conflict then
      local first, last = M.rows(surface, unit)
      local present = api.nvim_buf_get_lines(surface.bufnr, first, last + 1, false)
      is_in_conflict = not vim.deep_equal(bare(present), bare(unit.hunk.oldLines))
    end
    has_changed = has_changed or (unit.in_conflict or false) ~= is_in_conflict
    unit.in_conflict = is_in_conflict or nil
  end
  return has_changed
end

---Return whether new lines that are lines of the buffer are wider than a window.
---@param surface placet.FileView
---@param shape placet.LineShape
---@return boolean
local function has_wide_lines(surface, shape)
  return vim.iter(surface.units):any(function(unit)
    if surface.kind == 'in_place' and unit.state ~= 'unreviewed' then
      return false
    end
    local first, last = M.rows(surface, unit)
    return vim.iter(api.nvim_buf_get_lines(surface.bufnr, first, last + 1, false)):any(function(line)
      return #wrapping.rows({ { line, 'Normal' } }, shape) > 1
    end)
  end)
end

---Draw all units.
---@param surface placet.FileView
function M.draw(surface)
  local bufnr = surface.bufnr
  if not api.nvim_buf_is_loaded(bufnr) then
    return
  end
  api.nvim_buf_clear_namespace(bufnr, surface.layer.drawn, 0, -1)
  M.note_conflicts(surface)
  local shape = layout.shape(bufnr)
  layout.watch(bufnr, surface.layer.drawn, has_wide_lines(surface, shape), function()
    M.draw(surface)
    M.show_top(surface)
  end)
  ---@type placet.Canvas
  local canvas = {
    bufnr = bufnr,
    namespace = surface.layer.drawn,
    shape = shape,
    sign = surface.layer.has_signs and '┃' or nil,
  }
  for _, unit in ipairs(surface.units) do
    local first, last = M.rows(surface, unit)
    if surface.kind == 'new' then
      render_hunks.rows(
        canvas,
        unit,
        first,
        last,
        unit.state == 'unreviewed' and 'PlacetDelete' or 'PlacetAdd'
      )
    elseif unit.hunk then
      render_hunks.hunk(canvas, unit, first, last)
    elseif unit.file.kind == 'delete' and not unit.file.conflict then
      render_hunks.rows(canvas, unit, first, last, 'PlacetDelete')
    else
      render_hunks.headline(canvas, unit)
    end
  end
  local window = vim.fn.bufwinid(bufnr)
  if window ~= -1 then
    M.hint(surface, window)
  end
end

---Return the number of virtual lines above the first line of the buffer.
---@param surface placet.FileView
---@return integer
local function lines_above(surface)
  local above = 0
  local first, last = { 0, 0 }, { 0, -1 }
  local options = { details = true, type = 'virt_lines' }
  local marks = api.nvim_buf_get_extmarks(surface.bufnr, surface.layer.drawn, first, last, options)
  for _, mark in ipairs(marks) do
    above = above + (mark[4].virt_lines_above and #mark[4].virt_lines or 0)
  end
  return above
end

---@param window integer
---@param count integer virtual lines above the first line
local function show_above(window, count)
  api.nvim_win_call(window, function()
    vim.fn.winrestview({ topline = 1, topfill = count })
  end)
end

---Show virtual lines above the first line in the windows that show the first line. Neovim itself hides these
---lines until the user scrolls.
---@param surface placet.FileView
function M.show_top(surface)
  local above = surface.kind == 'in_place' and lines_above(surface) or 0
  for _, window in ipairs(above > 0 and vim.fn.win_findbuf(surface.bufnr) or {}) do
    if vim.fn.line('w0', window) == 1 then
      show_above(window, math.min(above, math.floor(api.nvim_win_get_height(window) / 2)))
    end
  end
end

---Move the window's cursor to a unit, and scroll the window so that it shows the whole unit. Of a unit that
---is higher than the window, the top is shown, and a hint counts the lines below.
---@param surface placet.FileView
---@param unit placet.ReviewUnit
---@param window integer
function M.reveal(surface, unit, window)
  local first, last = M.rows(surface, unit)
  window = window == 0 and api.nvim_get_current_win() or window
  api.nvim_win_set_cursor(window, { first + 1, 0 })
  visibility.open_folds(window, first, last)
  visibility.show(window, first, last)
  M.hint(surface, window)
end

---Say how many lines of a unit are below the window.
---@param surface placet.FileView
---@param window integer
function M.hint(surface, window)
  local spans = {}
  for _, unit in ipairs(surface.units) do
    local first, last = M.rows(surface, unit)
    spans[#spans + 1] = { first = first, last = last }
  end
  visibility.hint(surface.bufnr, window, spans, keys.way_to_all(surface.bufnr))
end

---@param surface placet.FileView
function M.close(surface)
  local bufnr = surface.bufnr
  layout.forget(bufnr, surface.layer.drawn)
  if not api.nvim_buf_is_valid(bufnr) then
    return
  elseif surface.kind ~= 'in_place' then
    api.nvim_buf_delete(bufnr, { force = true })
    return
  end
  api.nvim_buf_clear_namespace(bufnr, surface.layer.drawn, 0, -1)
  api.nvim_buf_clear_namespace(bufnr, surface.layer.tracked, 0, -1)
  visibility.clear(bufnr)
end

return M
