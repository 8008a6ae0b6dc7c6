/** Milestones of a new user as contexts of VS Code, which tick the steps of the walkthrough. */
import * as vscode from 'vscode';
import type { Agent } from '../daemon/agent';
import type { Preferences } from '../sessions/preferred';
import type { Login } from '../wire';

const BUILT_IN = 'builtin/';

export class Milestones implements vscode.Disposable {
  private readonly reached = new Set<string>();
  private readonly subscriptions: vscode.Disposable;

  constructor(
    private readonly agent: Agent,
    private readonly preferences: Preferences,
  ) {
    this.subscriptions = vscode.Disposable.from(
      agent.onStatus(({ state }) => {
        if (state === 'ready') {
          this.reach('placet.isInstalled');
          void this.lookForModel();
        }
      }),
      preferences.onDidChange(() => void this.lookForModel()),
      agent.onUpdate(({ update }) => {
        if (update.kind === 'turn_ended' && update.stopReason === 'end_turn') {
          this.reach('placet.hasAnswered');
        } else if (update.kind === 'review_mode_update' || update.kind === 'caution_update') {
          this.reach('placet.hasChosenReview');
        }
      }),
      vscode.workspace.onDidChangeConfiguration((change) => {
        if (change.affectsConfiguration('placet.reviewMode')) {
          this.lookForReviewMode();
        }
      }),
    );
    this.lookForReviewMode();
  }

  dispose(): void {
    this.subscriptions.dispose();
  }

  /** The user has chosen how changes are reviewed, for all sessions or for one. */
  private lookForReviewMode(): void {
    const chosen = vscode.workspace.getConfiguration('placet').inspect('reviewMode');
    if ((chosen?.workspaceValue ?? chosen?.globalValue) !== undefined) {
      this.reach('placet.hasChosenReview');
    }
  }

  private async lookForModel(): Promise<void> {
    if (this.reached.has('placet.hasModel') || this.agent.status.state !== 'ready') {
      return;
    }
    try {
      const { model } = await this.agent.request('agent/status', {});
      if (isUsable(model) || isChosen(this.preferences.current.model)) {
        this.reach('placet.hasModel');
      }
    } catch {
      // The next start looks again.
    }
  }

  private reach(milestone: string): void {
    if (!this.reached.has(milestone)) {
      this.reached.add(milestone);
      void vscode.commands.executeCommand('setContext', milestone, true);
    }
  }
}

/**
 * Ticks the step of the installation, because the doctor has found a running Placet. VS Code ticks a step when a context
 * becomes true, and not when the context was true before VS Code has read the walkthrough.
 */
export async function tickInstallation(): Promise<void> {
  await vscode.commands.executeCommand('setContext', 'placet.isFound', true);
  await vscode.commands.executeCommand('setContext', 'placet.isFound', false);
}

function isUsable(model: Login | undefined): boolean {
  return isChosen(model?.id) && model?.key !== 'missing';
}

function isChosen(model: string | undefined): boolean {
  return model !== undefined && !model.startsWith(BUILT_IN);
}
