---Draw hunks into a buffer: the lines of the buffer are highlighted, the lines of the other side are virtual
---lines.
local config = require('placet.config')
local highlights = require('placet.hunks.highlights')
local order = require('placet.hunks.order')
local virtual_lines = require('placet.hunks.virtual_lines')
local text_utils = require('placet.editor.text')
local visible_text = require('placet.ui.visible_text')
local words = require('placet.ui.words')
local wrapping = require('placet.hunks.wrapping')

local api = vim.api
local M = {}

---@class placet.Canvas
---@field bufnr integer
---@field namespace integer of the drawn extmarks
---@field shape placet.LineShape of the virtual lines
---@field sign? string sign beside the first line of each hunk

---@param lines string[]
local function bare(lines)
  return vim.tbl_map(function(line)
    return (line:gsub('[\r\n]+$', ''))
  end, lines)
end

---Words for a unit that is a whole file, by the state and the kind of the file.
local WHOLE = {
  staged = { create = 'new file', delete = 'delete file', rename = 'rename file', modify = 'no lines' },
  unreviewed = { create = 'new file', delete = 'deleted file', rename = 'renamed file', modify = 'no lines' },
}

---Return the highlight group of a unit.
---@param unit placet.ReviewUnit
---@return string
function M.group_of(unit)
  return unit.in_conflict and 'PlacetConflict' or 'Placet' .. words.state(unit.state)
end

---@param unit placet.ReviewUnit
---@param ground? string highlight group of the buffer line
---@return placet.Chunk[]
function M.label(unit, ground)
  local file, where = unit.file, order.words(unit)
  local state = words.state(file.waits and 'waiting' or unit.state)
  local parts = { (' ● %s %s'):format(where, state) }
  if unit.in_conflict then
    parts[1] = (' ● %s: conflict with your text'):format(where)
  elseif file.conflict then
    parts[1] = ('%s: %s'):format(parts[1], visible_text.plain(file.conflict))
  elseif file.description then
    parts[2] = file.kind == 'delete' and 'deleted, no text' or 'no text'
  elseif not unit.hunk and file.permissions then
    parts[2] = words.permissions(file.permissions)
  elseif not unit.hunk or file.is_preview then
    parts[2] = WHOLE[unit.state][file.kind]
  end
  parts[#parts + 1] = unit.comment and 'with a comment' or nil
  local group = M.group_of(unit)
  return { { table.concat(parts, ', ') .. ' ', { ground or group, group } } }
end

---Return the comment on a unit as virtual lines.
---@param unit placet.ReviewUnit
---@param shape placet.LineShape
---@return placet.Chunk[][]
function M.comment_lines(unit, shape)
  local lines = {}
  for index, line in ipairs(unit.comment and vim.split(unit.comment, '\n', { plain = true }) or {}) do
    local chunk = { (index == 1 and '  You: ' or '       ') .. line, 'PlacetComment' }
    vim.list_extend(lines, virtual_lines.wrapped({ chunk }, shape, 'Normal'))
  end
  return lines
end

---@param text string
---@param column integer 1-based
local function is_word(text, column)
  return text:sub(column, column):match('[%w_\128-\255]') ~= nil
end

---Return the columns in which an old and a new line differ, extended to whole words, or nil if the lines have
---little in common.
---@param old string
---@param new string
---@return integer? first
---@return integer? old_last
---@return integer? new_last
local function differing(old, new)
  local prefix, suffix = text_utils.shared_ends(old, new)
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

---Return whether to show signs, because the UI has no colors or the user wants signs.
---@return boolean
local function wants_signs()
  local signs = config.get().review.signs
  return signs == 'always' or (signs == 'auto' and not highlights.has_colours())
end

---@param canvas placet.Canvas
---@param first integer
---@param last integer
---@param group string
---@param sign? string
local function colour_rows(canvas, first, last, group, sign)
  for row = first, math.min(last, api.nvim_buf_line_count(canvas.bufnr) - 1) do
    api.nvim_buf_set_extmark(canvas.bufnr, canvas.namespace, row, 0, {
      end_row = row + 1,
      hl_group = group,
      hl_eol = true,
      priority = 200,
      sign_text = sign,
      strict = false,
    })
  end
end

---Highlight groups of the buffer's lines and of the virtual lines, groups of changed words, and signs.
local PROPOSED = {
  present = { 'PlacetDelete', 'PlacetDeleteText', '-' },
  other = { 'PlacetAdd', 'PlacetAddText', '+ ' },
}
local WRITTEN = {
  present = { 'PlacetAdd', 'PlacetAddText', '+' },
  other = { 'PlacetDelete', 'PlacetDeleteText', '- ' },
}

---@param canvas placet.Canvas
---@param first integer
---@param old string[]
---@param new string[]
---@param groups table `PROPOSED` or `WRITTEN`
---@return table<integer, {first: integer, last: integer, group: string}> by index of the new line
local function mark_words(canvas, first, old, new, groups)
  local strong = {}
  for index = 1, #old == #new and #old or 0 do
    local from, old_to, new_to = differing(old[index], new[index])
    if from then
      strong[index] = { first = from, last = new_to, group = groups.other[2] }
      pcall(api.nvim_buf_set_extmark, canvas.bufnr, canvas.namespace, first + index - 1, from, {
        end_col = old_to,
        hl_group = groups.present[2],
        priority = 210,
      })
    end
  end
  return strong
end

---Draw the label of a unit behind the text of a row, where the label covers no text.
---@param canvas placet.Canvas
---@param unit placet.ReviewUnit
---@param row integer
---@param ground? string highlight group of the row
---@return placet.Chunk[][] lines the label as virtual lines, if the row has no room
local function draw_label(canvas, unit, row, ground)
  local label = M.label(unit, ground)
  local text = api.nvim_buf_get_lines(canvas.bufnr, row, row + 1, false)[1] or ''
  local _, widths = wrapping.rows({ { text, 'Normal' } }, canvas.shape)
  local fits = widths[#widths] + api.nvim_strwidth(label[1][1]) <= canvas.shape.width
  api.nvim_buf_set_extmark(canvas.bufnr, canvas.namespace, row, 0, {
    virt_text = fits and label or nil,
    virt_text_pos = 'eol_right_align',
    priority = 220,
  })
  if canvas.sign then
    api.nvim_buf_set_extmark(canvas.bufnr, canvas.namespace, row, 0, {
      sign_text = canvas.sign,
      sign_hl_group = M.group_of(unit),
      priority = 190, -- Below the signs of the lines.
    })
  end
  return fits and {} or virtual_lines.wrapped(M.label(unit), canvas.shape, 'Normal')
end

---Return the number of virtual lines that are shown above the first line of a buffer.
---@param shape placet.LineShape
---@return integer
function M.most_above(shape)
  return math.floor(shape.height / 2)
end

---Draw a hunk over the file's text. The old side of the hunk is the side of the buffer.
---@param canvas placet.Canvas
---@param unit placet.ReviewUnit
---@param first integer current rows
---@param last integer
function M.hunk(canvas, unit, first, last)
  local old, new = bare(unit.hunk.oldLines), bare(unit.hunk.newLines)
  local groups = unit.state == 'unreviewed' and WRITTEN or PROPOSED
  local signs = wants_signs()
  local is_coloured = #old > 0 and not unit.in_conflict
  local strong = unit.in_conflict and {} or mark_words(canvas, first, old, new, groups)
  if is_coloured then
    colour_rows(canvas, first, last, groups.present[1], signs and groups.present[3] or nil)
  end
  local is_stale = unit.in_conflict and not unit.hunk.baseLines
  local base = is_stale and 'PlacetRejected' or groups.other[1]
  local sign = signs and groups.other[3] or nil
  local text, row = unit.file.newText, unit.hunk.newStart -- For the colors of the syntax.
  local lines = virtual_lines.virtual_lines(canvas, text, row, new, base, strong, sign)
  local label = draw_label(canvas, unit, first, is_coloured and groups.present[1] or nil)
  local comment = M.comment_lines(unit, canvas.shape)
  -- Deleted lines stand above the lines that replaced them, proposed lines below the lines to be replaced.
  local is_above = unit.is_above or (groups == WRITTEN and #old > 0)
  local parts = is_above and { comment, lines, label } or { label, lines, comment }
  if is_above and first == 0 and #lines > M.most_above(canvas.shape) then
    -- Neovim never scrolls to more virtual lines above the first line than fit the window.
    local pattern = groups == WRITTEN and ' %s deleted above line 1: ' or ' %s to insert above line 1: '
    local heading = { { pattern:format(words.counted(#new, 'line')), 'PlacetHint' } }
    is_above = false
    parts = { label, virtual_lines.wrapped(heading, canvas.shape, 'Normal'), lines, comment }
  end
  api.nvim_buf_set_extmark(canvas.bufnr, canvas.namespace, (is_above or #old == 0) and first or last, 0, {
    virt_lines = vim.iter(parts):flatten(1):totable(),
    virt_lines_above = is_above,
  })
end

---Draw rows that are all added or all deleted.
---@param canvas placet.Canvas
---@param unit placet.ReviewUnit
---@param first integer
---@param last integer
---@param base 'PlacetAdd'|'PlacetDelete'
function M.rows(canvas, unit, first, last, base)
  local sign = base == 'PlacetAdd' and '+' or '-'
  colour_rows(canvas, first, last, base, wants_signs() and sign or nil)
  local label = draw_label(canvas, unit, first, base)
  api.nvim_buf_set_extmark(canvas.bufnr, canvas.namespace, last, 0, {
    virt_lines = vim.list_extend(label, M.comment_lines(unit, canvas.shape)),
  })
end

---Draw a line above the first line of the file, for a unit without lines: the old and new name of a renamed
---file, or a conflict.
---@param canvas placet.Canvas
---@param unit placet.ReviewUnit
function M.headline(canvas, unit)
  local function name(uri)
    return vim.fn.fnamemodify(vim.uri_to_fname(uri), ':~:.')
  end
  local chunks = {}
  if unit.file.kind == 'rename' then
    chunks[1] = { ('rename %s → %s '):format(name(unit.file.uri), name(unit.file.newUri)), 'PlacetAdd' }
  end
  local lines = virtual_lines.wrapped(vim.list_extend(chunks, M.label(unit)), canvas.shape, 'Normal')
  api.nvim_buf_set_extmark(canvas.bufnr, canvas.namespace, 0, 0, {
    virt_lines = vim.list_extend(lines, M.comment_lines(unit, canvas.shape)),
    virt_lines_above = true,
  })
end

return M
