/** What a turn did to files: each of them, what the user refused, what it meant for problems, and the way back. */
import { type ChangedFileState, type ChangeState, droppedHunks } from '../src/chat/changes';
import { post } from './host';
import { Icon } from './icons';
import { lastName } from './names';
import type { Row } from './rows';
import type { Store } from './store';
import { Counts } from './tool';

type ChangesOfTurn = Extract<Row, { kind: 'changes' }>;

export function ChangesRow({ store, row }: { store: Store; row: ChangesOfTurn }) {
  const all = row.changes.flatMap((change) => (change.state === 'refused' ? [] : change.files));
  const files = byFile(all.filter((file) => file.state !== 'dropped'));
  const isReverted = row.changes.every((change) => change.state === 'reverted' || change.state === 'refused');
  const deltas = row.changes.flatMap((change) => change.delta ?? []);
  const added = deltas.reduce((sum, delta) => sum + delta.added.length, 0);
  const removed = deltas.reduce((sum, delta) => sum + delta.removed.length, 0);
  return (
    <section class={isReverted ? 'changes reverted' : 'changes'} aria-label="What the turn changed">
      <div class="changes-head">
        <strong>{title(files.length, isReverted)}</strong>
        <Counts files={files} />
        {files.length > 0 && row.isOver && !isReverted && (
          <button type="button" class="secondary" onClick={() => store.undo(row.turnId)}>
            <Icon name="undo" /> Undo
          </button>
        )}
        {files.length > 0 && isReverted && (
          <button type="button" class="secondary" title="Takes back the last undo" onClick={() => store.redo()}>
            Redo
          </button>
        )}
      </div>
      <ul>
        {files.map((file) => (
          <File key={file.uri} store={store} row={row} file={file} isAlone={files.length === 1} />
        ))}
      </ul>
      <Refusals changes={row.changes} />
      {deltas.length > 0 && (
        <p class="hint">
          {removed} {removed === 1 ? 'problem' : 'problems'} gone, {added} new
          {deltas.every((delta) => delta.fresh) ? '' : ' (not all judged anew)'}
        </p>
      )}
    </section>
  );
}

interface FileProps {
  store: Store;
  row: ChangesOfTurn;
  file: ChangedFileState;
  isAlone: boolean;
}

function File({ store, row, file, isAlone }: FileProps) {
  const name = lastName(file.newUri ?? file.uri);
  const change = row.changes.findLast((one) => one.files.some(({ uri }) => uri === file.uri));
  const sessionId = store.conversation?.info.id ?? '';
  const isReverted = change?.state === 'reverted' || file.reverted;
  return (
    <li class={isReverted ? 'reverted' : ''}>
      <button
        type="button"
        class="link"
        onClick={() => post({ type: 'openChange', sessionId, changeId: change?.id ?? '', uri: file.uri })}
      >
        {name}
      </button>
      <Counts files={[file]} />
      {file.edited && <span class="hint">as you edited it</span>}
      {!isAlone && row.isOver && !isReverted && (
        <button
          type="button"
          class="quiet"
          aria-label={`Undo in ${name}`}
          title={`Undo in ${name}`}
          onClick={() => store.undo(row.turnId, [file.uri])}
        >
          <Icon name="undo" />
        </button>
      )}
    </li>
  );
}

function Refusals({ changes }: { changes: readonly ChangeState[] }) {
  const hunks = changes.flatMap((change) => change.files).flatMap(droppedHunks).length;
  return hunks === 0 ? null : <p class="hint">You refused {hunks === 1 ? '1 place' : `${hunks} places`}.</p>;
}

function title(files: number, isReverted: boolean): string {
  if (files === 0) {
    return 'Nothing changed';
  }
  const many = files === 1 ? '1 file' : `${files} files`;
  return isReverted ? `${many} changed, then restored` : `${many} changed`;
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
