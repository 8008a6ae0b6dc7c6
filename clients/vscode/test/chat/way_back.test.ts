import { beforeEach, expect, test } from 'vitest';
import { Conversation } from '../../src/chat/conversation';
import { promptsOf } from '../../src/sessions/session_log';
import type { BackPreview, BackResult, PromptPart, SessionEvent, Update } from '../../src/wire';
import { withPrompt } from '../../webview/composer/draft';
import { nameIn } from '../../webview/state/names';
import { WayBack } from '../../webview/state/way_back';
import { INFO } from './session_info';

const SESSION = 'ses_1';
const PREVIEW: BackPreview = { files: [], staged: [], prompts: 1, effects: [] };
const RESULT: BackResult = {
  files: [{ uri: 'file:///a', status: 'restored' }],
  staged: [],
  parts: [{ id: 'prt_1', type: 'text', text: 'Do it', synthetic: false }],
};

interface Asked {
  method: string;
  params: unknown;
  answer: (result: unknown) => void;
  fail: (error: Error) => void;
}

let asked: Asked[];
let told: unknown[];
let wayBack: WayBack;
beforeEach(() => {
  asked = [];
  told = [];
  const ask = (method: string) => (params: unknown) =>
    new Promise<never>((answer, fail) => {
      asked.push({ method, params, answer: answer as Asked['answer'], fail });
    });
  wayBack = new WayBack(
    { preview: ask('preview'), go: ask('go'), redo: ask('redo') },
    {
      changed: () => undefined,
      failed: (error) => told.push(['failed', (error as Error).message]),
      went: (result: BackResult, parts: readonly PromptPart[]) => told.push(['went', result.files.length, parts]),
      redone: () => told.push(['redone']),
    },
  );
});

const update = (update: object, sessionId = SESSION): SessionEvent => ({ sessionId, seq: 1, update: update as Update });

/** Returns once the prompt is offered with the preview. */
async function offered(): Promise<void> {
  const begun = wayBack.begin(SESSION, 'msg_1', false);
  asked.pop()?.answer(PREVIEW);
  await begun;
}

test('a prompt is offered with the preview of talk and files, in its session alone', async () => {
  const begun = wayBack.begin(SESSION, 'msg_1', false);
  expect(asked).toMatchObject([{ method: 'preview', params: { sessionId: SESSION, messageId: 'msg_1', what: 'all' } }]);
  expect(wayBack.offer(SESSION)).toEqual({ sessionId: SESSION, messageId: 'msg_1', wish: 1 });
  asked[0]?.answer(PREVIEW);
  await begun;
  expect(wayBack.offer(SESSION)?.preview).toBe(PREVIEW);
  expect(wayBack.offer('ses_2')).toBeUndefined();
  expect(wayBack.offer(undefined)).toBeUndefined();
});

test('a preview that comes after another offer is not shown', async () => {
  const first = wayBack.begin(SESSION, 'msg_1', false);
  const second = wayBack.begin(SESSION, 'msg_2', false);
  asked[0]?.answer({ ...PREVIEW, prompts: 9 });
  await first;
  expect(wayBack.offer(SESSION)).toEqual({ sessionId: SESSION, messageId: 'msg_2', wish: 2 });
  asked[1]?.answer(PREVIEW);
  await second;
  expect(wayBack.offer(SESSION)?.preview?.prompts).toBe(1);
});

test('a preview that fails ends the offer, and the user is told', async () => {
  const begun = wayBack.begin(SESSION, 'msg_1', false);
  asked[0]?.fail(new Error('no such prompt'));
  await begun;
  expect(wayBack.offer(SESSION)).toBeUndefined();
  expect(told).toEqual([['failed', 'no such prompt']]);
});

test('during a turn nothing is asked; the preview follows the end of the turn', async () => {
  await wayBack.begin(SESSION, 'msg_1', true);
  expect(asked).toEqual([]);
  expect(wayBack.offer(SESSION)).toBeDefined();
  wayBack.receive([update({ kind: 'turn_ended', turnId: 'msg_9', stopReason: 'cancelled' }, 'ses_2')]);
  expect(asked).toEqual([]);
  wayBack.receive([update({ kind: 'turn_ended', turnId: 'msg_9', stopReason: 'cancelled' })]);
  expect(asked).toMatchObject([{ method: 'preview', params: { messageId: 'msg_1' } }]);
});

test('a repeated wish for the same prompt is an offer of its own, and a preview read again is not', async () => {
  await offered();
  const { wish } = wayBack.offer(SESSION) ?? {};
  await offered();
  const repeated = wayBack.offer(SESSION)?.wish;
  expect(repeated).not.toBe(wish);
  wayBack.receive([update({ kind: 'turn_ended', turnId: 'msg_9', stopReason: 'end_turn' })]);
  expect(wayBack.offer(SESSION)).toEqual({ sessionId: SESSION, messageId: 'msg_1', wish: repeated });
});

test('another way back ends the offer, since the prompt may be hidden', async () => {
  await offered();
  wayBack.receive([update({ kind: 'session_back', messageId: 'msg_1' })]);
  expect(wayBack.offer(SESSION)).toBeUndefined();
});

test('the prompt is handed over without the ids of its first sending', async () => {
  await offered();
  const going = wayBack.go('talk');
  expect(asked).toMatchObject([{ method: 'go', params: { sessionId: SESSION, messageId: 'msg_1', what: 'talk' } }]);
  asked[0]?.answer(RESULT);
  await going;
  expect(told).toEqual([['went', 1, [{ type: 'text', text: 'Do it', synthetic: false }]]]);
  expect(wayBack.offer(SESSION)).toBeUndefined();
});

test('two clicks are one act, and an act that failed leaves the offer', async () => {
  await offered();
  const going = Promise.all([wayBack.go('all'), wayBack.go('all')]);
  expect(asked).toHaveLength(1);
  asked[0]?.fail(new Error('The agent is at work.'));
  await going;
  expect(told).toEqual([['failed', 'The agent is at work.']]);
  expect(wayBack.offer(SESSION)?.preview).toBe(PREVIEW);
});

test('an act of going back that is taken back is told', async () => {
  const redone = wayBack.redo(SESSION);
  asked.pop()?.answer({ ...RESULT, parts: [] });
  await redone;
  expect(told).toEqual([['redone']]);
});

test.each([
  ['the end of the way forward', {}, {}],
  ['going back in the talk', { messageId: 'msg_1' }, { backTo: 'msg_1' }],
])('a conversation says that the files alone went back, until %s', (_, next, info) => {
  const conversation = new Conversation(INFO);
  conversation.apply(update({ kind: 'session_back', filesBack: true }));
  expect(conversation.info).toEqual({ ...INFO, filesBack: true });
  conversation.apply(update({ kind: 'session_back', ...next }));
  expect(conversation.info).toEqual({ ...INFO, ...info });
});

test('the prompts to go back to are those that began a turn, newest first, without hidden prompts', () => {
  const user = (id: string, more: object = {}) =>
    update({
      kind: 'user_message',
      message: {
        id,
        role: 'user',
        sessionId: SESSION,
        created: 1,
        parts: [{ id: 'p', type: 'text', text: id }],
        ...more,
      },
    });
  const events = [
    user('msg_1'),
    user('msg_2', { steers: 'msg_1' }),
    user('msg_3', { parts: [{ id: 'p', type: 'text', text: 'told', synthetic: true }] }),
    user('msg_4'),
    user('msg_5'),
    update({ kind: 'session_back', messageId: 'msg_5' }),
  ];
  expect(promptsOf(events).map(({ id }) => id)).toEqual(['msg_4', 'msg_1']);
});

test.each([
  ['', 'Do it', undefined, 'Do it'],
  ['  \n', 'Do it', undefined, 'Do it'],
  ['mine', 'Do it', undefined, 'Do it\n\nmine'],
  ['Do it', 'Before', 'Do it', 'Before'],
  ['Do it now', 'Before', 'Do it', 'Before\n\nDo it now'],
  ['Do it', '', 'Do it', ''],
  ['Do it now', '', 'Do it', 'Do it now'],
])('a prompt for editing makes room for itself, and loses no words of the user: %j', (draft, prompt, instead, now) => {
  expect(withPrompt(draft, prompt, instead)).toBe(now);
});

test('a file is named within its folder, and by the last name elsewhere', () => {
  expect(nameIn('file:///p/src/a%20b.ts', ['file:///other', 'file:///p'])).toBe('src/a b.ts');
  expect(nameIn('file:///p/src/a.ts', ['file:///p/'])).toBe('src/a.ts');
  expect(nameIn('file:///pq/a.ts', ['file:///p'])).toBe('a.ts');
});
