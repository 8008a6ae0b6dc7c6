---The user's own text in place of a change, and both texts of a file side by side.
local buffer = require('placet.editor.buffer')
local change_set = require('placet.change_set')
local conflicts = require('placet.change_set.conflicts')
local hunk_editor = require('placet.hunks.hunk_editor')
local side_by_side = require('placet.hunks.side_by_side')
local text_utils = require('placet.editor.text')
local words = require('placet.ui.words')

local M = {}

---@param file placet.ChangeFile
---@return string[] titles of the left and the right side
local function titles_of(file)
  if file.state == 'unreviewed' then
    return { ' without the change ', ' Unreviewed: the present text ' }
  elseif file.kind == 'delete' then
    return { ' present text ', ' Proposed: no file ' }
  end
  return { ' present text ', ' Proposed: :w accepts this text for the file, :q closes ' }
end

---Return the text of the user with the hunks that fit, for a file in conflict, and tell the user.
---@param file placet.ChangeFile
---@return string? text nil if no hunk fits
local function with_fitting_hunks(file)
  local bufnr = file.earlier and buffer.find_loaded(file.document)
  if not bufnr then
    return nil
  end
  local text, fitting = conflicts.merged(file.earlier, text_utils.to_lf(buffer.text(bufnr)))
  if fitting == 0 then
    return nil
  end
  vim.notify(
    ('Placet: %d of %s fit your text and are on the right side; `:w` accepts the right side'):format(
      fitting,
      words.counted(#file.earlier.hunks, 'hunk')
    )
  )
  return text
end

---Show both texts of a file. In the proposed text the user may change lines and accept the text.
---@param set placet.ChangeSet
---@param file placet.ChangeFile
---@param text? string text of the user for the right side, in place of the proposed text
function M.side_by_side(set, file, text)
  change_set.with_texts(set, file, function(fresh)
    local function write(chosen)
      change_set.accept_text(set, fresh, chosen, function(renewed, is_done)
        local again = vim.iter(renewed.files):find(function(candidate)
          return not is_done and candidate.place == file.place
        end)
        if again then
          M.side_by_side(renewed, again, chosen)
        end
      end)
    end
    local is_open_to_edits = fresh.state == 'staged' and fresh.kind ~= 'delete'
    local shown = text or with_fitting_hunks(file) or fresh.newText or ''
    side_by_side.open(fresh, shown, is_open_to_edits and write or nil, titles_of(fresh), 'change_set')
  end)
end

---Edit the proposed lines of a hunk. Of a new, renamed or deleted file, `:w` is about the whole text.
---@param set placet.ChangeSet
---@param unit placet.ReviewUnit
function M.edit(set, unit)
  local file = unit.file --[[@as placet.ChangeFile]]
  if file.state == 'unreviewed' then
    vim.notify('Placet: the change is already in the file; edit the file, then keep or undo the hunk')
  elseif not unit.hunk or file.kind ~= 'modify' then
    M.side_by_side(set, file)
  else
    hunk_editor.open(unit, vim.bo.filetype, function(hunk)
      change_set.accept_lines(set, unit, table.concat(hunk.newLines), function(_, is_done)
        if is_done then
          hunk_editor.close('change_set')
        end
      end)
    end, 'accepts the lines', 'change_set')
  end
end

return M
