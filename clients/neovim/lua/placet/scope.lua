---For how long "always" can be meant, in words.
local M = {}

local WORDS = { session = 'in this session', project = 'in this project', user = 'everywhere' }

---@param offer placet.wire.Offer
---@return string
function M.label(offer)
  return ('Always %s: %s'):format(WORDS[offer.scope] or offer.scope, table.concat(offer.patterns, ', '))
end

return M
