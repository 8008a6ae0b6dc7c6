import { readdirSync, readFileSync } from 'node:fs';
import * as path from 'node:path';
import { describe, expect, it } from 'vitest';
import { choicesOf } from '../../src/permissions/answers';
import { detailOf, isAllowedAtAGlance } from '../../src/permissions/request_text';
import type { RequestPermission } from '../../src/wire';

const request = (parts: Partial<RequestPermission> = {}): RequestPermission => ({
  requestId: 'per_1',
  sessionId: 'ses_1',
  origin: [],
  toolCall: { messageId: 'm', callId: 'c', tool: 'edit' },
  permission: 'edit',
  title: 'Edit a.py',
  patterns: ['a.py'],
  always: [],
  rule: '',
  parts: [],
  ...parts,
});
const change = { id: 'chg', files: [] };

describe('a permission', () => {
  it('can be given once or for good, or be refused with a reason', () => {
    const always = [{ scope: 'project' as const, patterns: ['cargo test *'] }];
    const labels = (requestPermission: RequestPermission) => choicesOf(requestPermission).map((choice) => choice.label);
    expect(labels(request({ always, command: 'cargo test' }))).toEqual([
      'Allow',
      'Allow in This Project',
      'Reject',
      'Reject with Feedback…',
    ]);
    expect(labels(request({ changeId: 'chg' }))).toEqual([
      'Accept All',
      'Review',
      'Reject All',
      'Reject with Feedback…',
    ]);
    expect(labels(request({ change })), 'of a daemon without waiting files').toEqual([
      'Allow',
      'Reject',
      'Reject with Feedback…',
    ]);
  });

  it('can be allowed in a notification only if it is whole, has one part, and its effect is proven', () => {
    const part = { pattern: 'make', action: 'ask' as const, by: '' };
    const command = 'git push';
    const cases: [boolean, Partial<RequestPermission>][] = [
      [true, { command, patterns: ['git push'], parts: [part] }],
      [false, { command, parts: [part, part] }],
      [false, { command, patterns: ['git push', 'unproved: it may change files'] }],
      [false, { command: `git push ${'x'.repeat(200)}` }],
      [false, { command: 'git push\nrm x' }],
      [false, { command, note: 'Asked again: you rejected this before.' }],
      [false, { change }],
      [false, { changeId: 'chg' }],
      [false, { arguments: '{}' }],
    ];
    expect(cases.map(([, parts]) => isAllowedAtAGlance(request(parts)))).toEqual(cases.map(([is]) => is));
  });

  it('says what would run and which rule asks', () => {
    const parts = [
      { pattern: 'git status', action: 'allow' as const, by: '' },
      { pattern: 'rm x', action: 'ask' as const, by: '' },
    ];
    const detail = detailOf(request({ command: 'git status && rm x', rule: 'bash: ask (built in)', parts }));
    expect(detail).toBe('allowed: git status; asked: rm x · Rule: bash: ask (built in)');
  });

  it('begins with the note of Placet, and has the words of the model before the rule, as a long line loses its end', () => {
    const described = {
      note: 'It cannot work inside the sandbox.',
      rule: 'sandbox: ask',
      description: 'The model says: “x”',
    };
    const detail = detailOf(request({ command: 'make', ...described }));
    expect(detail).toBe('It cannot work inside the sandbox. · The model says: “x” · Rule: sandbox: ask');
  });
});

it('the golden permission requests of the wire are understood', () => {
  const directory = path.join(__dirname, '../../../../tests/wire/golden');
  const golden = readdirSync(directory)
    .filter((name) => name.startsWith('editor.requestPermission'))
    .map((name) => JSON.parse(readFileSync(path.join(directory, name), 'utf8')));
  expect(golden.length).toBeGreaterThan(0);
  for (const { params } of golden) {
    expect(choicesOf(params).length).toBeGreaterThanOrEqual(3);
    expect(detailOf(params)).toBeTypeOf('string');
  }
});
