import { expect, test, vi } from 'vitest';
import type { SessionEvent } from '../../src/wire';

vi.mock('vscode', () => ({ Uri: { joinPath: () => ({}) }, l10n: { t: (text: string) => text } }));
vi.mock('../../src/chat/chat_page', () => ({
  ChatPage: class {
    setVisible = () => undefined;
  },
}));
const { CurrentSession } = await import('../../src/sessions/current');
const { ChatPanel } = await import('../../src/chat/panel');

function opened() {
  const answers: ((title: string) => void)[] = [];
  let update = (_: SessionEvent): void => undefined;
  const disposable = { dispose: () => undefined };
  const agent = {
    request: () => new Promise((resolve) => answers.push((title) => resolve({ session: { title } }))),
    onUpdate: (listener: typeof update) => {
      update = listener;
      return disposable;
    },
  };
  const heard = () => disposable;
  const panel = { title: '', active: true, visible: true, onDidChangeViewState: heard, onDidDispose: heard };
  const chat = new ChatPanel({ agent } as never, new CurrentSession(agent as never), panel as never, 'ses_1', heard);
  const rename = (title: string) =>
    update({ sessionId: 'ses_1', seq: 1, update: { kind: 'session_info_update', title } } as SessionEvent);
  const answer = async (number: number, title: string) => {
    answers[number]?.(title);
    await new Promise(setImmediate);
  };
  return { chat, panel, rename, answer };
}

test('a tab has the title of its session', async () => {
  const { panel, rename, answer } = opened();
  await answer(0, 'About apples');
  expect(panel.title).toBe('About apples');
  rename('Only apples');
  expect(panel.title).toBe('Only apples');
});

test('an older title that arrives after a newer title does not take the place of the newer title', async () => {
  const { chat, panel, rename, answer } = opened();
  rename('Only apples');
  await answer(0, 'About apples');
  expect(panel.title).toBe('Only apples');
  chat.session.open('ses_2');
  chat.session.open(null);
  await answer(1, 'About pears');
  expect(panel.title).toBe('New session');
});
