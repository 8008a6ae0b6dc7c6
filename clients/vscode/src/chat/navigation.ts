/** Navigation in the chat view: shows a session, starts a session, and attaches the selection. */
import * as vscode from 'vscode';
import { linked } from '../sessions/links';
import { inform } from '../ui/window';
import { fileParts, selectionPart } from './attach';
import type { Chats } from './chats';
import type { Attachment } from './messages';

export class SessionNavigation {
  constructor(private readonly chats: Chats) {}

  /** Shows the chat that was used last, with the focus in the composer. */
  async open(chat = this.chats.inUse): Promise<void> {
    await chat.show({ focus: true });
    chat.tell({ type: 'focus' });
  }

  /** Goes to a session; null starts a session with the next prompt. The user may stay in the editor. */
  async openSession(sessionId: string | null, { focus } = { focus: true }): Promise<void> {
    const chat = this.chats.placeOf(sessionId, focus);
    chat.session.open(sessionId);
    await (focus ? this.open(chat) : chat.show({ focus }));
  }

  /** Shows in the chat what going back to a prompt of a session would do, with the choices. */
  async offerWayBack(sessionId: string, messageId: string): Promise<void> {
    await this.openSession(sessionId);
    this.chats.placeOf(sessionId, true).tell({ type: 'goBack', sessionId, messageId });
  }

  /** Attaches the selection, or the line of the cursor, to the next prompt. */
  async addSelection(): Promise<void> {
    const attachment = selectionPart(vscode.window.activeTextEditor);
    if (!attachment) {
      void inform(vscode.l10n.t('Place the cursor in a file first.'));
      return;
    }
    this.chats.inUse.tell({ type: 'attach', attachment });
    await this.open();
  }

  /** Attaches files and folders of the explorer, or the file of a tab, to the next prompt. */
  async addFiles(uri?: vscode.Uri, all?: readonly vscode.Uri[]): Promise<void> {
    for (const attachment of fileParts(uri ?? vscode.window.activeTextEditor?.document.uri, all)) {
      this.chats.inUse.tell({ type: 'attach', attachment });
    }
    await this.open();
  }

  /** Attaches context from elsewhere to the next prompt. Rejects with a message for the user. */
  async attach(context: () => Promise<Attachment[]>): Promise<void> {
    for (const attachment of await context()) {
      this.chats.inUse.tell({ type: 'attach', attachment });
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
