/** `workspace/applyEdit`, strictly: every file is checked before any is touched, then all or nothing. */
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
  /** Absent for a file that is created or deleted. */
  document?: vscode.TextDocument;
  before: string;
  after: string;
  version: number;
  wasDirty: boolean;
}

// The daemon tries again under the same id when the user's typing came between.
const answers = new Once<ApplyEditResult>((answer) => answer.applied);

/** Apply the edit, or nothing of it and say why. The same `editId` is applied once. */
export function applyStrictly(params: ApplyEdit & { agent: StrictApply }): Promise<ApplyEditResult> {
  return answers.run(params.agent.editId, async () => {
    try {
      return await attempt(params, params.agent);
    } catch (error) {
      // Whoever hears of the refusal looks at the text: what was typed must be on its way to them before.
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
  const ready: Ready[] = [];
  for (const file of files) {
    ready.push(await check(file, agent.save));
  }
  const stale = ready.find((ready) => ready.document && ready.document.version !== ready.version);
  if (stale) {
    throw new Refusal(`${path(stale.uri)}: the text has changed since it was read`);
  }
  const uris = ready.filter((ready) => ready.document).map((ready) => ready.uri);
  const changedBySave = await withoutTabs(uris, () => applyAndSave(ready, agent.save));
  const reports = ready.filter((ready) => ready.file.kind !== 'delete');
  return { applied: true, agent: { files: reports.map((ready) => report(ready, changedBySave.has(ready))) } };
}

/** Returns those that the save has changed. */
async function applyAndSave(ready: readonly Ready[], saving: StrictApply['save']): Promise<ReadonlySet<Ready>> {
  // One edit of all files is one undo step. VS Code checks the versions once more where the texts live.
  if (!(await vscode.workspace.applyEdit(together(ready)))) {
    throw new Refusal('VS Code did not take the edit: a file was changed while it was on its way');
  }
  const changedBySave = new Set<Ready>();
  for (const one of ready) {
    const kept = await save(one, saving);
    if (kept === 'failed') {
      throw new Refusal(await takenBack(ready, `${path(one.uri)} could not be saved`));
    }
    if (kept === 'changed') {
      changedBySave.add(one);
    }
  }
  return changedBySave;
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
  const found = document.isUntitled ? undefined : await stat(uri);
  if (willSave && found?.permissions === vscode.FilePermission.Readonly) {
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
  for (const one of ready) {
    switch (one.file.kind) {
      case 'create':
        edit.createFile(one.uri, { contents: new TextEncoder().encode(one.after) });
        break;
      case 'delete':
        edit.deleteFile(one.uri);
        break;
      default:
        for (const { range, newText } of one.file.edits) {
          const { start, end } = range;
          edit.replace(one.uri, new vscode.Range(start.line, start.character, end.line, end.character), newText);
        }
        if (one.file.newUri) {
          edit.renameFile(one.uri, vscode.Uri.parse(one.file.newUri, true));
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

/** VS Code says of a save that met its own autosave that there was none; the document shows what has become of it. */
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

/** Give every file its text back, as far as it is still ours; returns the reason, with what could not be done. */
async function takenBack(ready: readonly Ready[], reason: string): Promise<string> {
  const edit = new vscode.WorkspaceEdit();
  for (const one of ready) {
    const document = current(one);
    if (document && one.file.kind === 'modify') {
      const all = new vscode.Range(new vscode.Position(0, 0), document.lineAt(document.lineCount - 1).range.end);
      edit.replace(one.uri, all, one.before);
    }
  }
  if (!(await vscode.workspace.applyEdit(edit))) {
    return `${reason}; and it could not be taken back`;
  }
  for (const one of ready) {
    if (!one.wasDirty) {
      await current(one)?.save();
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
