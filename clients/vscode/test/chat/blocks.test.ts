import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BlockReader, LONGEST_BLOCK, MOST_LINES } from '../../webview/state/blocks';

const LINES = [
  'A paragraph.',
  '',
  '# Heading',
  '- item',
  '  more',
  '1. one',
  '> quote',
  '```ts',
  '```',
  '~~~',
  '| a | b |',
  '| - | - |',
  '---',
  '    indented',
  '[a]: http://x',
  '😀'.repeat(5000),
  'x'.repeat(2 * LONGEST_BLOCK + 7),
  'word '.repeat(1000),
];

const texts = fc.array(fc.constantFrom(...LINES), { maxLength: 40 }).map((lines) => lines.join('\n'));

function readAll(text: string) {
  return new BlockReader().read(text);
}

test('blocks are the same however the text was cut', () => {
  fc.assert(
    fc.property(texts, fc.array(fc.nat(2000), { maxLength: 60 }), (text, cuts) => {
      const reader = new BlockReader();
      for (const cut of [...new Set(cuts)]
        .map((part) => Math.floor((part / 2000) * text.length))
        .sort((a, b) => a - b)) {
        reader.read(text.slice(0, cut));
      }
      expect(reader.read(text)).toEqual(readAll(text));
    }),
  );
});

test('no block is much longer than the limit, and no character is lost but blanks and fences', () => {
  fc.assert(
    fc.property(texts, (text) => {
      const blocks = readAll(text);
      for (const block of blocks) {
        expect(block.text.length).toBeLessThanOrEqual(LONGEST_BLOCK);
        expect(block.text.split('\n').length).toBeLessThanOrEqual(MOST_LINES + 1);
      }
      const letters = (of: string) => of.replace(/[^\p{L}\p{Emoji_Presentation}]|ts\b/gu, '').length;
      // Every piece of a table repeats the head of the table.
      expect(letters(blocks.map((block) => block.text).join('\n'))).toBeGreaterThanOrEqual(letters(text));
    }),
  );
});

test('settled blocks are the same objects when more comes', () => {
  const reader = new BlockReader();
  const [first] = reader.read('One.\n\nTwo.\n\nThr');
  expect(reader.read('One.\n\nTwo.\n\nThree.')[0]).toBe(first);
});

test('a code block grows without its fence, and is closed by it', () => {
  const reader = new BlockReader();
  expect(reader.read('```py\nx = 1\n')).toEqual([
    { kind: 'code', text: 'x = 1\n', language: 'py', goesOn: false, isOpen: true },
  ]);
  expect(reader.read('```py\nx = 1\n```')).toEqual([
    { kind: 'code', text: 'x = 1\n', language: 'py', goesOn: false, isOpen: false },
  ]);
});

test('a long code block is cut at the ends of lines, and goes on', () => {
  const line = 'abcdefghi\n';
  const blocks = readAll(`\`\`\`py\n${line.repeat(3000)}\`\`\`\n\nEnd.\n`);
  expect(blocks.slice(0, -1).every((block) => block.kind === 'code' && block.text.endsWith('i\n'))).toBe(true);
  expect(blocks.map((block) => block.goesOn)).toEqual([false, ...Array(50).fill(true), false]);
  expect(blocks.at(-1)?.text).toBe('End.');
});

test('a long table is cut into tables with the same head', () => {
  const head = '| a | b |\n| - | - |\n';
  const blocks = readAll(`${head}${'| 1 | 2 |\n'.repeat(200)}\nEnd.\n`);
  expect(blocks.length).toBeGreaterThan(3);
  expect(blocks.slice(0, -1).every((block) => block.text.startsWith(head))).toBe(true);
});

test('a long list is cut between its items', () => {
  const blocks = readAll('- one\n  - two\n'.repeat(100));
  expect(blocks.every((block) => block.text.startsWith('- one'))).toBe(true);
});

test('a text that is not the old one and more is read anew', () => {
  const reader = new BlockReader();
  reader.read('One.\n\nTwo.\n\nThree.');
  expect(reader.read('Other.').map((block) => block.text)).toEqual(['Other.']);
});
