import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Agent, Status } from '../../src/agent';
import { AskDesk } from '../../src/chat/asks';
import { Bridge, type Host, TOGETHER_MS } from '../../src/chat/bridge';
import { readFromPage, type ToPage } from '../../src/chat/messages';
import { pageHtml, policy } from '../../src/chat/page';
import type { SessionEvent } from '../../src/wire';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function event(seq: number): SessionEvent {
  return { sessionId: 'ses_1', seq, update: { kind: 'session_info_update', title: `${seq}` } };
}

function opened(answer: (method: string) => unknown = () => ({})) {
  const posted: ToPage[] = [];
  const done: unknown[] = [];
  let update: (one: SessionEvent) => void = () => {};
  const status: Status = { state: 'ready', running: [], waiting: 0 };
  const agent = {
    request: async (method: string) => answer(method),
    notify: (...told: unknown[]) => done.push(told),
    onUpdate: (listener: typeof update) => {
      update = listener;
      return { dispose: () => {} };
    },
    onStatus: () => ({ dispose: () => {} }),
    status,
  } as unknown as Agent;
  const host = {
    serve: async () => true,
    openLink: (url: string) => done.push(url),
    review: (id: string) => done.push(id),
  } as unknown as Host;
  const desk = new AskDesk();
  const bridge = new Bridge(agent, desk, host, (message) => posted.push(message));
  return { bridge, posted, done, desk, update: (one: SessionEvent) => update(one) };
}

test('events of one frame go together', () => {
  const { posted, update } = opened();
  update(event(1));
  update(event(2));
  expect(posted).toEqual([]);
  vi.advanceTimersByTime(TOGETHER_MS);
  expect(posted).toEqual([{ type: 'events', events: [event(1), event(2)] }]);
});

test('an answer comes behind the events that came before it', async () => {
  const { bridge, posted, update } = opened(() => 'loaded');
  update(event(1));
  await bridge.receive({ type: 'request', id: 7, method: 'agent/session/load', params: { sessionId: 'ses_1' } });
  expect(posted.map((one) => one.type)).toEqual(['events', 'answered']);
  expect(posted[1]).toEqual({ type: 'answered', id: 7, result: 'loaded' });
});

test('a failure is told in the words of the daemon', async () => {
  const { bridge, posted } = opened(() => {
    throw new Error('There is no such session.');
  });
  await bridge.receive({ type: 'request', id: 1, method: 'agent/prompt', params: {} });
  expect(posted).toEqual([{ type: 'failed', id: 1, message: 'There is no such session.' }]);
});

test('one answer ends an ask for everyone', async () => {
  const { bridge, posted, desk } = opened();
  const request = { requestId: 'per_1', sessionId: 'ses_1' } as never;
  const answer = desk.put({ kind: 'permission', id: 'per_1', request });
  await bridge.receive({ type: 'answer', id: 'per_1', answer: { outcome: 'once' } });
  await bridge.receive({ type: 'answer', id: 'per_1', answer: { outcome: 'reject' } });
  expect(await answer).toEqual({ outcome: 'once' });
  expect(posted.map((one) => (one.type === 'asks' ? one.asks.length : -1))).toEqual([1, 0]);
});

test('an ask that the daemon withdraws is dismissed, and a question declined', async () => {
  const { desk } = opened();
  const permission = desk.put({ kind: 'permission', id: 'a', request: {} as never });
  const question = desk.put({ kind: 'question', id: 'b', request: {} as never });
  desk.withdraw('a');
  desk.withdraw('b');
  expect([await permission, await question]).toEqual([{ outcome: 'dismissed' }, { answers: null }]);
});

test('only web addresses are opened', async () => {
  const { bridge, done } = opened();
  for (const url of ['https://a.example/', 'command:workbench.action.quit', 'file:///etc/passwd', 'javascript:1']) {
    await bridge.receive({ type: 'openLink', url });
  }
  expect(done).toEqual(['https://a.example/']);
});

test('what the page may not say is dropped', () => {
  const wrong = [
    null,
    'ready',
    { type: 'constructor' },
    { type: 'request', id: 1, method: 'agent/permission/revoke', params: {} },
    { type: 'request', id: '1', method: 'agent/prompt', params: {} },
    { type: 'request', id: 1, method: 'agent/prompt', params: [] },
    { type: 'notify', method: 'exit', params: {} },
    { type: 'openFile', path: 3 },
  ];
  expect(wrong.map(readFromPage)).toEqual(wrong.map(() => undefined));
  expect(readFromPage({ type: 'openFile', path: 'a.py' })).toEqual({ type: 'openFile', path: 'a.py' });
});

test('nothing outstanding is sent to a page that is gone', () => {
  const { bridge, posted, update } = opened();
  update(event(1));
  bridge.dispose();
  vi.advanceTimersByTime(1000);
  expect(posted).toEqual([]);
});

test('the page runs nothing but its own script', () => {
  const html = pageHtml({ script: 's.js', style: 's.css', source: 'vscode-resource:', nonce: 'abc', language: 'en' });
  expect(html).toContain(policy('vscode-resource:', 'abc'));
  expect(policy('x', 'abc')).toContain("default-src 'none'; script-src 'nonce-abc'; style-src x");
  expect(policy('x', 'abc')).not.toContain('unsafe');
});
