/** Shows pending requests to the user: a notification that takes no focus, and pickers on request. */
import * as vscode from 'vscode';
import { inform, input, type Link, notice, pick, pickSeveral } from '../ui/window';
import type { Permission, RequestPermission } from '../wire';
import { allowLabel, type Choice, choicesOf, rejectLabel, reviewLabel } from './answers';
import type { PendingRequest, PendingRequests } from './pending_requests';
import { askQuestions } from './questions';
import type { RequestDocument } from './request_document';
import { answerOfHunks, detailOf, hunkChoicesOf, isAllowedAtAGlance, leadOf, noticeOf, wholeOf } from './request_text';
import type { ShownRequests } from './shown_requests';

/** Reviews of changes, as far as the prompter needs reviews. */
export interface Reviewing {
  open(id: string): Promise<void>;
  /** Sends the answer, completed with the decisions, texts and comments of the review. */
  complete(id: string, answer: Permission): void;
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
    private readonly pendingRequests: PendingRequests,
    private readonly reviews: Reviewing,
    private readonly view: RequestDocument,
    private readonly inChat: ShownRequests,
  ) {
    this.watching = [pendingRequests.onChange(() => this.follow()), inChat.onChange(() => this.notify())];
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
    const ask = this.pendingRequests.waiting.find((ask) => ask.id === id) ?? this.pendingRequests.waiting[0];
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
        this.pendingRequests.answer(ask.id, { answers });
      }
      return;
    }
    await this.openPermission(ask.id, ask.request, token);
  }

  /** Shows the change of an edit; showing or closing a change answers nothing. */
  async review(id: string): Promise<void> {
    const ask = this.pendingRequests.waiting.find((ask) => ask.id === id);
    if (ask?.kind === 'permission' && ask.request.change) {
      await this.reviews.open(ask.id);
    }
  }

  /** Offers every possible answer for a change that is already on the screen. */
  async openChoices(id: string | undefined): Promise<void> {
    const ask = this.pendingRequests.waiting.find((ask) => ask.id === id);
    const token = ask && this.shown.get(ask.id)?.closing.token;
    if (ask?.kind === 'permission' && token) {
      await this.choose(ask.id, ask.request, token);
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
      this.reviews.complete(id, choice.does.answer);
    } else if (choice.does.next === 'feedback') {
      const feedback = await input(
        { title: leadOf(request).text, prompt: vscode.l10n.t('What should be done instead?'), ignoreFocusOut: true },
        token,
      );
      if (feedback !== undefined) {
        this.reviews.complete(id, { outcome: 'reject', ...(feedback ? { feedback } : {}) });
      }
    } else if (choice.does.next === 'hunks') {
      await this.chooseHunks(id, request, token);
    }
  }

  private async chooseHunks(id: string, request: RequestPermission, token: vscode.CancellationToken): Promise<void> {
    const hunks = hunkChoicesOf(request, (uri) => vscode.workspace.asRelativePath(vscode.Uri.parse(uri, true)));
    const chosen = await pickSeveral(
      hunks.map((hunk) => ({ ...hunk, picked: true })),
      { title: leadOf(request).text, placeHolder: vscode.l10n.t('Select the hunks to accept'), ignoreFocusOut: true },
      token,
    );
    if (chosen) {
      this.reviews.complete(id, answerOfHunks(request, chosen));
    }
  }

  private follow(): void {
    const waiting = new Set(this.pendingRequests.waiting.map((ask) => ask.id));
    for (const id of [...this.shown.keys()]) {
      if (!waiting.has(id)) {
        this.close(id);
      }
    }
    for (const ask of this.pendingRequests.waiting) {
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
    for (const ask of this.pendingRequests.waiting) {
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
    request.change
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
