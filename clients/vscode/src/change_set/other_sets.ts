/**
 * Undecided changes of the sessions that the window does not show: read from the list of sessions, and kept up to date
 * by the daemon's reports.
 */
import * as vscode from 'vscode';
import type { Agent } from '../daemon/agent';
import type { CurrentSession } from '../sessions/current';
import type { OtherSet } from './files';

const TOGETHER_MILLISECONDS = 200;
const MOST = 200;

export class OtherSets implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.changed.event;
  private readonly subscriptions: { dispose(): unknown }[];
  /** Sets of all listed sessions, also empty sets, by session id. */
  private sets = new Map<string, OtherSet>();
  private timer: NodeJS.Timeout | undefined;
  private isReady: boolean;

  constructor(
    private readonly agent: Agent,
    private readonly session: CurrentSession,
  ) {
    this.isReady = agent.status.state === 'ready';
    this.subscriptions = [
      session.onChange(() => this.changed.fire()),
      agent.onUpdate(({ update }) => {
        if (update.kind === 'change_set_update') {
          this.take(update.sessionId, update.files);
        }
      }),
      agent.onStatus(({ state }) => {
        if ((state === 'ready') !== this.isReady) {
          this.isReady = state === 'ready';
          this.look();
        }
      }),
      this.changed,
    ];
    this.look();
  }

  /** Returns the sessions with undecided changes, without the window's session, the last used session first. */
  get all(): readonly OtherSet[] {
    return [...this.sets.values()].filter(({ sessionId, files }) => files > 0 && sessionId !== this.session.id);
  }

  /** Reads the list of sessions again, soon. */
  look(): void {
    this.timer ??= setTimeout(() => void this.load(), TOGETHER_MILLISECONDS);
  }

  dispose(): void {
    clearTimeout(this.timer);
    for (const subscription of this.subscriptions) {
      subscription.dispose();
    }
  }

  private take(sessionId: string, files: number): void {
    const known = this.sets.get(sessionId);
    if (!known) {
      this.look();
    } else if (known.files !== files) {
      this.sets.set(sessionId, { ...known, files });
      this.changed.fire();
    }
  }

  private async load(): Promise<void> {
    this.timer = undefined;
    // Without the daemon, the sets stay as last read: the daemon has the sets in its store.
    if (this.agent.status.state !== 'ready') {
      return;
    }
    try {
      const { sessions } = await this.agent.request('agent/session/list', { limit: MOST });
      this.sets = new Map(
        sessions.map(({ id, title, toReview = 0 }) => [id, { sessionId: id, title, files: toReview }] as const),
      );
      this.changed.fire();
    } catch {
      // The daemon is gone, which another view reports.
    }
  }
}
