/** Code lenses over each hunk of a proposal: the decision, and the possible actions. */
import * as vscode from 'vscode';
import { changedLines } from '../diff/large';
import { PROPOSAL } from '../diff/sides';
import type { ReviewedFile, Unit } from './change';

/** File of an open review, with the data for the lenses. */
export interface Seen {
  reviewId: string;
  file: ReviewedFile;
  /** Number of the file's first unit, counting from 1 over all files. */
  first: number;
  all: number;
  /** Returns true if the user has changed the lines that the hunk replaces. */
  isInConflict(key: string): boolean;
}

export class Lenses implements vscode.CodeLensProvider, vscode.Disposable {
  private readonly changes = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.changes.event;
  private readonly registration = vscode.languages.registerCodeLensProvider({ scheme: PROPOSAL }, this);

  constructor(private readonly find: (uri: vscode.Uri) => Seen | undefined) {}

  refresh(): void {
    this.changes.fire();
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    const seen = this.find(document.uri);
    return seen ? seen.file.units.flatMap((unit, index) => lensesOf(document, seen, unit, seen.first + index)) : [];
  }

  dispose(): void {
    this.registration.dispose();
    this.changes.dispose();
  }
}

function lensesOf(document: vscode.TextDocument, seen: Seen, unit: Unit, number: number): vscode.CodeLens[] {
  const line = Math.min(unit.newStart, document.lineCount - 1);
  const range = new vscode.Range(line, 0, line, 0);
  const lens = (title: string, command: string, tooltip: string) =>
    new vscode.CodeLens(range, { title, command, tooltip, arguments: [{ reviewId: seen.reviewId, key: unit.key }] });
  const place = vscode.l10n.t('{0} of {1}', number, seen.all);
  const kind = seen.file.isWhole
    ? vscode.l10n.t('Whole file, {0} changed lines', changedLines(seen.file.file))
    : wordOf(seen.file.file.kind);
  const what = unit.kind === 'file' ? `${kind} · ${place}` : place;
  const state = { accepted: vscode.l10n.t('accepted'), rejected: vscode.l10n.t('rejected'), none: '' };
  const decision = state[unit.decision ?? 'none'];
  const isInConflict = seen.isInConflict(unit.key);
  const conflict = vscode.l10n.t('conflict: you changed these lines');
  const lenses = [
    isInConflict
      ? lens(`${what} · ${conflict}`, 'placet.review.show', vscode.l10n.t('This hunk is left out; the others apply'))
      : decision
        ? lens(`${what} · ${decision}`, 'placet.review.undecide', vscode.l10n.t('Reset Hunk Decision'))
        : lens(what, 'placet.review.show', vscode.l10n.t('Undecided')),
  ];
  if (unit.decision !== 'accepted' && !isInConflict) {
    lenses.push(lens(`$(check)\u00a0${vscode.l10n.t('Accept')}`, 'placet.review.accept', 'Alt+Y'));
  }
  if (unit.decision !== 'rejected') {
    lenses.push(lens(`$(close)\u00a0${vscode.l10n.t('Reject')}`, 'placet.review.reject', 'Alt+N'));
  }
  lenses.push(lens(`$(comment)\u00a0${vscode.l10n.t('Comment')}`, 'placet.review.comment', 'Alt+C'));
  return lenses;
}

function wordOf(kind: ReviewedFile['file']['kind']): string {
  const words = {
    create: vscode.l10n.t('New file'),
    modify: vscode.l10n.t('File'),
    delete: vscode.l10n.t('Delete file'),
    rename: vscode.l10n.t('Rename file'),
  };
  return words[kind];
}
