/** Session names in a terminal, which are links to the chat. */
import * as vscode from 'vscode';
import { sessionsIn } from '../sessions/links';
import type { SessionNavigation } from './navigation';

interface SessionLink extends vscode.TerminalLink {
  id: string;
}

/** Makes session names in any terminal links that open the session in the chat. */
export function terminalLinks(navigation: SessionNavigation): vscode.Disposable {
  return vscode.window.registerTerminalLinkProvider({
    provideTerminalLinks: ({ line }) =>
      sessionsIn(line).map((link) => ({ ...link, tooltip: vscode.l10n.t('Open Session in Placet') })),
    handleTerminalLink: ({ id }: SessionLink) => {
      void navigation.openSession(id);
    },
  });
}
