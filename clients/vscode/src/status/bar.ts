/** The one status bar item: how the daemon is, what waits, and what the session has cost. */
import * as vscode from 'vscode';
import type { Agent } from '../daemon/agent';
import { SessionCosts } from '../sessions/costs';
import type { CurrentSession } from '../sessions/current';
import { plainLines } from '../ui/plain_text';
import { shown } from './status';

/** Later than any event, so that a load gives what is known of a session and none of its history. */
const NO_EVENTS = Number.MAX_SAFE_INTEGER;

export class StatusBar implements vscode.Disposable {
  readonly item: vscode.StatusBarItem;
  private readonly spendings = new SessionCosts();
  private readonly subscriptions: { dispose(): unknown }[];

  constructor(
    private readonly agent: Agent,
    private readonly session: CurrentSession,
  ) {
    this.item = vscode.window.createStatusBarItem('placet.status', vscode.StatusBarAlignment.Left);
    this.item.name = 'Placet';
    this.subscriptions = [
      this.item,
      agent.onStatus(() => this.draw()),
      agent.onUpdate((event) => {
        this.spendings.take(event);
        if (event.update.kind === 'usage_update') {
          this.draw();
        }
      }),
      session.onChange(() => void this.look()),
    ];
    this.draw();
    this.item.show();
  }

  dispose(): void {
    for (const subscription of this.subscriptions) {
      subscription.dispose();
    }
  }

  /** What the session had cost before this window knew of it. */
  private async look(): Promise<void> {
    const sessionId = this.session.known;
    if (sessionId && this.agent.status.state === 'ready' && !this.spendings.of(sessionId)) {
      try {
        const { session } = await this.agent.request('agent/session/load', { sessionId, since: NO_EVENTS });
        this.spendings.opened(session);
      } catch {
        // A session that cannot be loaded is complained of where it is used.
      }
    }
    this.draw();
  }

  private draw(): void {
    const { known } = this.session;
    const { text, tooltip, command, isWarning } = shown(
      this.agent.status,
      known ? this.spendings.of(known) : undefined,
    );
    this.item.text = text;
    this.item.tooltip = plainLines(tooltip);
    this.item.command = command;
    this.item.backgroundColor = isWarning ? new vscode.ThemeColor('statusBarItem.warningBackground') : undefined;
    this.item.accessibilityInformation = { label: tooltip };
  }
}
