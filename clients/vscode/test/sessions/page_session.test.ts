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
  /** Takes what a page reports that knows all openings. */
  const report = (page: PageSession, id: string | null) => page.takeSession(id, current.opening);
  return { current, side, tab, use, report };
}

test('the side bar follows a session that a command opens, and an editor tab keeps its session', () => {
  const { current, side, tab } = opened();
  current.set('ses_1');
  expect([side.id, tab.id]).toEqual(['ses_1', 'ses_tab']);
});

test('the commands apply to the page that was used last, and the other page keeps its session', () => {
  const { current, side, tab, use, report } = opened();
  report(side, 'ses_1');
  report(tab, 'ses_2');
  expect(current.id).toBe('ses_1');
  use.tab = true;
  tab.use();
  expect([current.id, side.id, tab.id]).toEqual(['ses_2', 'ses_1', 'ses_2']);
  side.use();
  expect([current.id, side.id, tab.id]).toEqual(['ses_1', 'ses_1', 'ses_2']);
});

test('a report from before an opening does not take the commands from the opened page', () => {
  const { current, side, tab, report } = opened();
  report(side, 'ses_1');
  const before = current.opening;
  tab.open('ses_2');
  side.takeUse(before);
  expect(current.id).toBe('ses_2');
  side.takeUse(current.opening);
  expect(current.id).toBe('ses_1');
});

test('a late report of the session on a page does not undo what a command has opened there', () => {
  const { current, tab, use } = opened();
  use.tab = true;
  tab.open('ses_1');
  const before = current.opening;
  tab.open(null);
  tab.takeSession('ses_1', before);
  expect([current.id, tab.id]).toEqual([undefined, undefined]);
});

test('a late report of the session on a page does not bring back the session that the commands have left', () => {
  const { current, side, report } = opened();
  report(side, 'ses_1');
  const before = current.opening;
  current.set(null);
  side.takeSession('ses_1', before);
  expect([current.id, side.id]).toEqual([undefined, undefined]);
});

test('a page keeps the session that its user has gone to while a command opened another page', () => {
  const { current, side, tab } = opened();
  const before = current.opening;
  tab.open('ses_2');
  side.takeSession('ses_3', before);
  expect([current.id, side.id, tab.id]).toEqual(['ses_2', 'ses_3', 'ses_2']);
});

test('a page is sent to a session by commands alone, also to the session of the page and to none', () => {
  const { current, side, report } = opened();
  const sent: (string | null | undefined)[] = [];
  side.onChange((isByUser) => isByUser || sent.push(side.shown));
  expect(side.shown).toBeUndefined();
  side.open('ses_1');
  side.open('ses_1');
  report(side, 'ses_2');
  side.open(null);
  current.set('ses_3');
  expect(sent).toEqual(['ses_1', 'ses_1', null, 'ses_3']);
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
  const { current, side, tab, use, report } = opened();
  report(side, 'ses_1');
  use.tab = true;
  report(tab, null);
  expect(current.id).toBeUndefined();
  await current.get();
  expect([current.id, side.id, tab.id]).toEqual(['ses_new', 'ses_1', 'ses_new']);
});

test('a closed tab follows nothing', async () => {
  const { current, tab, use, report } = opened();
  use.tab = true;
  report(tab, null);
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
