---One file of a review on the screen: in the real buffer when it is open, else as a diff in a scratch buffer.
local buffer = require('placet.buffer')
local diff = require('placet.diff')
local highlights = require('placet.highlights')
local paint = require('placet.paint')
local text_of = require('placet.text')

local api = vim.api
local M = {}

local tracked = api.nvim_create_namespace('placet.review.tracked')
local drawn = api.nvim_create_namespace('placet.review.drawn')

---@class placet.Surface
---@field bufnr integer
---@field in_place boolean
---@field file table
---@field units placet.Unit[]

---The loaded buffer that still holds the text the proposal is for.
---@param file table
---@return integer?
function M.buffer_in_place(file)
  local bufnr = file.kind == 'modify' and buffer.find_loaded(file.uri)
  if bufnr and text_of.to_lf(buffer.text(bufnr)) == file.oldText then
    return bufnr
  end
end

---@param lines string[]
local function bare(lines)
  return vim.tbl_map(function(line)
    return (line:gsub('[\r\n]+$', ''))
  end, lines)
end

---@param surface placet.Surface
local function track_in_place(surface)
  local count = api.nvim_buf_line_count(surface.bufnr)
  for _, unit in ipairs(surface.units) do
    local hunk = unit.hunk
    local is_insertion = #hunk.oldLines == 0
    local row = math.min(is_insertion and math.max(hunk.oldStart - 1, 0) or hunk.oldStart, count - 1)
    local last = math.min(row + math.max(#hunk.oldLines - 1, 0), count - 1)
    local length = #api.nvim_buf_get_lines(surface.bufnr, last, last + 1, true)[1]
    unit.mark = api.nvim_buf_set_extmark(surface.bufnr, tracked, row, 0, { end_row = last, end_col = length })
  end
end

---@param file table
---@param units placet.Unit[]
---@return placet.Surface
function M.open(file, units)
  highlights.define()
  local bufnr = M.buffer_in_place(file)
  if bufnr then
    local surface = { bufnr = bufnr, in_place = true, file = file, units = units }
    track_in_place(surface)
    return surface
  end
  local text = diff.of(file)
  bufnr = diff.scratch(('placet-review://%s'):format(buffer.path(file.uri)), 'diff', text.lines)
  for _, unit in ipairs(units) do
    local row = unit.hunk and text.rows[unit.hunk.id] or 0
    unit.mark = api.nvim_buf_set_extmark(bufnr, tracked, row, 0, {})
  end
  return { bufnr = bufnr, in_place = false, file = file, units = units }
end

---Where a unit is now, which moves as the user types.
---@param surface placet.Surface
---@param unit placet.Unit
---@return integer first 0-based row
---@return integer last
function M.rows(surface, unit)
  local mark = api.nvim_buf_get_extmark_by_id(surface.bufnr, tracked, unit.mark, { details = true })
  local last = mark[3] and mark[3].end_row or mark[1]
  if not surface.in_place and unit.hunk then
    last = last + #unit.hunk.oldLines + #unit.hunk.newLines + math.min(3, unit.hunk.oldStart)
  end
  return mark[1], last
end

---@param unit placet.Unit
---@param total integer
---@param ground? string the group of the line it stands on
---@return placet.Chunk[]
local function label(unit, total, ground)
  local where = ('%d/%d'):format(unit.number, total)
  if unit.decision == 'accepted' then
    return { { (' ✓ %s accepted '):format(where), { ground or 'PlacetAccepted', 'PlacetAccepted' } } }
  elseif unit.decision == 'rejected' then
    return { { (' ✗ %s rejected '):format(where), 'PlacetRejected' } }
  end
  return { { (' ● %s '):format(where), { ground or 'PlacetPending', 'PlacetPending' } } }
end

---@param text string
---@param column integer 1-based
local function is_word(text, column)
  return text:sub(column, column):match('[%w_\128-\255]') ~= nil
end

---The columns in which an old line and its new one differ, to whole words; nil when they share little.
---@param old string
---@param new string
---@return integer? first
---@return integer? old_last
---@return integer? new_last
local function differing(old, new)
  local prefix, suffix = text_of.shared_ends(old, new)
  while prefix > 0 and is_word(old, prefix) and (is_word(old, prefix + 1) or is_word(new, prefix + 1)) do
    prefix = prefix - 1
  end
  local function is_within_word()
    local behind = is_word(old, #old - suffix + 1)
    return behind and (is_word(old, #old - suffix) or is_word(new, #new - suffix))
  end
  while suffix > 0 and is_within_word() do
    suffix = suffix - 1
  end
  if (prefix + suffix) * 3 < math.max(#old, #new) then
    return nil
  end
  return prefix, #old - suffix, #new - suffix
end

---@param surface placet.Surface
---@param unit placet.Unit
---@param total integer
local function draw_in_place(surface, unit, total)
  local bufnr, hunk = surface.bufnr, unit.hunk
  local first, last = M.rows(surface, unit)
  local old, new = bare(hunk.oldLines), bare(hunk.newLines)
  local rejected = unit.decision == 'rejected'
  local strong = {}
  for index = 1, not rejected and #old == #new and #old or 0 do
    local from, old_to, new_to = differing(old[index], new[index])
    if from then
      strong[index] = { first = from, last = new_to, group = 'PlacetAddText' }
      pcall(api.nvim_buf_set_extmark, bufnr, drawn, first + index - 1, from, {
        end_col = old_to,
        hl_group = 'PlacetDeleteText',
        priority = 210,
      })
    end
  end
  for row = first, #old > 0 and not rejected and last or first - 1 do
    api.nvim_buf_set_extmark(bufnr, drawn, row, 0, {
      end_row = row + 1,
      hl_group = 'PlacetDelete',
      hl_eol = true,
      priority = 200,
    })
  end
  local base = rejected and 'PlacetRejected' or 'PlacetAdd'
  local anchor = #old > 0 and last or first
  api.nvim_buf_set_extmark(bufnr, drawn, anchor, 0, {
    virt_lines = paint.virtual_lines(bufnr, surface.file.newText, hunk.newStart, new, base, strong),
    virt_lines_above = #old == 0 and hunk.oldStart == 0,
  })
  api.nvim_buf_set_extmark(bufnr, drawn, first, 0, {
    virt_text = label(unit, total, #old > 0 and 'PlacetDelete' or nil),
    virt_text_pos = 'right_align',
    priority = 220,
  })
end

---Draw all units as they are decided.
---@param surface placet.Surface
---@param total integer units in the whole review
function M.draw(surface, total)
  api.nvim_buf_clear_namespace(surface.bufnr, drawn, 0, -1)
  for _, unit in ipairs(surface.units) do
    if surface.in_place then
      draw_in_place(surface, unit, total)
    else
      api.nvim_buf_set_extmark(surface.bufnr, drawn, (M.rows(surface, unit)), 0, {
        virt_text = label(unit, total),
        virt_text_pos = 'right_align',
      })
    end
  end
end

---Lines proposed above the first line are only drawn when the window is scrolled for them.
---@param surface placet.Surface
---@param unit placet.Unit
---@param window integer
function M.reveal(surface, unit, window)
  local first = M.rows(surface, unit)
  api.nvim_win_set_cursor(window, { first + 1, 0 })
  if surface.in_place and unit.hunk.oldStart == 0 and #unit.hunk.oldLines == 0 then
    api.nvim_win_call(window, function()
      vim.fn.winrestview({ topline = 1, topfill = #unit.hunk.newLines })
    end)
  end
end

---@param surface placet.Surface
function M.close(surface)
  if not api.nvim_buf_is_valid(surface.bufnr) then
    return
  elseif surface.in_place then
    api.nvim_buf_clear_namespace(surface.bufnr, drawn, 0, -1)
    api.nvim_buf_clear_namespace(surface.bufnr, tracked, 0, -1)
  else
    api.nvim_buf_delete(surface.bufnr, { force = true })
  end
end

return M
