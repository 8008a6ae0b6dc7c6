/** Changes of the current session to files, loaded again from the daemon whenever the changes may differ. */
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

export class ChangeHistory implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.changed.event;
  private readonly subscriptions: { dispose(): unknown }[];
  private listed: readonly ListedChange[] = [];
  private timer: NodeJS.Timeout | undefined;
  private requests = 0;

  constructor(
    private readonly agent: Agent,
    readonly session: CurrentSession,
  ) {
    this.subscriptions = [
      session.onChange(() => this.look()),
      agent.onUpdate(({ sessionId, update }) => {
        // A subagent's changes are reported in the subagent's session as well.
        if (TELLING.has(update.kind) && (sessionId === session.id || update.kind !== 'turn_ended')) {
          this.look();
        }
      }),
    ];
  }

  /** Returns the last loaded changes, oldest first, without texts. */
  get changes(): readonly ListedChange[] {
    return this.listed;
  }

  /** Returns one change with the texts of the files, unless the texts are too large. */
  async withTexts(changeId: string, sessionId = this.session.id): Promise<ListedChange | undefined> {
    if (!sessionId) {
      return undefined;
    }
    const params = { sessionId, changeIds: [changeId], contents: true };
    const { changes } = await this.agent.request<ChangeList>('agent/changes', params);
    return changes.find((change) => change.id === changeId);
  }

  /** Loads the changes again, soon. */
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
    const sessionId = this.session.id;
    const number = ++this.requests;
    let changes: readonly ListedChange[] = [];
    if (sessionId && this.agent.status.state === 'ready') {
      try {
        changes = (await this.agent.request<ChangeList>('agent/changes', { sessionId })).changes;
      } catch {
        // The session or the daemon is gone, which another view reports.
      }
    }
    if (number === this.requests) {
      this.listed = changes;
      this.changed.fire();
    }
  }
}
