import { describe, expect, it } from 'vitest';
import { SessionLog } from '../../src/sessions/session_log';
import { ago } from '../../src/ui/relative_time';
import type { SessionEvent, Update } from '../../src/wire';

const event = (update: Partial<Update> & { kind: Update['kind'] }): SessionEvent =>
  ({ sessionId: 's', seq: 1, update }) as SessionEvent;

describe('the log of a session', () => {
  const userMessage = (id: string, ...texts: { text: string; synthetic?: boolean }[]) => {
    const parts = texts.map((text, index) => ({ id: `p${index}`, type: 'text' as const, synthetic: false, ...text }));
    return event({ kind: 'user_message', message: { role: 'user', id, created: 0, agent: '', model: '', parts } });
  };

  it('knows a turn by the first line of its prompt', () => {
    const log = new SessionLog();
    log.apply(userMessage('t1', { text: 'read @a', synthetic: true }, { text: '\nRename it\nand the tests' }));
    log.apply(userMessage('t2', { text: 'x'.repeat(200) }));
    expect(log.titles.get('t1')).toBe('Rename it');
    expect(log.titles.get('t2')).toHaveLength(80);
  });

  it('has the last plan, and nothing of what it need not know', () => {
    const log = new SessionLog();
    const entry = (content: string) => ({ content, status: 'pending' as const, priority: 'medium' as const });
    expect(log.apply(event({ kind: 'plan', entries: [entry('one')] }))).toBe(true);
    log.apply(event({ kind: 'plan', entries: [entry('two')] }));
    expect(log.plan.map(({ content }) => content)).toEqual(['two']);
    expect(log.apply(event({ kind: 'turn_started', turnId: 't' }))).toBe(false);
  });
});

it('how long ago something was is told in one unit', () => {
  const now = Date.UTC(2026, 1, 10);
  expect(ago(now, now, 'en')).toBe('now');
  expect(ago(now - 5 * 60_000, now, 'en')).toBe('5 min. ago');
  expect(ago(now - 26 * 3_600_000, now, 'en')).toBe('yesterday');
  expect(ago(now + 5000, now, 'en')).toBe('now');
});
