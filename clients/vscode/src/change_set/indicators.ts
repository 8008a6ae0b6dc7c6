/** Indicators of the change set outside of the editors' texts: the badges of files, and the item of the status bar. */
import * as vscode from 'vscode';
import type { ReviewMode } from '../sessions/review_mode';
import { reviewModeChoices } from '../sessions/review_mode_choices';
import { toReview, toReviewIn } from '../ui/counts';
import type { ChangeSet } from './change_set';
import { countOf, presentUri, type SetFile } from './files';
import type { OtherSets } from './other_sets';

/** Marks of the files in the explorer and in tabs. */
export class Badges implements vscode.FileDecorationProvider, vscode.Disposable {
  private readonly changes = new vscode.EventEmitter<undefined>();
  readonly onDidChangeFileDecorations = this.changes.event;
  private readonly subscriptions: vscode.Disposable[];

  constructor(private readonly set: ChangeSet) {
    this.subscriptions = [
      set.onDidChange(() => this.changes.fire(undefined)),
      vscode.window.registerFileDecorationProvider(this),
      this.changes,
    ];
  }

  provideFileDecoration(uri: vscode.Uri): vscode.FileDecoration | undefined {
    const file = this.set.of(uri) ?? this.set.get(uri.toString());
    return file && { ...decorationOf(file), propagate: presentUri(file) === file.uri };
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }
}

function decorationOf(file: SetFile): vscode.FileDecoration {
  const { hunks } = countOf([file]);
  return file.state === 'staged'
    ? {
        badge: 'P',
        tooltip:
          hunks === 1 ? vscode.l10n.t('Placet: 1 proposed hunk') : vscode.l10n.t('Placet: {0} proposed hunks', hunks),
        color: new vscode.ThemeColor('placet.pendingHunk'),
      }
    : {
        badge: 'Un',
        tooltip:
          hunks === 1
            ? vscode.l10n.t('Placet: 1 unreviewed hunk')
            : vscode.l10n.t('Placet: {0} unreviewed hunks', hunks),
        color: new vscode.ThemeColor('placet.unreviewedHunk'),
      };
}

/** Item of the status bar: the number of hunks to review, or the review mode of the session. */
export class ReviewStatusItem implements vscode.Disposable {
  readonly item = vscode.window.createStatusBarItem('placet.reviewStatus', vscode.StatusBarAlignment.Left);
  private readonly subscriptions: { dispose(): unknown }[];

  constructor(
    private readonly set: ChangeSet,
    private readonly others: OtherSets,
    private readonly mode: ReviewMode,
  ) {
    this.item.name = vscode.l10n.t('Placet: changes to review');
    const draw = () => this.draw();
    this.subscriptions = [this.item, ...[set, others, mode].map(({ onDidChange }) => onDidChange(draw))];
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
    const counts = toReview(hunks, files);
    this.item.text = files > 0 ? `$(git-pull-request) ${hunks}` : `$(${choice?.icon ?? 'question'})`;
    this.item.command = files > 0 ? 'placet.review' : 'placet.chooseReview';
    const others = this.others.all.map(({ title, files }) => toReviewIn(files, title));
    const label = [...(files > 0 ? [counts] : []), choice?.label ?? '', ...others].join('\n');
    this.item.tooltip = `Placet: ${label}`;
    this.item.accessibilityInformation = { label: `Placet: ${label.replaceAll('\n', ', ')}`, role: 'button' };
  }
}
