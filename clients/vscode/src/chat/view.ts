/** Chat view in a side bar: a page that can reload at any time, as the state of the page belongs to the daemon. */
import * as vscode from 'vscode';
import type { CurrentSession } from '../sessions/current';
import { PageSession } from '../sessions/page_session';
import { pendingCount } from '../ui/counts';
import { ChatPage, type PageServices } from './chat_page';
import type { ToPage } from './messages';

export class ChatView {
  readonly session: PageSession;
  private page: ChatPage | undefined;
  private view: vscode.WebviewView | undefined;
  /** Messages for a view that was not shown yet. */
  private held: ToPage[] = [];

  /** `isActive` returns true unless the user is in a tab; `used` is called when the user comes to the view. */
  constructor(
    private readonly services: PageServices,
    current: CurrentSession,
    isActive: () => boolean,
    used: () => void,
  ) {
    this.session = new PageSession(current, { followsCommands: true, isActive, used });
  }

  get isVisible(): boolean {
    return this.view?.visible ?? false;
  }

  /** Builds the page when VS Code shows the view, for the first time or again. */
  resolve(view: vscode.WebviewView): void {
    const { asks } = this.services;
    const page = new ChatPage(this.services, view.webview, 'side', this.session);
    this.page = page;
    this.view = view;
    for (const message of this.held.splice(0)) {
      page.tell(message);
    }
    const showWaiting = () => {
      const { length } = asks.waiting;
      const tooltip = pendingCount(length);
      view.badge = length > 0 ? { value: length, tooltip } : undefined;
    };
    showWaiting();
    page.setVisible(view.visible);
    const subscriptions = [
      page,
      asks.onChange(showWaiting),
      view.onDidChangeVisibility(() => page.setVisible(view.visible)),
    ];
    view.onDidDispose(() => {
      // A view that moves to the other side bar is resolved there before the old place is disposed.
      if (this.view === view) {
        this.page = undefined;
        this.view = undefined;
      }
      for (const subscription of subscriptions) {
        subscription.dispose();
      }
    });
  }

  /** Shows the view. */
  async show({ focus }: { focus: boolean }): Promise<void> {
    await vscode.commands.executeCommand('placet.chat.focus', { preserveFocus: !focus });
  }

  /** Sends a message to the page; a hidden or missing page gets the message when shown. */
  tell(message: ToPage): void {
    if (this.page) {
      this.page.tell(message);
    } else {
      this.held.push(message);
    }
  }
}
