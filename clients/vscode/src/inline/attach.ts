/** Files and selections that go into the chat's prompt, by key and from menus. */
import * as vscode from 'vscode';
import { linesOf } from '../editor/locations';
import type { FilePartInput } from '../wire';

/** What is selected, or the line of the cursor; undefined without an editor of a file. */
export function selectionPart(editor: vscode.TextEditor | undefined): FilePartInput | undefined {
  return editor && editor.document.uri.scheme === 'file'
    ? { ...filePart(editor.document.uri), range: linesOf(editor.selection) }
    : undefined;
}

/** Of the explorer's menu: the one under the pointer, or all that are selected there. */
export function fileParts(uri: vscode.Uri | undefined, all: readonly vscode.Uri[] | undefined): FilePartInput[] {
  const uris = all?.length ? all : uri ? [uri] : [];
  return uris.filter(({ scheme }) => scheme === 'file').map(filePart);
}

function filePart(uri: vscode.Uri): FilePartInput {
  return { type: 'file', uri: uri.toString(), name: vscode.workspace.asRelativePath(uri) };
}
