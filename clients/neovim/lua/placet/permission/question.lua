---`editor/question`: ask the agent's questions one after another through vim.ui. A dismissed question is
---postponed.
local long_text = require('placet.permission.long_text')
local ui_select = require('placet.ui.select')
local visible_text = require('placet.ui.visible_text')
local pending_requests = require('placet.permission.pending_requests')

local M = {}

---@class placet.QuestionState one question with the answers so far
---@field question placet.wire.Question
---@field chosen table<string, boolean> labels
---@field own string[] answers in the user's own words

---@class placet.QuestionChoice
---@field label string
---@field act 'choose'|'type'|'done'|'decline'|'show'
---@field description? string

---@type placet.QuestionChoice
local OTHER = { label = 'Other (type an answer)', act = 'type' }

---@param state placet.QuestionState
---@return string[]
local function answers_of(state)
  local answers = {}
  for _, option in ipairs(state.question.options or {}) do
    if state.chosen[option.label] then
      answers[#answers + 1] = option.label
    end
  end
  return vim.list_extend(answers, state.own)
end

---@param state placet.QuestionState
---@param is_seen boolean whether the user has seen the whole question
---@return placet.QuestionChoice[]
local function choices_of(state, is_seen)
  local question, choices = state.question, {}
  if not is_seen then
    return { { label = 'Show the whole text', act = 'show' }, { label = 'Do not answer', act = 'decline' } }
  end
  for _, option in ipairs(question.options or {}) do
    choices[#choices + 1] = { label = option.label, act = 'choose', description = option.description }
  end
  if question.custom ~= false then
    choices[#choices + 1] = OTHER
  end
  if question.multiple then
    choices[#choices + 1] = { label = 'Done', act = 'done' }
  end
  choices[#choices + 1] = { label = 'Do not answer', act = 'decline' }
  return choices
end

---@param choice placet.QuestionChoice
---@return string
local function described(choice)
  local line, description = visible_text.spelled(choice.label), choice.description
  return description and description ~= '' and ('%s: %s'):format(line, visible_text.plain(description))
    or line
end

---@param state placet.QuestionState
---@param choice placet.QuestionChoice
---@return string
local function line_of(state, choice)
  local mark = ''
  if choice.act == 'choose' and state.question.multiple then
    mark = state.chosen[choice.label] and '[x] ' or '[ ] '
  end
  return mark .. described(choice)
end

---@param state placet.QuestionState
---@return string[]
local function lines_of(state)
  local lines = visible_text.lines(state.question.question)
  if #state.own > 0 then
    lines[#lines + 1] = '  also: ' .. table.concat(state.own, ', ')
  end
  return lines
end

---Ask for words of the user; the words of a secret answer are hidden.
---@param question placet.wire.Question
---@param use fun(text: string?) nil or '' if the user dismissed the question
local function type_answer(question, use)
  local prompt = visible_text.plain(question.question) .. ' '
  if not question.secret then
    return vim.ui.input({ prompt = prompt }, use)
  end
  local is_entered, text = pcall(vim.fn.inputsecret, prompt)
  use(is_entered and text or nil)
end

---@param ask placet.PendingRequest
---@param state placet.QuestionState
---@param done fun(answers: string[]?) nil when the user declined
---@param is_seen? boolean whether the user has read the whole long text
local function put(ask, state, done, is_seen)
  local function again()
    put(ask, state, done, true)
  end
  local lines = lines_of(state)
  local is_long = long_text.is_long(lines)
  ask.close = ui_select.open(choices_of(state, is_seen or not is_long), {
    prompt = is_long and long_text.brief(lines) or table.concat(lines, '\n'),
    kind = 'placet_question',
    format_item = function(choice)
      return line_of(state, choice)
    end,
  }, function(choice)
    if not choice then
      return pending_requests.postpone(ask)
    elseif choice.act == 'show' then
      ask.close = long_text.show(lines, function()
        if pending_requests.is_waiting(ask) then
          again()
        end
      end)
      return
    elseif choice.act == 'decline' then
      return done(nil)
    elseif choice.act == 'done' then
      return done(answers_of(state))
    elseif choice.act == 'choose' then
      state.chosen[choice.label] = not state.chosen[choice.label]
      if state.question.multiple then
        return again()
      end
      return done(answers_of(state))
    end
    type_answer(state.question, function(text)
      if not pending_requests.is_waiting(ask) then
        return
      elseif not text or text == '' then
        return again()
      end
      state.own[#state.own + 1] = text
      if state.question.multiple then
        return again()
      end
      done(answers_of(state))
    end)
  end)
end

---Ask the questions of a command of the user, such as a sign-in. The questions are shown immediately. A
---dismissed question is declined.
---@param params placet.wire.AskQuestion
---@param answer placet.Respond
---@return fun() close
local function put_at_once(params, answer)
  local all, is_open, close = {}, true, nil
  local function finish(answers)
    if is_open then
      is_open = false
      answer({ answers = answers or vim.NIL })
    end
  end
  local function go_on()
    local question = params.questions[#all + 1]
    if not question then
      return finish(all)
    end
    local function use(text)
      if not text or text == '' then
        return finish(nil)
      end
      all[#all + 1] = { text }
      go_on()
    end
    local function type_own()
      vim.schedule(function()
        if is_open then
          type_answer(question, use)
        end
      end)
    end
    if #(question.options or {}) == 0 then
      return type_own()
    end
    local choices = vim.tbl_map(function(option)
      return { label = option.label, act = 'choose', description = option.description }
    end, question.options)
    if question.custom ~= false then
      choices[#choices + 1] = OTHER
    end
    close = ui_select.open(choices, {
      prompt = visible_text.plain(question.question) .. ' ',
      kind = 'placet_question',
      format_item = described,
    }, function(choice)
      if choice and choice.act == 'type' then
        return type_own()
      end
      use(choice and choice.label)
    end)
  end
  go_on()
  return function()
    is_open = false
    if close then
      close()
    end
  end
end

---Ask all questions in order. Answers are kept when the user postpones a question.
---@type placet.RequestHandler
function M.serve(params, _, answer)
  if params.sessionId == '' then
    return put_at_once(params, answer)
  end
  local all = {}
  ---@type placet.QuestionState?
  local state
  ---@param ask placet.PendingRequest
  local function go_on(ask)
    local question = params.questions[#all + 1]
    if not question then
      return ask.answer({ answers = all })
    end
    state = state or { question = question, chosen = {}, own = {} }
    put(ask, state, function(answers)
      if not answers then
        return ask.answer({ answers = vim.NIL })
      end
      all[#all + 1], state = answers, nil
      go_on(ask)
    end)
  end
  local first = params.questions[1]
  local title = first and visible_text.shortened(visible_text.plain(first.question), 100) or 'a question'
  return pending_requests.add({ params = params, kind = 'question', title = title, show = go_on }, answer)
end

return M
