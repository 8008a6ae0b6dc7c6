/** Sessions in a terminal: `placet run` continues the session. */
import * as vscode from 'vscode';
import { discover } from '../daemon/discovery';
import { commandLine } from './links';

/** Opens a terminal with the command that continues the session; the user adds the prompt. */
export async function continueInTerminal(sessionId: string | undefined): Promise<vscode.Terminal | undefined> {
  const { candidate } = await discover();
  if (!candidate) {
    throw new Error(vscode.l10n.t('Placet was not found. Install Placet, or set placet.command.'));
  }
  const cwd = vscode.workspace.workspaceFolders?.find(({ uri }) => uri.scheme === 'file')?.uri;
  const terminal = vscode.window.createTerminal({ name: 'Placet', ...(cwd ? { cwd } : {}) });
  terminal.show();
  terminal.sendText(`${commandLine(candidate.command, sessionId)} `, false);
  return terminal;
}
