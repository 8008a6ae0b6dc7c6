---Files in conflict: the user has changed lines of a hunk. The other hunks of the file still fit. Pure.
local proposal = require('placet.hunks.proposal')

local M = {}

---Keep the hunks of files that have come into conflict, because the daemon lists no hunks for such files.
---@param before placet.ChangeFile[]
---@param now placet.ChangeFile[]
function M.keep_hunks(before, now)
  local by_place = {}
  for _, file in ipairs(before) do
    by_place[file.place] = file
  end
  for _, file in ipairs(now) do
    local old = file.conflict and file.state == 'staged' and by_place[file.place]
    if old and old.conflict then
      file.earlier = old.earlier
    elseif old and old.base then
      file.earlier = { base = old.base, hunks = old.hunks }
    end
  end
end

---Return the user's text with all hunks that fit.
---@param earlier {base: string, hunks: placet.wire.Hunk[]}
---@param present string text of the user, with LF line endings
---@return string text
---@return integer fitting number of hunks
function M.merged(earlier, present)
  local row_of, units = proposal.placing(earlier.base, present), {}
  for _, hunk in ipairs(earlier.hunks) do
    local row = row_of(hunk)
    if row then
      units[#units + 1] = { hunk = vim.tbl_extend('force', hunk, { oldStart = row }) }
    end
  end
  return proposal.text({ oldText = present }, units), #units
end

return M
