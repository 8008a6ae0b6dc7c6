import { expect, test } from 'vitest';
import { actionsOf, listedServer, problemText } from '../../src/mcp/server_list';
import type { McpServerInfo } from '../../src/wire';

function server(more: Partial<McpServerInfo> = {}): McpServerInfo {
  const none = { problems: [], tools: [], prompts: [], resources: 0, signedIn: false, takesInput: false };
  return { name: 'odd', state: 'connected', kind: 'local', ...none, ...more };
}

const actions = (more: Partial<McpServerInfo>) => actionsOf(server(more)).map(({ action }) => action);

test('a server is listed with what it has, or with what is wrong', () => {
  const there = listedServer(server({ tools: ['odd_do'], prompts: ['odd:write'], resources: 2 }));
  expect([there.icon, there.label, there.description, there.detail]).toEqual([
    'pass',
    'odd',
    'connected',
    '1 tool, 1 prompt, 2 resources',
  ]);
  const problems = ['There is no program odd.', 'Another thing.'];
  const failed = listedServer(server({ state: 'failed', problems }));
  expect([failed.label, failed.detail]).toEqual(['odd', problems[0]]);
  expect(listedServer(server({ problems })).icon).toBe('warning');
  const asking = listedServer(server({ state: 'needs_input', takesInput: true }));
  expect([asking.icon, asking.description]).toEqual(['edit', 'values required']);
  expect(problemText(server({ state: 'failed', problems }))).toBe(
    '# odd: failed\n\nThere is no program odd.\n\nAnother thing.\n',
  );
});

test('what can be done with a server goes by how it is, the likeliest first', () => {
  expect(actions({})).toEqual(['connect', 'disconnect']);
  expect(actions({ state: 'disabled' })).toEqual(['connect']);
  expect(actions({ state: 'failed', problems: ['x'] })).toEqual(['trouble', 'connect']);
  expect(actions({ state: 'needs_auth', kind: 'remote', problems: ['x'] })).toEqual(['auth', 'trouble', 'connect']);
  expect(actions({ state: 'needs_input', takesInput: true, problems: ['x'] })).toEqual(['input', 'trouble', 'connect']);
  expect(actions({ takesInput: true })).toEqual(['connect', 'disconnect', 'input']);
  expect(actions({ kind: 'remote' })).toEqual(['connect', 'disconnect', 'auth']);
  expect(actions({ kind: 'remote', signedIn: true })).toEqual(['connect', 'disconnect', 'logout']);
});
