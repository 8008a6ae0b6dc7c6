import { beforeEach, expect, test, vi } from 'vitest';
import type { SetDecision, SetFile } from '../../src/change_set/files';
import type { Agent, Status } from '../../src/daemon/agent';
import { PendingRequests } from '../../src/permissions/pending_requests';
import type { RequestPermission, SessionEvent, StagedFile } from '../../src/wire';

type Listener<T> = (event: T) => void;

const typed = vi.hoisted(() => ({ listeners: [] as ((event: unknown) => void)[] }));
/** Listeners to the files on the disk and to the documents, by the event of VS Code. */
const files = vi.hoisted(() => new Map<string, (event: never) => void>());
vi.mock('vscode', () => {
  class EventEmitter<T> {
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
  }
  const heard = (event: string) => (listener: (event: never) => void) => {
    files.set(event, listener);
    return { dispose: () => undefined };
  };
  return {
    EventEmitter,
    Uri: { parse: (spelling: string) => ({ toString: () => spelling }) },
    l10n: { t: (text: string) => text },
    window: { showWarningMessage: () => Promise.resolve(undefined) },
    workspace: {
      asRelativePath: (uri: object) => String(uri),
      createFileSystemWatcher: () => ({
        onDidChange: heard('changed'),
        onDidCreate: heard('created'),
        onDidDelete: heard('deleted'),
        dispose: () => undefined,
      }),
      onDidOpenTextDocument: heard('opened'),
      onDidCloseTextDocument: heard('closed'),
      onDidChangeTextDocument: (listener: (event: unknown) => void) => {
        typed.listeners.push(listener);
        return { dispose: () => undefined };
      },
    },
  };
});
const { ChangeSet } = await import('../../src/change_set/change_set');

const A = 'file:///a.py';
const file = (version: string): StagedFile => ({
  uri: A,
  kind: 'modify',
  state: 'staged',
  version,
  additions: 0,
  deletions: 0,
  hunks: [],
  diff: '',
});
const SOON = 1000;

/** Returns a change set over a daemon whose answers the test gives, one by one. */
function opened() {
  const requests: { method: string; params: unknown; answer: (result: unknown) => void }[] = [];
  let update: Listener<SessionEvent> = () => undefined;
  let status: Listener<Status> = () => undefined;
  const agent = {
    request: (method: string, params: unknown) =>
      new Promise((answer) => {
        requests.push({ method, params, answer });
      }),
    onUpdate: (listener: Listener<SessionEvent>) => {
      update = listener;
      return { dispose: () => undefined };
    },
    onStatus: (listener: Listener<Status>) => {
      status = listener;
      return { dispose: () => undefined };
    },
    status: { state: 'ready', running: [], waiting: 0 } as Status,
  };
  let changed = (): void => undefined;
  const session = {
    id: 'ses_1',
    onChange: (listener: () => void) => {
      changed = listener;
      return { dispose: () => undefined };
    },
  };
  const go = (id: string) => {
    session.id = id;
    changed();
  };
  const pendingRequests = new PendingRequests();
  const set = new ChangeSet(agent as unknown as Agent, session as never, pendingRequests);
  const become = (state: Status['state']) => {
    agent.status = { ...agent.status, state };
    status(agent.status);
  };
  const tell = (sessionId: string) =>
    update({ sessionId, seq: 1, update: { kind: 'change_set_update', sessionId, files: 1 } } as SessionEvent);
  const type = () => {
    for (const listener of typed.listeners) {
      listener({ document: { uri: { toString: () => A } }, contentChanges: [{}] });
    }
  };
  return { set, requests, become, tell, type, go, pendingRequests };
}

/** Returns a change set that has been read, with one file in version 1. */
async function read() {
  const all = opened();
  await vi.advanceTimersByTimeAsync(SOON);
  all.requests.at(-1)?.answer({ files: [file('1')] });
  await vi.advanceTimersByTimeAsync(0);
  return all;
}

beforeEach(() => {
  typed.listeners.length = 0;
  vi.useFakeTimers();
});

test('the set is read at the beginning and after each report of the session, and never by a clock', async () => {
  const { set, requests, tell } = await read();
  expect(set.files.map(({ version }) => version)).toEqual(['1']);
  await vi.advanceTimersByTimeAsync(100 * SOON);
  expect(requests).toHaveLength(1);
  tell('ses_other');
  await vi.advanceTimersByTimeAsync(SOON);
  expect(requests).toHaveLength(1);
  tell('ses_1');
  tell('ses_1');
  await vi.advanceTimersByTimeAsync(SOON);
  expect(requests.map(({ method }) => method)).toEqual(['agent/review/list', 'agent/review/list']);
});

test.each(['changed', 'created', 'deleted', 'opened', 'closed'])(
  'the set is read again after a file of the set was %s, and after no other file',
  async (event) => {
    const { set, requests } = opened();
    await vi.advanceTimersByTimeAsync(SOON);
    requests[0]?.answer({ files: [{ ...file('1'), conflict: 'Other lines.' }] });
    await vi.advanceTimersByTimeAsync(0);
    const happen = (spelling: string) => {
      const uri = { toString: () => spelling };
      files.get(event)?.({ uri, toString: uri.toString } as never);
    };
    happen('file:///other.py');
    await vi.advanceTimersByTimeAsync(SOON);
    expect(requests).toHaveLength(1);
    happen(A);
    await vi.advanceTimersByTimeAsync(SOON);
    requests[1]?.answer({ files: [file('2')] });
    await vi.advanceTimersByTimeAsync(0);
    expect(set.get(A)?.conflict).toBeUndefined();
    expect(requests).toHaveLength(2);
  },
);

test('both files of a renaming are watched', async () => {
  const { requests } = opened();
  await vi.advanceTimersByTimeAsync(SOON);
  requests[0]?.answer({ files: [{ ...file('1'), kind: 'rename', oldUri: 'file:///old.py' }] });
  await vi.advanceTimersByTimeAsync(0);
  files.get('changed')?.({ toString: () => 'file:///old.py' } as never);
  await vi.advanceTimersByTimeAsync(SOON);
  expect(requests).toHaveLength(2);
});

test('an answer about the session before changes nothing in the set of another session', async () => {
  const { set, requests, tell, go } = await read();
  tell('ses_1');
  await vi.advanceTimersByTimeAsync(SOON);
  go('ses_2');
  requests[1]?.answer({ files: [file('2')] });
  await vi.advanceTimersByTimeAsync(0);
  expect(set.files).toEqual([]);
});

test('an answer that a later answer has overtaken changes nothing', async () => {
  const { set, requests, tell } = await read();
  tell('ses_1');
  await vi.advanceTimersByTimeAsync(SOON);
  tell('ses_1');
  await vi.advanceTimersByTimeAsync(SOON);
  requests[2]?.answer({ files: [file('3')] });
  await vi.advanceTimersByTimeAsync(0);
  requests[1]?.answer({ files: [file('2')] });
  await vi.advanceTimersByTimeAsync(0);
  expect(set.files.map(({ version }) => version)).toEqual(['3']);
});

test('the set stays while the daemon is away, and is read again once the daemon is back', async () => {
  const { set, requests, become } = await read();
  become('starting');
  await vi.advanceTimersByTimeAsync(SOON);
  expect(set.files).toHaveLength(1);
  expect(requests).toHaveLength(1);
  become('ready');
  await vi.advanceTimersByTimeAsync(SOON);
  requests[1]?.answer({ files: [] });
  await vi.advanceTimersByTimeAsync(0);
  expect(set.files).toEqual([]);
});

test('a decision after typing is about the versions that the daemon has then, and the set is read once more', async () => {
  const { set, requests, type } = await read();
  type();
  const decide = (): SetDecision[] =>
    set.files.map(({ sessionId, uri, version }) => ({ sessionId, uri, version, outcome: 'accept' }));
  const done = set.decide(decide);
  await vi.advanceTimersByTimeAsync(0);
  requests[1]?.answer({ files: [file('2')] });
  await vi.advanceTimersByTimeAsync(0);
  expect(requests[2]).toMatchObject({
    method: 'agent/review/decide',
    params: { sessionId: 'ses_1', decisions: [{ uri: A, version: '2', outcome: 'accept' }] },
  });
  requests[2]?.answer({ files: [{ uri: A, status: 'moved' }] });
  await vi.advanceTimersByTimeAsync(0);
  requests[3]?.answer({ files: [file('3')] });
  expect((await done).map(({ status }) => status)).toEqual(['moved']);
  expect(set.files.map(({ version }) => version)).toEqual(['3']);
});

test('a decision waits for the decision before, and is taken back where nothing is left to decide', async () => {
  const { set, requests } = await read();
  const decide = (): SetDecision[] =>
    set.files.map(({ sessionId, uri, version }) => ({ sessionId, uri, version, outcome: 'reject' }));
  const first = set.decide(decide);
  const second = set.decide(decide);
  await vi.advanceTimersByTimeAsync(0);
  expect(requests).toHaveLength(2);
  requests[1]?.answer({ files: [{ uri: A, status: 'rejected' }] });
  await vi.advanceTimersByTimeAsync(0);
  requests[2]?.answer({ files: [] });
  expect(await Promise.all([first, second])).toEqual([[], []]);
  expect(requests).toHaveLength(3);
});

test('a decision ends only once the set is as it was left, also if another reading overtakes the last one', async () => {
  const { set, requests, tell } = await read();
  let version: string | undefined;
  const done = set
    .decide(() => [{ sessionId: 'ses_1', uri: A, version: '1', outcome: 'accept' }])
    .then(() => {
      version = set.get(A)?.version;
    });
  await vi.advanceTimersByTimeAsync(0);
  requests[1]?.answer({ files: [{ uri: A, status: 'accepted' }] });
  await vi.advanceTimersByTimeAsync(0);
  tell('ses_1');
  await vi.advanceTimersByTimeAsync(SOON);
  expect(requests).toHaveLength(4);
  requests[2]?.answer({ files: [file('2')] });
  await vi.advanceTimersByTimeAsync(0);
  requests[3]?.answer({ files: [file('2')] });
  await done;
  expect(version).toBe('2');
});

test('a decision follows a decision that failed', async () => {
  const { set, requests } = await read();
  const decide = (): SetDecision[] =>
    set.files.map(({ sessionId, uri, version }) => ({ sessionId, uri, version, outcome: 'accept' }));
  const failed = set.decide(() => {
    throw new Error('no hunk');
  });
  const done = set.decide(decide);
  await expect(failed).rejects.toThrow('no hunk');
  await vi.advanceTimersByTimeAsync(0);
  requests[1]?.answer({ files: [] });
  await vi.advanceTimersByTimeAsync(0);
  requests[2]?.answer({ files: [] });
  expect(await done).toEqual([]);
});

test('the set of another session is not shown before it is read', async () => {
  const { set, requests, go } = await read();
  const changes = vi.fn();
  set.onDidChange(changes);
  go('ses_2');
  expect(set.files).toEqual([]);
  expect(changes).toHaveBeenCalledOnce();
  await vi.advanceTimersByTimeAsync(SOON);
  expect(requests[1]?.params).toEqual({ sessionId: 'ses_2' });
});

test('the texts of a set are those of the set as it is now', async () => {
  const { set, requests, tell } = await read();
  const texts = (text: string) => ({ files: [{ ...file('1'), oldText: '', newText: text }] });
  const [one] = set.files as [SetFile];
  const first = Promise.all([set.texts(one), set.texts(one)]);
  expect(requests).toHaveLength(2);
  requests[1]?.answer(texts('one'));
  expect((await first).map((both) => both?.newText)).toEqual(['one', 'one']);
  tell('ses_1');
  await vi.advanceTimersByTimeAsync(SOON);
  requests[2]?.answer({ files: [file('2')] });
  await vi.advanceTimersByTimeAsync(0);
  const second = set.texts(one);
  requests[3]?.answer(texts('two'));
  expect((await second)?.newText).toBe('two');
});

const permission = (sessionId: string, changeId: string) =>
  ({ requestId: `per_${changeId}`, sessionId, changeId }) as unknown as RequestPermission;

test('a file of another session is in the set while a request of this window asks about the file', async () => {
  const { set, requests, pendingRequests } = await read();
  const request = permission('ses_2', 'chg_2');
  void pendingRequests.put({ kind: 'permission', id: request.requestId, request });
  requests[1]?.answer({ files: [file('1')] });
  await vi.advanceTimersByTimeAsync(0);
  expect(requests[2]?.params).toEqual({ sessionId: 'ses_2' });
  requests[2]?.answer({
    files: [file('staged'), { ...file('asked'), waits: 'chg_2' }, { ...file('x'), waits: 'chg_3' }],
  });
  await vi.advanceTimersByTimeAsync(0);
  expect(set.files.map(({ sessionId, version }) => [sessionId, version])).toEqual([
    ['ses_1', '1'],
    ['ses_2', 'asked'],
  ]);
  expect(set.get(A)?.version).toBe('1');
  expect(set.get(A, 'ses_2')?.version).toBe('asked');
  const done = set.decide(() =>
    set.files.map(({ sessionId, uri, version }) => ({ sessionId, uri, version, outcome: 'accept' as const })),
  );
  await vi.advanceTimersByTimeAsync(0);
  requests[3]?.answer({ files: [] });
  await vi.advanceTimersByTimeAsync(0);
  const params = requests.slice(3, 5).map((sent) => sent.params);
  expect(params).toEqual([
    { sessionId: 'ses_1', decisions: [{ uri: A, version: '1', outcome: 'accept' }] },
    { sessionId: 'ses_2', decisions: [{ uri: A, version: 'asked', outcome: 'accept' }] },
  ]);
  requests[4]?.answer({ files: [] });
  await vi.advanceTimersByTimeAsync(0);
  pendingRequests.withdraw(request.requestId);
  requests[5]?.answer({ files: [] });
  await done;
  expect(set.files).toEqual([]);
});

test('a file for which a call waits stays while the window shows another session, and goes with the daemon', async () => {
  const { set, requests, pendingRequests, go, become } = await read();
  const request = permission('ses_1', 'chg_1');
  void pendingRequests.put({ kind: 'permission', id: request.requestId, request });
  requests[1]?.answer({ files: [file('1'), { ...file('asked'), waits: 'chg_1' }] });
  await vi.advanceTimersByTimeAsync(0);
  expect(set.get(A)?.version, 'the last of two files with one URI').toBe('asked');
  go('ses_2');
  expect(set.files.map(({ version }) => version)).toEqual(['asked']);
  become('stopped');
  expect(set.files).toEqual([]);
});
