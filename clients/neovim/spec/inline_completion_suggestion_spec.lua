-- An item of the daemon becomes a suggestion only where it fits, and the suggestion is cut where a key says.
local suggestion = require('placet.inline_completion.suggestion')

---@param start integer
---@param stop integer
---@param line? integer
local function range(start, stop, line)
  return {
    start = { line = line or 3, character = start },
    ['end'] = { line = line or 3, character = stop },
  }
end

it('an item becomes a suggestion only where the item fits', function()
  local cases = {
    { 'x = |', 'a', range(4, 4), 'a', 0 },
    { 'x = |', 'a', nil, 'a', 0 },
    { 'x = |)', 'a', range(4, 4), 'a', 0 },
    { 'x = |)', 'a', range(4, 5), nil },
    { 'x|  ', ':\n  y', range(1, 3), ':\n  y', 2 },
    { 'x|  ', ':\r\n  y\rz', range(1, 3), ':\n  y\nz', 2 },
    { 'ä😀|', 'b', range(3, 3), 'b', 0 },
    { 'pr|', 'print', range(0, 2), 'int', 0 },
    { 'pr|', 'pr', range(0, 2), nil },
    { 'pr|', 'sum', range(0, 2), nil },
    { 'x = |', 'a', range(5, 5), 'a', 0 },
    { 'x = |', 'a', range(4, 4, 2), nil },
    { 'x = |', '', range(4, 4), nil },
    { 'x = |', { kind = 'snippet', value = 'f($1)' }, range(4, 4), nil },
  }
  for number, case in ipairs(cases) do
    local before, after = case[1]:match('^(.*)|(.*)$')
    local place = { row = 3, column = #before, line = before .. after }
    local got = suggestion.of_item({ insertText = case[2], range = case[3] }, place, 'utf-16')
    local wanted = case[4] and { text = case[4], before = before, after = after, replaced = case[5] } or nil
    assert.same({ number, wanted }, { number, got })
  end
end)

it('the typed beginning is taken off, and another beginning ends the suggestion', function()
  local of = { text = 'foo\n  b', before = '', after = '', replaced = 0 }
  for typed, rest in pairs({ [''] = 'foo\n  b', fo = 'o\n  b', ['foo\n'] = '  b' }) do
    assert.equal(rest, suggestion.rest(of, typed))
  end
  assert.is_nil(suggestion.rest(of, 'foo\n  b'))
  assert.is_nil(suggestion.rest(of, 'fa'))
end)

it('a word takes the blanks before it, and a line takes the line ending before it', function()
  for text, parts in pairs({
    ['foo(bar)'] = { 'foo', 'foo(bar)' },
    ['(bar)'] = { '(', '(bar)' },
    ['  x.y\nz'] = { '  x', '  x.y' },
    ['\n  return y\n'] = { '\n  return', '\n  return y' },
    ['größe = 1'] = { 'größe', 'größe = 1' },
    ['); // end'] = { ');', '); // end' },
    ['   '] = { '   ', '   ' },
  }) do
    assert.same({ text, parts[1], parts[2], text }, {
      text,
      suggestion.part(text, 'word'),
      suggestion.part(text, 'line'),
      suggestion.part(text, 'all'),
    })
  end
end)
