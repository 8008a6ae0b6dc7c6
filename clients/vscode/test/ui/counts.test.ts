import { describe, expect, it } from 'vitest';
import { lineCount } from '../../src/ui/counts';

describe('a number of lines', () => {
  it('is in the singular for one line alone', () => {
    expect([0, 1, 2].map(lineCount)).toEqual(['0 lines', '1 line', '2 lines']);
  });
});
