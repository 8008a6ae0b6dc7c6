/** Runs a code block of the chat in a terminal, after the user's click. */
import * as vscode from 'vscode';
import { confirm } from '../ui/window';

/** Sends one line to the active terminal; several lines are confirmed first, as the user sees all of the lines then. */
export async function runInTerminal(text: string): Promise<void> {
  const lines = text.replace(/\n+$/, '');
  const isSeveral = lines.includes('\n');
  const message = vscode.l10n.t('Run these lines in the terminal?');
  if (isSeveral && !(await confirm(message, lines, vscode.l10n.t('Run')))) {
    return;
  }
  const terminal = vscode.window.activeTerminal ?? vscode.window.createTerminal();
  terminal.show(false);
  // The user presses Enter for a single line, and has agreed to several.
  terminal.sendText(lines, isSeveral);
}
