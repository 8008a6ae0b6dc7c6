local Page = require('placet.chat.page')
local Transcript = require('placet.chat.transcript')

local SHARED = vim.fs.joinpath(vim.uv.cwd(), '..', '..', 'tests', 'wire', 'transcripts')
local OPTIONS = {
  marks = { pending = '…', running = '…', completed = '✓', error = '✗' },
  fold_above = 4,
  live_lines = 5,
  keys = { redo_back = '<C-r>' },
}

local function read(path)
  return vim.json.decode(assert(io.open(path)):read('*a'), { luanil = { object = true } })
end

local function apply(transcript, events)
  for _, event in ipairs(events) do
    Transcript.apply(transcript, event.update)
  end
end

---All lines of a page, block by block.
local function lines_of(transcript)
  return vim.tbl_map(function(block)
    Page.settle(block)
    return { block.kind, vim.deepcopy(block.lines) }
  end, transcript.page.blocks)
end

describe('a transcript of the golden events', function()
  for name, kind in vim.fs.dir(SHARED) do
    local shared = kind == 'file' and read(vim.fs.joinpath(SHARED, name)) or { events = {}, messages = {} }

    it('is the text of each part in ' .. name, function()
      local transcript = Transcript.new(OPTIONS)
      apply(transcript, shared.events)
      for _, message in ipairs(shared.messages) do
        for _, part in ipairs(message.role == 'assistant' and message.parts or {}) do
          local block = transcript.page.index[part.id]
          if part.type == 'text' and part.text ~= '' then
            assert.equal(part.text, Page.text(block, 0))
          elseif part.type == 'reasoning' and part.text ~= '' then
            assert.equal(part.text, Page.text(block, 1))
          elseif part.type == 'tool' then
            local call = transcript.calls[('%s/%s'):format(message.id, part.callId)]
            assert.equal(part.state.status, call.part.state.status)
          end
        end
      end
    end)

    it('stays the same when events arrive twice in ' .. name, function()
      local transcript = Transcript.new(OPTIONS)
      apply(transcript, shared.events)
      local before = lines_of(transcript)
      apply(transcript, shared.events)
      assert.same(before, lines_of(transcript))
      assert.equal(#before, #transcript.page.blocks)
    end)
  end
end)

describe('a streamed text', function()
  local transcript
  before_each(function()
    transcript = Transcript.new(OPTIONS)
  end)

  local function chunk(offset, text, kind)
    local update = { kind = kind or 'agent_message_chunk', messageId = 'm', partId = 'p', offset = offset }
    update.text = text
    Transcript.apply(transcript, update)
  end

  local function text()
    return Page.text(transcript.page.index.p, 0)
  end

  it('counts offsets in code points', function()
    chunk(0, 'ä𝄞')
    chunk(2, 'x')
    assert.equal('ä𝄞x', text())
  end)

  it('may be repeated as a whole', function()
    chunk(0, 'one ')
    chunk(4, 'two')
    chunk(0, 'one two')
    assert.equal('one two', text())
  end)

  it('may be repeated in part', function()
    chunk(0, 'one two')
    chunk(4, 'two three')
    assert.equal('one two three', text())
  end)

  it('is the same for pieces of any size', function()
    local whole = '# ä\n\n- 𝄞 `x`\r\n\nlast\n'
    for index, point in ipairs(vim.fn.split(whole, '\\zs')) do
      chunk(index - 1, point)
    end
    assert.equal((whole:gsub('\r', '')), text())
  end)

  it('of a thought is quoted below the heading', function()
    chunk(0, 'first\nsec', 'agent_thought_chunk')
    chunk(9, 'ond', 'agent_thought_chunk')
    Page.settle(transcript.page.index.p)
    assert.same({ '> *Thinking*', '> first', '> second' }, transcript.page.index.p.lines)
  end)
end)

it('an event of an unknown kind changes nothing', function()
  local transcript = Transcript.new(OPTIONS)
  Transcript.apply(transcript, { kind = 'something_of_tomorrow' })
  assert.same({}, transcript.page.blocks)
end)

describe('a page after going back', function()
  local transcript
  before_each(function()
    transcript = Transcript.new(OPTIONS)
    apply(transcript, read(vim.fs.joinpath(SHARED, 'went_back.json')).events)
  end)

  ---All visible lines of the page.
  local function text()
    local lines = {}
    for _, block in ipairs(transcript.page.blocks) do
      Page.settle(block)
      vim.list_extend(lines, block.lines)
    end
    return table.concat(lines, '\n')
  end

  local function back_to(message_id)
    Transcript.apply(transcript, { kind = 'session_back', messageId = message_id })
  end

  it('ends with the way forward, with its key', function()
    local last = transcript.prompts[#transcript.prompts].id
    back_to(last)
    assert.truthy(text():find('`<C-r>` brings them back.*', 1, true))
    assert.equal('note', transcript.page.blocks[#transcript.page.blocks].kind)
  end)

  it('names the command where the key is switched off', function()
    transcript.options = vim.tbl_extend('force', OPTIONS, { keys = { redo_back = false } })
    back_to(transcript.prompts[1].id)
    assert.truthy(text():find('`:Placet back redo` brings', 1, true))
  end)

  it('says that the files alone went back, until the way forward has ended', function()
    Transcript.apply(transcript, { kind = 'session_back', filesBack = true })
    assert.truthy(text():find('The files went back; the talk stayed. `<C-r>` brings', 1, true))
    back_to(transcript.prompts[2].id)
    assert.falsy(text():find('The files went back', 1, true))
    Transcript.apply(transcript, { kind = 'session_back', filesBack = true })
    assert.equal(1, select(2, text():gsub('The files went back', '')))
    back_to(nil)
    assert.falsy(text():find('went back', 1, true))
  end)

  it('has one way forward after two acts, and none after the way forward has ended', function()
    back_to(transcript.prompts[2].id)
    back_to(transcript.prompts[1].id)
    assert.equal(1, select(2, text():gsub('You went back', '')))
    back_to(nil)
    assert.falsy(text():find('You went back', 1, true))
    assert.is_nil(transcript.way_forward)
  end)
end)
