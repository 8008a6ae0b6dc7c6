---Draw hunks into a buffer: old lines are highlighted, new lines follow as virtual lines.
local config = require('placet.config')
local highlights = require('placet.review.highlights')
local virtual_lines = require('placet.review.virtual_lines')
local text_utils = require('placet.editor.text')

local api = vim.api
local M = {}

M.namespace = api.nvim_create_namespace('placet.review.drawn')

---@param lines string[]
local function bare(lines)
  return vim.tbl_map(function(line)
    return (line:gsub('[\r\n]+$', ''))
  end, lines)
end

---@param unit placet.ReviewUnit
---@param total integer
---@param ground? string highlight group of the buffer line
---@return placet.Chunk[]
function M.label(unit, total, ground)
  local where = ('%d/%d'):format(unit.number, total)
  if not unit.hunk then
    where = ('%s %s'):format(where, unit.file.kind == 'create' and 'new file' or unit.file.kind .. ' file')
  end
  local edited = unit.is_edited and ' with edits' or ''
  if unit.decision == 'accepted' then
    local text = (' ✓ %s accepted%s '):format(where, edited)
    return { { text, { ground or 'PlacetAccepted', 'PlacetAccepted' } } }
  elseif unit.decision == 'rejected' then
    return { { (' ✗ %s rejected '):format(where), 'PlacetRejected' } }
  elseif unit.comment then
    local text = (' ● %s commented, rejected unless accepted '):format(where)
    return { { text, { ground or 'PlacetPending', 'PlacetPending' } } }
  end
  local text = (' ● %s%s '):format(where, unit.is_edited and ' edited' or '')
  return { { text, { ground or 'PlacetPending', 'PlacetPending' } } }
end

---Return the comment on a unit as virtual lines.
---@param unit placet.ReviewUnit
---@return placet.Chunk[][]
function M.comment_lines(unit)
  local lines = {}
  for index, line in ipairs(unit.comment and vim.split(unit.comment, '\n', { plain = true }) or {}) do
    lines[index] = { { (index == 1 and '  You: ' or '       ') .. line, 'PlacetComment' } }
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

---@param bufnr integer
---@param first integer
---@param last integer
---@param group string
---@param sign? string
local function colour_rows(bufnr, first, last, group, sign)
  for row = first, math.min(last, api.nvim_buf_line_count(bufnr) - 1) do
    api.nvim_buf_set_extmark(bufnr, M.namespace, row, 0, {
      end_row = row + 1,
      hl_group = group,
      hl_eol = true,
      priority = 200,
      sign_text = sign,
      strict = false,
    })
  end
end

---Return the text that contains the unit's new lines, and their first row, for syntax highlighting.
---@param unit placet.ReviewUnit
---@param new string[]
---@return string text
---@return integer row
local function context_of(unit, new)
  if unit.is_edited then
    return table.concat(new, '\n'), 0
  end
  return unit.file.newText, unit.hunk.newStart
end

---@param bufnr integer
---@param first integer
---@param old string[]
---@param new string[]
---@return table<integer, {first: integer, last: integer, group: string}> by index of the new line
local function mark_words(bufnr, first, old, new)
  local strong = {}
  for index = 1, #old == #new and #old or 0 do
    local from, old_to, new_to = differing(old[index], new[index])
    if from then
      strong[index] = { first = from, last = new_to, group = 'PlacetAddText' }
      pcall(api.nvim_buf_set_extmark, bufnr, M.namespace, first + index - 1, from, {
        end_col = old_to,
        hl_group = 'PlacetDeleteText',
        priority = 210,
      })
    end
  end
  return strong
end

---Draw a hunk over the file's text.
---@param bufnr integer
---@param unit placet.ReviewUnit
---@param first integer current rows
---@param last integer
---@param total integer
function M.hunk(bufnr, unit, first, last, total)
  local old, new = bare(unit.hunk.oldLines), bare(unit.hunk.newLines)
  local rejected = unit.decision == 'rejected'
  local signs = wants_signs()
  local strong = rejected and {} or mark_words(bufnr, first, old, new)
  if #old > 0 and not rejected then
    colour_rows(bufnr, first, last, 'PlacetDelete', signs and '-' or nil)
  end
  local text, row = context_of(unit, new)
  local base = rejected and 'PlacetRejected' or 'PlacetAdd'
  local lines = virtual_lines.virtual_lines(bufnr, text, row, new, base, strong, signs and '+ ' or nil)
  api.nvim_buf_set_extmark(bufnr, M.namespace, #old > 0 and last or first, 0, {
    virt_lines = vim.list_extend(lines, M.comment_lines(unit)),
    virt_lines_above = unit.is_above,
  })
  api.nvim_buf_set_extmark(bufnr, M.namespace, first, 0, {
    virt_text = M.label(unit, total, #old > 0 and not rejected and 'PlacetDelete' or nil),
    virt_text_pos = 'right_align',
    priority = 220,
  })
end

---Draw rows that are all added or all deleted.
---@param bufnr integer
---@param unit placet.ReviewUnit
---@param first integer
---@param last integer
---@param total integer
---@param base 'PlacetAdd'|'PlacetDelete'
function M.rows(bufnr, unit, first, last, total, base)
  local rejected = unit.decision == 'rejected'
  local group = rejected and 'PlacetRejected' or base
  if not (rejected and base == 'PlacetDelete') then
    local sign = base == 'PlacetAdd' and '+' or '-'
    colour_rows(bufnr, first, last, group, wants_signs() and sign or nil)
  end
  api.nvim_buf_set_extmark(bufnr, M.namespace, first, 0, {
    virt_text = M.label(unit, total, not rejected and group or nil),
    virt_text_pos = 'right_align',
    priority = 220,
  })
  api.nvim_buf_set_extmark(bufnr, M.namespace, last, 0, { virt_lines = M.comment_lines(unit) })
end

---Draw the line with the old and new name of a file.
---@param bufnr integer
---@param unit placet.ReviewUnit
---@param total integer
function M.rename(bufnr, unit, total)
  local function name(uri)
    return vim.fn.fnamemodify(vim.uri_to_fname(uri), ':~:.')
  end
  local group = unit.decision == 'rejected' and 'PlacetRejected' or 'PlacetAdd'
  local text = ('rename %s → %s '):format(name(unit.file.uri), name(unit.file.newUri))
  local lines = { vim.list_extend({ { text, group } }, M.label(unit, total)) }
  api.nvim_buf_set_extmark(bufnr, M.namespace, 0, 0, {
    virt_lines = vim.list_extend(lines, M.comment_lines(unit)),
    virt_lines_above = true,
  })
end

return M
