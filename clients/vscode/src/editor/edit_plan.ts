/**
 * Plans a WorkspaceEdit by file: the operations on each file, and the conditions that must hold before any file is
 * touched.
 */
import type { Expected } from '../wire';
import { sha256, type TextEdit, withEdits } from './edit_text';

/** Error that rejects the whole edit. The message is for the model and the user. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
}

export interface FilePlan {
  uri: string;
  kind: 'modify' | 'create' | 'delete' | 'rename';
  /** New URI of a rename. */
  newUri?: string;
  edits: TextEdit[];
  /** Versions that the edit is for, from the edit and from the expectations. */
  versions: number[];
  /** Hash of the text that the edit is for. */
  sha256?: string;
}

/** Text and version of a file in the editor when the edit arrives. */
export interface Held {
  text: string;
  version: number;
  /** True if the file was open before the edit arrived, so that the daemon can know the version. */
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

/** Returns the plan of an LSP WorkspaceEdit by file. `same` normalizes the spelling of a URI. Throws Refusal. */
export function plan(
  edit: { changes?: Record<string, TextEdit[]>; documentChanges?: Operation[] },
  expected: readonly Expected[],
  same: (uri: string) => string = (uri) => uri,
): FilePlan[] {
  const files = new Map<string, FilePlan>();
  const file = (uri: string, kind: FilePlan['kind']): FilePlan => {
    const existing = files.get(same(uri));
    if (existing && kind !== 'modify') {
      throw new Refusal(`${uri}: more than one file operation on one file`);
    }
    const filePlan = existing ?? { uri, kind, edits: [], versions: [] };
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
  for (const expectation of expected) {
    const filePlan = files.get(same(expectation.uri));
    if (filePlan) {
      filePlan.sha256 = expectation.sha256;
      push(filePlan.versions, expectation.version);
    }
  }
  return [...new Set(files.values())];
}

/** Returns the new text of the file. Throws Refusal when the edit is for another text. */
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
