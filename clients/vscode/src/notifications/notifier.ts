/** Notifies the user on the desktop about waiting requests while no window of VS Code has the focus. */
import { type ChildProcess, execFile } from 'node:child_process';
import * as vscode from 'vscode';
import type { Agent } from '../daemon/agent';
import { allowLabel, isChange, rejectLabel, reviewLabel } from '../permissions/answers';
import type { Asks, PendingRequest } from '../permissions/pending_requests';
import { isAllowedAtAGlance, leadOf } from '../permissions/request_text';
import { plain, shortened } from '../ui/plain_text';
import { type DesktopCommand, type DesktopNotice, desktopCommands } from './desktop';
import { REMIND_MILLISECONDS, Reminders } from './reminders';

const BODY_CHARACTERS = 200;

/** Shows one notification and returns the chosen action, if any; `signal` ends the waiting. */
export type Show = (notice: DesktopNotice, signal: AbortSignal) => Promise<string | undefined>;

export class Notifier implements vscode.Disposable {
  private readonly reminders = new Reminders();
  private readonly open = new Map<string, AbortController>();
  private readonly subscriptions: { dispose(): unknown }[];
  private reminder: NodeJS.Timeout | undefined;

  constructor(
    agent: Agent,
    private readonly asks: Asks,
    private readonly show: Show = showOnDesktop,
    private readonly isFocused: () => boolean = () => vscode.window.state.focused,
  ) {
    this.subscriptions = [
      asks.onChange(() => this.follow()),
      vscode.window.onDidChangeWindowState(() => this.follow()),
      agent.onUpdate(({ sessionId, update }) => {
        if (update.kind === 'turn_started') {
          this.reminders.began(sessionId, performance.now());
        } else if (
          update.kind === 'turn_ended' &&
          this.reminders.ended(sessionId, performance.now()) &&
          this.isWanted()
        ) {
          const body =
            update.stopReason === 'end_turn'
              ? vscode.l10n.t('The turn has ended.')
              : vscode.l10n.t('The turn has ended: {0}', update.error?.message ?? update.stopReason);
          void this.tell(`turn ${sessionId}`, { title: 'Placet', body, actions: [] });
        }
      }),
    ];
  }

  dispose(): void {
    clearTimeout(this.reminder);
    for (const subscription of this.subscriptions) {
      subscription.dispose();
    }
    for (const id of [...this.open.keys()]) {
      this.close(id);
    }
  }

  private follow(): void {
    clearTimeout(this.reminder);
    const waiting = this.asks.waiting;
    const ids = waiting.map((ask) => ask.id);
    for (const id of [...this.open.keys()]) {
      if (!ids.includes(id)) {
        this.close(id);
      }
    }
    if (this.isFocused()) {
      this.reminders.seen(ids);
      return;
    }
    if (!this.isWanted()) {
      return;
    }
    const due = this.reminders.asks(ids, performance.now());
    for (const ask of waiting.filter((ask) => due.includes(ask.id))) {
      void this.tellAsk(ask);
    }
    if (ids.length > 0) {
      this.reminder = setTimeout(() => this.follow(), REMIND_MILLISECONDS);
    }
  }

  private async tellAsk(ask: PendingRequest): Promise<void> {
    const chosen = await this.tell(ask.id, noticeOf(ask));
    if (chosen === 'once' || chosen === 'reject') {
      this.asks.answer(ask.id, { outcome: chosen });
    } else if (chosen === 'look') {
      // Only a link can bring the window to the front.
      await vscode.env.openExternal(vscode.Uri.parse(`${vscode.env.uriScheme}://placet.placet/answer`));
    }
  }

  private async tell(id: string, notice: DesktopNotice): Promise<string | undefined> {
    this.close(id);
    const controller = new AbortController();
    this.open.set(id, controller);
    try {
      return await this.show(notice, controller.signal);
    } finally {
      if (this.open.get(id) === controller) {
        this.open.delete(id);
      }
    }
  }

  private close(id: string): void {
    this.open.get(id)?.abort();
    this.open.delete(id);
  }

  private isWanted(): boolean {
    return !this.isFocused() && vscode.workspace.getConfiguration('placet').get('notifyWhenUnfocused', true);
  }
}

/**
 * Returns the notification for a request: the command leads. Only a request that the notification shows as a whole,
 * with a single part and a proven effect, can be allowed with one click.
 */
export function noticeOf(ask: PendingRequest): DesktopNotice {
  if (ask.kind === 'question') {
    const body = plain(ask.request.questions[0]?.question ?? '');
    const look = { id: 'look', label: vscode.l10n.t('Answer…') };
    return {
      title: vscode.l10n.t('Question from Placet'),
      body: shortened(body, BODY_CHARACTERS),
      actions: [look],
    };
  }
  const { request } = ask;
  const { text } = leadOf(request);
  return {
    title: vscode.l10n.t('Placet is waiting for your answer'),
    body: shortened(text, BODY_CHARACTERS),
    actions: [
      ...(isAllowedAtAGlance(request) && text.length <= BODY_CHARACTERS
        ? [{ id: 'once', label: allowLabel(request) }]
        : []),
      { id: 'look', label: isChange(request) ? reviewLabel() : vscode.l10n.t('More Answers…') },
      { id: 'reject', label: rejectLabel(request) },
    ],
  };
}

/**
 * Shows the notification only where the extension runs on the user's own computer; no user sits at a remote desktop.
 */
async function showOnDesktop(notice: DesktopNotice, signal: AbortSignal): Promise<string | undefined> {
  if (vscode.env.remoteName !== undefined || vscode.env.uiKind !== vscode.UIKind.Desktop) {
    return undefined;
  }
  for (const command of desktopCommands(process.platform, notice)) {
    const action = await run(command, signal);
    if (action !== undefined || signal.aborted) {
      return action || undefined;
    }
  }
  return undefined;
}

/** Returns the output of a command; undefined after a failure. */
function run({ program, parameters }: DesktopCommand, signal: AbortSignal): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child: ChildProcess = execFile(program, [...parameters], { signal }, (error, output) =>
      resolve(error ? undefined : output.trim()),
    );
    child.stdin?.end();
  });
}
