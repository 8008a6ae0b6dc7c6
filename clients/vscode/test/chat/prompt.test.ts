import fc from 'fast-check';
import { expect, test } from 'vitest';
import { newHistory, remember, walk } from '../../webview/composer/history';
import { complete, mentionOf, triggerAt } from '../../webview/composer/mention';
import { best, rank } from '../../webview/controls/matches';

test('a mention is completed where the caret stands', () => {
  const text = 'see @src/he and more';
  const trigger = triggerAt(text, 11);
  expect(trigger).toEqual({ kind: 'mention', query: 'src/he', start: 4, end: 11 });
  expect(trigger && complete(text, trigger, '@src/hello.py')).toEqual({
    text: 'see @src/hello.py and more',
    caret: 18,
  });
});

test('an address of mail is no mention, nor is a slash in the middle a command', () => {
  expect(triggerAt('ada@example', 11)).toBeUndefined();
  expect(triggerAt('a /com', 6)).toBeUndefined();
  expect(triggerAt('/com', 4)?.kind).toBe('command');
});

test('a quoted path goes on over its spaces', () => {
  expect(triggerAt('@"with sp', 9)).toEqual({ kind: 'mention', query: 'with sp', start: 0, end: 9 });
  expect(mentionOf('with space.py')).toBe('@"with space.py"');
  expect(mentionOf('plain.py')).toBe('@plain.py');
});

test('what begins with the query comes first, then what has it at a word, within one, and scattered', () => {
  const names = ['a_bcd', 'xbc', 'b-x-c', 'bcd', 'no'];
  expect(best(names, 'bc', (name) => name, 9)).toEqual(['bcd', 'a_bcd', 'xbc', 'b-x-c']);
  expect(rank('no', 'bc')).toBeUndefined();
});

test('a walk back and forth comes to the draft again', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ minLength: 1 })), fc.string(), fc.nat(10), (prompts, draft, steps) => {
      let [history, text] = [newHistory(prompts), draft];
      let taken = 0;
      for (let step = 0; step < steps; step++) {
        const walked = walk(history, -1, text);
        taken += walked ? 1 : 0;
        [history, text] = walked ? [walked.history, walked.text] : [history, text];
      }
      expect(text).toBe(taken === 0 ? draft : prompts.at(-taken));
      for (let step = 0; step < taken; step++) {
        const walked = walk(history, 1, text);
        [history, text] = walked ? [walked.history, walked.text] : [history, text];
      }
      expect(text).toBe(draft);
    }),
  );
});

test('the same prompt twice in a row is kept once', () => {
  const history = remember(remember(remember(newHistory(), 'a'), 'a'), ' ');
  expect(history.prompts).toEqual(['a']);
});
