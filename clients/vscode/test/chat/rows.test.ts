import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { filesOf, readChange, rejectedHunks } from '../../src/chat/changes';
import { Conversation } from '../../src/chat/conversation';
import type { SessionEvent, Update } from '../../src/wire';
import { shownTool } from '../../webview/conversation/tool_text';
import { RowMaker } from '../../webview/state/rows';
import { INFO } from './session_info';

const USER = 'msg_18f0c2d4b00001aBcDeFgHi';
const ANSWER = 'msg_18f0c2d4c30002jKlMnOpQr';

function shared(name: string): SessionEvent[] {
  const url = new URL(`../../../../tests/wire/transcripts/${name}.json`, import.meta.url);
  return (JSON.parse(readFileSync(url, 'utf8')) as { events: SessionEvent[] }).events;
}

function conversationOf(events: readonly SessionEvent[]): Conversation {
  const conversation = new Conversation(INFO);
  for (const event of events) {
    conversation.apply(event);
  }
  return conversation;
}

function after(conversation: Conversation, update: Update): void {
  conversation.apply({ sessionId: 'ses_1', seq: conversation.seq + 1, update });
}

function kinds(conversation: Conversation): string[] {
  return new RowMaker().rows(conversation).map((row) => row.kind);
}

test('a turn is its prompt, its thinking, its words, its calls and what it changed', () => {
  expect(kinds(conversationOf(shared('a_turn')))).toEqual(['user', 'thought', 'block', 'tool', 'block', 'changes']);
});

test('a turn that runs says what it does', () => {
  const conversation = conversationOf(shared('a_turn').slice(0, 8));
  expect(new RowMaker().rows(conversation).at(-1)).toEqual({ kind: 'busy', key: 'busy', text: 'Writing' });
});

test('a failed turn shows its retries, its notices and its error with the hint', () => {
  expect(kinds(conversationOf(shared('steered_and_failed')))).toEqual([
    'user',
    'note',
    'note',
    'tool',
    'user',
    'note',
    'note',
  ]);
});

test('a row that has not changed is the same object', () => {
  const conversation = conversationOf(shared('a_turn').slice(0, 8));
  const maker = new RowMaker();
  const before = maker.rows(conversation);
  after(conversation, {
    kind: 'agent_message_chunk',
    messageId: ANSWER,
    partId: 'prt_new',
    offset: 0,
    text: 'More.',
  });
  const rows = maker.rows(conversation);
  expect(rows.find((row) => row.kind === 'user')).toBe(before.find((row) => row.kind === 'user'));
  expect(rows.find((row) => row.kind === 'block')).toBe(before.find((row) => row.kind === 'block'));
});

test('keys are unique, and stay what they are', () => {
  const conversation = conversationOf(shared('a_turn'));
  const keys = new RowMaker().rows(conversation).map((row) => row.key);
  expect(new Set(keys).size).toBe(keys.length);
  expect(new RowMaker().rows(conversation).map((row) => row.key)).toEqual(keys);
});

test('a summary of the conversation is one row and no answer', () => {
  const rows = new RowMaker().rows(conversationOf(shared('reverted_and_compacted')));
  expect(rows.filter((row) => row.kind === 'compaction').length).toBe(1);
  expect(rows.filter((row) => row.kind === 'block')).toEqual([]);
});

test('cost is what was spent before and since, and the context is as last told', () => {
  const conversation = new Conversation({ ...INFO, usage: { tokens: noTokens(), cost: 1 } });
  for (const event of shared('a_turn')) {
    conversation.apply(event);
    conversation.apply(event);
  }
  expect(conversation.cost).toBeCloseTo(1.01);
  expect(conversation.context).toEqual({ used: 1285, size: 200_000 });
});

test('a turn that the daemon died in is over, and a later one runs', () => {
  const conversation = conversationOf(shared('a_turn').slice(0, 3));
  expect(conversation.turnId).toBe(USER);
  conversation.endTurnsUntil(conversation.seq);
  expect(conversation.turnId).toBeUndefined();
  after(conversation, { kind: 'turn_started', turnId: 'msg_later' });
  expect(conversation.turnId).toBe('msg_later');
});

test('what the daemon says of changes leaves the counts that are known', () => {
  const conversation = conversationOf(shared('a_turn'));
  const files = [{ uri: 'file:///p/hello.py', kind: 'modify' as const, reverted: true }];
  const listed = { id: 'chg_1', messageId: ANSWER, turnId: USER, kind: 'edit', state: 'reverted', undoes: [] } as const;
  conversation.setChanges([{ ...listed, undoes: [], files }]);
  const change = conversation.changes.get('chg_1');
  expect(change?.state).toBe('reverted');
  expect(change?.files[0]?.additions).toBe(2);
});

test('undoes and failures are no changes', () => {
  const change = { id: 'chg_1', undoes: [], files: [] };
  expect(readChange({ ...change, kind: 'undo', state: 'applied' })).toBeUndefined();
  expect(readChange({ ...change, kind: 'edit', state: 'failed' })).toBeUndefined();
  expect(readChange({ ...change, kind: 'edit', state: 'planned' })?.state).toBe('proposed');
});

test('what was refused stands beside what was applied, and a file refused whole by itself', () => {
  const hunk = { id: 2, oldStart: 4, oldLines: ['a\n'], newStart: 4, newLines: ['b\n'] };
  const half = { uri: 'file:///half.py', kind: 'modify', additions: 1, deletions: 0, diff: '+x' } as const;
  const files = filesOf({
    kind: 'change_applied',
    messageId: ANSWER,
    changeId: 'chg_1',
    files: [half],
    refused: [
      { uri: half.uri, kind: 'modify', whole: false, hunks: [hunk] },
      { uri: 'file:///whole.py', kind: 'create', whole: true, hunks: [hunk] },
    ],
  });
  expect(files.map((file) => [file.uri, file.state, rejectedHunks(file).length])).toEqual([
    [half.uri, undefined, 1],
    ['file:///whole.py', 'dropped', 1],
  ]);
});

test('a turn that was broken off says so, with the way on if it was the last', () => {
  const conversation = conversationOf(shared('a_turn').slice(0, 3));
  conversation.endTurnsUntil(conversation.seq);
  const last = new RowMaker().rows(conversation).at(-1);
  expect(last).toMatchObject({ kind: 'note', tone: 'warning', next: { label: 'Continue' } });
});

test('rows of a long conversation are made bit by bit, and are the same in the end', () => {
  const conversation = conversationOf(shared('a_turn'));
  const maker = new RowMaker();
  expect(maker.rowsBefore(performance.now() - 1, conversation)).toBeUndefined();
  expect(maker.rows(conversation)).toEqual(new RowMaker().rows(conversation));
});

test('a long output is shown by its end, and all of it can be opened', () => {
  const output = `${'x'.repeat(10_000)}end`;
  const state = { status: 'running', input: { command: 'make' }, title: '', metadata: { output }, start: 1 } as const;
  const shown = shownTool({ id: 'p', type: 'tool', callId: 'c', tool: 'bash', state });
  expect(shown.output.endsWith('end')).toBe(true);
  expect(shown.output.length).toBeLessThan(7000);
  expect([shown.more, shown.title, shown.command]).toEqual([output, 'make', 'make']);
});

test('a shell command says whether the sandbox held it', () => {
  const place = (sandbox?: string) => {
    const metadata = sandbox === undefined ? {} : { sandbox };
    const state = { status: 'running', input: { command: 'make' }, title: '', metadata, start: 1 } as const;
    return shownTool({ id: 'p', type: 'tool', callId: 'c', tool: 'bash', state }).sandbox;
  };
  expect([place('inside'), place('outside'), place()]).toEqual(['sandboxed', 'outside the sandbox', '']);
});

test('a shell command that failed says its exit code', () => {
  const exit = (code?: number) => {
    const metadata = code === undefined ? {} : { exit: code };
    const state = { status: 'running', input: { command: 'make' }, title: '', metadata, start: 1 } as const;
    return shownTool({ id: 'p', type: 'tool', callId: 'c', tool: 'bash', state }).exit;
  };
  expect([exit(97), exit(0), exit()]).toEqual(['exit 97', '', '']);
});

function noTokens() {
  return { input: 0, output: 0, reasoning: 0, cacheRead: 0, cacheWrite: 0 };
}

test('three finished looks of one kind that follow each other are one row, and a running look is not', () => {
  const conversation = conversationOf([]);
  const look = (number: number, tool: string, status: 'completed' | 'running') => ({
    sessionId: 'ses_1',
    seq: 10 + number,
    update: {
      kind: 'tool_call' as const,
      messageId: 'msg_2',
      part: {
        id: `prt_${number}`,
        type: 'tool' as const,
        callId: `call_${number}`,
        tool,
        state: { status, input: {}, title: `${number}`, output: '', metadata: {}, attachments: [], start: 1, end: 2 },
      },
    },
  });
  const message = {
    role: 'assistant',
    id: 'msg_2',
    parentId: 'msg_1',
    created: 1,
    agent: 'a',
    model: 'm',
    summary: false,
  };
  const tokens = { input: 0, output: 0, reasoning: 0, cacheRead: 0, cacheWrite: 0 };
  const begun = { kind: 'agent_message', message: { ...message, tokens, cost: 0, parts: [] } };
  conversation.apply({ sessionId: 'ses_1', seq: 1, update: begun as never });
  const maker = new RowMaker();
  const kinds = () => maker.rows(conversation).map((row) => row.kind);
  for (const number of [1, 2]) {
    conversation.apply(look(number, 'read', 'completed') as never);
  }
  expect(kinds()).toEqual(['tool', 'tool']);
  conversation.apply(look(3, 'read', 'completed') as never);
  conversation.apply(look(4, 'read', 'running') as never);
  conversation.apply(look(5, 'grep', 'completed') as never);
  expect(kinds()).toEqual(['calls', 'tool', 'tool']);
  expect(maker.rows(conversation)[0]).toBe(maker.rows(conversation)[0]);
  conversation.apply(look(4, 'read', 'completed') as never);
  expect(maker.rows(conversation)[0]).toMatchObject({ kind: 'calls', key: 'calls:prt_1', rows: { length: 4 } });
});
