/** Sends prompts from the text editor: no panel opens, and the result appears at the user's place. */
import * as vscode from 'vscode';
import type { Agent } from '../daemon/agent';
import { linesOf, placeOf } from '../editor/locations';
import { isChange } from '../permissions/answers';
import { isOfSubagent, type PendingRequest, type PendingRequests } from '../permissions/pending_requests';
import type { CurrentSession } from '../sessions/current';
import { type TurnReport, turn } from '../sessions/turn';
import { fileCount } from '../ui/counts';
import { fail, inform, input, showInStatusBar } from '../ui/window';
import type { PromptPart } from '../wire';
import type { Aim } from './code_actions';
import { promptFor } from './diagnostics_prompt';
import { type Outcome, outcomeOf } from './outcome';
import { showProgress } from './progress';

/** Interface of inline prompts to the other parts of the extension. */
export interface Surfaces {
  /** Shows the session in the chat, beside the user's editor; takes no focus. */
  showChat(sessionId: string): void;
  isChatVisible(): boolean;
  /** Shows a proposed change, where the user can accept or reject hunks; takes no focus. */
  review(askId: string): void;
}

export class InlinePrompts {
  constructor(
    private readonly agent: Agent,
    private readonly pendingRequests: PendingRequests,
    private readonly session: CurrentSession,
    private readonly surfaces: Surfaces,
  ) {}

  /**
   * Implements `Placet: Ask Here`: one line, about the selection or the line of the cursor. Resolves when the turn has
   * ended.
   */
  async askHere(uri?: vscode.Uri, range?: vscode.Range): Promise<TurnReport | undefined> {
    const editor = vscode.window.activeTextEditor;
    const document = uri ? await vscode.workspace.openTextDocument(uri) : editor?.document;
    const place = range ?? editor?.selection;
    if (!document || !place) {
      void inform(vscode.l10n.t('Place the cursor in a file first.'));
      return undefined;
    }
    const text = await input({
      title: vscode.l10n.t('Placet: {0}', placeOf(document.uri, place)),
      prompt: vscode.l10n.t('What should Placet do here? You review the change first.'),
      placeHolder: vscode.l10n.t('For example: handle the empty list'),
    });
    if (!text) {
      return undefined;
    }
    const about: PromptPart = { type: 'file', uri: document.uri.toString(), range: linesOf(place) };
    return this.run([{ type: 'text', text }, about], 'change', document.uri, place);
  }

  /** Implements `Placet: Ask`: one line, about anything; the answer appears in the chat, which takes no focus. */
  async ask(given?: string): Promise<TurnReport | undefined> {
    const title = 'Placet';
    const text = given ?? (await input({ title, prompt: vscode.l10n.t('What should Placet do?') }));
    return text ? this.run([{ type: 'text', text }], 'answer') : undefined;
  }

  /** Implements `placet.prompt`, which the lightbulb's actions run. */
  async prompt(text: string, aim: Aim = 'change'): Promise<TurnReport | undefined> {
    const editor = vscode.window.activeTextEditor;
    return this.run([{ type: 'text', text }], aim, editor?.document.uri, editor?.selection);
  }

  /** Implements `Fix This` and `Explain This`, at the cursor or on the selection. */
  async diagnosed(aim: Aim): Promise<TurnReport | undefined> {
    const editor = vscode.window.activeTextEditor;
    const prompt = editor && (await promptFor(this.agent, editor, aim));
    if (prompt) {
      return this.prompt(prompt, aim);
    }
    if (aim === 'change' && editor) {
      // No diagnostic names the problem here, so the user describes the problem.
      return this.askHere();
    }
    void inform(vscode.l10n.t('Select the code to explain.'));
    return undefined;
  }

  private async run(
    parts: PromptPart[],
    aim: Aim,
    uri?: vscode.Uri,
    range?: vscode.Range,
  ): Promise<TurnReport | undefined> {
    let sessionId: string | undefined;
    const isOwn = (ask: PendingRequest) => ask.request.sessionId === sessionId || isOfSubagent(ask);
    const progress = showProgress(this.pendingRequests, isOwn, uri && range ? { uri, range } : undefined);
    let looking: { dispose(): void } | undefined;
    try {
      sessionId = await this.session.get();
      looking = this.reviewAll(sessionId);
      if (aim === 'answer') {
        this.surfaces.showChat(sessionId);
      }
      const report = await turn(this.agent, sessionId, parts);
      this.tell(outcomeOf(report), sessionId);
      return report;
    } finally {
      looking?.dispose();
      progress.dispose();
    }
  }

  /** Shows every change at once that the session asks about: the user waits for the change at this place. */
  private reviewAll(sessionId: string): { dispose(): void } {
    const shown = new Set<string>();
    return this.pendingRequests.onChange(() => {
      for (const ask of this.pendingRequests.waiting) {
        const isOurs = ask.kind === 'permission' && ask.request.sessionId === sessionId && isChange(ask.request);
        if (isOurs && !shown.has(ask.id)) {
          shown.add(ask.id);
          this.surfaces.review(ask.id);
        }
      }
    });
  }

  private tell(outcome: Outcome, sessionId: string): void {
    switch (outcome.kind) {
      case 'failed':
        void fail(`Placet: ${outcome.message}`);
        break;
      case 'changed':
        showInStatusBar(vscode.l10n.t('Placet changed {0}', fileCount(outcome.files)), 5000);
        break;
      case 'said': {
        if (this.surfaces.isChatVisible()) {
          break;
        }
        const show = vscode.l10n.t('Show in Chat');
        void inform(`Placet: ${outcome.text}`, show).then((chosen) => {
          if (chosen === show) {
            this.surfaces.showChat(sessionId);
          }
        });
        break;
      }
      case 'nothing':
        break;
    }
  }
}
