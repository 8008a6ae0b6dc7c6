---The user's own text in place of a change, and both texts of a file side by side.
local change_set = require('placet.change_set')
local hunk_editor = require('placet.review.hunk_editor')
local proposal = require('placet.review.proposal')
local side_by_side = require('placet.review.side_by_side')

local M = {}

local TITLES = {
  staged = { ' present text ', ' Proposed: :w accepts this text for the file, :q closes ' },
  unreviewed = { ' without the change ', ' Unreviewed: the present text ' },
}

---Show both texts of a file. In the proposed text the user may change lines and accept the text.
---@param set placet.ChangeSet
---@param file placet.ChangeFile
function M.side_by_side(set, file)
  change_set.with_texts(set, file, function(fresh)
    local write
    if fresh.state == 'staged' and fresh.kind ~= 'delete' then
      write = function(text)
        change_set.accept_text(set, fresh, text)
      end
    end
    local titles = fresh.state == 'staged'
      and not write
      and { TITLES.staged[1], ' Proposed: delete the file ' }
    side_by_side.open(fresh, fresh.newText or '', write, titles or TITLES[fresh.state])
  end)
end

---Edit the proposed lines of a hunk. In a file with several hunks, `:w` is about the whole text.
---@param set placet.ChangeSet
---@param unit placet.ReviewUnit
function M.edit(set, unit)
  local file = unit.file --[[@as placet.ChangeFile]]
  if file.state == 'unreviewed' and not file.conflict then
    vim.notify('Placet: the change is already in the file; edit the file, then keep or undo the hunk')
  elseif not unit.hunk or #file.units > 1 then
    M.side_by_side(set, file)
  else
    hunk_editor.open(unit, vim.bo.filetype, function(hunk)
      change_set.with_texts(set, file, function(fresh)
        change_set.accept_text(set, fresh, proposal.text(fresh, { { hunk = hunk } }))
      end)
    end, 'accepts the lines')
  end
end

return M
