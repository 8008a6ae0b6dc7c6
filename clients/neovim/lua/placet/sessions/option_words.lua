---Words for the options of a session: effort, profile, and how careful the session is. Pure.
local M = {}

---@alias placet.Caution 'more'|'default'|'less'

---Levels of thinking, the lowest first.
M.LEVELS = { 'none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max' }
---Name of the effort that the agent, the settings or the model decide.
M.DEFAULT = 'default'

---Degrees of care, in the order of the picker.
---@type placet.Caution[]
M.CAUTIONS = { 'more', 'default', 'less' }

---@alias placet.Profile 'auto'|'full'|'small'|'smallest'

---Profiles, in the order of the picker; `default` is the choice of the settings.
---@type (placet.Profile|'default')[]
M.PROFILES = { 'default', 'auto', 'full', 'small', 'smallest' }

---@type table<placet.Profile|'default', string>
local PROFILES = {
  default = 'as your settings say',
  auto = 'by the size, the context and the speed of a model on your own server',
  full = 'all tools',
  small = 'six tools and a short prompt',
  smallest = 'no tools; Placet finds the files, and the model answers with whole files',
}

---@type table<placet.Caution, {name: string, about: string, brief?: string}>
local CAUTIONS = {
  more = {
    name = 'Ask before every act',
    about = 'also where a rule or the sandbox would allow it',
    brief = 'asks more',
  },
  default = { name = 'Ask where it matters', about = 'your rules and earlier answers decide' },
  less = { name = 'Ask less', about = 'pages and searches of the web are not asked', brief = 'asks less' },
}

---@type table<string, string>
local LEVELS = {
  none = 'no thinking',
  xhigh = 'extra high',
  max = 'maximal',
}

---@param caution? string
---@return string? words nil for an unknown degree of care
function M.caution(caution)
  return CAUTIONS[caution] and CAUTIONS[caution].name
end

---Return short words for a window bar.
---@param caution? string
---@return string? words nil for the default
function M.caution_brief(caution)
  return CAUTIONS[caution] and CAUTIONS[caution].brief
end

---Return a line about a degree of care.
---@param caution placet.Caution
---@return string
function M.caution_line(caution)
  return ('%s: %s'):format(CAUTIONS[caution].name, CAUTIONS[caution].about)
end

---@param effort? string|integer level or budget in tokens; nil for the default
---@return string
function M.effort(effort)
  return type(effort) == 'number' and ('%d tokens'):format(effort) or effort or M.DEFAULT
end

---Return a line about an effort.
---@param effort string|integer level, budget in tokens, or `default`
---@return string
function M.effort_line(effort)
  if effort == M.DEFAULT then
    return 'default: as the agent or your settings say, else as the model does'
  end
  local about = LEVELS[effort]
  return about and ('%s: %s'):format(effort, about) or M.effort(effort)
end

---Return the effort in the form of the protocol for the effort as the user writes it.
---@param text string level, number of tokens, or `default`
---@return string|integer|nil effort nil for the default
function M.effort_value(text)
  if text == M.DEFAULT then
    return nil
  end
  return text:match('^%d+$') and math.floor(tonumber(text) or 0) or text
end

---Return whether a text names an effort.
---@param text string
---@return boolean
function M.is_effort(text)
  return text == M.DEFAULT or text:match('^%d+$') ~= nil or vim.list_contains(M.LEVELS, text)
end

---Return a line about a profile.
---@param profile placet.Profile|'default'
---@return string
function M.profile_line(profile)
  return ('%s: %s'):format(profile, PROFILES[profile])
end

return M
