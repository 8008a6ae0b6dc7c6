/** Serves the daemon's requests about open documents: `editor/readDocuments`, `save`, `reload`, `state`. */
import * as vscode from 'vscode';
import type { EditorRequestTable } from '../daemon/editor_side';
import type { EditorDocument, EditorDocuments, ReadDocuments, Reload, ReloadedFile, ReloadResult } from '../wire';
import { find } from './documents';
import { encodingOf } from './encoding';

const RELOAD_MILLISECONDS = 2000;
const RELOAD_LOOK_MILLISECONDS = 50;

export const documentRequests = {
  'editor/readDocuments': readDocuments,
  'editor/save': save,
  'editor/reload': reload,
  'editor/state': state,
} satisfies Partial<EditorRequestTable>;

function readDocuments(params: ReadDocuments): EditorDocuments {
  return { items: params.uris.map(read) };
}

function read(uri: string): EditorDocument {
  const document = find(uri);
  if (!document) {
    return { uri, open: false };
  }
  return {
    uri,
    open: true,
    dirty: document.isDirty,
    version: document.version,
    text: document.getText(),
    eol: document.eol === vscode.EndOfLine.CRLF ? '\r\n' : '\n',
    ...encodingOf(document.encoding),
    languageId: document.languageId,
  };
}

export interface SavedFile {
  uri: string;
  saved: boolean;
  reason?: string;
}

/** Saves unsaved documents; the daemon sends the request only after the user's consent. */
async function save(params: { uris: string[] }): Promise<{ files: SavedFile[] }> {
  const files: SavedFile[] = [];
  for (const uri of params.uris) {
    const document = find(uri);
    if (!document) {
      files.push({ uri, saved: false, reason: 'it is not open' });
    } else if (document.isDirty && !(await document.save())) {
      files.push({ uri, saved: false, reason: 'VS Code did not save it' });
    } else {
      files.push({ uri, saved: true });
    }
  }
  return { files };
}

/** Waits until VS Code has reloaded changed files, which happens by itself; unsaved documents are left out. */
async function reload(params: Reload): Promise<ReloadResult> {
  const documents = params.uris
    ? params.uris.map((uri) => ({ uri, document: find(uri) }))
    : vscode.workspace.textDocuments
        .filter((document) => document.uri.scheme === 'file')
        .map((document) => ({ uri: document.uri.toString(), document }));
  return { files: await Promise.all(documents.map(({ uri, document }) => reloaded(uri, document))) };
}

async function reloaded(uri: string, document: vscode.TextDocument | undefined): Promise<ReloadedFile> {
  const saved = document && (await readFile(document));
  if (!document || saved === undefined || sameLines(saved, document.getText())) {
    return { uri, status: 'unchanged' };
  }
  if (document.isDirty) {
    return { uri, status: 'conflict' };
  }
  const deadline = Date.now() + RELOAD_MILLISECONDS;
  while (!sameLines(saved, document.getText())) {
    if (Date.now() > deadline || document.isClosed) {
      return { uri, status: 'conflict' };
    }
    await new Promise((resolve) => setTimeout(resolve, RELOAD_LOOK_MILLISECONDS));
  }
  return { uri, status: 'reloaded' };
}

async function readFile(document: vscode.TextDocument): Promise<string | undefined> {
  try {
    const content = await vscode.workspace.fs.readFile(document.uri);
    return await vscode.workspace.decode(content, { encoding: document.encoding });
  } catch {
    return undefined;
  }
}

function sameLines(text: string, other: string): boolean {
  return text.replace(/\r\n?/g, '\n') === other.replace(/\r\n?/g, '\n');
}

/** Returns the requested parts of the state of the user's editors. Lines count from 0. */
function state(params: { include?: string[] }): Record<string, unknown> {
  const parts = new Set(params.include ?? ['active', 'visible', 'open', 'folders']);
  const result: Record<string, unknown> = {};
  const editor = vscode.window.activeTextEditor;
  if (parts.has('active')) {
    result.active = editor?.document.uri.scheme === 'file' ? active(editor) : null;
  }
  if (parts.has('selections')) {
    result.selections = (editor?.selections ?? []).map(({ start, end }) => ({ start: plain(start), end: plain(end) }));
  }
  if (parts.has('visible')) {
    result.visible = vscode.window.visibleTextEditors
      .filter(({ document }) => document.uri.scheme === 'file')
      .map(({ document, visibleRanges: [first, ...rest] }) => ({
        uri: document.uri.toString(),
        first: first?.start.line ?? 0,
        last: (rest.at(-1) ?? first)?.end.line ?? 0,
      }));
  }
  if (parts.has('open')) {
    result.open = vscode.workspace.textDocuments
      .filter(({ uri }) => uri.scheme === 'file')
      .map(({ uri, isDirty }) => ({ uri: uri.toString(), dirty: isDirty }));
  }
  if (parts.has('folders')) {
    result.folders = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.toString());
  }
  return result;
}

function active({ document, selection }: vscode.TextEditor): Record<string, unknown> {
  return {
    uri: document.uri.toString(),
    languageId: document.languageId,
    dirty: document.isDirty,
    line: selection.active.line,
    column: selection.active.character,
  };
}

function plain({ line, character }: vscode.Position): { line: number; character: number } {
  return { line, character };
}
