local text = require('placet.editor.text')

local function edit(first_line, first, last_line, last, new)
  return {
    range = {
      start = { line = first_line, character = first },
      ['end'] = { line = last_line, character = last },
    },
    newText = new,
  }
end

describe('edits on a text', function()
  local cases = {
    { 'none', 'a\n', {}, 'a\n' },
    { 'an insertion into nothing', '', { edit(0, 0, 0, 0, 'a') }, 'a' },
    { 'behind the last line', 'a', { edit(9, 0, 9, 0, '\nb') }, 'a\nb' },
    { 'a column behind its line stops before the ending', 'a\r\nb', { edit(0, 9, 0, 9, '!') }, 'a!\r\nb' },
    { 'a deletion over three lines', 'a\nb\nc\n', { edit(0, 1, 2, 0, '') }, 'ac\n' },
    { 'a lone \\r ends a line', 'a\rb\rc', { edit(1, 0, 1, 1, 'B') }, 'a\rB\rc' },
    { 'a form feed does not', 'a\fb\nc', { edit(1, 0, 1, 1, 'C') }, 'a\fb\nC' },
    { 'in any order', 'abc', { edit(0, 2, 0, 3, 'C'), edit(0, 0, 0, 1, 'A') }, 'AbC' },
    { 'two at one place as they came', 'a', { edit(0, 1, 0, 1, '1'), edit(0, 1, 0, 1, '2') }, 'a12' },
    { 'one that begins where another ends', 'ab', { edit(0, 1, 0, 2, 'B'), edit(0, 0, 0, 1, 'A') }, 'AB' },
  }
  for _, case in ipairs(cases) do
    it('apply: ' .. case[1], function()
      assert.equal(case[4], text.apply_edits(case[2], case[3], 'utf-8'))
    end)
  end

  it('count columns in the given encoding', function()
    local line = 'ä𝄞x'
    assert.equal('ä𝄞X', text.apply_edits(line, { edit(0, 6, 0, 7, 'X') }, 'utf-8'))
    assert.equal('ä𝄞X', text.apply_edits(line, { edit(0, 3, 0, 4, 'X') }, 'utf-16'))
    assert.equal('ä𝄞X', text.apply_edits(line, { edit(0, 2, 0, 3, 'X') }, 'utf-32'))
  end)

  it('are refused when edits overlap', function()
    local result, reason = text.apply_edits('abcd', { edit(0, 0, 0, 3, ''), edit(0, 2, 0, 4, '') }, 'utf-8')
    assert.is_nil(result)
    assert.equal('the edits overlap', reason)
  end)

  it('are refused when an edit ends before the start', function()
    assert.is_nil((text.apply_edits('abcd', { edit(0, 3, 0, 1, '') }, 'utf-8')))
  end)
end)

describe('a text and the lines of a buffer', function()
  for fileformat, ending in pairs({ unix = '\n', dos = '\r\n', mac = '\r' }) do
    for _, shape in ipairs({ '', 'a', 'a%s', 'a%sb', '%s', '%s%s', 'a%s%sb%s' }) do
      it(('are equal in %s: %s'):format(fileformat, shape:gsub('%%s', '|')), function()
        local whole = shape:gsub('%%s', ending)
        local lines, has_final_ending = text.to_lines(whole, fileformat)
        assert.equal(whole, text.from_lines(assert(lines), fileformat, has_final_ending == true))
      end)
    end
  end

  it('differ where a line has another ending', function()
    local lines, reason = text.to_lines('a\r\nb\nc', 'dos')
    assert.is_nil(lines)
    assert.equal('a line of the new text does not end as fileformat=dos wants', reason)
  end)

  it('differ where the text has NUL bytes', function()
    assert.is_nil((text.to_lines('a\0b', 'unix')))
  end)

  it('a carriage return inside a Unix line stays', function()
    assert.same({ 'a\r', 'b' }, (text.to_lines('a\r\nb\n', 'unix')))
  end)
end)

describe('the file format of a new text', function()
  for whole, expected in pairs({
    [''] = 'unix',
    ['a'] = 'unix',
    ['a\n'] = 'unix',
    ['a\r\n'] = 'dos',
    ['a\r\nb'] = 'dos',
    ['a\r\nb\n'] = 'unix',
    ['a\rb'] = 'unix',
  }) do
    it(('is %s for %q'):format(expected, whole), function()
      assert.equal(expected, text.fileformat_of(whole))
    end)
  end
end)

describe('shared ends', function()
  for _, case in ipairs({
    { 'abc', 'abc', 3, 0 },
    { 'abc', 'axc', 1, 1 },
    { 'aaa', 'aa', 2, 0 },
    { '', 'a', 0, 0 },
    { 'ä', 'ö', 0, 0 },
    { 'xä', 'xö', 1, 0 },
    { 'äx', 'öx', 0, 1 },
    { '𝄞', '𝄢', 0, 0 },
    { 'ä', 'Ĥ', 0, 0 },
    { 'xäz', 'yĤz', 0, 1 },
  }) do
    it(('of %s and %s stop at borders of characters'):format(case[1], case[2]), function()
      assert.same({ case[3], case[4] }, { text.shared_ends(case[1], case[2]) })
    end)
  end
end)

it('line endings of every kind become \\n', function()
  assert.equal('a\nb\nc\n\nd', text.to_lf('a\r\nb\rc\n\r\nd'))
end)
