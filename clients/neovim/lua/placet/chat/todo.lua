---Todo list as Markdown. Pure.
local M = {}

---Only `[ ]` and `[x]` are known to every Markdown renderer. Other states are written in words.
local FORMS = {
  completed = '- [x] %s',
  in_progress = '- [ ] %s (in progress)',
  cancelled = '- [x] ~~%s~~ (dropped)',
}

---@param entries {content: string, status: string}[]
---@return string[]
function M.lines(entries)
  return vim.tbl_map(function(entry)
    return (FORMS[entry.status] or '- [ ] %s'):format((entry.content:gsub('%s+', ' ')))
  end, entries)
end

---Return the progress of the list as `2/5`, or nil without a list.
---@param entries? {status: string}[]
---@return string?
function M.progress(entries)
  if not entries or #entries == 0 then
    return nil
  end
  local over = vim.tbl_filter(function(entry)
    return entry.status == 'completed' or entry.status == 'cancelled'
  end, entries)
  return ('%d/%d'):format(#over, #entries)
end

return M
