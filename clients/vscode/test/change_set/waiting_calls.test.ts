import { beforeEach, expect, test, vi } from 'vitest';
import type { SetFile } from '../../src/change_set/files';
import { PendingRequests } from '../../src/permissions/pending_requests';
import type { Permission, RequestPermission } from '../../src/wire';

type Closed = (event: { closed: object[] }) => void;

const window = vi.hoisted(() => ({
  settings: true,
  tabs: [] as object[],
  close: [] as Closed[],
  said: [] as string[],
}));
vi.mock('vscode', () => ({
  l10n: { t: (text: string) => text },
  window: {
    setStatusBarMessage: (text: string) => window.said.push(text),
    showInformationMessage: async (text: string) => window.said.push(text),
    showErrorMessage: async (text: string) => window.said.push(text),
    tabGroups: {
      get all() {
        return [{ tabs: window.tabs }];
      },
      onDidChangeTabs: (listener: Closed) => window.close.push(listener),
    },
  },
  workspace: { getConfiguration: () => ({ get: () => window.settings }) },
}));
const { WaitingCalls } = await import('../../src/change_set/waiting_calls');

const file = (uri: string, waits?: string): SetFile => ({
  sessionId: 'ses_1',
  uri,
  kind: 'modify',
  state: 'staged',
  ...(waits && { waits }),
  version: '1',
  additions: 1,
  deletions: 2,
  hunks: [],
});

/** Returns the calls over a set whose files the test gives; a tab is the URI of the compared file. */
function opened() {
  const pendingRequests = new PendingRequests();
  const listeners: (() => void)[] = [];
  const set = {
    files: [] as SetFile[],
    load: async () => undefined,
    now: ({ uri }: SetFile) => set.files.find((other) => other.uri === uri),
    onDidChange: (listener: () => void) => listeners.push(listener),
  };
  const shown: string[] = [];
  const typed = new Map<string, string>();
  const comparisons = {
    isShownBy: (tabs: { uri?: string }[], { uri }: SetFile) => tabs.some((tab) => tab.uri === uri),
    offer: async ({ uri }: SetFile) => {
      if (uri.startsWith('broken')) {
        throw new Error('no editor');
      }
      shown.push(uri);
      window.tabs.push({ uri });
    },
  };
  const decided: unknown[] = [];
  const actions = {
    get isEmpty() {
      return set.files.length === 0;
    },
    open: async (files?: SetFile[]) => void shown.push(...(files ?? [{ uri: 'all' }]).map(({ uri }) => uri)),
    decideEach: async (outcome: string, choose: () => SetFile[]) => {
      decided.push([outcome, choose().map(({ uri }) => uri)]);
      if (choose()[0]?.version === 'fails') {
        throw new Error('no daemon');
      }
    },
    wordsOn: (outcome: string, files: SetFile[]) =>
      files
        .filter(({ uri }) => typed.has(uri))
        .map(({ uri }) => ({ uri, version: '1', outcome, text: typed.get(uri) })),
  };
  const calls = new WaitingCalls(set as never, pendingRequests, comparisons as never, actions as never);
  const ask = (id: string, changeId?: string) => {
    const request = { requestId: id, sessionId: 'ses_1', ...(changeId && { changeId }) } as RequestPermission;
    return pendingRequests.put({ kind: 'permission', id, request }) as Promise<Permission>;
  };
  const take = (...files: SetFile[]) => {
    set.files = files;
    for (const listener of listeners) {
      listener();
    }
    return vi.waitFor(() => undefined);
  };
  const close = (uri: string) => {
    window.tabs = window.tabs.filter((tab) => (tab as { uri: string }).uri !== uri);
    closeOne(uri);
  };
  /** Tells that one tab was closed; others may compare the same file. */
  const closeOne = (uri: string) => {
    for (const listener of window.close) {
      listener({ closed: [{ uri }] });
    }
  };
  return { calls, pendingRequests, ask, take, close, closeOne, shown, decided, typed };
}

const settled = () => new Promise(setImmediate);

beforeEach(() => {
  Object.assign(window, { settings: true, tabs: [], close: [], said: [] });
});

test('a request about a change has the files that wait for the change, and the listeners are told once', async () => {
  const { calls, ask, take } = opened();
  const told = vi.fn();
  calls.onChange(told);
  void ask('per_1', 'chg_1');
  void ask('per_2');
  expect(told).toHaveBeenCalledTimes(2);
  await take(file('a', 'chg_1'), file('b', 'chg_2'), file('c'));
  expect(told).toHaveBeenCalledTimes(3);
  const files = calls.waiting.map((waiting) => (waiting.kind === 'permission' ? waiting.files : []));
  expect(files).toEqual([[{ uri: 'a', kind: 'modify', additions: 1, deletions: 2 }], undefined]);
  await take(file('a', 'chg_1'), file('b', 'chg_2'));
  expect(told).toHaveBeenCalledTimes(3);
});

test('a yes is a decision about the files that are left of the change', async () => {
  const { calls, ask, take, decided, pendingRequests } = opened();
  void ask('per_1', 'chg_1');
  await take(file('a', 'chg_1'), file('b', 'chg_1'), file('c'));
  calls.answer('per_1', { outcome: 'once' });
  expect(decided).toEqual([['accept', ['a', 'b']]]);
  expect(pendingRequests.waiting, 'the daemon takes the request off the screen').toHaveLength(1);
});

test('a request without files in the set is answered as it is', async () => {
  const { calls, ask, decided } = opened();
  const answer = ask('per_1');
  calls.answer('per_1', { outcome: 'once' });
  expect(await answer).toEqual({ outcome: 'once' });
  expect(decided).toEqual([]);
});

test.each([
  ['reject', { outcome: 'reject', feedback: 'no' }],
  ['accept', { outcome: 'always', scope: 'session' }],
] as const)(
  'an answer to the request takes the words of the user along, as decisions to %s',
  async (outcome, given) => {
    const { calls, ask, take, decided, typed } = opened();
    const answer = ask('per_1', 'chg_1');
    await take(file('a', 'chg_1'), file('b', 'chg_1'), file('c'));
    calls.answer('per_1', given);
    expect(await answer).toEqual(given);
    const other = ask('per_2', 'chg_1');
    typed.set('b', 'mine').set('c', 'of no call');
    calls.answer('per_2', given);
    expect(await other).toEqual({ ...given, decisions: [{ uri: 'b', version: '1', outcome, text: 'mine' }] });
    expect(decided).toEqual([]);
  },
);

test('a text on an old change is decided about in the set, and the request waits on', async () => {
  const { calls, ask, take, decided, typed, pendingRequests } = opened();
  void ask('per_1', 'chg_1');
  await take({ ...file('a', 'chg_1'), version: '2' });
  typed.set('a', 'mine');
  calls.answer('per_1', { outcome: 'always', scope: 'session' });
  expect(decided).toEqual([['accept', ['a']]]);
  expect(pendingRequests.waiting).toHaveLength(1);
});

test('changes open by themselves one at a time, and a closed one waits for the user', async () => {
  const { calls, ask, take, close, closeOne, shown } = opened();
  void ask('per_1', 'chg_1');
  void ask('per_2', 'chg_2');
  await take(file('a', 'chg_1'), file('b', 'chg_2'));
  await settled();
  await take(file('a', 'chg_1'), file('b', 'chg_2'));
  await settled();
  expect(shown).toEqual(['a']);
  window.tabs.push({ uri: 'a' }, { uri: 'a' });
  closeOne('a');
  expect(window.said, 'another tab still compares the file').toEqual([]);
  close('a');
  await settled();
  expect(window.said).toEqual(['Placet: Review postponed; “Placet: Review” reopens the change.']);
  expect(shown).toEqual(['a', 'b']);
  close('b');
  await take(file('a', 'chg_1'), file('b', 'chg_2'));
  await settled();
  expect(shown, 'nothing opens by itself again').toEqual(['a', 'b']);
  await calls.open();
  expect(shown.at(-1)).toBe('a');
});

test('the comparison of a decided file is no "later", and the next file of the call is offered', async () => {
  const { ask, take, close, shown } = opened();
  void ask('per_1', 'chg_1');
  await take(file('a', 'chg_1'), file('b', 'chg_1'));
  await settled();
  window.tabs = [];
  await take(file('b', 'chg_1'));
  close('a');
  await settled();
  expect(window.said).toEqual([]);
  expect(shown).toEqual(['a', 'b']);
});

test.each([
  ['the setting is off', false, []],
  ['a file is too large', true, Array.from({ length: 301 }, () => ({ oldLines: [], newLines: [] }))],
])('no change opens by itself where %s', async (_, settings, hunks) => {
  const { ask, take, shown } = opened();
  window.settings = settings;
  void ask('per_1', 'chg_1');
  await take({ ...file('a', 'chg_1'), hunks: hunks as unknown as SetFile['hunks'] });
  await settled();
  expect(shown).toEqual([]);
});

test('the oldest waiting change is reviewed first, then the whole set', async () => {
  const { calls, ask, take, shown, pendingRequests } = opened();
  window.settings = false;
  await calls.open();
  expect(window.said).toEqual(['No changes to review in this session.']);
  void ask('per_1', 'chg_1');
  void ask('per_2', 'chg_2');
  await take(file('a'), file('b', 'chg_1'), file('c', 'chg_2'));
  await calls.open();
  await calls.open('per_2');
  pendingRequests.withdraw('per_1');
  pendingRequests.withdraw('per_2');
  await calls.open();
  expect(shown).toEqual(['b', 'c', 'all']);
});

test('a change that the user opens is no longer put off: its next file is offered after the first', async () => {
  const { calls, ask, take, close, shown } = opened();
  void ask('per_1', 'chg_1');
  await take(file('a', 'chg_1'), file('b', 'chg_1'));
  await settled();
  close('a');
  await calls.open('per_1');
  await take(file('b', 'chg_1'));
  await settled();
  expect(shown).toEqual(['a', 'a', 'b', 'b']);
});

test('the user is told of a decision and of a comparison that fail, and the next change opens', async () => {
  const { calls, ask, take, shown, pendingRequests } = opened();
  void ask('per_1', 'chg_1');
  await take({ ...file('broken', 'chg_1'), version: 'fails' });
  await settled();
  calls.answer('per_1', { outcome: 'once' });
  await settled();
  expect(window.said).toEqual(['Placet: no editor', 'Placet: no daemon']);
  pendingRequests.withdraw('per_1');
  void ask('per_2', 'chg_2');
  await take(file('b', 'chg_2'));
  await settled();
  expect(shown).toEqual(['b']);
});
