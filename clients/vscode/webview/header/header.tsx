/** Header with the title of the session, and the menus to other sessions and commands. */
import * as l10n from '@vscode/l10n';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { SessionInfo } from '../../src/wire';
import { Icon } from '../controls/icons';
import { type Choice, Picker } from '../controls/picker';
import type { Menu } from '../state/actions';
import { COMMANDS, type Command } from '../state/commands';
import type { Store } from '../state/store';

interface Props {
  store: Store;
  menu: Menu;
  onMenu: (menu: Menu) => void;
  run: (command: Command['name']) => void;
}

const SEARCH_MS = 200;

export function Header({ store, menu, onMenu, run }: Props) {
  const { title = l10n.t('New session'), parentId } = store.conversation?.info ?? {};
  return (
    <header>
      {parentId !== undefined && (
        <button
          type="button"
          class="round plain back"
          title={l10n.t('Back to Session')}
          aria-label={l10n.t('Back to Session')}
          onClick={() => store.open(parentId)}
        >
          <Icon name="chevron" />
        </button>
      )}
      <button
        type="button"
        class="title"
        aria-haspopup="listbox"
        aria-expanded={menu === 'sessions'}
        title={l10n.t('Sessions')}
        onClick={() => run('sessions')}
      >
        <h1>{title}</h1>
        <span class="twisty open">
          <Icon name="chevron" />
        </span>
      </button>
      <button
        type="button"
        class="round plain"
        title={l10n.t('New Session')}
        aria-label={l10n.t('New Session')}
        onClick={() => run('new')}
      >
        <Icon name="add" />
      </button>
      <button
        type="button"
        class="round plain"
        title={l10n.t('More Actions…')}
        aria-label={l10n.t('More Actions…')}
        aria-haspopup="listbox"
        aria-expanded={menu === 'more'}
        onClick={() => onMenu('more')}
      >
        <Icon name="more" />
      </button>
      {menu === 'sessions' && <Sessions store={store} onClose={() => onMenu(undefined)} />}
      {menu === 'more' && <Commands store={store} onClose={() => onMenu(undefined)} run={run} />}
    </header>
  );
}

function Commands({ store, onClose, run }: { store: Store; onClose: () => void; run: Props['run'] }) {
  return (
    <Picker
      label={l10n.t('Commands')}
      side="below"
      empty={l10n.t('No matches')}
      choices={COMMANDS.filter((command) => command.isAlways || store.conversation).map((command) => ({
        id: command.name,
        label: command.description,
        detail: `/${command.name}`,
      }))}
      onClose={onClose}
      onPick={(choice) => {
        onClose();
        run(choice.id as Command['name']);
      }}
    />
  );
}

function Sessions({ store, onClose }: { store: Store; onClose: () => void }) {
  const [query, setQuery] = useState('');
  const isFirst = useRef(true);
  useEffect(() => {
    const timer = setTimeout(() => void store.lists.findSessions(query), isFirst.current ? 0 : SEARCH_MS);
    isFirst.current = false;
    return () => clearTimeout(timer);
  }, [query]);
  const choices: Choice[] = store.lists.sessions.map((session) => ({
    id: session.id,
    label: session.title,
    detail: [...doing(store, session.id), ago(session.updated), ...spent(session)].join(', '),
    isCurrent: session.id === store.conversation?.info.id,
  }));
  return (
    <Picker
      label={l10n.t('Search Sessions')}
      side="below"
      empty={l10n.t('No sessions')}
      choices={choices}
      onQuery={setQuery}
      onClose={onClose}
      onPick={(choice) => {
        onClose();
        void store.open(choice.id);
      }}
    />
  );
}

function doing(store: Store, sessionId: string): string[] {
  if (store.asks.all.some((ask) => ask.request.sessionId === sessionId)) {
    return [l10n.t('waiting for you')];
  }
  return store.status.running.includes(sessionId) ? [l10n.t('running')] : [];
}

function spent({ usage }: SessionInfo): string[] {
  return usage && usage.cost > 0 ? [`$${usage.cost.toFixed(2)}`] : [];
}

const STEPS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];

function ago(moment: number): string {
  const passed = Date.now() - moment;
  const format = new Intl.RelativeTimeFormat(document.documentElement.lang || undefined, { numeric: 'auto' });
  const [unit, length] = STEPS.find(([, step]) => passed >= step) ?? ['minute', 60_000];
  return format.format(-Math.floor(passed / length), unit);
}
