import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { newText, plan, Refusal } from '../../src/editor/edit_plan';
import { sha256, type TextEdit, withEdits } from '../../src/editor/edit_text';
import { Once } from '../../src/editor/once';

const edit = (line: number, start: number, end: number, newText: string): TextEdit => ({
  range: { start: { line, character: start }, end: { line, character: end } },
  newText,
});
const held = (text: string, version = 1) => ({ text, version, wasOpen: true });
const [URI, OTHER] = ['file:///a.py', 'file:///b.py'];

describe('edits of a text', () => {
  it('are put in from their places before any of them', () => {
    expect(withEdits('one\ntwo\n', [edit(0, 0, 3, 'ONE'), edit(1, 0, 3, 'TWO')])).toBe('ONE\nTWO\n');
  });

  it('keep line ends, and count in UTF-16', () => {
    expect(withEdits('a\r\n\u{1F600}b\r\n', [edit(1, 2, 3, 'c')])).toBe('a\r\n\u{1F600}c\r\n');
  });

  it('keep the order of inserts at one place', () => {
    expect(withEdits('x', [edit(0, 0, 0, '1'), edit(0, 0, 0, '2')])).toBe('12x');
  });

  it('end at the end of the line and of the text', () => {
    expect(withEdits('ab\ncd', [edit(0, 9, 9, '!'), edit(7, 0, 0, '?')])).toBe('ab!\ncd?');
  });

  it('are refused when they overlap', () => {
    expect(() => withEdits('abc', [edit(0, 0, 2, ''), edit(0, 1, 3, '')])).toThrow(RangeError);
  });

  it('of one whole line at a time equal the lines joined', () => {
    const line = fc.string().map((text) => text.replace(/[\r\n]/g, ''));
    fc.assert(
      fc.property(fc.array(line, { minLength: 1 }), line, fc.nat(), (lines, text, place) => {
        const at = place % lines.length;
        const expected = lines.map((line, index) => (index === at ? text : line)).join('\n');
        expect(withEdits(lines.join('\n'), [edit(at, 0, lines[at]?.length ?? 0, text)])).toBe(expected);
      }),
    );
  });
});

describe('the plan of an edit', () => {
  it('gathers all that is to happen to a file', () => {
    const [file, ...rest] = plan(
      {
        documentChanges: [
          { textDocument: { uri: URI, version: 3 }, edits: [edit(0, 0, 1, 'x')] },
          { textDocument: { uri: URI, version: 3 }, edits: [edit(1, 0, 1, 'y')] },
        ],
      },
      [{ uri: URI, version: 3, sha256: 'abc' }],
    );
    expect(rest).toEqual([]);
    expect(file).toMatchObject({ kind: 'modify', versions: [3, 3, 3], sha256: 'abc' });
    expect(file?.edits).toHaveLength(2);
  });

  it('takes two spellings of a file for one', () => {
    const files = plan(
      { documentChanges: [{ textDocument: { uri: 'FILE:///a.py' }, edits: [] }] },
      [{ uri: URI, sha256: 'abc' }],
      (uri) => uri.toLowerCase(),
    );
    expect(files).toMatchObject([{ uri: 'FILE:///a.py', sha256: 'abc' }]);
  });

  it('renames a file together with its edits', () => {
    const files = plan(
      {
        documentChanges: [
          { textDocument: { uri: URI }, edits: [edit(0, 0, 0, 'x')] },
          { kind: 'rename', oldUri: URI, newUri: OTHER },
        ],
      },
      [],
    );
    expect(files).toMatchObject([{ kind: 'rename', uri: URI, newUri: OTHER, edits: [{ newText: 'x' }] }]);
  });

  it('refuses two operations on one file', () => {
    const operations = [
      { kind: 'create' as const, uri: URI },
      { kind: 'delete' as const, uri: URI },
    ];
    expect(() => plan({ documentChanges: operations }, [])).toThrow(Refusal);
  });

  it('refuses a stale version, and a text that is another', () => {
    const [file] = plan({ documentChanges: [{ textDocument: { uri: URI, version: 3 }, edits: [] }] }, [
      { uri: URI, version: 3, sha256: sha256('text') },
    ]);
    if (!file) {
      throw new Error('no file');
    }
    expect(() => newText(file, held('text', 4), '/a.py')).toThrow(
      '/a.py: the document is at version 4, the edit is for 3',
    );
    expect(() => newText(file, held('texts', 3), '/a.py')).toThrow('/a.py: the text has changed since it was read');
    expect(newText(file, { text: 'text', version: 1, wasOpen: false }, '/a.py')).toBe('text');
  });
});

it('what is asked twice by one id is done once, and again when nothing was done', async () => {
  let done = 0;
  const once = new Once<number>((answer) => answer > 0, 2);
  const work = async () => ++done;
  expect(await Promise.all([once.run('a', work), once.run('a', work)])).toEqual([1, 1]);
  await once.run('b', work);
  await once.run('c', work);
  expect(await once.run('a', work)).toBe(4);
  expect(await once.run('d', async () => 0)).toBe(0);
  expect(await once.run('d', work)).toBe(5);
});
