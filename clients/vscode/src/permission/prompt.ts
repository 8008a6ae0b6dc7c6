/** What waits for the user, put before them: a notification that takes no focus, and pickers once they ask. */
import * as vscode from 'vscode';
import type { Ask, AskDesk } from '../chat/asks';
import type { Permission, RequestPermission } from '../wire';
import { commandLink, notice } from './notice';
import { pick } from './pick';
import { askQuestions } from './question';
import { answerOfHunks, type Choice, choicesOf, detailOf, hunkChoicesOf } from './words';

/** Where a change is looked at. */
export interface Reviewing {
  open(id: string): Promise<void>;
  /** The answer with what was decided, typed and commented in the review. */
  complete(id: string, answer: Permission): void;
}

interface Shown {
  notice: vscode.Disposable;
  /** Closes the pickers that are open for it. */
  closing: vscode.CancellationTokenSource;
}

export class Prompter implements vscode.Disposable {
  private readonly shown = new Map<string, Shown>();
  private readonly watching: { dispose(): unknown };

  constructor(
    private readonly desk: AskDesk,
    private readonly reviews: Reviewing,
  ) {
    this.watching = desk.onChange(() => this.follow());
  }

  dispose(): void {
    this.watching.dispose();
    for (const id of [...this.shown.keys()]) {
      this.close(id);
    }
  }

  /** `placet.answer`: put the one asked for before the user, else the one that waits longest. */
  async open(id?: string): Promise<void> {
    const ask = this.desk.waiting.find((one) => one.id === id) ?? this.desk.waiting[0];
    if (!ask) {
      void vscode.window.showInformationMessage(vscode.l10n.t('Nothing waits for your answer.'));
      return;
    }
    const token = this.shown.get(ask.id)?.closing.token;
    if (!token) {
      return;
    }
    if (ask.kind === 'question') {
      const answers = await askQuestions(ask.request.questions, token);
      if (answers !== 'later') {
        this.desk.answer(ask.id, { answers });
      }
      return;
    }
    await this.openPermission(ask.id, ask.request, token);
  }

  /** Show what an edit would change; nothing is answered by looking at it, nor by closing it. */
  async review(id: string): Promise<void> {
    const ask = this.desk.waiting.find((one) => one.id === id);
    if (ask?.kind === 'permission' && ask.request.change) {
      await this.reviews.open(ask.id);
    }
  }

  /** Every way to answer a change that is looked at already. */
  async openChoices(id: string | undefined): Promise<void> {
    const ask = this.desk.waiting.find((one) => one.id === id);
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
    const options = { title: request.title, placeHolder: detailOf(request) };
    const choice: Choice | undefined = await pick(choices, options, token);
    if (!choice) {
      return;
    }
    if ('answer' in choice.does) {
      this.reviews.complete(id, choice.does.answer);
    } else if (choice.does.next === 'feedback') {
      const feedback = await vscode.window.showInputBox(
        { title: request.title, prompt: vscode.l10n.t('What should be done instead?'), ignoreFocusOut: true },
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
    const chosen = await vscode.window.showQuickPick(
      hunks.map((hunk) => ({ ...hunk, picked: true })),
      {
        title: request.title,
        placeHolder: vscode.l10n.t('The hunks to allow'),
        canPickMany: true,
        ignoreFocusOut: true,
      },
      token,
    );
    if (chosen) {
      this.reviews.complete(id, answerOfHunks(request, chosen));
    }
  }

  private follow(): void {
    const waiting = new Set(this.desk.waiting.map((one) => one.id));
    for (const id of [...this.shown.keys()]) {
      if (!waiting.has(id)) {
        this.close(id);
      }
    }
    for (const ask of this.desk.waiting) {
      if (!this.shown.has(ask.id)) {
        this.shown.set(ask.id, { notice: notice(messageOf(ask)), closing: new vscode.CancellationTokenSource() });
      }
    }
  }

  private close(id: string): void {
    const shown = this.shown.get(id);
    this.shown.delete(id);
    shown?.notice.dispose();
    shown?.closing.cancel();
    shown?.closing.dispose();
  }
}

function messageOf(ask: Ask): string {
  if (ask.kind === 'question') {
    const [first] = ask.request.questions;
    return `${first?.header ?? ''} ${first?.question ?? ''} ${commandLink('Answer', 'placet.answer', ask.id)}`;
  }
  const links = [
    commandLink('Allow once', 'placet.answerWith', ask.id, 'once'),
    ask.request.change ? commandLink('Review', 'placet.review', ask.id) : commandLink('More', 'placet.answer', ask.id),
    commandLink('Reject', 'placet.answerWith', ask.id, 'reject'),
  ];
  return `${plain(ask.request.title)} · ${links.join(' · ')}`;
}

/** The model's words must not become links. */
function plain(text: string): string {
  return text
    .replace(/[[\]()]/g, ' ')
    .replace(/\s+/g, ' ')
    .slice(0, 200);
}
