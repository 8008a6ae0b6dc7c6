/** Marks files of the change set in the explorer and in tabs. */
import * as vscode from 'vscode';
import type { StagedFile } from '../wire';
import type { ChangeSet } from './change_set';
import { countOf, presentUri } from './files';

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

function decorationOf(file: StagedFile): vscode.FileDecoration {
  const { hunks } = countOf([file]);
  return file.state === 'staged'
    ? {
        badge: 'P',
        tooltip: vscode.l10n.t('Placet: {0} proposed hunk(s)', hunks),
        color: new vscode.ThemeColor('placet.pendingHunk'),
      }
    : {
        badge: 'Un',
        tooltip: vscode.l10n.t('Placet: {0} unreviewed hunk(s)', hunks),
        color: new vscode.ThemeColor('placet.unreviewedHunk'),
      };
}
