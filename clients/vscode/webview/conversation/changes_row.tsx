/** Row with a turn's changes: the files, the rejected hunks, the effect on diagnostics, and the undo button. */
import * as l10n from '@vscode/l10n';
import { type ChangedFileState, type ChangeState, rejectedHunks } from '../../src/chat/changes';
import { Icon } from '../controls/icons';
import { post } from '../state/host';
import { lastName } from '../state/names';
import type { Row } from '../state/rows';
import type { Store } from '../state/store';
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
    <section class={isReverted ? 'changes reverted' : 'changes'} aria-label={l10n.t('Changes of the turn')}>
      <div class="changes-head">
        <strong>{title(files.length, isReverted)}</strong>
        <Counts files={files} />
        {files.length > 0 && row.isOver && !isReverted && (
          <button type="button" class="secondary" onClick={() => store.undo(row.turnId)}>
            <Icon name="undo" /> {l10n.t('Undo')}
          </button>
        )}
        {files.length > 0 && isReverted && (
          <button
            type="button"
            class="secondary"
            title={l10n.t('Redo the undone changes')}
            onClick={() => store.redo()}
          >
            {l10n.t('Redo Changes')}
          </button>
        )}
      </div>
      <ul>
        {files.map((file) => (
          <File key={file.uri} store={store} row={row} file={file} isAlone={files.length === 1} />
        ))}
      </ul>
      <RejectedCount changes={row.changes} />
      {removed + added > 0 && (
        <p class="hint">
          {problems(removed, added)}
          {deltas.every((delta) => delta.fresh) ? '' : ` ${l10n.t('(some may be outdated)')}`}
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
  const change = row.changes.findLast((change) => change.files.some(({ uri }) => uri === file.uri));
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
      {file.edited && <span class="hint">{l10n.t('edited by you')}</span>}
      {!isAlone && row.isOver && !isReverted && (
        <button
          type="button"
          class="quiet"
          aria-label={l10n.t('Undo changes to {0}', name)}
          title={l10n.t('Undo changes to {0}', name)}
          onClick={() => store.undo(row.turnId, [file.uri])}
        >
          <Icon name="undo" />
        </button>
      )}
    </li>
  );
}

function RejectedCount({ changes }: { changes: readonly ChangeState[] }) {
  const hunks = changes.flatMap((change) => change.files).flatMap(rejectedHunks).length;
  return hunks === 0 ? null : (
    <p class="hint">{hunks === 1 ? l10n.t('You rejected 1 hunk.') : l10n.t('You rejected {0} hunks.', hunks)}</p>
  );
}

/** Returns the effect on the problems, without a count of zero. */
function problems(fixed: number, added: number): string {
  const parts = [
    fixed === 0 ? '' : fixed === 1 ? l10n.t('1 problem fixed') : l10n.t('{0} problems fixed', fixed),
    added === 0 ? '' : added === 1 ? l10n.t('1 new problem') : l10n.t('{0} new problems', added),
  ];
  return parts.filter((part) => part !== '').join(', ');
}

function title(files: number, isReverted: boolean): string {
  if (files === 0) {
    return l10n.t('No changes');
  }
  const many = files === 1 ? l10n.t('1 file') : l10n.t('{0} files', files);
  return isReverted ? l10n.t('{0} changed, then undone', many) : l10n.t('{0} changed', many);
}

/** Merges several changes of a file. */
function byFile(files: readonly ChangedFileState[]): ChangedFileState[] {
  const merged = new Map<string, ChangedFileState>();
  for (const file of files) {
    const before = merged.get(file.uri);
    const additions = before?.additions === undefined ? file.additions : before.additions + (file.additions ?? 0);
    const deletions = before?.deletions === undefined ? file.deletions : before.deletions + (file.deletions ?? 0);
    merged.set(file.uri, { ...before, ...file, additions, deletions });
  }
  return [...merged.values()];
}
