/** The files of a WorkspaceEdit, each with all that is to happen to it, and what must be so before any is touched. */
import type { Expected } from '../wire';
import { sha256, type TextEdit, withEdits } from './edit_text';

/** The edit is given up, and nothing of it stays. The message is for the model and the user. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
}

export interface FilePlan {
  uri: string;
  kind: 'modify' | 'create' | 'delete' | 'rename';
  /** Where a rename goes. */
  newUri?: string;
  edits: TextEdit[];
  /** The versions the edit is for, from the edit itself and from what is expected. */
  versions: number[];
  /** Of the text the edit is for. */
  sha256?: string;
}

/** One file as the editor has it when the edit comes. */
export interface Held {
  text: string;
  version: number;
  /** Whether the daemon can know of the version: it was open before the edit came. */
  wasOpen: boolean;
}

interface Operation {
  kind?: 'create' | 'rename' | 'delete';
  uri?: string;
  oldUri?: string;
  newUri?: string;
  textDocument?: { uri: string; version?: number | null };
  edits?: TextEdit[];
}

/** LSP's WorkspaceEdit, file by file. `same` makes one of the spellings of a URI. Throws Refusal. */
export function plan(
  edit: { changes?: Record<string, TextEdit[]>; documentChanges?: Operation[] },
  expected: readonly Expected[],
  same: (uri: string) => string = (uri) => uri,
): FilePlan[] {
  const files = new Map<string, FilePlan>();
  const file = (uri: string, kind: FilePlan['kind']): FilePlan => {
    const known = files.get(same(uri));
    if (known && kind !== 'modify') {
      throw new Refusal(`${uri}: more than one file operation on one file`);
    }
    const filePlan = known ?? { uri, kind, edits: [], versions: [] };
    files.set(same(uri), filePlan);
    return filePlan;
  };
  for (const [uri, edits] of Object.entries(edit.changes ?? {})) {
    file(uri, 'modify').edits.push(...edits);
  }
  for (const operation of edit.documentChanges ?? []) {
    if (operation.textDocument) {
      const filePlan = file(operation.textDocument.uri, 'modify');
      filePlan.edits.push(...(operation.edits ?? []));
      push(filePlan.versions, operation.textDocument.version);
    } else if (operation.kind === 'rename' && operation.oldUri && operation.newUri) {
      const filePlan = files.get(same(operation.oldUri)) ?? file(operation.oldUri, 'rename');
      Object.assign(filePlan, { kind: 'rename', newUri: operation.newUri });
      files.set(same(operation.newUri), filePlan);
    } else if ((operation.kind === 'create' || operation.kind === 'delete') && operation.uri) {
      file(operation.uri, operation.kind);
    } else {
      throw new Refusal('the edit has an operation that is not understood');
    }
  }
  for (const one of expected) {
    const known = files.get(same(one.uri));
    if (known) {
      known.sha256 = one.sha256;
      push(known.versions, one.version);
    }
  }
  return [...new Set(files.values())];
}

/** What the file's text is to be. Throws Refusal when it is not the text that the edit is for. */
export function newText(file: FilePlan, held: Held, path: string): string {
  const stale = held.wasOpen ? file.versions.find((version) => version !== held.version) : undefined;
  if (stale !== undefined) {
    throw new Refusal(`${path}: the document is at version ${held.version}, the edit is for ${stale}`);
  }
  if (file.sha256 !== undefined && file.sha256 !== sha256(held.text)) {
    throw new Refusal(`${path}: the text has changed since it was read`);
  }
  try {
    return withEdits(held.text, file.edits);
  } catch (error) {
    throw new Refusal(`${path}: ${(error as Error).message}`);
  }
}

function push(versions: number[], version: number | null | undefined): void {
  if (typeof version === 'number') {
    versions.push(version);
  }
}
