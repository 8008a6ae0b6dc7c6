local lsp_diagnostic = require('placet.editor.lsp_diagnostic')

local URI = 'file:///a'
local function line_of()
  return 'ä = 1'
end

describe("a linter's diagnostic", function()
  it('is stored in bytes, and converted to the encoding of the client', function()
    local diagnostic =
      { lnum = 0, col = 2, end_lnum = 0, end_col = 3, severity = 1, message = 'm', source = 's' }
    local converted = lsp_diagnostic.from(diagnostic, URI, nil, 'utf-16', line_of)
    assert.same(
      { start = { line = 0, character = 1 }, ['end'] = { line = 0, character = 2 } },
      converted.range
    )
    assert.same({ 1, 'm', 's' }, { converted.severity, converted.message, converted.source })
  end)

  it('without an end is at one place', function()
    local converted = lsp_diagnostic.from({ lnum = 3, col = 0, message = 'm' }, URI, nil, 'utf-8', line_of)
    assert.same(converted.range.start, converted.range['end'])
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
  local diagnostic = { lnum = 0, col = 2, severity = 2, message = 'as shown', user_data = { lsp = said } }

  it('has all fields of the server, and the data unchanged', function()
    local converted = lsp_diagnostic.from(diagnostic, URI, client, 'utf-8', line_of)
    assert.equal('E1', converted.code)
    assert.same(said.data, converted.data)
    assert.same({ 2, 3 }, { converted.range.start.character, converted.range['end'].character })
  end)

  it('has the severity and the message on the screen', function()
    local converted = lsp_diagnostic.from(diagnostic, URI, client, 'utf-8', line_of)
    assert.same({ 2, 'as shown' }, { converted.severity, converted.message })
  end)

  it('of a server without own fields is converted like a diagnostic of a linter', function()
    local bare = { lnum = 0, col = 2, message = 'm', user_data = { lsp = {} } }
    assert.equal(2, lsp_diagnostic.from(bare, URI, client, 'utf-8', line_of).range.start.character)
  end)
end)
