import { describe, expect, it } from 'vitest';
import { encodingOf } from '../../src/editor/encoding';
import { Freshness } from '../../src/language/diagnostics_freshness';
import { Handles } from '../../src/language/handles';
import * as convert from '../../src/language/lsp_conversion';

const range = { start: { line: 1, character: 2 }, end: { line: 1, character: 5 } };

describe('freshness', () => {
  it('is of the version and quiet since', () => {
    let now = 0;
    const freshness = new Freshness(() => now);
    expect(freshness.wait('a', 1, 300)).toBeUndefined();
    freshness.hear('a', 2);
    expect(freshness.wait('a', 3, 300)).toBeUndefined();
    expect(freshness.wait('a', 2, 300)).toBe(300);
    now = 250;
    expect(freshness.wait('a', 2, 300)).toBe(50);
    now = 1000;
    expect(freshness.wait('a', 1, 300)).toBe(0);
    freshness.forget('a');
    expect(freshness.isJudged('a')).toBe(false);
  });
});

describe('values for LSP', () => {
  it('count severities and kinds from 1', () => {
    const target = { toString: () => 'https://example.org/2322' };
    expect(
      convert.diagnostic({ range, message: 'm', severity: 0, source: 'ts', code: { value: 2322, target } }),
    ).toEqual({
      range,
      severity: 1,
      message: 'm',
      source: 'ts',
      code: 2322,
      codeDescription: { href: 'https://example.org/2322' },
    });
    expect(convert.symbol({ name: 'f', kind: 11, range, selectionRange: range, children: [] })).toEqual({
      name: 'f',
      kind: 12,
      range,
      selectionRange: range,
    });
  });

  it('name the place a link means, not the whole of what is there', () => {
    const targetRange = { start: { line: 0, character: 0 }, end: { line: 9, character: 0 } };
    expect(convert.location({ targetUri: 'file:///a', targetRange, targetSelectionRange: range })).toEqual({
      uri: 'file:///a',
      range,
    });
  });

  it('make one hover of several, and none of nothing', () => {
    expect(convert.hover([{ contents: [{ language: 'ts', value: 'f()' }, 'About f.'] }])).toEqual({
      contents: { kind: 'markdown', value: '```ts\nf()\n```\n\nAbout f.' },
    });
    expect(convert.hover([{ contents: [{ value: ' ' }] }])).toBeNull();
  });

  it('carry the edits of a code action, and never the arguments of its command', () => {
    const edit = {
      entries: () =>
        [['file:///a', [{ range, newText: 'x' }]]] as [string, { range: typeof range; newText: string }[]][],
    };
    const action = convert.codeAction(
      {
        title: 'Fix',
        kind: { value: 'quickfix' },
        edit,
        command: { title: 'Do', command: 'do', arguments: [() => 1] },
      },
      () => 7,
    );
    expect(JSON.parse(JSON.stringify(action))).toEqual({
      title: 'Fix',
      kind: 'quickfix',
      edit: { documentChanges: [{ textDocument: { uri: 'file:///a', version: 7 }, edits: [{ range, newText: 'x' }] }] },
      command: { title: 'Do', command: 'do' },
    });
  });
});

it('handles give back the very object, and forget the oldest', () => {
  const handles = new Handles<object>(2);
  const all = [{}, {}, {}].map((value) => ({ value, handle: handles.give(value) }));
  expect(all.map(({ value, handle }) => handles.get(handle) === value)).toEqual([false, true, true]);
  expect(handles.get('1')).toBeUndefined();
});

it('encodings have the names that Python knows', () => {
  expect(encodingOf('utf8bom')).toEqual({ encoding: 'utf-8', bom: true });
  expect(encodingOf(undefined)).toEqual({ encoding: 'utf-8', bom: false });
  expect(encodingOf('shiftjis')).toEqual({ encoding: 'shiftjis', bom: false });
});
