/** A notification that can be taken back, as VS Code's own cannot: it ends with the promise behind it. */
import * as vscode from 'vscode';

/** Show it; takes no focus. Closing it is "later", and changes nothing. */
export function notice(message: string): vscode.Disposable {
  let close = (): void => undefined;
  const open = new Promise<void>((resolve) => {
    close = resolve;
  });
  const options = { location: vscode.ProgressLocation.Notification, title: message, cancellable: false };
  void vscode.window.withProgress(options, () => open);
  return { dispose: close };
}

/** A link in a notification that runs a command. */
export function commandLink(label: string, command: string, ...parameters: unknown[]): string {
  return `[${label}](command:${command}?${encodeURIComponent(JSON.stringify(parameters))})`;
}
