/** The session in the chat view: shown, begun anew, and given what is selected. */
import * as vscode from 'vscode';
import type { ChatView } from '../chat/view';
import { fileParts, selectionPart } from '../inline/attach';
import { inform } from '../ui/window';
import type { CurrentSession } from './current';
import { linked } from './links';

export class SessionNavigation {
  constructor(
    private readonly chat: ChatView,
    private readonly session: CurrentSession,
  ) {}

  /** Show the chat; with the focus in its prompt, unless the user is to stay where they are. */
  async open(options: { focus: boolean } = { focus: true }): Promise<void> {
    await vscode.commands.executeCommand('placet.chat.focus', { preserveFocus: !options.focus });
    if (options.focus) {
      this.chat.tell({ type: 'focus' });
    }
  }

  /** Go to a session; null begins one with the next prompt. */
  async openSession(sessionId: string | null, options: { focus: boolean } = { focus: true }): Promise<void> {
    this.session.set(sessionId);
    this.chat.tell({ type: 'open', sessionId });
    await this.open(options);
  }

  /** The selection, or the line of the cursor, beside the next prompt. */
  async addSelection(): Promise<void> {
    const attachment = selectionPart(vscode.window.activeTextEditor);
    if (!attachment) {
      void inform(vscode.l10n.t('Put the cursor into a file first.'));
      return;
    }
    this.chat.tell({ type: 'attach', attachment });
    await this.open();
  }

  /** Files and folders of the explorer, or the file of a tab, beside the next prompt. */
  async addFiles(uri?: vscode.Uri, all?: readonly vscode.Uri[]): Promise<void> {
    for (const attachment of fileParts(uri ?? vscode.window.activeTextEditor?.document.uri, all)) {
      this.chat.tell({ type: 'attach', attachment });
    }
    await this.open();
  }

  /** A link to `vscode://placet.placet/…`. */
  async openUri(uri: vscode.Uri): Promise<void> {
    const link = linked(uri.path);
    switch (link?.kind) {
      case 'session':
        return this.openSession(link.id);
      case 'answer':
        return vscode.commands.executeCommand('placet.answer');
      case 'chat':
        return this.open();
      case undefined:
        throw new Error(vscode.l10n.t('Placet does not know what the link {0} means.', uri.toString()));
    }
  }
}
