/** Page of the chat view: header, conversation, pending requests, composer. */
import * as l10n from '@vscode/l10n';
import './texts';
import { Component, createRef, render } from 'preact';
import { Composer } from './composer/composer';
import { List } from './conversation/list';
import { missingModel, NoModel } from './conversation/no_model';
import { RowView } from './conversation/row';
import { Welcome } from './conversation/welcome';
import { Dock } from './dock/dock';
import { Header } from './header/header';
import { type Menu, run, type Surfaces } from './state/actions';
import { currentChoices } from './state/choosing';
import type { Command } from './state/commands';
import { keep, recall } from './state/host';
import type { Row } from './state/rows';
import { Store } from './state/store';
import './main.css';

class Page extends Component<{ store: Store }, { menu: Menu }> {
  override state = { menu: undefined as Menu };
  readonly #composer = createRef<Composer>();
  readonly #list = createRef<List<Row>>();
  /** Element that last had the focus. */
  #focused: EventTarget | null = null;

  override componentDidMount(): void {
    const { store } = this.props;
    store.onChange(() => this.forceUpdate());
    store.onWish = (wish) => {
      if (wish.type === 'command') {
        this.#run(wish.name);
      } else if (wish.type === 'write') {
        this.#composer.current?.write(wish.text);
      } else if (wish.type === 'edit') {
        this.#composer.current?.edit(wish.text, wish.instead);
      } else if (!document.activeElement?.closest('.way-back')) {
        // The wish may come late, and takes nothing from the card that the user has opened meanwhile.
        this.#composer.current?.focus();
      }
    };
    window.addEventListener('keydown', this.#pressed);
    window.addEventListener('focusin', (event) => {
      this.#focused = event.target;
    });
    store.start();
  }

  /** Moves the focus to the composer when the focused element is gone, such as an answered card or a removed chip. */
  override componentDidUpdate(): void {
    const isLost = this.#focused instanceof Element && !this.#focused.isConnected;
    if (isLost && document.activeElement === document.body && document.hasFocus()) {
      this.#composer.current?.focus();
    }
  }

  render() {
    const { store } = this.props;
    const { spoken, conversation } = store;
    const { model } = currentChoices(store, {});
    const missing = store.rows.length > 0 && !store.isBusy ? missingModel(store, model) : undefined;
    const words = <span key={spoken.count}>{spoken.text}</span>;
    return (
      <>
        <Header store={store} menu={this.state.menu} onMenu={this.#setMenu} run={this.#run} />
        <main>
          {store.rows.length === 0 && !store.isBusy ? (
            <Welcome store={store} model={model} />
          ) : (
            <List
              handle={this.#list}
              key={conversation?.info.id}
              rows={store.rows}
              label={l10n.t('Conversation')}
              isBusy={store.isBusy}
              estimate={estimate}
              place={recall().place}
              onPlace={(place) => keep({ place })}
              render={this.#row}
            />
          )}
        </main>
        <footer>
          <Dock store={store} />
          {missing && model !== undefined && <NoModel store={store} model={model} missing={missing} isCompact />}
          {conversation?.info.parentId === undefined && (
            <Composer handle={this.#composer} store={store} run={this.#run} />
          )}
        </footer>
        <p class="unseen" aria-live="polite">
          {!spoken.isUrgent && words}
        </p>
        <p class="unseen" aria-live="assertive">
          {spoken.isUrgent && words}
        </p>
      </>
    );
  }

  #row = (row: Row) => {
    const { store } = this.props;
    const child = row.kind === 'tool' && row.part.tool === 'task' ? store.subagents.of(row.part) : undefined;
    const isWaiting =
      row.kind === 'tool' ? store.asks.isAsking(row.part) : row.kind === 'busy' && store.asks.own.length > 0;
    return <RowView store={store} row={row} nested={child?.seq ?? 0} isWaiting={isWaiting} />;
  };

  #setMenu = (menu: Menu): void => {
    this.setState({ menu });
    if (menu === undefined) {
      this.#composer.current?.focus();
    }
  };

  #pressed = (event: KeyboardEvent): void => {
    const { store } = this.props;
    if (event.defaultPrevented) {
      return;
    }
    const step = event.altKey ? { ArrowUp: -1 as const, ArrowDown: 1 as const }[event.key] : undefined;
    if (event.key === 'Escape' && store.wayBack.offer(store.conversation?.info.id)) {
      event.preventDefault();
      store.wayBack.cancel();
    } else if (event.key === 'Escape' && store.isBusy) {
      event.preventDefault();
      store.stop();
    } else if (step !== undefined) {
      event.preventDefault();
      this.#list.current?.toNext((row) => row.kind === 'user', step);
    }
  };

  #run = (command: Command['name']): void => {
    const surfaces: Surfaces = {
      toggleMenu: (menu) => this.#setMenu(this.state.menu === menu ? undefined : menu),
      pick: (kind) => this.#composer.current?.pick(kind),
      focusPrompt: () => this.#composer.current?.focus(),
    };
    void run(command, this.props.store, surfaces);
  };
}

/** Returns the estimated height in pixels, before the measurement. */
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
