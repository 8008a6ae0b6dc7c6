---Options of a session that the user chooses: agent, model, effort, profile, way of reviewing, caution.
local choices = require('placet.sessions.choices')
local known = require('placet.sessions.known')
local option_words = require('placet.sessions.option_words')
local sessions = require('placet.sessions')
local visible_text = require('placet.ui.visible_text')
local words = require('placet.ui.words')

local M = {}

---@param text string
local function notify(text)
  vim.notify('Placet: ' .. visible_text.plain(text))
end

---Set the agent or model of the session, by name or by picker.
---@param setting 'agent'|'model'
---@param name string '' to pick
---@param otherwise? fun() called if no agent has the name
function M.choose(setting, name, otherwise)
  sessions.with(function(client, session_id)
    local function choose(chosen)
      sessions.set(client, session_id, setting, chosen, function(info)
        notify(('agent %s, model %s'):format(info.agent, info.model))
      end)
    end
    if name == '' then
      local pick = setting == 'agent' and choices.pick_agent or choices.pick_model
      return pick(client, (known.info(session_id) or {})[setting], choose)
    elseif setting == 'model' or not otherwise then
      return choose(name)
    end
    choices.agents(client, function(agents)
      local is_there = vim.iter(agents):any(function(agent)
        return agent.name == name
      end)
      if is_there then
        choose(name)
      else
        otherwise()
      end
    end)
  end)
end

---Mark a model as a favourite, or remove the mark.
---@param name string '' for the model of the session
function M.toggle_favourite(name)
  sessions.with(function(client, session_id)
    choices.toggle_favourite(client, name ~= '' and name or known.info(session_id).model)
  end)
end

---Set an option of the session and say the choice.
---@param client vim.lsp.Client
---@param session_id string
---@param option 'effort'|'profile'|'review'|'caution'
---@param value? string|integer nil for the default
---@param say fun(info: placet.wire.SessionInfo): string
local function set_option(client, session_id, option, value, say)
  sessions.set(client, session_id, option, value, function(info)
    notify(say(info))
  end)
end

---Set the way of reviewing changes of the session, by name or by picker.
---@param mode placet.ReviewMode|'' '' to pick
function M.choose_review(mode)
  sessions.with(function(client, session_id)
    local function choose(chosen)
      set_option(client, session_id, 'review', chosen, function(info)
        return words.mode(info.review) or info.review
      end)
    end
    if mode ~= '' then
      return choose(mode)
    end
    choices.pick_review(known.review_of(session_id), choose)
  end)
end

---Set how careful the session is, by name or by picker.
---@param caution placet.Caution|'' '' to pick
function M.choose_caution(caution)
  sessions.with(function(client, session_id)
    local function choose(chosen)
      set_option(client, session_id, 'caution', chosen, function(info)
        return option_words.caution(info.caution) or info.caution
      end)
    end
    if caution ~= '' then
      return choose(caution)
    end
    choices.pick_caution((known.info(session_id) or {}).caution or 'default', choose)
  end)
end

---Set how much the model thinks, by name or by picker.
---@param effort string level, budget in tokens or `default`; '' to pick
function M.choose_effort(effort)
  sessions.with(function(client, session_id)
    local info = known.info(session_id) or {}
    local function choose(chosen)
      set_option(client, session_id, 'effort', option_words.effort_value(chosen), function(now)
        return 'effort ' .. option_words.effort(now.effort)
      end)
    end
    if effort ~= '' then
      return choose(effort)
    end
    choices.pick_effort(client, info.model, info.effort, choose)
  end)
end

---Set how much is asked of the model, by name or by picker.
---@param profile string profile or `default`; '' to pick
function M.choose_profile(profile)
  sessions.with(function(client, session_id)
    local function choose(chosen)
      local profile_value = chosen ~= option_words.DEFAULT and chosen or nil
      set_option(client, session_id, 'profile', profile_value, function(now)
        return 'profile ' .. (now.profile or option_words.DEFAULT)
      end)
    end
    if profile ~= '' then
      return choose(profile)
    end
    choices.pick_profile((known.info(session_id) or {}).profile or option_words.DEFAULT, choose)
  end)
end

return M
