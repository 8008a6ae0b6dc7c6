import { expect, test } from 'vitest';
import type { Agent } from '../../src/daemon/agent';
import { ShownRequests } from '../../src/permissions/shown_requests';
import { CurrentSession } from '../../src/sessions/current';
import { PageSession } from '../../src/sessions/page_session';

function opened() {
  const agent = { request: async () => ({ id: 'ses_new' }) } as unknown as Agent;
  const current = new CurrentSession(agent);
  const use = { tab: false };
  const used = () => {};
  const side = new PageSession(current, { followsCommands: true, isActive: () => true, used });
  const tab = new PageSession(current, { followsCommands: false, isActive: () => use.tab, used }, 'ses_tab');
  return { current, side, tab, use };
}

test('the side bar follows a session that a command opens, and an editor tab keeps its session', () => {
  const { current, side, tab } = opened();
  current.set('ses_1');
  expect([side.id, tab.id]).toEqual(['ses_1', 'ses_tab']);
});

test('the commands apply to the page that was used last, and the other page keeps its session', () => {
  const { current, side, tab, use } = opened();
  side.set('ses_1');
  tab.set('ses_2');
  expect(current.id).toBe('ses_1');
  use.tab = true;
  tab.use();
  expect([current.id, side.id, tab.id]).toEqual(['ses_2', 'ses_1', 'ses_2']);
  side.use();
  expect([current.id, side.id, tab.id]).toEqual(['ses_1', 'ses_1', 'ses_2']);
});

test('a report from before an opening does not take the commands from the opened page', () => {
  const { current, side, tab } = opened();
  side.set('ses_1');
  const before = current.opening;
  tab.open('ses_2');
  side.takeReport(before);
  expect(current.id).toBe('ses_2');
  side.takeReport(current.opening);
  expect(current.id).toBe('ses_1');
});

test('the pages are told of each opening, also of the session that the commands apply to already', () => {
  const { current, side } = opened();
  const told: number[] = [];
  const listening = current.onOpening(() => told.push(current.opening));
  side.open('ses_1');
  side.open('ses_1');
  listening.dispose();
  side.open('ses_2');
  expect(told).toEqual([1, 2]);
});

test('a session that a command begins belongs to the page in use', async () => {
  const { current, side, tab, use } = opened();
  side.set('ses_1');
  use.tab = true;
  tab.set(null);
  expect(current.id).toBeUndefined();
  await current.get();
  expect([current.id, side.id, tab.id]).toEqual(['ses_new', 'ses_1', 'ses_new']);
});

test('a closed tab follows nothing', async () => {
  const { current, tab, use } = opened();
  use.tab = true;
  tab.set(null);
  tab.dispose();
  await current.get();
  expect(tab.id).toBeUndefined();
});

test('a request is shown if a visible page shows the request, and awaited while a visible page is silent', () => {
  const shown = new ShownRequests();
  const [one, other] = [shown.page(), shown.page()];
  one.setVisible(true);
  one.show([], ['ask_1']);
  expect([shown.has('ask_1'), shown.isAwaited('ask_1')]).toEqual([false, false]);
  other.setVisible(true);
  expect(shown.isAwaited('ask_1')).toBe(true);
  other.show(['ask_1'], []);
  expect([shown.has('ask_1'), shown.isAwaited('ask_1')]).toEqual([true, false]);
  other.setVisible(false);
  expect(shown.has('ask_1')).toBe(false);
  other.setVisible(true);
  other.show(['ask_1'], []);
  shown.drop(other);
  expect(shown.has('ask_1')).toBe(false);
});
