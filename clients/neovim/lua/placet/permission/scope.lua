---Texts for the scopes of a permanent permission.
local visible_text = require('placet.ui.visible_text')

local M = {}

local WORDS = { session = 'in this session', project = 'in this project', user = 'everywhere' }

---@param offer placet.wire.AlwaysOffer
---@return string
function M.label(offer)
  local patterns = visible_text.spelled(table.concat(offer.patterns, ', '))
  return ('Always allow %s: %s'):format(WORDS[offer.scope] or offer.scope, patterns)
end

return M
