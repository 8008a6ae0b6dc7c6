local lsp_diagnostic = require('placet.editor.lsp_diagnostic')

local URI = 'file:///a'
local function line_of()
  return 'ä = 1'
end

describe("a linter's diagnostic", function()
  it('is said in bytes, and told in the encoding wanted', function()
    local found = { lnum = 0, col = 2, end_lnum = 0, end_col = 3, severity = 1, message = 'm', source = 's' }
    local told = lsp_diagnostic.from(found, URI, nil, 'utf-16', line_of)
    assert.same({ start = { line = 0, character = 1 }, ['end'] = { line = 0, character = 2 } }, told.range)
    assert.same({ 1, 'm', 's' }, { told.severity, told.message, told.source })
  end)

  it('without an end is at one place', function()
    local told = lsp_diagnostic.from({ lnum = 3, col = 0, message = 'm' }, URI, nil, 'utf-8', line_of)
    assert.same(told.range.start, told.range['end'])
  end)
end)

describe("a server's diagnostic", function()
  local client = { offset_encoding = 'utf-16' }
  local said = {
    range = { start = { line = 0, character = 1 }, ['end'] = { line = 0, character = 2 } },
    severity = 1,
    message = 'as the server said it',
    code = 'E1',
    data = { fix = { line = 0, character = 1 } },
  }
  local found = { lnum = 0, col = 2, severity = 2, message = 'as shown', user_data = { lsp = said } }

  it('is told with all the server said, and its data as it came', function()
    local told = lsp_diagnostic.from(found, URI, client, 'utf-8', line_of)
    assert.equal('E1', told.code)
    assert.same(said.data, told.data)
    assert.same({ 2, 3 }, { told.range.start.character, told.range['end'].character })
  end)

  it('is told with the severity and the words that the user sees', function()
    local told = lsp_diagnostic.from(found, URI, client, 'utf-8', line_of)
    assert.same({ 2, 'as shown' }, { told.severity, told.message })
  end)

  it('whose server said nothing more is told as a linter is', function()
    local bare = { lnum = 0, col = 2, message = 'm', user_data = { lsp = {} } }
    assert.equal(2, lsp_diagnostic.from(bare, URI, client, 'utf-8', line_of).range.start.character)
  end)
end)
