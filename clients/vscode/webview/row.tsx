/** One row of the conversation, whatever it is. Drawn anew only when its row, or what it nests, has changed. */
import { Component } from 'preact';
import type { ChangedFileState } from '../src/chat/conversation';
import type { FilePart, UserMessage } from '../src/wire';
import { BlockView } from './block';
import { post, request } from './host';
import { Icon } from './icons';
import { lastName } from './names';
import type { Row } from './rows';
import type { Store } from './store';
import { Counts, ToolCard } from './tool';

interface Props {
  store: Store;
  row: Row;
  /** Changes when something nested did. */
  nested: number;
}

/** Which rows the user has opened or folded; it outlives a row that is scrolled away. */
const toggled = new Map<string, boolean>();

export class RowView extends Component<Props> {
  override shouldComponentUpdate(next: Props): boolean {
    return next.row !== this.props.row || next.nested !== this.props.nested;
  }

  render() {
    const { store, row } = this.props;
    switch (row.kind) {
      case 'user':
        return <Prompt store={store} message={row.message} />;
      case 'block':
        return <BlockView block={row.block} />;
      case 'thought':
        return this.#thought(row);
      case 'tool': {
        const { part, change } = row;
        const open = toggled.get(row.key);
        return <ToolCard store={store} part={part} change={change} isOpen={open} onToggle={this.#toggle} />;
      }
      case 'note':
        return (
          <div class={`note ${row.tone}`}>
            <Icon name="warning" />
            <p>
              {row.tone === 'error' && <strong>Error: </strong>}
              {row.text} {row.hint !== '' && <span class="hint">{row.hint}</span>}
            </p>
          </div>
        );
      case 'compaction': {
        const { tokensBefore, tokensAfter, summary } = row.part;
        return this.#fold(
          `Summed up for the model: ${thousands(tokensBefore)} → ${thousands(tokensAfter)} tokens`,
          summary,
          false,
        );
      }
      case 'changes':
        return <Changes store={store} row={row} />;
      case 'busy':
        return (
          <p class="busy">
            <span class="spinner" /> {row.text}…
          </p>
        );
    }
  }

  #thought(row: Extract<Row, { kind: 'thought' }>) {
    const text = row.part.text;
    return this.#fold(row.isOpen ? 'Thinking…' : 'Thought', text, row.isOpen);
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

function Prompt({ store, message }: { store: Store; message: UserMessage }) {
  const texts = message.parts.flatMap((part) => (part.type === 'text' && !part.synthetic ? [part.text] : []));
  const files = message.parts.filter((part): part is FilePart => part.type === 'file');
  const fork = async () => {
    const info = await store.act((sessionId) => request('agent/session/fork', { sessionId, messageId: message.id }));
    if (info) {
      await store.open(info.id);
      store.onWish({ type: 'write', text: texts.join('\n') });
    }
  };
  return (
    <section class="prompt" aria-label="You">
      <div class="prompt-text">{texts.join('\n')}</div>
      {files.length > 0 && (
        <ul class="chips">
          {files.map((file) => (
            <li key={file.id}>
              <FileChip file={file} />
            </li>
          ))}
        </ul>
      )}
      <div class="prompt-foot">
        {message.steers !== undefined && <span class="hint">taken into the running turn</span>}
        <button type="button" class="quiet" title="A new session that ends before this prompt" onClick={fork}>
          Fork from here
        </button>
      </div>
    </section>
  );
}

function FileChip({ file }: { file: FilePart }) {
  if (/^data:image\/(?:png|jpeg|gif|webp);base64,/.test(file.uri)) {
    return <img class="thumbnail" src={file.uri} alt={file.name ?? 'Attached image'} />;
  }
  const lines = file.range ? `:${file.range.start}-${file.range.end}` : '';
  const name = `${file.name ?? lastName(file.uri)}${lines}`;
  return file.uri.startsWith('file:') ? (
    <button
      type="button"
      class="chip"
      onClick={() => post({ type: 'openFile', path: file.uri, line: file.range?.start })}
    >
      <Icon name="file" /> {name}
    </button>
  ) : (
    <span class="chip">
      <Icon name="file" /> {name}
    </span>
  );
}

function Changes({ store, row }: { store: Store; row: Extract<Row, { kind: 'changes' }> }) {
  const files = byFile(row.changes.flatMap((change) => change.files));
  const isReverted = row.changes.every((change) => change.state === 'reverted');
  const deltas = row.changes.flatMap((change) => change.delta ?? []);
  const added = deltas.reduce((sum, delta) => sum + delta.added.length, 0);
  const removed = deltas.reduce((sum, delta) => sum + delta.removed.length, 0);
  const changeOf = (uri: string) => row.changes.findLast((change) => change.files.some((file) => file.uri === uri));
  const sessionId = store.conversation?.info.id ?? '';
  return (
    <section class={isReverted ? 'changes reverted' : 'changes'} aria-label="What the turn changed">
      <div class="changes-head">
        <strong>
          {files.length === 1 ? '1 file' : `${files.length} files`} {isReverted ? 'changed, then restored' : 'changed'}
        </strong>
        <Counts files={files} />
        {row.isOver && !isReverted && (
          <button type="button" class="secondary" onClick={() => store.undo(row.turnId)}>
            <Icon name="undo" /> Undo
          </button>
        )}
        {isReverted && (
          <button type="button" class="secondary" onClick={() => store.redo()}>
            Redo
          </button>
        )}
      </div>
      <ul>
        {files.map((file) => (
          <li key={file.uri}>
            <button
              type="button"
              class="link"
              onClick={() =>
                post({ type: 'openChange', sessionId, changeId: changeOf(file.uri)?.id ?? '', uri: file.uri })
              }
            >
              {lastName(file.newUri ?? file.uri)}
            </button>
            <Counts files={[file]} />
          </li>
        ))}
      </ul>
      {deltas.length > 0 && (
        <p class="hint">
          {removed} {removed === 1 ? 'problem' : 'problems'} gone, {added} new
          {deltas.every((delta) => delta.fresh) ? '' : ' (not all judged anew)'}
        </p>
      )}
    </section>
  );
}

/** Several changes of one file as one. */
function byFile(files: readonly ChangedFileState[]): ChangedFileState[] {
  const known = new Map<string, ChangedFileState>();
  for (const file of files) {
    const before = known.get(file.uri);
    const additions = before?.additions === undefined ? file.additions : before.additions + (file.additions ?? 0);
    const deletions = before?.deletions === undefined ? file.deletions : before.deletions + (file.deletions ?? 0);
    known.set(file.uri, { ...before, ...file, additions, deletions });
  }
  return [...known.values()];
}

function lastLine(text: string): string {
  return text.slice(-400).trimEnd().split('\n').at(-1) ?? '';
}

function thousands(tokens: number): string {
  return tokens >= 1000 ? `${Math.round(tokens / 1000)}k` : String(tokens);
}
