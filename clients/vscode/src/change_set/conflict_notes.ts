/** Tells the user once that hunks have come into conflict with what the user typed, and leads to the first of them. */
import * as vscode from 'vscode';
import { warn } from '../ui/window';
import type { ChangeSet } from './change_set';
import { conflictsIn, nameOf as nameOfFile, type PlacedHunk } from './files';

export class ConflictNotes implements vscode.Disposable {
  /** Names of the hunks in conflict at the last look; typing does not change the new lines of a hunk. */
  private known: ReadonlySet<string> = new Set();
  private readonly subscription: vscode.Disposable;

  constructor(
    private readonly set: ChangeSet,
    private readonly show: (placed: PlacedHunk) => Promise<void>,
  ) {
    this.subscription = set.onDidChange(() => void this.look());
  }

  dispose(): void {
    this.subscription.dispose();
  }

  private async look(): Promise<void> {
    const conflicts = new Map(this.set.files.flatMap(conflictsIn).map((placed) => [nameOf(placed), placed] as const));
    const fresh = [...conflicts].filter(([name]) => !this.known.has(name)).map(([, placed]) => placed);
    this.known = new Set(conflicts.keys());
    const [first] = fresh;
    if (!first) {
      return;
    }
    const name = vscode.workspace.asRelativePath(vscode.Uri.parse(first.file.uri, true));
    const text =
      fresh.length === 1
        ? vscode.l10n.t('Placet: you have changed lines of a proposed hunk in {0}. The other hunks still fit.', name)
        : vscode.l10n.t('Placet: you have changed lines of {0} proposed hunks, first in {1}.', fresh.length, name);
    const show = vscode.l10n.t('Show Conflict');
    if ((await warn(text, show)) === show) {
      await this.show(first);
    }
  }
}

function nameOf({ file, hunk }: PlacedHunk): string {
  return JSON.stringify([nameOfFile(file), hunk.newLines]);
}
