---`editor/question`: questions of the agent, one after the other, through vim.ui.
local M = {}

local OWN_WORDS = 'Other (type it)'
local DONE = 'Done'

---@param question table
---@param chosen table<string, boolean>
---@return string[] labels
---@return table<string, string> descriptions
local function choices(question, chosen)
  local labels, descriptions = {}, {}
  for _, option in ipairs(question.options or {}) do
    labels[#labels + 1] = option.label
    descriptions[option.label] = (chosen[option.label] and '[x] ' or '')
      .. option.label
      .. (option.description and option.description ~= '' and (': ' .. option.description) or '')
  end
  if question.custom ~= false then
    labels[#labels + 1] = OWN_WORDS
  end
  if question.multiple then
    labels[#labels + 1] = DONE
  end
  return labels, descriptions
end

---@param question table
---@param done fun(answers: string[]?) nil when the user declined
local function ask(question, done)
  local chosen, own = {}, {}
  local function answers()
    local list = {}
    for _, option in ipairs(question.options or {}) do
      if chosen[option.label] then
        list[#list + 1] = option.label
      end
    end
    return vim.list_extend(list, own)
  end
  local function show()
    local labels, descriptions = choices(question, chosen)
    vim.ui.select(labels, {
      prompt = question.question,
      kind = 'placet_question',
      format_item = function(label)
        return descriptions[label] or label
      end,
    }, function(label)
      if not label then
        return done(nil)
      elseif label == DONE then
        return done(answers())
      elseif label == OWN_WORDS then
        return vim.ui.input({ prompt = question.question .. ' ' }, function(text)
          if text and text ~= '' then
            own[#own + 1] = text
          end
          if question.multiple or not text or text == '' then
            return vim.schedule(show)
          end
          done(answers())
        end)
      end
      chosen[label] = not chosen[label]
      if question.multiple then
        return vim.schedule(show)
      end
      done(answers())
    end)
  end
  show()
end

---Ask all questions in turn.
---@type placet.Serve
function M.serve(params, _, answer)
  local all, open = {}, true
  local function done(answers)
    if open then
      answer({ answers = answers or vim.NIL })
    end
  end
  local function next_question()
    local question = params.questions[#all + 1]
    if not open then
      return
    elseif not question then
      return done(all)
    end
    ask(question, function(answers)
      if not answers then
        return done(nil)
      end
      all[#all + 1] = answers
      vim.schedule(next_question)
    end)
  end
  vim.schedule(next_question)
  return function()
    open = false
  end
end

return M
