import { beforeEach, expect, test, vi } from 'vitest';
import type { Agent, Status } from '../../src/daemon/agent';
import type { SessionEvent, Update } from '../../src/wire';

type Listener<T> = (event: T) => void;

vi.mock('vscode', () => ({
  EventEmitter: class<T> {
    private readonly listeners = new Set<Listener<T>>();
    readonly event = (listener: Listener<T>) => {
      this.listeners.add(listener);
      return { dispose: () => this.listeners.delete(listener) };
    };
    fire(event: T) {
      for (const listener of this.listeners) {
        listener(event);
      }
    }
    dispose() {
      this.listeners.clear();
    }
  },
  workspace: {
    onDidChangeConfiguration: () => ({ dispose: () => undefined }),
    getConfiguration: () => ({ inspect: (name: string) => (name === 'reviewMode' ? { defaultValue: 'stage' } : {}) }),
  },
  l10n: { t: (text: string) => text },
}));
const { OtherSets } = await import('../../src/change_set/other_sets');
const { ReviewMode } = await import('../../src/sessions/review_mode');
const SOON = 1000;

/** Returns a daemon whose answers the test gives, and a window with the session `ses_1`. */
function window() {
  const requests: { method: string; answer: (result: unknown) => void }[] = [];
  const listeners: { update: Listener<SessionEvent>; status: Listener<Status>; session: () => void } = {
    update: () => undefined,
    status: () => undefined,
    session: () => undefined,
  };
  const disposable = { dispose: () => undefined };
  const agent = {
    request: (method: string) =>
      new Promise((answer) => {
        requests.push({ method, answer });
      }),
    onUpdate: (listener: Listener<SessionEvent>) => {
      listeners.update = listener;
      return disposable;
    },
    onStatus: (listener: Listener<Status>) => {
      listeners.status = listener;
      return disposable;
    },
    status: { state: 'ready', running: [], waiting: 0 } as Status,
  };
  const session = {
    id: 'ses_1',
    onChange: (listener: () => void) => {
      listeners.session = listener;
      return disposable;
    },
  };
  const tell = (sessionId: string, update: object) =>
    listeners.update({ sessionId, seq: 1, update: update as Update } as SessionEvent);
  return { agent: agent as unknown as Agent, session, requests, listeners, tell };
}

/** Returns the sets of a window whose daemon has listed three sessions. */
async function listed() {
  const all = window();
  const sets = new OtherSets(all.agent, all.session as never);
  await vi.advanceTimersByTimeAsync(SOON);
  all.requests[0]?.answer({
    sessions: [
      { id: 'ses_1', title: 'Mine', toReview: 4 },
      { id: 'ses_2', title: 'Other', toReview: 2 },
      { id: 'ses_3', title: 'Decided' },
    ],
  });
  await vi.advanceTimersByTimeAsync(0);
  return { ...all, sets };
}

const setUpdate = (sessionId: string, files: number) => ({ kind: 'change_set_update', sessionId, files });

beforeEach(() => {
  vi.useFakeTimers();
});

test('the sets of other sessions are those of the list, without the session of the window', async () => {
  const { sets, session, listeners, requests } = await listed();
  expect(sets.all).toEqual([{ sessionId: 'ses_2', title: 'Other', files: 2 }]);
  const changes = vi.fn();
  sets.onDidChange(changes);
  session.id = 'ses_2';
  listeners.session();
  expect(changes).toHaveBeenCalledOnce();
  expect(sets.all).toEqual([{ sessionId: 'ses_1', title: 'Mine', files: 4 }]);
  await vi.advanceTimersByTimeAsync(100 * SOON);
  expect(requests).toHaveLength(1);
});

test('a report changes the size of a set without another request, whatever session the report comes from', async () => {
  const { sets, tell, requests } = await listed();
  const changes = vi.fn();
  sets.onDidChange(changes);
  tell('ses_subagent', setUpdate('ses_3', 5));
  expect(sets.all.map(({ sessionId, files }) => [sessionId, files])).toEqual([
    ['ses_2', 2],
    ['ses_3', 5],
  ]);
  tell('ses_2', setUpdate('ses_2', 0));
  tell('ses_2', setUpdate('ses_2', 0));
  expect(sets.all.map(({ sessionId }) => sessionId)).toEqual(['ses_3']);
  expect(changes).toHaveBeenCalledTimes(2);
  await vi.advanceTimersByTimeAsync(SOON);
  expect(requests).toHaveLength(1);
});

test.each([
  [
    'an unknown session has changes',
    async ({ tell }: Awaited<ReturnType<typeof listed>>) => tell('ses_9', setUpdate('ses_9', 1)),
  ],
  ['the list of sessions changes', async ({ sets }: Awaited<ReturnType<typeof listed>>) => sets.look()],
])('the sets are read again once, when %s', async (_, happen) => {
  const all = await listed();
  await happen(all);
  await happen(all);
  await vi.advanceTimersByTimeAsync(SOON);
  expect(all.requests.map(({ method }) => method)).toEqual(['agent/session/list', 'agent/session/list']);
  all.requests[1]?.answer({ sessions: [{ id: 'ses_9', title: 'New', toReview: 1 }] });
  await vi.advanceTimersByTimeAsync(0);
  expect(all.sets.all.map(({ title }) => title)).toEqual(['New']);
});

test('the sets stay while the daemon is away, and are read again once the daemon is back', async () => {
  const { sets, agent, listeners, requests } = await listed();
  const become = (state: Status['state']) => {
    (agent as { status: Status }).status = { ...agent.status, state };
    listeners.status(agent.status);
  };
  become('starting');
  await vi.advanceTimersByTimeAsync(SOON);
  expect(sets.all).toHaveLength(1);
  expect(requests).toHaveLength(1);
  become('ready');
  await vi.advanceTimersByTimeAsync(SOON);
  expect(requests).toHaveLength(2);
});

test('a review mode that another client chose is the mode of the window, and of no other session', async () => {
  const { agent, session, requests, tell } = window();
  const mode = new ReviewMode(agent, session as never);
  requests[0]?.answer({ session: { review: 'ask' } });
  await vi.advanceTimersByTimeAsync(0);
  expect(mode.current).toBe('ask');
  const changes = vi.fn();
  mode.onDidChange(changes);
  tell('ses_2', { kind: 'review_mode_update', review: 'stage' });
  expect(mode.current).toBe('ask');
  tell('ses_1', { kind: 'review_mode_update', review: 'apply' });
  expect(mode.current).toBe('apply');
  expect(changes).toHaveBeenCalledOnce();
});

test('an answer from before the choice of another client does not replace the choice', async () => {
  const { agent, session, requests, tell } = window();
  const mode = new ReviewMode(agent, session as never);
  tell('ses_1', { kind: 'review_mode_update', review: 'apply' });
  requests[0]?.answer({ session: { review: 'ask' } });
  await vi.advanceTimersByTimeAsync(0);
  expect(mode.current).toBe('apply');
});
