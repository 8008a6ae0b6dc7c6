/** The words for written changes: accepted is only what the user has accepted. */
import { expect, it } from 'vitest';
import { stateWord } from '../../src/changes/state_word';

it('calls a written change accepted only if the user accepted the change', () => {
  const words = (['user', 'rule', undefined] as const).map((allowedBy) =>
    stateWord({ kind: 'edit', ...(allowedBy && { allowedBy }) }, 'kept'),
  );
  expect(words).toEqual(['accepted', 'written by your rule', 'written']);
  expect(stateWord({ kind: 'command' }, 'kept')).toBe('written by a command');
  expect(stateWord({ kind: 'edit', allowedBy: 'rule' }, 'reverted')).toBe('undone');
});
