local positions = require('placet.editor.positions')

local LINE = 'ä𝄞x'
local FILE = 'file:///a'

---@param lines? table<string, string>
local function line_of(lines)
  return function(uri, line)
    return line == 0 and (lines or { [FILE] = LINE })[uri] or nil
  end
end

local function at(character, line)
  return { line = line or 0, character = character }
end

describe('a position', function()
  it('is converted between encodings', function()
    local counted = { ['utf-8'] = 6, ['utf-16'] = 3, ['utf-32'] = 2 }
    for from, given in pairs(counted) do
      for to, expected in pairs(counted) do
        assert.same(at(expected), positions.convert(at(given), FILE, from, to, line_of()))
      end
    end
  end)

  it('beyond the line is clamped to the end', function()
    assert.same(at(4), positions.convert(at(99), FILE, 'utf-32', 'utf-16', line_of()))
  end)

  it('on an unknown line stays', function()
    assert.same(at(2, 7), positions.convert(at(2, 7), FILE, 'utf-32', 'utf-8', line_of()))
  end)
end)

describe('in any value of LSP', function()
  local function turned(value, lines)
    return positions.convert(value, FILE, 'utf-32', 'utf-8', line_of(lines))
  end

  it('every position is converted and the argument stays', function()
    local value = { { range = { start = at(1), ['end'] = at(2) }, name = 'x' } }
    local before = vim.deepcopy(value)
    assert.same({ { range = { start = at(2), ['end'] = at(6) }, name = 'x' } }, turned(value))
    assert.same(before, value)
  end)

  it('a position belongs to the nearest enclosing uri', function()
    local lines = { [FILE] = 'plain', ['file:///b'] = LINE }
    local value = { uri = 'file:///b', range = { start = at(1), ['end'] = at(2) } }
    assert.same(at(6), turned(value, lines).range['end'])
  end)

  it('the origin of a link lies in the requested document', function()
    local value = {
      originSelectionRange = { start = at(0), ['end'] = at(1) },
      targetUri = 'file:///b',
      targetRange = { start = at(0), ['end'] = at(1) },
    }
    local lines = { [FILE] = LINE, ['file:///b'] = 'plain' }
    assert.equal(2, turned(value, lines).originSelectionRange['end'].character)
    assert.equal(1, turned(value, lines).targetRange['end'].character)
  end)

  it('edits in `changes` belong to the file of the key', function()
    local lines = { [FILE] = 'plain', ['file:///b'] = LINE }
    local edit = { newText = '', range = { start = at(0), ['end'] = at(1) } }
    local value = { changes = { ['file:///b'] = { edit } } }
    assert.equal(2, turned(value, lines).changes['file:///b'][1].range['end'].character)
  end)

  it('data of a server stays unchanged', function()
    local value = { data = { position = at(1) }, command = { arguments = { at(1) } } }
    assert.same(value, turned(value))
  end)

  it('an empty object stays an object', function()
    assert.equal('{}', vim.json.encode(turned(vim.empty_dict())))
    assert.equal('{"changes":{}}', vim.json.encode(turned({ changes = vim.empty_dict() })))
  end)
end)

it('lines of a file without buffer are read from disk', function()
  local path = vim.fn.tempname()
  vim.fn.writefile({ 'first', 'zweite ä' }, path)
  local line_of_file = positions.lines()
  assert.equal('zweite ä', line_of_file(vim.uri_from_fname(path), 1))
  assert.is_nil(line_of_file(vim.uri_from_fname(path), 9))
  assert.is_nil(line_of_file('untitled:1', 0))
  vim.fn.delete(path)
end)
