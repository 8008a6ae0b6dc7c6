/** Status bar item: the state of the daemon, waiting requests, and the cost of the session. */
import * as vscode from 'vscode';
import type { Agent } from '../daemon/agent';
import { SessionCosts } from '../sessions/costs';
import type { CurrentSession } from '../sessions/current';
import { plainLines } from '../ui/plain_text';
import { shown } from './status';

/** Number after the last possible event, so that a load returns the session without history. */
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

  /** Loads the cost of the session from before this window opened the session. */
  private async look(): Promise<void> {
    const sessionId = this.session.id;
    if (sessionId && this.agent.status.state === 'ready' && !this.spendings.of(sessionId)) {
      try {
        const { session } = await this.agent.request('agent/session/load', { sessionId, since: NO_EVENTS });
        this.spendings.opened(session);
      } catch {
        // The user of the session reports a session that cannot be loaded.
      }
    }
    this.draw();
  }

  private draw(): void {
    const sessionId = this.session.id;
    const { text, tooltip, command, isWarning } = shown(
      this.agent.status,
      sessionId ? this.spendings.of(sessionId) : undefined,
    );
    this.item.text = text;
    this.item.tooltip = plainLines(tooltip);
    this.item.command = command;
    this.item.backgroundColor = isWarning ? new vscode.ThemeColor('statusBarItem.warningBackground') : undefined;
    this.item.accessibilityInformation = { label: tooltip };
  }
}
