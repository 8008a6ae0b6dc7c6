/** Commands ask the daemon before they act, where the window does not follow a change set yet. */
import { expect, it, vi } from 'vitest';
import { LeftChanges } from '../../src/change_set/left_changes';

const SESSIONS = [{ id: 'ses_empty' }, { id: 'ses_left', toReview: 2 }, { id: 'ses_older', toReview: 1 }];

function window(state: string, id?: string) {
  const done: string[] = [];
  const agent = {
    status: { state },
    request: vi.fn(async (method: string) => {
      done.push(method);
      return { sessions: SESSIONS };
    }),
  };
  const session = { id, set: (to: string) => Object.assign(session, { id: to }) };
  const set = { load: async () => void done.push('load') };
  const left = new LeftChanges(agent as never, session as never, set as never);
  const commands = left.asking({ review: (name: string) => void done.push(`review ${name}`) } as never);
  return { run: () => (commands.review as (name: string) => Promise<void>)('it'), done, session };
}

it('a window without a session takes the last used session with changes to review', async () => {
  for (const state of ['stopped', 'ready', 'failed']) {
    const { run, done, session } = window(state);
    await run();
    expect(session.id).toBe('ses_left');
    expect(done).toEqual(['agent/session/list', 'load', 'review it']);
  }
});

it('a window whose daemon is gone asks the next daemon about its own session', async () => {
  const { run, done, session } = window('stopped', 'ses_mine');
  await run();
  expect(session.id).toBe('ses_mine');
  expect(done).toEqual(['agent/session/list', 'load', 'review it']);
});

it('a window that follows a change set asks nothing', async () => {
  const { run, done } = window('ready', 'ses_mine');
  await run();
  expect(done).toEqual(['review it']);
});
