/** Log of the current session, loaded when the session changes and updated by events. */
import * as vscode from 'vscode';
import type { Agent } from '../daemon/agent';
import type { CurrentSession } from './current';
import { SessionLog } from './session_log';

export class SessionView implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.changed.event;
  log = new SessionLog();
  private readonly subscriptions: { dispose(): unknown }[];

  constructor(
    private readonly agent: Agent,
    private readonly session: CurrentSession,
  ) {
    this.subscriptions = [
      session.onChange(() => void this.load()),
      agent.onUpdate((event) => {
        if (event.sessionId === session.id && this.log.apply(event)) {
          this.changed.fire();
        }
      }),
    ];
  }

  dispose(): void {
    for (const subscription of this.subscriptions) {
      subscription.dispose();
    }
    this.changed.dispose();
  }

  private async load(): Promise<void> {
    const sessionId = this.session.id;
    const log = new SessionLog();
    this.log = log;
    this.changed.fire();
    if (sessionId) {
      try {
        const { events } = await this.agent.request('agent/session/load', { sessionId, since: 0 });
        events.forEach((event) => void log.apply(event));
      } catch {
        // A missing session has no log.
      }
      this.changed.fire();
    }
  }
}
