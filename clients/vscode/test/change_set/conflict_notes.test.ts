/** A conflict is told once, and again only where it has come again. */
import { expect, it, vi } from 'vitest';
import type { SetFile } from '../../src/change_set/files';
import type { Hunk } from '../../src/wire';

const warned = vi.hoisted(() => vi.fn<(text: string, button: string) => Promise<string | undefined>>());
vi.mock('vscode', () => ({
  Uri: { parse: (spelling: string) => spelling },
  l10n: { t: (text: string, ...values: unknown[]) => text.replace(/\{(\d)\}/g, (_, at) => String(values[Number(at)])) },
  workspace: { asRelativePath: (uri: string) => uri.replace('file:///', '') },
}));
vi.mock('../../src/ui/window', () => ({ warn: warned }));
const { ConflictNotes } = await import('../../src/change_set/conflict_notes');

const hunk = (id: number, oldLine: string, isMeeting: boolean): Hunk => ({
  id,
  oldStart: id,
  oldLines: [oldLine],
  newStart: id,
  newLines: [`new ${id}\n`],
  ...(isMeeting ? { baseLines: ['before\n'] } : {}),
});

function window() {
  let listener = () => {};
  const set = {
    files: [] as SetFile[],
    onDidChange: (heard: () => void) => {
      listener = heard;
      return { dispose: () => undefined };
    },
  };
  const shown: number[] = [];
  const notes = new ConflictNotes(set as never, async ({ hunk: { id } }) => void shown.push(id));
  const list = async (...hunks: Hunk[]) => {
    set.files = [
      { sessionId: 'ses_1', uri: 'file:///a.py', kind: 'modify', state: 'staged', version: '1', hunks } as SetFile,
    ];
    listener();
    await Promise.resolve();
  };
  return { list, shown, notes };
}

it('is told once while the user types on, and again after the typing was taken back', async () => {
  warned.mockReset().mockResolvedValue(undefined);
  const { list, shown } = window();
  await list(hunk(1, 'a\n', false));
  expect(warned).not.toHaveBeenCalled();
  await list(hunk(1, 'ab\n', true));
  await list(hunk(1, 'abc\n', true));
  expect(warned.mock.calls.map(([text]) => text)).toEqual([
    'Placet: you have changed lines of a proposed hunk in a.py. The other hunks still fit.',
  ]);
  await list(hunk(1, 'a\n', false));
  await list(hunk(1, 'ab\n', true));
  expect(warned).toHaveBeenCalledTimes(2);
  expect(shown).toEqual([]);
});

it('names several at once, and leads to the first', async () => {
  warned.mockReset().mockResolvedValue('Show Conflict');
  const { list, shown } = window();
  await list(hunk(1, 'a\n', false), hunk(2, 'b\n', true), hunk(3, 'c\n', true));
  expect(warned).toHaveBeenCalledWith(
    'Placet: you have changed lines of 2 proposed hunks, first in a.py.',
    'Show Conflict',
  );
  await vi.waitFor(() => expect(shown).toEqual([2]));
});
