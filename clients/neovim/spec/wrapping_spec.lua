local wrapping = require('placet.hunks.wrapping')

---Return the rows of a text as plain text.
local function rows(text, width, options)
  local shape = vim.tbl_extend('force', { width = width, height = 9, tabs = { 4 }, lead = '' }, options or {})
  local found, widths = wrapping.rows(type(text) == 'string' and { { text, 'A' } } or text, shape)
  local plain = vim.tbl_map(function(row)
    return table.concat(vim.tbl_map(function(chunk)
      return chunk[1]
    end, row))
  end, found)
  for index, row in ipairs(plain) do
    assert.equal(vim.api.nvim_strwidth(row), widths[index])
  end
  return plain
end

describe('a line in rows', function()
  local cases = {
    { 'an empty line is one row', '', 4, { '' } },
    { 'a line that fits is one row', 'abcd', 4, { 'abcd' } },
    { 'a wider line is wrapped', 'abcdefghij', 4, { 'abcd', 'efgh', 'ij' } },
    { 'a wide character is never halved', 'abc界界', 4, { 'abc', '界界' } },
    { 'a combining character stays with its base', 'abce\204\129f', 4, { 'abce\204\129', 'f' } },
    {
      'a character of several code points stays whole',
      'abc👨‍👩‍👧d',
      4,
      { 'abc', '👨‍👩‍👧d' },
    },
    { 'a tab goes to the next stop of the line', 'a\tb', 8, { 'a   b' } },
    { 'a tab goes over the edge', 'abcde\tb', 6, { 'abcde ', '  b' } },
    { 'a control character is spelled', 'a\1b\0c', 9, { 'a^Ab^@c' } },
    { 'an invisible character is as wide as its spelling', 'a\226\128\139b', 7, { 'a\226\128\139', 'b' } },
    { 'a width of one column holds a wide character alone', 'a界b', 1, { 'a', '界', 'b' } },
  }
  for _, case in ipairs(cases) do
    it(case[1], function()
      assert.same(case[4], rows(case[2], case[3]))
    end)
  end

  it('tabs have the widths of vartabstop', function()
    assert.same({ 'a b    c    d' }, rows('a\tb\tc\td', 20, { tabs = { 2, 5 } }))
  end)

  it('further rows begin with the lead', function()
    assert.same({ 'abcd', '> ef', '> g' }, rows('abcdefg', 4, { lead = '> ' }))
    assert.same({ 'ab', 'cd' }, rows('abcd', 2, { lead = '> ' }))
  end)

  it('each chunk keeps its group over the edge', function()
    local line = { { 'abc', 'A' }, { '', 'B' }, { 'def', 'C' } }
    local found = wrapping.rows(line, { width = 2, height = 9, tabs = { 8 }, lead = '' })
    assert.same({ { { 'ab', 'A' } }, { { 'c', 'A' }, { 'd', 'C' } }, { { 'ef', 'C' } } }, found)
  end)

  it('a chunk that begins with a combining character takes nothing from its base', function()
    assert.same({ 'ae\204\129', 'b' }, rows({ { 'ae', 'A' }, { '\204\129b', 'B' } }, 2))
  end)
end)
