-- The small pure modules: how a few things are said.
local format = require('placet.chat.format')
local prompt_text = require('placet.chat.prompt_text')
local scope = require('placet.permission.scope')
local todo = require('placet.chat.todo')
local tool_output = require('placet.chat.tool_output')

describe('a duration', function()
  for milliseconds, expected in pairs({
    [0] = '0.0 s',
    [1260] = '1.3 s',
    [12000] = '12 s',
    [61000] = '1 min 1 s',
    [3660000] = '1 h 1 min',
  }) do
    it(('of %d ms is %s'):format(milliseconds, expected), function()
      assert.equal(expected, format.duration(milliseconds))
    end)
  end
end)

it('a cost is shown in cents, and a smaller cost with more digits', function()
  assert.same({ '$0.0012', '$0.01', '$1.50' }, vim.tbl_map(format.cost, { 0.0012, 0.01, 1.5 }))
end)

it('large token counts are shown in thousands', function()
  assert.same({ '999', '1k', '128k' }, vim.tbl_map(format.tokens, { 999, 1000, 128000 }))
end)

it('"always allow" names the scope and the patterns', function()
  local label = scope.label({ scope = 'project', patterns = { 'git *', 'ls' } })
  assert.equal('Always allow in this project: git *, ls', label)
end)

describe('things to do', function()
  local entries = {
    { content = 'read\n  it', status = 'completed' },
    { content = 'write', status = 'in_progress' },
    { content = 'skip', status = 'cancelled' },
    { content = 'test', status = 'pending' },
  }

  it('are a line of Markdown each', function()
    assert.same({
      '- [x] read it',
      '- [ ] write (in progress)',
      '- [x] ~~skip~~ (dropped)',
      '- [ ] test',
    }, todo.lines(entries))
  end)

  it('are counted, cancelled entries as done', function()
    assert.equal('2/4', todo.progress(entries))
    assert.is_nil(todo.progress({}))
    assert.is_nil(todo.progress(nil))
  end)
end)

describe('a prompt', function()
  local uri = vim.uri_from_fname(vim.fs.joinpath(vim.uv.cwd(), 'a.lua'))

  it('shows the names of attachments without the content', function()
    local shown = prompt_text.of({
      { type = 'text', text = 'Why?' },
      { type = 'file', uri = uri, range = { start = 3, ['end'] = 3 } },
      { type = 'file', uri = uri, range = { start = 3, ['end'] = 5 } },
      { type = 'text', text = prompt_text.BESIDE .. 'the quickfix list\na:1: b', synthetic = true },
      { type = 'text', text = 'what the daemon read', synthetic = true },
      { type = 'agent', name = 'explore' },
    })
    assert.equal('Why?\n`a.lua:3`\n`a.lua:3-5`\n`the quickfix list`\n`@explore`', shown)
  end)

  it('has the words of the user without the attachments', function()
    local parts = { { type = 'text', text = 'Why?' }, { type = 'file', uri = uri } }
    assert.equal('Why?', prompt_text.words(parts))
  end)
end)

describe("a tool's output", function()
  it('stands in a fence longer than all fences inside', function()
    local body = { lines = { 'a', '  ````', '' }, language = 'text', targets = {} }
    assert.same({ '  `````text', '  a', '    ````', '', '  `````' }, tool_output.fenced(body))
  end)

  it('of a running command is the end', function()
    local part = { tool = 'bash', state = { status = 'running', metadata = { output = 'a\nb\nc\n' } } }
    assert.same({ 'b', 'c' }, tool_output.live(part, 2).lines)
    assert.same({ 'a', 'b', 'c' }, tool_output.live(part, 9).lines)
  end)

  it('has a line in the file for every line of a diff', function()
    local uri = vim.uri_from_fname('/x/a.lua')
    local files = { { uri = uri, diff = '--- a\n+++ a\n@@ -4,2 +4,2 @@\n kept\n-old\n+new\n' } }
    local body = tool_output.body({ tool = 'edit', state = { status = 'completed' } }, files)
    assert.same({ path = '/x/a.lua', line = 4 }, body.targets[4])
    assert.same({ path = '/x/a.lua', line = 5 }, body.targets[6])
  end)
end)
