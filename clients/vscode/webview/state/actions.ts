/** Commands of the view, from any source. */
import * as l10n from '@vscode/l10n';
import type { Choosable } from './choosing';
import type { Command } from './commands';
import { post, request } from './host';
import type { Store } from './store';

/** Open menu of the header. */
export type Menu = 'sessions' | 'more' | undefined;

/** Parts of the page that a command can open. */
export interface Surfaces {
  toggleMenu(menu: Exclude<Menu, undefined>): void;
  pick(kind: Choosable): void;
  focusPrompt(): void;
}

export async function run(command: Command['name'], store: Store, surfaces: Surfaces): Promise<void> {
  switch (command) {
    case 'new':
      store.leave();
      return surfaces.focusPrompt();
    case 'sessions':
      return surfaces.toggleMenu('sessions');
    case 'agents':
      return surfaces.pick('agent');
    case 'models':
      return surfaces.pick('model');
    case 'effort':
      return surfaces.pick('effort');
    case 'review-mode':
      return surfaces.pick('review');
    case 'caution':
      return surfaces.pick('caution');
    case 'stop':
      return store.stop();
    case 'undo':
      return store.undo();
    case 'redo':
      return store.redo();
    case 'back':
      return post({ type: 'remedy', name: 'goBack' });
    case 'compact':
      return compact(store);
    case 'rename':
      return rename(store);
    case 'fork':
      return fork(store);
    case 'export':
      return exportText(store);
    case 'transcript':
      return showTranscript(store);
    case 'attach':
      return attach(store, surfaces);
    case 'delete':
      return remove(store);
  }
}

async function compact(store: Store): Promise<void> {
  const done = await store.act((sessionId) => request('agent/session/compact', { sessionId }));
  if (done) {
    store.speak(l10n.t('Compacted: {0} to {1} tokens', done.tokensBefore, done.tokensAfter), false);
  }
}

async function rename(store: Store): Promise<void> {
  await store.act(async (sessionId) => {
    const title = await request('host/input', { title: l10n.t('Rename Session'), value: titleOf(store) });
    if (title !== null && title.trim() !== '') {
      store.conversation?.describe(await request('agent/session/rename', { sessionId, title: title.trim() }));
      store.changed();
    }
  });
}

async function fork(store: Store): Promise<void> {
  const info = await store.act((sessionId) => request('agent/session/fork', { sessionId }));
  if (info) {
    await store.open(info.id);
  }
}

async function exportText(store: Store): Promise<void> {
  await store.act(async (sessionId) => {
    const { text } = await request('agent/session/export', { sessionId, format: 'markdown' });
    const name = titleOf(store)
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .trim();
    await request('host/save', { name: `${name || l10n.t('session')}.md`, text });
  });
}

/** Opens the transcript as a document, which the user can read, search and copy like any document. */
async function showTranscript(store: Store): Promise<void> {
  await store.act(async (sessionId) => {
    const { text } = await request('agent/session/export', { sessionId, format: 'markdown' });
    post({ type: 'openText', language: 'markdown', text });
  });
}

async function attach(store: Store, surfaces: Surfaces): Promise<void> {
  try {
    for (const attachment of await request('host/pick', {})) {
      store.attachments.add(attachment);
    }
    surfaces.focusPrompt();
  } catch (error) {
    store.fail(error);
  }
}

async function remove(store: Store): Promise<void> {
  await store.act(async (sessionId) => {
    const message = l10n.t('Delete “{0}”?', titleOf(store));
    const detail = l10n.t('The history of the session is deleted. Changes to files stay.');
    if (await request('host/confirm', { message, detail, action: l10n.t('Delete') })) {
      await request('agent/session/delete', { sessionId });
      store.leave();
      await store.lists.findSessions();
    }
  });
}

function titleOf(store: Store): string {
  return store.conversation?.info.title ?? '';
}
