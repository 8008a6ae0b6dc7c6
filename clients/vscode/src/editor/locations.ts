/** Places in files, in the notation of a person and in the notation of a prompt. */
import * as vscode from 'vscode';

/** Returns a place in a person's notation: `a.py:3`, `a.py:3-5`; lines count from 1. */
export function placeOf(uri: vscode.Uri, range: vscode.Range): string {
  const { start, end } = linesOf(range);
  return `${vscode.workspace.asRelativePath(uri)}:${start === end ? start : `${start}-${end}`}`;
}

/**
 * Returns the name of a file in a prompt, by which the daemon finds the same file: relative to the first folder, else
 * absolute.
 */
export function nameOf(uri: vscode.Uri): string {
  const folder = vscode.workspace.getWorkspaceFolder(uri);
  return folder?.index === 0 ? vscode.workspace.asRelativePath(uri, false) : uri.fsPath;
}

/**
 * Returns the lines of a range, from 1, both included. A range that ends before the first character of a line leaves
 * the line out.
 */
export function linesOf(range: vscode.Range): { start: number; end: number } {
  const isBefore = range.end.character === 0 && range.end.line > range.start.line;
  return { start: range.start.line + 1, end: isBefore ? range.end.line : range.end.line + 1 };
}
