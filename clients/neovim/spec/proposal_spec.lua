local proposal = require('placet.hunks.proposal')

---The differences between two texts, as the daemon lists them.
local function hunks_between(old, new)
  local old_lines, new_lines, hunks = proposal.lines_of(old), proposal.lines_of(new), {}
  local spans = (vim.text.diff or vim.diff)(old, new, { result_type = 'indices' })
  for _, span in ipairs(spans) do
    local old_start = span[2] == 0 and span[1] or span[1] - 1
    local new_start = span[4] == 0 and span[3] or span[3] - 1
    hunks[#hunks + 1] = {
      oldStart = old_start,
      oldLines = vim.list_slice(old_lines, old_start + 1, old_start + span[2]),
      newStart = new_start,
      newLines = vim.list_slice(new_lines, new_start + 1, new_start + span[4]),
    }
  end
  return hunks
end

---A file that is proposed, with its hunks as units.
local function proposed(old, new)
  local hunks = hunks_between(old, new)
  local units = vim.tbl_map(function(hunk)
    return { hunk = hunk }
  end, hunks)
  return { oldText = old, newText = new, hunks = hunks }, units
end

local function selected(...)
  local chosen = { ... }
  return function(index)
    return vim.list_contains(chosen, index)
  end
end

describe('the text of a file with some of its hunks', function()
  local cases = {
    { 'nothing', 'a\n', 'a\n' },
    { 'a line between', 'a\nc\n', 'a\nb\nc\n' },
    { 'a first line', 'b\n', 'a\nb\n' },
    { 'a last line', 'a\n', 'a\nb\n' },
    { 'lines that go', 'a\nb\nc\n', 'c\n' },
    { 'all of it', 'a\n', 'b\n' },
    { 'a text of nothing', '', 'a\nb\n' },
    { 'nothing of a text', 'a\nb\n', '' },
    { 'a final line end', 'a', 'a\n' },
    { 'one that goes', 'a\nb\n', 'a\nb' },
    { 'several places', 'a\nb\nc\nd\ne\n', 'A\nb\nc\nD\nd\n' },
  }
  for _, case in ipairs(cases) do
    it('is the new text with all hunks, and the old text with none: ' .. case[1], function()
      local file, units = proposed(case[2], case[3])
      assert.equal(case[3], proposal.text(file, units))
      assert.equal(case[2], proposal.text(file, {}))
    end)
  end

  it('is the new text with all hunks of random texts', function()
    math.randomseed(7)
    local function random_text()
      local lines = {}
      for index = 1, math.random(0, 8) do
        lines[index] = ('%s\n'):format(('abc'):sub(math.random(3)):sub(1, 1))
      end
      local text = table.concat(lines)
      return math.random(4) == 1 and text:sub(1, -2) or text
    end
    for _ = 1, 500 do
      local old, new = random_text(), random_text()
      local file, units = proposed(old, new)
      assert.equal(new, proposal.text(file, units))
    end
  end)
end)

describe('a part of a hunk', function()
  local hunk = hunks_between('a\nb\nc\n', 'A\nB\nC\n')[1]

  it('changes only the selected lines', function()
    assert.same({ 'a\n', 'B\n', 'c\n' }, proposal.partial(hunk, selected(2), selected()).newLines)
    assert.same({ 'A\n', 'b\n', 'c\n' }, proposal.partial(hunk, selected(), selected(1)).newLines)
  end)

  it('changes nothing without a selection, and all lines with a full selection', function()
    assert.same(hunk.oldLines, proposal.partial(hunk, selected(), selected()).newLines)
    assert.same(hunk.newLines, proposal.partial(hunk, selected(1, 2, 3), selected()).newLines)
  end)

  it('omits an unselected new line', function()
    local coming = hunks_between('a\n', 'a\nb\nc\n')[1]
    assert.same({ 'c\n' }, proposal.partial(coming, selected(), selected(2)).newLines)
  end)

  it('keeps an unselected old line', function()
    local going = hunks_between('a\nb\nc\n', 'a\n')[1]
    assert.same({ 'b\n' }, proposal.partial(going, selected(2), selected()).newLines)
  end)

  it('contains all lines where the number of lines changes', function()
    local other = hunks_between('one\n', 'x\ny\n')[1]
    assert.same({ 'x\n', 'y\n' }, proposal.partial(other, selected(1), selected()).newLines)
    assert.same({ 'one\n' }, proposal.partial(other, selected(), selected()).newLines)
  end)
end)

describe('lines that the user wrote for a hunk', function()
  it('end like the proposed lines', function()
    local function written(proposed_line)
      local hunk = { oldLines = {}, newLines = { proposed_line } }
      return proposal.with_lines(hunk, { 'x', 'y' }).newLines
    end
    assert.same({ 'x\n', 'y\n' }, written('a\n'))
    assert.same({ 'x\n', 'y' }, written('a'))
    assert.same({}, proposal.with_lines({ oldLines = { 'a' }, newLines = {} }, {}).newLines)
  end)
end)
