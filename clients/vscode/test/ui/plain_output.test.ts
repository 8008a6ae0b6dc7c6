import { expect, it } from 'vitest';
import { plainOutput } from '../../src/terminal/plain_output';

it('output of a terminal loses its colours, its title and its marks, and an overwritten line keeps the last text', () => {
  const output = '\u001b]0;title\u0007\u001b[1;31mred\u001b[0m\r\n10 %\r100 %\r\n\u001b]633;D;0\u001b\\done\u0008';
  expect(plainOutput(output)).toBe('red\n100 %\ndone');
});
