import { expect, test, vi } from 'vitest';

interface Uri {
  scheme: string;
  toString(): string;
}

const window = vi.hoisted(() => ({
  documents: [] as { uri: Uri; languageId: string; version: number }[],
  change: (_: { uris: readonly Uri[] }) => {},
}));
vi.mock('vscode', () => {
  const parse = (spelling: string): Uri => ({ scheme: spelling.split(':')[0] ?? '', toString: () => spelling });
  const disposable = { dispose: () => undefined };
  return {
    Disposable: { from: () => disposable },
    EventEmitter: class {
      event = () => disposable;
      fire = () => undefined;
      dispose = () => undefined;
    },
    Uri: { parse },
    commands: { executeCommand: async () => [] },
    languages: {
      getDiagnostics: () => [],
      onDidChangeDiagnostics: (listener: typeof window.change) => {
        window.change = listener;
        return disposable;
      },
    },
    workspace: {
      get textDocuments() {
        return window.documents;
      },
      onDidCloseTextDocument: () => disposable,
      openTextDocument: async (uri: Uri) => window.documents.find((document) => String(document.uri) === String(uri)),
    },
  };
});
const { Uri } = (await import('vscode')) as unknown as { Uri: { parse: (spelling: string) => Uri } };
const { EditorDiagnostics } = await import('../../src/language/diagnostics');

const FILE = 'file:///p/a.py';

/** Returns true if the window waited for diagnostics of the file, after a report about another text in the language. */
async function waitsAfter(reported: string): Promise<boolean> {
  window.documents = [FILE, reported].map((name) => ({ uri: Uri.parse(name), languageId: 'python', version: 1 }));
  const diagnostics = new EditorDiagnostics();
  window.change({ uris: [Uri.parse(reported)] });
  const token = { isCancellationRequested: false, onCancellationRequested: () => ({ dispose: () => undefined }) };
  const params = { uris: [FILE], after: { [FILE]: 2 }, minSeverity: 4, quietMs: 0, timeoutMs: 30, limit: 9 };
  return (await diagnostics.serve(params as never, token as never)).timedOut ?? false;
}

test('a language whose server has reported on a file is waited for', async () => {
  expect(await waitsAfter('file:///p/b.py')).toBe(true);
});

test.each(['placet-before:/p/a.py', 'placet-proposal://change-set/p/a.py', 'git:/p/a.py', 'vscode-scm:placet/input'])(
  'cleared diagnostics of %s speak of no server, so that an accepted change waits for none',
  async (uri) => {
    expect(await waitsAfter(uri)).toBe(false);
  },
);
