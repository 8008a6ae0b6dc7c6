/** The selected text of a terminal. VS Code tells the selection through the clipboard alone, whose text is put back. */
import * as vscode from 'vscode';

/** Rejects with a message for the user when nothing is selected. */
export async function selectionOf(terminal: vscode.Terminal | undefined): Promise<string> {
  const before = await vscode.env.clipboard.readText();
  let selected = '';
  if (terminal) {
    await vscode.env.clipboard.writeText('');
    await vscode.commands.executeCommand('workbench.action.terminal.copySelection');
    selected = await vscode.env.clipboard.readText();
    await vscode.env.clipboard.writeText(before);
  }
  if (selected.trim() === '') {
    throw new Error(vscode.l10n.t('Select text in a terminal first.'));
  }
  return selected;
}
