/** Navigation in the chat view: shows a session, starts a session, and attaches the selection. */
import * as vscode from 'vscode';
import type { Attachment } from '../chat/messages';
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

  /** Shows the chat; focuses the composer, unless the user shall stay in the editor. */
  async open(options: { focus: boolean } = { focus: true }): Promise<void> {
    await vscode.commands.executeCommand('placet.chat.focus', { preserveFocus: !options.focus });
    if (options.focus) {
      this.chat.tell({ type: 'focus' });
    }
  }

  /** Goes to a session; null starts a session with the next prompt. */
  async openSession(sessionId: string | null, options: { focus: boolean } = { focus: true }): Promise<void> {
    this.session.set(sessionId);
    this.chat.tell({ type: 'open', sessionId });
    await this.open(options);
  }

  /** Shows in the chat what going back to a prompt of a session would do, with the choices. */
  async offerWayBack(sessionId: string, messageId: string): Promise<void> {
    await this.openSession(sessionId);
    this.chat.tell({ type: 'goBack', sessionId, messageId });
  }

  /** Attaches the selection, or the line of the cursor, to the next prompt. */
  async addSelection(): Promise<void> {
    const attachment = selectionPart(vscode.window.activeTextEditor);
    if (!attachment) {
      void inform(vscode.l10n.t('Place the cursor in a file first.'));
      return;
    }
    this.chat.tell({ type: 'attach', attachment });
    await this.open();
  }

  /** Attaches files and folders of the explorer, or the file of a tab, to the next prompt. */
  async addFiles(uri?: vscode.Uri, all?: readonly vscode.Uri[]): Promise<void> {
    for (const attachment of fileParts(uri ?? vscode.window.activeTextEditor?.document.uri, all)) {
      this.chat.tell({ type: 'attach', attachment });
    }
    await this.open();
  }

  /** Attaches context from elsewhere to the next prompt. Rejects with a message for the user. */
  async attach(context: () => Promise<Attachment[]>): Promise<void> {
    for (const attachment of await context()) {
      this.chat.tell({ type: 'attach', attachment });
    }
    await this.open();
  }

  /** Opens a link to `vscode://placet.placet/…`. */
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
        throw new Error(vscode.l10n.t('Unknown link: {0}', uri.toString()));
    }
  }
}
