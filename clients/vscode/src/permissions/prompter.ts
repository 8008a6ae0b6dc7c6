/** Shows pending requests to the user: a notification that takes no focus, and pickers on request. */
import * as vscode from 'vscode';
import { inform, input, type Link, notice, pick } from '../ui/window';
import type { RequestPermission } from '../wire';
import { allowLabel, type Choice, choicesOf, isChange, rejectLabel, reviewLabel } from './answers';
import type { Asks, PendingRequest } from './pending_requests';
import { askQuestions } from './questions';
import type { RequestDocument } from './request_document';
import { detailOf, isAllowedAtAGlance, leadOf, noticeOf, wholeOf } from './request_text';
import type { ShownRequests } from './shown_requests';

/** The pending requests, and the way to the change of a request. */
export interface Reviewing extends Asks {
  open(id: string): Promise<void>;
}

const WHILE_LOOKING = { ignoreFocusOut: true, matchOnDetail: true };

/** Longest wait for a visible chat to report whether the chat shows a new request. */
const REPORT_MILLISECONDS = 3000;

interface Shown {
  /** Notification of the request; absent while the chat shows the request. */
  notice?: vscode.Disposable | undefined;
  /** Token source that closes the open pickers of the request. */
  closing: vscode.CancellationTokenSource;
  /** Timer that ends the wait for the report of the chat. */
  wait?: NodeJS.Timeout | undefined;
}

export class Prompter implements vscode.Disposable {
  private readonly shown = new Map<string, Shown>();
  private readonly watching: { dispose(): unknown }[];

  constructor(
    private readonly asks: Reviewing,
    private readonly view: RequestDocument,
    private readonly inChat: ShownRequests,
  ) {
    this.watching = [asks.onChange(() => this.follow()), inChat.onChange(() => this.notify())];
  }

  dispose(): void {
    for (const watching of this.watching) {
      watching.dispose();
    }
    for (const id of [...this.shown.keys()]) {
      this.close(id);
    }
  }

  /** Implements `placet.answer`: shows the named request to the user, or else the oldest pending request. */
  async open(id?: string): Promise<void> {
    const ask = this.asks.waiting.find((ask) => ask.id === id) ?? this.asks.waiting[0];
    if (!ask) {
      void inform(vscode.l10n.t('No pending requests.'));
      return;
    }
    const token = this.shown.get(ask.id)?.closing.token;
    if (!token) {
      return;
    }
    if (!noticeOf(ask).isWhole && !this.view.isInFront(ask.id)) {
      // A picker would cover the text that the user has to read.
      return this.view.show(ask.id, wholeOf(ask), answersOf(ask));
    }
    if (ask.kind === 'question') {
      const answers = await askQuestions(ask.request.questions, token);
      if (answers !== 'later') {
        this.asks.answer(ask.id, { answers });
      }
      return;
    }
    await this.openPermission(ask.id, ask.request, token);
  }

  /** Shows the change of an edit; showing or closing a change answers nothing. */
  async review(id: string): Promise<void> {
    const ask = this.asks.waiting.find((ask) => ask.id === id);
    if (ask?.kind === 'permission' && isChange(ask.request)) {
      await this.asks.open(ask.id);
    }
  }

  private async openPermission(id: string, request: RequestPermission, token: vscode.CancellationToken): Promise<void> {
    await this.review(id);
    await this.choose(id, request, token);
  }

  private async choose(id: string, request: RequestPermission, token: vscode.CancellationToken): Promise<void> {
    const choices = choicesOf(request).map((choice) => ({ ...choice, detail: choice.detail ?? '' }));
    const options = { title: leadOf(request).text, placeHolder: detailOf(request), ...WHILE_LOOKING };
    const choice: Choice | undefined = await pick(choices, options, token);
    if (!choice) {
      return;
    }
    if ('answer' in choice.does) {
      this.asks.answer(id, choice.does.answer);
    } else if (choice.does.next === 'review') {
      await this.review(id);
    } else if (choice.does.next === 'feedback') {
      const feedback = await input(
        { title: leadOf(request).text, prompt: vscode.l10n.t('What should be done instead?'), ignoreFocusOut: true },
        token,
      );
      if (feedback !== undefined) {
        this.asks.answer(id, { outcome: 'reject', ...(feedback ? { feedback } : {}) });
      }
    }
  }

  private follow(): void {
    const waiting = new Set(this.asks.waiting.map((ask) => ask.id));
    for (const id of [...this.shown.keys()]) {
      if (!waiting.has(id)) {
        this.close(id);
      }
    }
    for (const ask of this.asks.waiting) {
      if (!this.shown.has(ask.id)) {
        const shown: Shown = { closing: new vscode.CancellationTokenSource() };
        if (this.inChat.isAwaited(ask.id)) {
          shown.wait = setTimeout(() => {
            shown.wait = undefined;
            this.notify();
          }, REPORT_MILLISECONDS);
        }
        this.shown.set(ask.id, shown);
      }
    }
    this.notify();
  }

  /** Shows a notification for each request that the chat does not show, and no notification beside the chat. */
  private notify(): void {
    for (const ask of this.asks.waiting) {
      const shown = this.shown.get(ask.id);
      if (!shown) {
        continue;
      }
      if (!this.inChat.isAwaited(ask.id)) {
        clearTimeout(shown.wait);
        shown.wait = undefined;
      }
      if (this.inChat.has(ask.id)) {
        shown.notice?.dispose();
        shown.notice = undefined;
      } else if (shown.wait === undefined) {
        shown.notice ??= notice(noticeOf(ask).text, linksOf(ask));
      }
    }
  }

  private close(id: string): void {
    const shown = this.shown.get(id);
    this.shown.delete(id);
    clearTimeout(shown?.wait);
    shown?.notice?.dispose();
    shown?.closing.cancel();
    shown?.closing.dispose();
    void this.view.close(id);
  }
}

/** Returns the answers beside the full text of a request. */
function answersOf({ kind, id, request }: PendingRequest): Link[] {
  return kind === 'question'
    ? [other(id, vscode.l10n.t('Answer…'))]
    : [
        given(id, allowLabel(request), 'once'),
        given(id, rejectLabel(request), 'reject'),
        other(id, vscode.l10n.t('More Answers…')),
      ];
}

/**
 * Returns the links of a notification. Only a request that the notification shows as a whole, with a single part and a
 * proven effect, can be allowed in the notification.
 */
function linksOf(ask: PendingRequest): Link[] {
  if (ask.kind === 'question') {
    return [other(ask.id, vscode.l10n.t('Answer…'))];
  }
  const { id, request } = ask;
  return [
    ...(isAllowedAtAGlance(request) ? [given(id, allowLabel(request), 'once')] : []),
    isChange(request)
      ? { label: reviewLabel(), command: 'placet.review', parameters: [id] }
      : other(id, vscode.l10n.t('More Answers…')),
    given(id, rejectLabel(request), 'reject'),
  ];
}

function given(id: string, label: string, outcome: 'once' | 'reject'): Link {
  return { label, command: 'placet.answerWith', parameters: [id, outcome] };
}

function other(id: string, label: string): Link {
  return { label, command: 'placet.answer', parameters: [id] };
}
