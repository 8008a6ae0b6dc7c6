---Short forms of durations, costs and token counts. Pure.
local M = {}

---@param milliseconds number
---@return string
function M.duration(milliseconds)
  local seconds = milliseconds / 1000
  if seconds < 10 then
    return ('%.1f s'):format(seconds)
  elseif seconds < 60 then
    return ('%d s'):format(math.floor(seconds + 0.5))
  elseif seconds < 3600 then
    return ('%d min %d s'):format(math.floor(seconds / 60), math.floor(seconds % 60))
  end
  return ('%d h %d min'):format(math.floor(seconds / 3600), math.floor(seconds % 3600 / 60))
end

---@param dollars number
---@return string
function M.cost(dollars)
  return (dollars < 0.01 and '$%.4f' or '$%.2f'):format(dollars)
end

---@param tokens integer
---@return string
function M.tokens(tokens)
  if tokens < 1000 then
    return tostring(tokens)
  end
  return ('%.0fk'):format(tokens / 1000)
end

return M
