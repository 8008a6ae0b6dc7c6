import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Bridge, type Host, TOGETHER_MS } from '../../src/chat/bridge';
import { readFromPage, type ToPage } from '../../src/chat/messages';
import { pageHtml, policy } from '../../src/chat/page';
import type { Agent, Status } from '../../src/daemon/agent';
import { PendingRequests } from '../../src/permissions/pending_requests';
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

function opened(answer: (method: string, token: Token) => unknown = () => ({})) {
  const posted: ToPage[] = [];
  const done: unknown[] = [];
  let update: (sessionEvent: SessionEvent) => void = () => {};
  const status: Status = { state: 'ready', running: [], waiting: 0 };
  const agent = {
    request: async (method: string, _: unknown, token: Token) => answer(method, token),
    notify: (...parameters: unknown[]) => done.push(parameters),
    onUpdate: (listener: typeof update) => {
      update = listener;
      return { dispose: () => {} };
    },
    onStatus: () => ({ dispose: () => {} }),
    status,
  } as unknown as Agent;
  let openingCounted = () => {};
  const host: Host & { told(): void } = {
    serve: async () => true,
    openLink: (url: string) => done.push(url),
    review: (id: string) => done.push(id),
    remedy: (name: string) => done.push(name),
    pageSession: undefined,
    told: () => {},
    onPageSession: (listener: () => void) => {
      host.told = listener;
      return { dispose: () => {} };
    },
    reviewState: { mode: 'stage', files: 0, hunks: 0 },
    onReviewState: () => ({ dispose: () => {} }),
    preferred: {},
    onPreferred: () => ({ dispose: () => {} }),
    opening: 0,
    onOpening: (listener: () => void) => {
      openingCounted = listener;
      return { dispose: () => {} };
    },
    used: (opening: number) => done.push(opening),
    onEditorFile: () => ({ dispose: () => {} }),
  } as unknown as Host & { told(): void };
  const countOpening = () => {
    Object.assign(host, { opening: host.opening + 1 });
    openingCounted();
  };
  const desk = new PendingRequests();
  const bridge = new Bridge(agent, desk, host, (message) => posted.push(message));
  return {
    bridge,
    posted,
    done,
    desk,
    host,
    countOpening,
    update: (sessionEvent: SessionEvent) => update(sessionEvent),
  };
}

/** Returns a bridge with a listening page, after the greeting messages. */
async function live(answer?: (method: string, token: Token) => unknown) {
  const all = opened(answer);
  await all.bridge.receive({ type: 'ready' });
  all.posted.length = 0;
  return all;
}

interface Token {
  readonly isCancellationRequested: boolean;
  onCancellationRequested(listener: () => void): unknown;
}

test('events of one frame go together', async () => {
  const { posted, update } = await live();
  update(event(1));
  update(event(2));
  expect(posted).toEqual([]);
  vi.advanceTimersByTime(TOGETHER_MS);
  expect(posted).toEqual([{ type: 'events', events: [event(1), event(2)] }]);
});

test('an answer comes behind the events that came before it', async () => {
  const { bridge, posted, update } = await live(() => 'loaded');
  update(event(1));
  await bridge.receive({ type: 'request', id: 7, method: 'agent/session/load', params: { sessionId: 'ses_1' } });
  expect(posted.map((message) => message.type)).toEqual(['events', 'answered']);
  expect(posted[1]).toEqual({ type: 'answered', id: 7, result: 'loaded' });
});

test('a failure is told in the words of the daemon', async () => {
  const { bridge, posted } = await live(() => {
    throw new Error('There is no such session.');
  });
  await bridge.receive({ type: 'request', id: 1, method: 'agent/prompt', params: {} });
  expect(posted).toEqual([{ type: 'failed', id: 1, message: 'There is no such session.' }]);
});

test('a page is told of each opening, and reports a use with the number that the page knows', async () => {
  const { bridge, posted, done, countOpening } = await live();
  countOpening();
  expect(posted).toEqual([{ type: 'opening', opening: 1 }]);
  await bridge.receive({ type: 'used', opening: 1 });
  expect(done).toEqual([1]);
});

test('one answer ends an ask for everyone', async () => {
  const { bridge, posted, desk } = await live();
  const request = { requestId: 'per_1', sessionId: 'ses_1' } as never;
  const answer = desk.put({ kind: 'permission', id: 'per_1', request });
  await bridge.receive({ type: 'answer', id: 'per_1', answer: { outcome: 'once' } });
  await bridge.receive({ type: 'answer', id: 'per_1', answer: { outcome: 'reject' } });
  expect(await answer).toEqual({ outcome: 'once' });
  expect(posted.map((message) => (message.type === 'asks' ? message.asks.length : -1))).toEqual([1, 0]);
});

test('an ask that the daemon withdraws is dismissed, and a question declined', async () => {
  const { desk } = opened();
  const permission = desk.put({ kind: 'permission', id: 'a', request: {} as never });
  const question = desk.put({ kind: 'question', id: 'b', request: {} as never });
  desk.withdraw('a');
  desk.withdraw('b');
  expect([await permission, await question]).toEqual([{ outcome: 'dismissed' }, { answers: null }]);
});

test('a page is greeted with how things are, and with what it was to be told before it was there', async () => {
  const { bridge, posted } = opened();
  bridge.tell({ type: 'attach', attachment: { type: 'file', uri: 'file:///a.py' } });
  expect(posted).toEqual([]);
  await bridge.receive({ type: 'ready' });
  expect(posted.map((message) => message.type)).toEqual([
    'status',
    'asks',
    'review',
    'preferred',
    'editor',
    'prompts',
    'opening',
    'attach',
  ]);
});

test.each([
  [undefined, []],
  [null, [{ type: 'open', sessionId: null }]],
  ['ses_1', [{ type: 'open', sessionId: 'ses_1' }]],
])('a page that shall show %s is sent there with the greeting, and only there', async (pageSession, expected) => {
  const { bridge, posted, host } = opened();
  Object.assign(host, { pageSession: 'ses_before' });
  host.told();
  Object.assign(host, { pageSession });
  host.told();
  await bridge.receive({ type: 'ready' });
  expect(posted.filter(({ type }) => type === 'open')).toEqual(expected);
});

test('a hidden page is told nothing, and the next one which prompts are still open', async () => {
  let end: (result: unknown) => void = () => {};
  const answer = new Promise((resolve) => {
    end = resolve;
  });
  const { bridge, posted, update } = await live(() => answer);
  const params = { sessionId: 'ses_1', parts: [] };
  const serving = bridge.receive({ type: 'request', id: 7, method: 'agent/prompt', params });
  bridge.sleep();
  update(event(1));
  vi.advanceTimersByTime(1000);
  expect(posted).toEqual([]);
  await bridge.receive({ type: 'ready' });
  expect(posted).toContainEqual({ type: 'prompts', prompts: [{ id: 7, params }] });
  end('ended');
  await serving;
  expect(posted.at(-1)).toEqual({ type: 'answered', id: 7, result: 'ended' });
});

test('a request is cancelled by its id', async () => {
  const { bridge, posted } = await live(
    (_, token) =>
      new Promise((resolve) => {
        token.onCancellationRequested(() => resolve({ stopReason: 'cancelled' }));
      }),
  );
  const serving = bridge.receive({ type: 'request', id: 3, method: 'agent/prompt', params: {} });
  await bridge.receive({ type: 'cancel', id: 4 });
  expect(posted).toEqual([]);
  await bridge.receive({ type: 'cancel', id: 3 });
  await serving;
  expect(posted).toEqual([{ type: 'answered', id: 3, result: { stopReason: 'cancelled' } }]);
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
    { type: 'remedy', name: 'workbench.action.quit' },
    { type: 'cancel', id: '3' },
    { type: 'used' },
  ];
  expect(wrong.map(readFromPage)).toEqual(wrong.map(() => undefined));
  expect(readFromPage({ type: 'openFile', path: 'a.py' })).toEqual({ type: 'openFile', path: 'a.py' });
});

test('nothing outstanding is sent to a page that is gone', async () => {
  const { bridge, posted, update } = await live();
  update(event(1));
  bridge.dispose();
  vi.advanceTimersByTime(1000);
  expect(posted).toEqual([]);
});

test('the page is handed its texts, which cannot be anything but texts', () => {
  const place = 'side' as const;
  const parts = { script: 's.js', style: 's.css', source: 'x:', nonce: 'abc', language: 'de', place };
  const texts = { Open: '"><script>1</script>&amp;' };
  const [, handed = ''] = /data-texts="([^"]*)"/.exec(pageHtml({ ...parts, texts })) ?? [];
  const read = handed.replaceAll('&lt;', '<').replaceAll('&quot;', '"').replaceAll('&amp;', '&');
  expect(handed).not.toContain('<');
  expect(JSON.parse(read)).toEqual(texts);
  expect(pageHtml(parts)).not.toContain('data-texts');
});

test('the page runs nothing but its own script', () => {
  const source = 'vscode-resource:';
  const html = pageHtml({ script: 's.js', style: 's.css', source, nonce: 'abc', language: 'en', place: 'editor' });
  expect(html).toContain(policy('vscode-resource:', 'abc'));
  expect(policy('x', 'abc')).toContain("default-src 'none'; script-src 'nonce-abc'; style-src x");
  expect(policy('x', 'abc')).not.toContain('unsafe');
});
