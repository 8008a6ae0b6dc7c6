/** Chat in an editor tab, which stays with its session and is restored when the window is reloaded. */
import * as vscode from 'vscode';
import type { CurrentSession } from '../sessions/current';
import { PageSession } from '../sessions/page_session';
import { plain } from '../ui/plain_text';
import { ChatPage, type PageServices } from './chat_page';
import type { ToPage } from './messages';

/** Named in extension.ts and package.json too. */
export const PANEL_TYPE = 'placet.chatEditor';
const ICON = ['media', 'placet.svg'];
/** Number after the last possible event, so that a load returns the session without history. */
const NO_EVENTS = Number.MAX_SAFE_INTEGER;

export class ChatPanel {
  readonly session: PageSession;
  private readonly page: ChatPage;
  /** Number of titles so far: a title that arrives after a later title is dropped. */
  private namings = 0;

  /** `used` is called when the user comes to the panel. */
  constructor(
    private readonly services: PageServices,
    current: CurrentSession,
    private readonly panel: vscode.WebviewPanel,
    sessionId: string | undefined,
    used: () => void,
  ) {
    this.session = new PageSession(current, { followsCommands: false, isActive: () => panel.active, used }, sessionId);
    panel.iconPath = vscode.Uri.joinPath(services.extensionUri, ...ICON);
    this.page = new ChatPage(services, panel.webview, 'editor', this.session);
    const follow = () => {
      this.page.setVisible(panel.visible);
      if (panel.active) {
        this.session.use();
      }
    };
    const subscriptions = [
      this.page,
      this.session,
      this.session.onChange(() => void this.name()),
      panel.onDidChangeViewState(follow),
      services.agent.onUpdate(({ sessionId, update }) => {
        if (update.kind === 'session_info_update' && sessionId === this.session.id) {
          this.namings++;
          this.panel.title = plain(update.title);
        }
      }),
    ];
    this.page.setVisible(panel.visible);
    void this.name();
    panel.onDidDispose(() => {
      for (const subscription of subscriptions) {
        subscription.dispose();
      }
    });
  }

  get isVisible(): boolean {
    return this.panel.visible;
  }

  async show({ focus }: { focus: boolean }): Promise<void> {
    this.panel.reveal(undefined, !focus);
  }

  tell(message: ToPage): void {
    this.page.tell(message);
  }

  /** Names the tab after the session. */
  private async name(): Promise<void> {
    const { id } = this.session;
    this.namings++;
    const naming = this.namings;
    if (id === undefined) {
      this.panel.title = vscode.l10n.t('New session');
      return;
    }
    try {
      const { session } = await this.services.agent.request('agent/session/load', { sessionId: id, since: NO_EVENTS });
      if (naming === this.namings) {
        this.panel.title = plain(session.title);
      }
    } catch {
      // The page reports a session that cannot be loaded.
    }
  }
}
