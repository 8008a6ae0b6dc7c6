/** Status bar item of the review: the number of files and hunks to review, or the review mode of the session. */
import * as vscode from 'vscode';
import type { ReviewMode } from '../permissions/review_mode';
import { reviewModeChoices } from '../permissions/review_mode_choices';
import type { ChangeSet } from './change_set';
import { countOf } from './files';

export class ReviewStatusItem implements vscode.Disposable {
  readonly item = vscode.window.createStatusBarItem('placet.reviewStatus', vscode.StatusBarAlignment.Left);
  private readonly subscriptions: { dispose(): unknown }[];

  constructor(
    private readonly set: ChangeSet,
    private readonly mode: ReviewMode,
  ) {
    this.item.name = vscode.l10n.t('Placet: changes to review');
    this.subscriptions = [this.item, set.onDidChange(() => this.draw()), mode.onDidChange(() => this.draw())];
    this.draw();
    this.item.show();
  }

  dispose(): void {
    for (const subscription of this.subscriptions) {
      subscription.dispose();
    }
  }

  private draw(): void {
    const choice = reviewModeChoices().find(({ mode }) => mode === this.mode.current);
    const { files, hunks } = countOf(this.set.files);
    const counts = vscode.l10n.t('{0} hunk(s) in {1} file(s) to review', hunks, files);
    this.item.text = files > 0 ? `$(git-pull-request) ${hunks}` : `$(${choice?.icon ?? 'question'})`;
    this.item.command = files > 0 ? 'placet.review' : 'placet.chooseReview';
    const label = [...(files > 0 ? [counts] : []), choice?.label ?? ''].join('\n');
    this.item.tooltip = `Placet: ${label}`;
    this.item.accessibilityInformation = { label: `Placet: ${label.replace('\n', ', ')}`, role: 'button' };
  }
}
