import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { codePoints, Transcript } from '../../src/sessions/transcript';
import type { Message, SessionEvent } from '../../src/wire';

const DIRECTORY = new URL('../../../../tests/wire/transcripts/', import.meta.url);

interface Shared {
  events: SessionEvent[];
  messages: Message[];
}

for (const name of readdirSync(DIRECTORY).filter((file) => file.endsWith('.json'))) {
  test(`the fold gives what Python's gives: ${name}`, () => {
    const shared = JSON.parse(readFileSync(new URL(name, DIRECTORY), 'utf8')) as Shared;
    const transcript = new Transcript();
    for (const event of shared.events) {
      transcript.apply(event.update);
    }
    expect(transcript.messages).toEqual(shared.messages);
  });
}

test('a text has as many code points as it has characters to Python', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(codePoints(text)).toBe([...text].length);
    }),
  );
});

test('chunks make the text however it was cut', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme', maxLength: 5 }), { maxLength: 20 }), (pieces) => {
      const transcript = opened();
      let offset = 0;
      for (const text of pieces) {
        transcript.apply({ kind: 'agent_message_chunk', messageId: 'msg_a', partId: 'prt_1', offset, text });
        offset += codePoints(text);
      }
      const [part] = transcript.message('msg_a')?.parts ?? [];
      expect(part?.type === 'text' ? part.text : '').toBe(pieces.join(''));
    }),
  );
});

test('a message that has not changed is the same object', () => {
  const transcript = opened();
  const [before] = transcript.messages;
  transcript.apply({ kind: 'agent_message_chunk', messageId: 'msg_a', partId: 'prt_1', offset: 0, text: 'Hi' });
  expect(transcript.messages[0]).toBe(before);
});

test('an event about a message that is not known is left out', () => {
  const transcript = new Transcript();
  const chunk = { kind: 'agent_message_chunk', messageId: 'msg_x', partId: 'prt_1', offset: 0, text: 'Hi' } as const;
  expect(transcript.apply(chunk)).toBeUndefined();
  expect(transcript.messages).toEqual([]);
});

function opened(): Transcript {
  const transcript = new Transcript();
  const tokens = { input: 0, output: 0, reasoning: 0, cacheRead: 0, cacheWrite: 0 };
  const own = { created: 1, agent: 'build', model: 'm', parts: [] };
  transcript.apply({ kind: 'user_message', message: { role: 'user', id: 'msg_u', ...own } });
  const answer = {
    role: 'assistant',
    id: 'msg_a',
    parentId: 'msg_u',
    summary: false,
    tokens,
    cost: 0,
    ...own,
  } as const;
  transcript.apply({ kind: 'agent_message', message: { ...answer, parts: [] } });
  return transcript;
}
