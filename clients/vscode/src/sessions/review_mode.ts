/** Review mode of the current session, and how careful the session is. */
import * as vscode from 'vscode';
import type { Agent } from '../daemon/agent';
import type { Caution } from './caution_choices';
import type { CurrentSession } from './current';
import { type Mode, modeOfSettings } from './review_mode_choices';

/** Number after the last possible event, so that a load returns the session without history. */
const NO_EVENTS = Number.MAX_SAFE_INTEGER;

/** Returns the configured review mode of new sessions; undefined if Placet's settings files decide. */
export function configuredMode(): Mode | undefined {
  const configuration = vscode.workspace.getConfiguration('placet');
  const { defaultValue, ...values } = configuration.inspect<string>('reviewMode') ?? {};
  return modeOfSettings(values, configuration.inspect('settings') ?? {}, defaultValue);
}

export class ReviewMode implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.changed.event;
  /** Mode that the user chose for the session. */
  private chosen: Mode | undefined;
  private careful: Caution = 'default';
  /** Number of modes taken, so that an answer never replaces a later mode. */
  private takes = 0;
  private readonly subscriptions: { dispose(): unknown }[];
  private isReady: boolean;

  constructor(
    private readonly agent: Agent,
    private readonly session: CurrentSession,
  ) {
    this.isReady = agent.status.state === 'ready';
    this.subscriptions = [
      session.onChange(() => void this.load()),
      agent.onUpdate(({ sessionId, update }) => {
        // Another client may have chosen the mode.
        if (update.kind === 'review_mode_update' && sessionId === session.id) {
          this.take(update.review);
        } else if (update.kind === 'caution_update' && sessionId === session.id) {
          this.careful = update.caution;
        }
      }),
      agent.onStatus(({ state }) => {
        if ((state === 'ready') !== this.isReady) {
          this.isReady = state === 'ready';
          void (this.isReady && this.load());
        }
      }),
      vscode.workspace.onDidChangeConfiguration((change) => {
        if (change.affectsConfiguration('placet.reviewMode') || change.affectsConfiguration('placet.settings')) {
          this.changed.fire();
        }
      }),
      this.changed,
    ];
    void this.load();
  }

  /** Returns the mode of the session, or of the next session. */
  get current(): Mode {
    return this.chosen ?? configuredMode() ?? 'ask';
  }

  /** Returns how careful the session is; a session that does not exist yet begins with the default. */
  get caution(): Caution {
    return this.careful;
  }

  /** Sets the mode of the session, also within a running turn. */
  async set(sessionId: string, mode: Mode): Promise<void> {
    const { review } = await this.agent.request('agent/session/setReview', { sessionId, review: mode });
    this.take(review);
  }

  dispose(): void {
    for (const subscription of this.subscriptions) {
      subscription.dispose();
    }
  }

  private take(mode: Mode | undefined): void {
    this.takes++;
    this.chosen = mode;
    this.changed.fire();
  }

  private async load(): Promise<void> {
    const sessionId = this.session.id;
    this.take(undefined);
    this.careful = 'default';
    const { takes } = this;
    if (sessionId && this.agent.status.state === 'ready') {
      try {
        const { session } = await this.agent.request('agent/session/load', { sessionId, since: NO_EVENTS });
        if (takes === this.takes) {
          this.take(session.review);
          this.careful = session.caution ?? 'default';
        }
      } catch {
        // The view of the session reports a session that cannot be loaded.
      }
    }
  }
}
