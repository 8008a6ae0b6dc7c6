/** The documents VS Code holds, found by the daemon's spelling of a URI. */
import * as vscode from 'vscode';

/** VS Code's own spelling, so that two of one file are equal. */
export function sameUri(uri: string): string {
  return vscode.Uri.parse(uri, true).toString();
}

/** The document, also one without a tab. */
export function find(uri: string): vscode.TextDocument | undefined {
  const spelling = sameUri(uri);
  return vscode.workspace.textDocuments.find((document) => document.uri.toString() === spelling);
}
