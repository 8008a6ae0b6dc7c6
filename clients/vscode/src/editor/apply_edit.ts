/**
 * Implements a strict `workspace/applyEdit`: checks every file before touching any file, then applies all or nothing.
 */
import * as vscode from 'vscode';
import type { AppliedFile, ApplyEdit, ApplyEditResult, StrictApply } from '../wire';
import { find, sameUri } from './documents';
import { type FilePlan, newText, plan, Refusal } from './edit_plan';
import { sha256 } from './edit_text';
import { Once } from './once';
import { withoutTabs } from './unrequested_tabs';

const SAVE_MILLISECONDS = 1000;
const LOOK_MILLISECONDS = 20;

interface Ready {
  file: FilePlan;
  uri: vscode.Uri;
  /** Document of the file; absent for a created or deleted file. */
  document?: vscode.TextDocument;
  before: string;
  after: string;
  version: number;
  wasDirty: boolean;
}

// Answers by edit id: the daemon tries again under the same id when the user typed in between.
const answers = new Once<ApplyEditResult>((answer) => answer.applied);

/** Applies the whole edit, or nothing with a reason. The same `editId` is applied once. */
export function applyStrictly(params: ApplyEdit & { agent: StrictApply }): Promise<ApplyEditResult> {
  return answers.run(params.agent.editId, async () => {
    try {
      return await attempt(params, params.agent);
    } catch (error) {
      // A receiver of the rejection looks at the text, so typed changes must be sent before.
      await new Promise(setImmediate);
      if (error instanceof Refusal) {
        return { applied: false, failureReason: error.message };
      }
      return { applied: false, failureReason: `internal error: ${error}` };
    }
  });
}

async function attempt(params: ApplyEdit, agent: StrictApply): Promise<ApplyEditResult> {
  const files = plan(params.edit, agent.expect, sameUri);
  const ready = await Promise.all(files.map((file) => check(file, agent.save)));
  const stale = ready.find((ready) => ready.document && ready.document.version !== ready.version);
  if (stale) {
    throw new Refusal(`${path(stale.uri)}: the text has changed since it was read`);
  }
  const uris = ready.filter((ready) => ready.document).map((ready) => ready.uri);
  const changedBySave = await withoutTabs(uris, () => applyAndSave(ready, agent.save));
  const reports = ready.filter((ready) => ready.file.kind !== 'delete');
  return { applied: true, agent: { files: reports.map((ready) => report(ready, changedBySave.has(ready))) } };
}

/** Applies and saves the edit. Returns the files that the save changed. */
async function applyAndSave(ready: readonly Ready[], saving: StrictApply['save']): Promise<ReadonlySet<Ready>> {
  // One edit of all files is one undo step. VS Code checks the versions once more in the window that owns the texts.
  if (!(await vscode.workspace.applyEdit(together(ready)))) {
    throw new Refusal('VS Code did not take the edit: a file was changed while it was on its way');
  }
  // Files that are saved one by one would each wait for the formatter and the disk.
  const saved = await Promise.all(ready.map(async (target) => ({ target, kept: await save(target, saving) })));
  const failed = saved.find(({ kept }) => kept === 'failed');
  if (failed) {
    throw new Refusal(await takenBack(ready, `${path(failed.target.uri)} could not be saved`));
  }
  return new Set(saved.filter(({ kept }) => kept === 'changed').map(({ target }) => target));
}

async function check(file: FilePlan, saving: StrictApply['save']): Promise<Ready> {
  const uri = vscode.Uri.parse(file.uri, true);
  if (file.kind === 'create') {
    if (find(file.uri) || (await stat(uri))) {
      throw new Refusal(`${path(uri)}: there is a file already; it was not created again`);
    }
    return { file, uri, before: '', after: newText(file, nothing, path(uri)), version: 0, wasDirty: false };
  }
  if (file.newUri && (await stat(vscode.Uri.parse(file.newUri, true)))) {
    throw new Refusal(`${path(uri)}: there is a file at its new place already; nothing was renamed over it`);
  }
  const open = find(file.uri);
  const document = open ?? (await load(uri));
  const held = { text: document.getText(), version: document.version, wasOpen: open !== undefined };
  const after = newText(file, held, path(uri));
  const willSave = saving === 'always' || (saving === 'ifWasClean' && !document.isDirty);
  const stats = document.isUntitled ? undefined : await stat(uri);
  if (willSave && stats?.permissions === vscode.FilePermission.Readonly) {
    throw new Refusal(`${path(uri)}: the file is read-only; make it writable and ask again`);
  }
  return { file, uri, document, before: held.text, after, version: held.version, wasDirty: document.isDirty };
}

const nothing = { text: '', version: 0, wasOpen: false };

async function load(uri: vscode.Uri): Promise<vscode.TextDocument> {
  try {
    return await vscode.workspace.openTextDocument(uri);
  } catch (error) {
    throw new Refusal(`${path(uri)}: ${error instanceof Error ? error.message : error}`);
  }
}

function together(ready: readonly Ready[]): vscode.WorkspaceEdit {
  const edit = new vscode.WorkspaceEdit();
  for (const target of ready) {
    switch (target.file.kind) {
      case 'create':
        edit.createFile(target.uri, { contents: new TextEncoder().encode(target.after) });
        break;
      case 'delete':
        edit.deleteFile(target.uri);
        break;
      default:
        for (const { range, newText } of target.file.edits) {
          const { start, end } = range;
          edit.replace(target.uri, new vscode.Range(start.line, start.character, end.line, end.character), newText);
        }
        if (target.file.newUri) {
          edit.renameFile(target.uri, vscode.Uri.parse(target.file.newUri, true));
        }
    }
  }
  return edit;
}

async function save(ready: Ready, saving: StrictApply['save']): Promise<'kept' | 'changed' | 'failed'> {
  const document = current(ready);
  if (!document || saving === 'never' || (saving === 'ifWasClean' && ready.wasDirty)) {
    return 'kept';
  }
  const applied = document.getText();
  if (document.isDirty && !(await document.save()) && !(await isSavedSoon(document))) {
    return 'failed';
  }
  return document.getText() === applied ? 'kept' : 'changed';
}

/**
 * Returns true if the document is soon saved. VS Code reports a save that met VS Code's own autosave as failed; the
 * document shows the result.
 */
async function isSavedSoon(document: vscode.TextDocument): Promise<boolean> {
  const deadline = performance.now() + SAVE_MILLISECONDS;
  while (document.isDirty && !document.isClosed) {
    if (performance.now() > deadline) {
      return false;
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_MILLISECONDS));
  }
  return !document.isClosed;
}

/** Restores the old text of every file, as far as nobody else changed the text; returns the reason and any failure. */
async function takenBack(ready: readonly Ready[], reason: string): Promise<string> {
  const edit = new vscode.WorkspaceEdit();
  for (const target of ready) {
    const document = current(target);
    if (document && target.file.kind === 'modify') {
      const all = new vscode.Range(new vscode.Position(0, 0), document.lineAt(document.lineCount - 1).range.end);
      edit.replace(target.uri, all, target.before);
    }
  }
  if (!(await vscode.workspace.applyEdit(edit))) {
    return `${reason}; and it could not be taken back`;
  }
  for (const target of ready) {
    if (!target.wasDirty) {
      await current(target)?.save();
    }
  }
  return reason;
}

function report(ready: Ready, changedBySave: boolean): AppliedFile {
  const uri = ready.file.newUri ?? ready.file.uri;
  const document = current(ready);
  const text = document?.getText() ?? ready.after;
  return {
    uri,
    version: document?.version ?? null,
    sha256: sha256(text),
    dirty: document?.isDirty ?? false,
    changedBySave,
    ...(changedBySave ? { text } : {}),
  };
}

function current(ready: Ready): vscode.TextDocument | undefined {
  return find(ready.file.newUri ?? ready.file.uri) ?? ready.document;
}

async function stat(uri: vscode.Uri): Promise<vscode.FileStat | undefined> {
  try {
    return await vscode.workspace.fs.stat(uri);
  } catch {
    return undefined;
  }
}

function path(uri: vscode.Uri): string {
  return uri.fsPath;
}
