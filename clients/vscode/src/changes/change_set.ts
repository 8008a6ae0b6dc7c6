/** What the current session has done to files, asked of the daemon again whenever it may be another. */
import * as vscode from 'vscode';
import type { Agent } from '../daemon/agent';
import type { CurrentSession } from '../sessions/current';
import type { ChangeList, ListedChange, Update } from '../wire';

const TOGETHER_MILLISECONDS = 100;
const TELLING: ReadonlySet<Update['kind']> = new Set([
  'change_proposed',
  'change_applied',
  'change_reverted',
  'turn_ended',
]);

export class ChangeSet implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.changed.event;
  private readonly subscriptions: { dispose(): unknown }[];
  private known: readonly ListedChange[] = [];
  private timer: NodeJS.Timeout | undefined;
  private asked = 0;

  constructor(
    private readonly agent: Agent,
    readonly session: CurrentSession,
  ) {
    this.subscriptions = [
      session.onChange(() => this.look()),
      agent.onUpdate(({ sessionId, update }) => {
        // A subagent's changes are told of in its own session as well.
        if (TELLING.has(update.kind) && (sessionId === session.known || update.kind !== 'turn_ended')) {
          this.look();
        }
      }),
    ];
  }

  /** As they were told last, oldest first, without texts. */
  get changes(): readonly ListedChange[] {
    return this.known;
  }

  /** One change with the texts of its files, as far as they are not too much. */
  async withTexts(changeId: string, sessionId = this.session.known): Promise<ListedChange | undefined> {
    if (!sessionId) {
      return undefined;
    }
    const asked = { sessionId, changeIds: [changeId], contents: true };
    const { changes } = await this.agent.request<ChangeList>('agent/changes', asked);
    return changes.find((change) => change.id === changeId);
  }

  /** Ask again, soon. */
  look(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      void this.ask();
    }, TOGETHER_MILLISECONDS);
  }

  dispose(): void {
    clearTimeout(this.timer);
    for (const subscription of this.subscriptions) {
      subscription.dispose();
    }
    this.changed.dispose();
  }

  private async ask(): Promise<void> {
    const sessionId = this.session.known;
    const number = ++this.asked;
    let changes: readonly ListedChange[] = [];
    if (sessionId && this.agent.status.state === 'ready') {
      try {
        changes = (await this.agent.request<ChangeList>('agent/changes', { sessionId })).changes;
      } catch {
        // The session is gone, or the daemon; either is told elsewhere.
      }
    }
    if (number === this.asked) {
      this.known = changes;
      this.changed.fire();
    }
  }
}
