import { expect, test, vi } from 'vitest';
import type { SetFile } from '../../src/change_set/files';

vi.mock('vscode', () => {
  const disposable = { dispose: () => undefined };
  const heard = () => disposable;
  return {
    EventEmitter: class {
      event = heard;
      fire = () => undefined;
    },
    FileType: { File: 1 },
    Uri: { parse: (spelling: string) => ({ with: () => ({ scheme: 'placet-proposal', toString: () => spelling }) }) },
    commands: { executeCommand: async () => undefined },
    l10n: { t: (text: string) => text },
    window: { tabGroups: { all: [] } },
    workspace: {
      asRelativePath: String,
      onDidChangeTextDocument: heard,
      onDidCloseTextDocument: heard,
      onDidSaveTextDocument: heard,
    },
  };
});
const { Comparisons } = await import('../../src/change_set/comparison');

const A = 'file:///a.py';
const file = {
  sessionId: 'ses_1',
  uri: A,
  kind: 'modify',
  state: 'staged',
  version: '1',
  hunks: [],
} as unknown as SetFile;

test('an older text that arrives after a newer text does not take the place of the newer text', async () => {
  const arrive: ((text: string) => void)[] = [];
  const texts = () =>
    new Promise((resolve) => {
      arrive.push((newText) => resolve({ oldText: '', newText }));
    });
  const written: string[] = [];
  const proposals = {
    set: () => undefined,
    writeFile: (_: object, content: Uint8Array) => written.push(new TextDecoder().decode(content)),
  };
  const set = { files: [file], now: () => file, texts, session: { id: 'ses_1' }, onDidChange: () => undefined };
  const comparisons = new Comparisons(set as never, { set: () => undefined } as never, proposals as never);
  for (const text of ['first', 'conflict', 'settled']) {
    await comparisons.open(file);
    if (text === 'first') {
      arrive[0]?.(text);
    }
  }
  arrive[2]?.('settled');
  await vi.waitFor(() => expect(written).toEqual(['settled']));
  arrive[1]?.('conflict');
  await new Promise(setImmediate);
  expect(written).toEqual(['settled']);
  expect(comparisons.proposed(file)).toBe('settled');
});
