/** Context that the user adds to a prompt from elsewhere in VS Code: the terminal, git, problems. */
import * as vscode from 'vscode';
import { selectionOf } from '../terminal/selection';
import type { ShellHistory } from '../terminal/shell_history';
import { gitDiff } from './git_diff';
import type { Attachment, ContextKind } from './messages';

/** Returns the context as parts of a prompt. Rejects with a message for the user when there is no such context. */
export async function addedContext(kind: ContextKind, history: ShellHistory): Promise<Attachment[]> {
  switch (kind) {
    case 'problems':
      return [{ type: 'diagnostics' }];
    case 'terminalSelection':
      return [text(vscode.l10n.t('terminal selection'), await selectionOf(vscode.window.activeTerminal))];
    case 'lastCommand':
      return [text(vscode.l10n.t('last command'), history.lastCommand())];
    case 'gitDiff':
      return [text(vscode.l10n.t('git diff'), await gitDiff())];
  }
}

/** Returns a text as an attached file with the content. */
export function text(name: string, content: string): Attachment {
  const uri = `data:text/plain;base64,${Buffer.from(content).toString('base64')}`;
  return { type: 'file', uri, mime: 'text/plain', name };
}
