/** Attaches files and selections to the chat's prompt, by key and from menus. */
import * as vscode from 'vscode';
import { linesOf } from '../editor/locations';
import type { FilePartInput } from '../wire';

/** Returns the selection, or the line of the cursor; undefined without an editor of a file. */
export function selectionPart(editor: vscode.TextEditor | undefined): FilePartInput | undefined {
  return editor && editor.document.uri.scheme === 'file'
    ? { ...filePart(editor.document.uri), range: linesOf(editor.selection) }
    : undefined;
}

/** Returns the files of the explorer's menu: the file under the pointer, or the whole selection. */
export function fileParts(uri: vscode.Uri | undefined, all: readonly vscode.Uri[] | undefined): FilePartInput[] {
  const uris = all?.length ? all : uri ? [uri] : [];
  return uris.filter(({ scheme }) => scheme === 'file').map(filePart);
}

function filePart(uri: vscode.Uri): FilePartInput {
  return { type: 'file', uri: uri.toString(), name: vscode.workspace.asRelativePath(uri) };
}
