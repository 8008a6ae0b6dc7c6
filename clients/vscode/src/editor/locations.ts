/** Places in files, as a person says them and as a prompt has them. */
import * as vscode from 'vscode';

/** As a person says it: `a.py:3`, `a.py:3-5`; lines count from 1. */
export function placeOf(uri: vscode.Uri, range: vscode.Range): string {
  const { start, end } = linesOf(range);
  return `${vscode.workspace.asRelativePath(uri)}:${start === end ? start : `${start}-${end}`}`;
}

/** As a prompt names a file so that the daemon finds the same one: relative to the first folder, else absolute. */
export function nameOf(uri: vscode.Uri): string {
  const folder = vscode.workspace.getWorkspaceFolder(uri);
  return folder?.index === 0 ? vscode.workspace.asRelativePath(uri, false) : uri.fsPath;
}

/** The lines of a range, from 1, both included; one that ends before a line's first character leaves it out. */
export function linesOf(range: vscode.Range): { start: number; end: number } {
  const isBefore = range.end.character === 0 && range.end.line > range.start.line;
  return { start: range.start.line + 1, end: isBefore ? range.end.line : range.end.line + 1 };
}
