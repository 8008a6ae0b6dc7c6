---Words of going back, for previews, lists and messages. Pure.
local counted = require('placet.ui.words').counted
local visible_text = require('placet.ui.visible_text')

local M = {}

---@alias placet.BackShare 'all'|'talk'|'files'

---Shares to go back over, in the order of the preview.
---@type placet.BackShare[]
M.SHARES = { 'all', 'talk', 'files' }

---@type table<placet.BackShare, string>
local SHARE_WORDS = { all = 'Talk and files', talk = 'Talk alone', files = 'Files alone' }

---Longest title of a prompt in a list, in characters.
local MOST = 60

---@param share placet.BackShare
---@return string
function M.share(share)
  return SHARE_WORDS[share]
end

---Return one line for a prompt.
---@param prompt placet.PromptOfTranscript
---@return string
function M.title(prompt)
  local text = visible_text.plain(vim.trim(prompt.text))
  return text == '' and '(attachments only)' or visible_text.shortened(text, MOST)
end

---Return the title of a prompt with its number in the session.
---@param number integer
---@param prompt placet.PromptOfTranscript
---@return string
function M.numbered(number, prompt)
  return ('%d %s'):format(number, M.title(prompt))
end

---@generic T: placet.wire.BackFile|placet.wire.UndoneFile
---@param files T[]
---@param status 'restored'|'conflict'|'unchanged'
---@return T[]
function M.with_status(files, status)
  return vim.tbl_filter(function(file)
    return file.status == status
  end, files)
end

---@param uri string
---@return string
function M.name(uri)
  return visible_text.plain(vim.fn.fnamemodify(vim.uri_to_fname(uri), ':~:.'))
end

---Return the effect of going back over a share, as in `hides 3 prompts, restores 2 files`.
---@param share placet.BackShare
---@param preview placet.wire.BackPreview
---@return string
function M.effect(share, preview)
  local effects = {}
  if share ~= 'files' then
    effects[1] = 'hides ' .. counted(preview.prompts, 'prompt')
  end
  if share ~= 'talk' then
    local restored, staged = #M.with_status(preview.files, 'restored'), #(preview.staged or {})
    if restored > 0 or staged == 0 then
      effects[#effects + 1] = restored > 0 and 'restores ' .. counted(restored, 'file') or 'restores no file'
    end
    if staged > 0 then
      local verb = staged == 1 and 'leaves' or 'leave'
      effects[#effects + 1] = ('%s %s the review'):format(counted(staged, 'file'), verb)
    end
  end
  return table.concat(effects, ', ')
end

---Return the outcome of an act, as in `2 files restored`.
---@param result placet.wire.BackResult
---@return string
function M.outcome(result)
  local restored = #M.with_status(result.files, 'restored')
  local outcomes = {}
  if restored > 0 then
    outcomes[1] = counted(restored, 'file') .. ' restored'
  end
  if #(result.staged or {}) > 0 then
    outcomes[#outcomes + 1] = ('changes to review of %s updated'):format(counted(#result.staged, 'file'))
  end
  return #outcomes > 0 and table.concat(outcomes, ', ') or 'no file changed'
end

---Return the files that were left alone, each with the reason.
---@param result placet.wire.BackResult
---@return string[]
function M.left_alone(result)
  return vim.tbl_map(function(file)
    return ('%s (%s)'):format(M.name(file.uri), file.reason or 'conflict')
  end, M.with_status(result.files, 'conflict'))
end

return M
