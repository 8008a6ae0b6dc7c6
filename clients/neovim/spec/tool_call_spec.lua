local tool_call = require('placet.chat.tool_call')

local function file(name, status, more)
  local facts = { uri = 'file:///p/' .. name, kind = 'modify', status = status, additions = 1, deletions = 2 }
  return vim.tbl_extend('error', facts, more or {})
end

local function lines_of(files)
  local state = { status = 'completed', input = {}, title = 'T', output = '', metadata = { files = files } }
  local part = { id = 'p', type = 'tool', callId = 'c', tool = 'apply_patch', state = state }
  local call = { block = 'b', part = part }
  return table.concat((tool_call.lines(call, { marks = {}, fold_above = 9, live_lines = 9 })), '\n')
end

describe('a call that changed several files', function()
  it('names the file that was left out, as the user changed the same lines', function()
    local text = lines_of({ file('a.py', 'applied'), file('b.py', 'conflict') })
    assert.truthy(text:find('b.py` left as you have it', 1, true), text)
    assert.falsy(text:find('a.py` left', 1, true), text)
  end)
end)
