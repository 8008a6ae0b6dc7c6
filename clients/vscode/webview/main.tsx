/** The page of the chat view: header, conversation, what waits, prompt. */
import { Component, createRef, render } from 'preact';
import type { Command } from './commands';
import { Composer } from './composer';
import { Dock } from './dock';
import { Header, type Menu } from './header';
import { request } from './host';
import { List } from './list';
import { RowView } from './row';
import type { Row } from './rows';
import { Store } from './store';
import './main.css';

class Page extends Component<{ store: Store }, { menu: Menu }> {
  override state = { menu: undefined as Menu };
  readonly #composer = createRef<Composer>();

  override componentDidMount(): void {
    const { store } = this.props;
    store.onChange(() => this.forceUpdate());
    store.onWish = (wish) => {
      if (wish.type === 'command') {
        this.#run(wish.name);
      } else if (wish.type === 'write') {
        this.#composer.current?.write(wish.text);
      } else {
        this.#composer.current?.focus();
      }
    };
    window.addEventListener('keydown', this.#pressed);
    store.start();
  }

  render() {
    const { store } = this.props;
    const { spoken } = store;
    return (
      <>
        <Header store={store} menu={this.state.menu} onMenu={this.#setMenu} run={this.#run} />
        <main>
          {store.rows.length === 0 && !store.isBusy ? (
            <Welcome isLoading={store.isLoading} />
          ) : (
            <List
              key={store.conversation?.info.id}
              rows={store.rows}
              label="Conversation"
              isBusy={store.isBusy}
              estimate={estimate}
              render={this.#row}
            />
          )}
        </main>
        <footer>
          <Dock store={store} />
          <Composer ref={this.#composer} store={store} run={this.#run} />
        </footer>
        <p class="unseen" aria-live="polite">
          {spoken.isUrgent ? '' : spoken.text}
        </p>
        <p class="unseen" aria-live="assertive">
          {spoken.isUrgent ? spoken.text : ''}
        </p>
      </>
    );
  }

  #row = (row: Row) => {
    const { store } = this.props;
    const child = row.kind === 'tool' && row.part.tool === 'task' ? store.subagents.of(row.part) : undefined;
    return <RowView store={store} row={row} nested={child?.seq ?? 0} />;
  };

  #setMenu = (menu: Menu): void => {
    this.setState({ menu });
    if (menu === undefined) {
      this.#composer.current?.focus();
    }
  };

  #pressed = (event: KeyboardEvent): void => {
    if (event.key === 'Escape' && !event.defaultPrevented && this.props.store.isBusy) {
      event.preventDefault();
      this.props.store.stop();
    }
  };

  #run = (command: Command['name']): void => {
    void this.#do(command);
  };

  async #do(command: Command['name']): Promise<void> {
    const { store } = this.props;
    const title = store.conversation?.info.title ?? '';
    switch (command) {
      case 'new':
        store.leave();
        this.#composer.current?.focus();
        return;
      case 'sessions':
        return this.#setMenu(this.state.menu === 'sessions' ? undefined : 'sessions');
      case 'agents':
        return this.#composer.current?.pick('agent');
      case 'models':
        return this.#composer.current?.pick('model');
      case 'stop':
        return store.stop();
      case 'undo':
        return store.undo();
      case 'redo':
        return store.redo();
      case 'compact': {
        const done = await store.act((sessionId) => request('agent/session/compact', { sessionId }));
        return done && store.speak(`Summed up: ${done.tokensBefore} to ${done.tokensAfter} tokens.`, false);
      }
      case 'rename': {
        await store.act(async (sessionId) => {
          const wanted = await request('host/input', { title: 'Title of the session', value: title });
          if (wanted !== null && wanted.trim() !== '') {
            const info = await request('agent/session/rename', { sessionId, title: wanted.trim() });
            store.retitle(sessionId, info.title);
          }
        });
        return;
      }
      case 'fork': {
        const info = await store.act((sessionId) => request('agent/session/fork', { sessionId }));
        return info && store.open(info.id);
      }
      case 'export': {
        await store.act(async (sessionId) => {
          const { text } = await request('agent/session/export', { sessionId, format: 'markdown' });
          await request('host/save', {
            name: `${title.replace(/[^\p{L}\p{N} _-]/gu, '').trim() || 'session'}.md`,
            text,
          });
        });
        return;
      }
      case 'delete': {
        await store.act(async (sessionId) => {
          const message = `Delete "${title}"?`;
          const detail = 'Its history is gone then. What it changed in files stays.';
          if (await request('host/confirm', { message, detail, action: 'Delete' })) {
            await request('agent/session/delete', { sessionId });
            store.leave();
            await store.lists.findSessions();
          }
        });
        return;
      }
    }
  }
}

function Welcome({ isLoading }: { isLoading: boolean }) {
  return (
    <div class="welcome">
      {isLoading ? (
        <p>
          <span class="spinner" /> Opening the session…
        </p>
      ) : (
        <>
          <p class="motto">Nothing changes without your placet.</p>
          <ul>
            <li>
              <kbd>@</kbd> names files, symbols and agents
            </li>
            <li>
              <kbd>/</kbd> runs commands
            </li>
            <li>
              <kbd>Shift</kbd>+<kbd>Enter</kbd> begins a new line
            </li>
            <li>
              <kbd>Escape</kbd> stops a running turn
            </li>
          </ul>
        </>
      )}
    </div>
  );
}

/** Pixels, before it is measured. */
function estimate(row: Row): number {
  switch (row.kind) {
    case 'block':
      return row.block.kind === 'code'
        ? 30 + 18 * row.block.text.split('\n').length
        : 12 + 20 * Math.ceil(row.block.text.length / 45);
    case 'user':
      return 80;
    case 'changes':
      return 90;
    default:
      return 32;
  }
}

const root = document.getElementById('page');
if (root) {
  render(<Page store={new Store()} />, root);
}
