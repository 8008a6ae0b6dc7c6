/** Documents of VS Code, found by the daemon's spelling of a URI. */
import * as vscode from 'vscode';

/** Returns VS Code's own spelling, so that two URIs of the same file are equal. */
export function sameUri(uri: string): string {
  return vscode.Uri.parse(uri, true).toString();
}

/** Returns the document, also without a tab. */
export function find(uri: string): vscode.TextDocument | undefined {
  const spelling = sameUri(uri);
  return vscode.workspace.textDocuments.find((document) => document.uri.toString() === spelling);
}

/** Returns true if the settings wrap the lines of the document; a wrap that the user toggles for a moment is not told. */
export function isWrapped(document: vscode.TextDocument): boolean {
  return vscode.workspace.getConfiguration('editor', document).get<string>('wordWrap', 'off') !== 'off';
}
