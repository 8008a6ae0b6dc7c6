import { expect, test, vi } from 'vitest';
import type { SessionEvent } from '../../src/wire';
import { INFO } from './session_info';

const asked = vi.hoisted((): { method: string; answer: (result: unknown) => void }[] => []);
vi.mock('../../webview/state/host', () => ({
  request: (method: string) => new Promise((answer) => asked.push({ method, answer })),
}));

const { OpenSession } = await import('../../webview/state/open_session');

const titled = (seq: number, title: string): SessionEvent => ({
  sessionId: 'ses_1',
  seq,
  update: { kind: 'session_info_update', title },
});

test('an event that comes before the answer of the load, and is not in the answer, is applied', async () => {
  const session = new OpenSession({ changed: () => undefined, failed: () => undefined, happened: () => undefined });
  const opening = session.open('ses_1');
  session.receive([titled(2, 'In the answer'), titled(3, 'After the answer')]);
  asked.shift()?.answer({ session: INFO, events: [titled(2, 'In the answer')] });
  await vi.waitFor(() => expect(asked).toHaveLength(2));
  for (const { method, answer } of asked.splice(0)) {
    answer(method === 'agent/status' ? { running: [] } : { changes: [] });
  }
  await opening;
  while (session.draw()) {}
  expect(session.conversation?.info.title).toBe('After the answer');
});
