/** Review mode of the current session, with the picker of the mode. */
import * as vscode from 'vscode';
import type { Agent } from '../daemon/agent';
import type { CurrentSession } from '../sessions/current';
import { pick, showInStatusBar } from '../ui/window';
import { type Mode, modeOfSettings, reviewModeChoices } from './review_mode_choices';

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

  /** Lets the user choose the mode of the session, also within a running turn. */
  async choose(named?: Mode): Promise<void> {
    const items = reviewModeChoices().map((choice) => ({
      ...choice,
      description: choice.mode === this.current ? vscode.l10n.t('current') : '',
    }));
    const title = vscode.l10n.t('Select Review Mode');
    const placeHolder = vscode.l10n.t('For this session; the setting placet.reviewMode decides for new sessions');
    const chosen = items.find(({ mode }) => mode === named) ?? (await pick(items, { title, placeHolder }));
    if (!chosen) {
      return;
    }
    const sessionId = await this.session.get();
    const { review } = await this.agent.request('agent/session/setReview', { sessionId, review: chosen.mode });
    this.take(review);
    showInStatusBar(`Placet: ${chosen.label}`, 5000);
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
    const { takes } = this;
    if (sessionId && this.agent.status.state === 'ready') {
      try {
        const { session } = await this.agent.request('agent/session/load', { sessionId, since: NO_EVENTS });
        if (takes === this.takes) {
          this.take(session.review);
        }
      } catch {
        // The view of the session reports a session that cannot be loaded.
      }
    }
  }
}
