/**
 * Row of the conversation, of any kind. A row is drawn again only after a change of the row or of the nested
 * conversation.
 */
import * as l10n from '@vscode/l10n';
import { Component } from 'preact';
import { Icon } from '../controls/icons';
import type { Row } from '../state/rows';
import type { Store } from '../state/store';
import { BlockView } from './block';
import { ChangesRow } from './changes_row';
import { Note } from './note';
import { PromptRow } from './prompt_row';
import { TOOL_ICONS, ToolCard } from './tool';
import { shownTool } from './tool_text';

interface Props {
  store: Store;
  row: Row;
  /** Version of the nested conversation. */
  nested: number;
  /** True while the row waits for the answer of the user. */
  isWaiting: boolean;
}

/** Rows that the user has opened or folded, by key; the state survives a row that is scrolled away. */
const toggled = new Map<string, boolean>();

export class RowView extends Component<Props> {
  override shouldComponentUpdate(next: Props): boolean {
    const { row, nested, isWaiting } = this.props;
    return next.row !== row || next.nested !== nested || next.isWaiting !== isWaiting;
  }

  render() {
    const { store, row, isWaiting } = this.props;
    switch (row.kind) {
      case 'user':
        return <PromptRow store={store} message={row.message} />;
      case 'block':
        return <BlockView block={row.block} />;
      case 'thought':
        return this.#fold(row.isOpen ? l10n.t('Thinking…') : l10n.t('Thought'), row.part.text, row.isOpen);
      case 'tool': {
        const { part, change } = row;
        const open = toggled.get(row.key);
        return (
          <ToolCard
            store={store}
            part={part}
            change={change}
            isWaiting={isWaiting}
            isOpen={open}
            onToggle={this.#toggle}
          />
        );
      }
      case 'calls':
        return this.#calls(row);
      case 'note':
        return <Note store={store} row={row} />;
      case 'compaction': {
        const { tokensBefore, tokensAfter, summary } = row.part;
        return this.#fold(
          l10n.t('Conversation compacted: {0} → {1} tokens', thousands(tokensBefore), thousands(tokensAfter)),
          summary,
          false,
        );
      }
      case 'changes':
        return <ChangesRow store={store} row={row} />;
      case 'busy':
        return isWaiting ? (
          <p class="busy">
            <Icon name="waiting" /> {l10n.t('Waiting for you')}
          </p>
        ) : (
          <p class="busy">
            <span class="spinner" /> {row.text}…
          </p>
        );
    }
  }

  #calls({ key, tool, rows }: Extract<Row, { kind: 'calls' }>) {
    const { store } = this.props;
    const open = toggled.get(key) ?? false;
    const title = callsTitle(tool, rows.length);
    const last = rows.at(-1)?.part;
    return (
      <section class="tool calls-row" aria-label={title}>
        <button type="button" class="tool-head" aria-expanded={open} onClick={() => this.#toggle(!open)}>
          <span class={open ? 'twisty open' : 'twisty'}>
            <Icon name="chevron" />
          </span>
          <Icon name={TOOL_ICONS[tool] ?? 'tool'} />
          <span class="tool-name">{title}</span>
          {!open && last && <span class="tool-title">{shownTool(last).title}</span>}
        </button>
        {open && (
          <div class="tool-body">
            {rows.map((row) => (
              <RowView key={row.key} store={store} row={row} nested={0} isWaiting={false} />
            ))}
          </div>
        )}
      </section>
    );
  }

  #fold(title: string, text: string, isLive: boolean) {
    const open = toggled.get(this.props.row.key) ?? false;
    return (
      <section class="thought" aria-label={title}>
        <button type="button" class="tool-head" aria-expanded={open} onClick={() => this.#toggle(!open)}>
          <span class={open ? 'twisty open' : 'twisty'}>
            <Icon name="chevron" />
          </span>
          <Icon name="thought" />
          <span class="tool-name">{title}</span>
          {!open && <span class="tool-title">{lastLine(text)}</span>}
          {isLive && <span class="spinner" />}
        </button>
        {open && (
          <div class="thought-text" tabIndex={0} role="group" aria-label={title}>
            {text}
          </div>
        )}
      </section>
    );
  }

  #toggle = (isOpen: boolean): void => {
    toggled.set(this.props.row.key, isOpen);
    this.forceUpdate();
  };
}

function callsTitle(tool: string, count: number): string {
  switch (tool) {
    case 'read':
      return l10n.t('Read {0} files', count);
    case 'grep':
    case 'glob':
    case 'codesearch':
    case 'websearch':
      return l10n.t('{0} searches', count);
    case 'list':
      return l10n.t('Listed {0} folders', count);
    case 'webfetch':
      return l10n.t('Read {0} web pages', count);
    default:
      return `${tool}: ${count}`;
  }
}

function lastLine(text: string): string {
  return text.slice(-400).trimEnd().split('\n').at(-1) ?? '';
}

function thousands(tokens: number): string {
  return tokens >= 1000 ? `${Math.round(tokens / 1000)}k` : String(tokens);
}
