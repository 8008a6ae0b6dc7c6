/** All pages of the chat in the window: the view in a side bar, and the editor tabs. */
import * as vscode from 'vscode';
import type { CurrentSession } from '../sessions/current';
import type { PageSession } from '../sessions/page_session';
import type { PageServices } from './chat_page';
import type { ToPage } from './messages';
import { ChatPanel, PANEL_TYPE } from './panel';
import { ChatView } from './view';

/** Place of the chat in the window. */
export interface Chat {
  readonly session: PageSession;
  readonly isVisible: boolean;
  show(options: { focus: boolean }): Promise<void>;
  /** Sends a message to the page; a page that is not there gets the message when shown. */
  tell(message: ToPage): void;
}

export class Chats {
  private readonly view: ChatView;
  private readonly panels = new Set<ChatPanel>();
  /** Place that the user has used last. */
  private last: Chat;

  constructor(
    private readonly services: PageServices,
    private readonly current: CurrentSession,
  ) {
    const view: ChatView = new ChatView(
      services,
      current,
      () => this.last === view,
      () => {
        this.last = view;
      },
    );
    this.view = view;
    this.last = view;
  }

  get isVisible(): boolean {
    return this.all.some((chat) => chat.isVisible);
  }

  /** Returns the place for a session: the place that shows the session, or else the place that was used last. */
  placeOf(sessionId: string | null, isToFocus: boolean): Chat {
    const showing = this.all.filter(({ session }) => sessionId !== null && session.id === sessionId);
    const place = showing.includes(this.last) ? this.last : (showing[0] ?? this.last);
    // A tab that comes to the front without the focus would cover the file that the user is in.
    return isToFocus || place.isVisible ? place : this.view;
  }

  /** Place that the user has used last. */
  get inUse(): Chat {
    return this.last;
  }

  /** Sends a message to every page. */
  tell(message: ToPage): void {
    for (const chat of this.all) {
      chat.tell(message);
    }
  }

  /** Builds the page of the view when VS Code shows the view. */
  resolve(view: vscode.WebviewView): void {
    this.view.resolve(view);
  }

  /** Opens the session of the chat in an editor tab, or shows the tab that has the session already. */
  openInEditor(): void {
    const sessionId = this.current.id;
    const open = [...this.panels].find(({ session }) => sessionId !== undefined && session.id === sessionId);
    const title = vscode.l10n.t('New session');
    const chat =
      open ?? this.add(vscode.window.createWebviewPanel(PANEL_TYPE, title, vscode.ViewColumn.Active), sessionId);
    chat.session.open(sessionId ?? null);
    void open?.show({ focus: true });
  }

  /** Builds a tab again that was open before the window was reloaded; `state` is what the page has kept. */
  restore(panel: vscode.WebviewPanel, state: unknown): void {
    const { sessionId } = (state ?? {}) as { sessionId?: unknown };
    const chat = this.add(panel, typeof sessionId === 'string' ? sessionId : undefined);
    if (panel.active) {
      chat.session.use();
    }
  }

  private add(panel: vscode.WebviewPanel, sessionId: string | undefined): ChatPanel {
    const chat: ChatPanel = new ChatPanel(this.services, this.current, panel, sessionId, () => {
      this.last = chat;
    });
    this.panels.add(chat);
    panel.onDidDispose(() => {
      this.panels.delete(chat);
      if (this.last === chat) {
        this.view.session.use();
      }
    });
    return chat;
  }

  private get all(): Chat[] {
    return [this.view, ...this.panels];
  }
}
