/** One of several, by a QuickPick that stays while the user looks at other things. */
import * as vscode from 'vscode';

/** What was chosen; undefined when it was put away, or closed by the token. */
export function pick<T extends vscode.QuickPickItem>(
  items: readonly T[],
  options: { title: string; placeHolder: string },
  token: vscode.CancellationToken,
): Thenable<T | undefined> {
  return vscode.window.showQuickPick(items, { ...options, ignoreFocusOut: true, matchOnDetail: true }, token);
}
