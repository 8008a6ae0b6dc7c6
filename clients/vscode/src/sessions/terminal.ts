/** The session in a terminal: `placet run` goes on with it, and names of sessions there lead back here. */
import * as vscode from 'vscode';
import { discover } from '../daemon/discovery';
import { commandLine, sessionsIn } from './links';

interface SessionLink extends vscode.TerminalLink {
  id: string;
}

/** Opens a terminal with the command that goes on with the session; the user adds what is to be done. */
export async function continueInTerminal(sessionId: string | undefined): Promise<vscode.Terminal | undefined> {
  const { found } = await discover();
  if (!found) {
    throw new Error(vscode.l10n.t('Placet is not installed, or not where it was looked for.'));
  }
  const cwd = vscode.workspace.workspaceFolders?.find(({ uri }) => uri.scheme === 'file')?.uri;
  const terminal = vscode.window.createTerminal({ name: 'Placet', ...(cwd ? { cwd } : {}) });
  terminal.show();
  terminal.sendText(`${commandLine(found.command, sessionId)} `, false);
  return terminal;
}

/** Names of sessions in any terminal open them in the chat. */
export function terminalLinks(open: (sessionId: string) => unknown): vscode.Disposable {
  return vscode.window.registerTerminalLinkProvider({
    provideTerminalLinks: ({ line }) =>
      sessionsIn(line).map((link) => ({ ...link, tooltip: vscode.l10n.t('Open the session in Placet') })),
    handleTerminalLink: ({ id }: SessionLink) => {
      open(id);
    },
  });
}
