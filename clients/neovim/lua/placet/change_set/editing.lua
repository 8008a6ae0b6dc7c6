---The user's own text in place of a change, and both texts of a file side by side.
local buffers = require('placet.change_set.buffers')
local change_set = require('placet.change_set')
local conflicts = require('placet.change_set.conflicts')
local hunk_editor = require('placet.hunks.hunk_editor')
local navigation = require('placet.change_set.navigation')
local side_by_side = require('placet.hunks.side_by_side')

local M = {}

---Go on to the next unit after the acceptance of a text, if the user is back in the file.
---@param set placet.ChangeSet
---@param file placet.ChangeFile
local function go_on(set, file)
  if vim.api.nvim_get_current_buf() == buffers.find(buffers.loaded(), file) then
    navigation.go_on(set, file.waits)
  end
end

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
        elseif is_done then
          go_on(renewed, file)
        end
      end)
    end
    local is_open_to_edits = fresh.state == 'staged' and fresh.kind ~= 'delete'
    local shown = text or fresh.newText or ''
    side_by_side.open(fresh, shown, is_open_to_edits and write or nil, titles_of(fresh))
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
    local is_conflict = conflicts.is_listed(unit)
    local both = is_conflict and conflicts.marked(unit.hunk) or unit.hunk
    local effect = is_conflict and 'accepts the lines, once no marker is left' or 'accepts the lines'
    hunk_editor.open(vim.tbl_extend('force', unit, { hunk = both }), vim.bo.filetype, function(hunk)
      change_set.accept_lines(set, unit, table.concat(hunk.newLines), function(renewed, is_done)
        if is_done then
          hunk_editor.close()
          go_on(renewed, file)
        end
      end)
    end, effect)
  end
end

return M
