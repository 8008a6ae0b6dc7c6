/** Changes to files as a screen shows them: the accepted part and the rejected part of each change. Pure. */
import type { ChangeApplied, ChangedFile, ChangeProposed, DiagnosticsDelta, Hunk, ListedChange } from '../wire';

/** State of a change; unknown fields are absent. */
export interface ChangeState {
  id: string;
  messageId: string;
  callId?: string | undefined;
  turnId?: string | undefined;
  /** `refused` means that the user rejected the whole change. */
  state: 'proposed' | 'applied' | 'reverted' | 'refused';
  files: readonly ChangedFileState[];
  delta?: DiagnosticsDelta;
}

export interface ChangedFileState {
  uri: string;
  kind: ChangedFile['kind'];
  newUri?: string | undefined;
  additions?: number | undefined;
  deletions?: number | undefined;
  diff?: string | undefined;
  reverted?: boolean;
  /** `dropped` means that the user rejected the whole file. */
  state?: 'proposed' | 'kept' | 'dropped' | 'reverted' | undefined;
  /** True if the user replaced the proposed text. */
  edited?: boolean | undefined;
  hunks?: readonly HunkState[] | undefined;
}

export type HunkState = Hunk & { state?: 'proposed' | 'kept' | 'dropped' | 'reverted' | undefined };

/** Returns the hunks that the user rejected, where known. */
export function rejectedHunks(file: ChangedFileState): readonly HunkState[] {
  return file.hunks?.filter((hunk) => hunk.state === 'dropped') ?? [];
}

/** Returns the files of an event, with the rejected hunks. */
export function filesOf(update: ChangeApplied | ChangeProposed): ChangedFileState[] {
  const refused = (update.kind === 'change_applied' ? update.refused : undefined) ?? [];
  const dropped = new Map(refused.map((file) => [file.uri, file]));
  const files: ChangedFileState[] = update.files.map((file) => {
    const hunks = dropped.get(file.uri)?.hunks.map(asDropped);
    dropped.delete(file.uri);
    return { ...file, edited: file.edited ?? undefined, hunks };
  });
  const whole = [...dropped.values()].map(({ uri, kind, newUri, hunks }): ChangedFileState => {
    return { uri, kind, newUri: newUri ?? undefined, state: 'dropped', hunks: hunks.map(asDropped) };
  });
  return [...files, ...whole];
}

function asDropped(hunk: Hunk): HunkState {
  return { ...hunk, state: 'dropped' };
}

/** Reads a change from `agent/changes`; undefined for an undo and a failure. */
export function readChange(listed: ListedChange): ChangeState | undefined {
  const { id, messageId = '', callId, turnId, state, kind, files } = listed;
  if (kind === 'undo' || state === 'failed') {
    return undefined;
  }
  const isReverted = files.length > 0 && files.every((file) => file.reverted);
  return { id, messageId, callId, turnId, state: isReverted ? 'reverted' : STATES[state], files };
}

const STATES: Record<Exclude<ListedChange['state'], 'failed'>, ChangeState['state']> = {
  planned: 'proposed',
  unsure: 'proposed',
  proposed: 'proposed',
  applied: 'applied',
  reverted: 'reverted',
  refused: 'refused',
};
