/** One proposed change under review: the files, the decisions, and the editor that shows the review. */
import * as vscode from 'vscode';
import { BASE, PROPOSAL, type Sides, sidesOf } from '../diff/sides';
import { allTabs, listedBy, textOf } from '../ui/tabs';
import type { RequestPermission } from '../wire';
import { conflicting, type Decision, decided, filesOf, type ReviewedFile, type Unit, unitAt, withText } from './change';

/** Place of the review on the screen: all files in one list, one file in a diff editor, or nowhere. */
export type Place = { kind: 'list' } | { kind: 'file'; index: number } | { kind: 'none' };

export const NOWHERE = vscode.Uri.from({ scheme: 'placet-nowhere' });

export interface Located {
  unit: Unit;
  index: number;
}

export class Review {
  files: readonly ReviewedFile[];
  readonly sides: readonly Sides[];
  place: Place = { kind: 'none' };
  /** True if the user postponed the review; the review opens again only on request. */
  isPutOff = false;
  /** Keys of the hunks whose lines the user has changed in the file, by the index of the file. */
  private readonly conflicts = new Map<number, ReadonlySet<string>>();
  /** Texts of the files as the user has them now, by the index of the file; absent for files without typing. */
  private readonly present = new Map<number, string>();
  /** Key of the unit that keys apply to when no cursor points at a unit. */
  current: string | undefined;

  constructor(
    readonly id: string,
    readonly request: RequestPermission,
  ) {
    this.files = filesOf(request);
    this.sides = this.files.map(({ file }) => sidesOf(id, file));
  }

  get title(): string {
    return `Placet: ${this.request.title}`;
  }

  titleOf(index: number): string {
    return this.files.length > 1 ? `${this.title} (${index + 1}/${this.files.length})` : this.title;
  }

  /** Returns all units in order, over all files. */
  get units(): readonly Located[] {
    return this.files.flatMap((file, index) => file.units.map((unit) => ({ unit, index })));
  }

  find(key: string | undefined): Located | undefined {
    return this.units.find(({ unit }) => unit.key === key);
  }

  /** Returns the index of the file that a document belongs to. */
  indexOf(uri: vscode.Uri): number {
    const spelling = uri.toString();
    return this.sides.findIndex(({ base, proposal }) => [base, proposal].some((side) => side.toString() === spelling));
  }

  decide(keys: ReadonlySet<string>, decision: Decision | undefined): void {
    this.files = this.files.map((file) => decided(file, keys, decision));
  }

  type(index: number, text: string): void {
    this.files = this.files.map((file, place) => (place === index ? withText(file, text) : file));
    this.compare(index, this.present.get(index));
  }

  /**
   * Compares the hunks with the text that the user has in the file now. Returns true if other hunks are in conflict
   * than before.
   */
  compare(index: number, now: string | undefined): boolean {
    const file = this.files[index];
    if (now === undefined || !file) {
      return false;
    }
    const [before, after] = [this.conflicts.get(index) ?? new Set(), conflicting(file, now)];
    this.present.set(index, now);
    this.conflicts.set(index, after);
    return before.size !== after.size || [...after].some((key) => !before.has(key));
  }

  /** Returns true if the user has changed the lines that the hunk replaces. */
  isInConflict(key: string): boolean {
    return [...this.conflicts.values()].some((keys) => keys.has(key));
  }

  /** Rejects the accepted hunks in conflict, and returns them: the daemon would leave out their whole file. */
  leaveOutConflicts(): readonly Located[] {
    const left = this.units.filter(({ unit }) => unit.decision === 'accepted' && this.isInConflict(unit.key));
    this.decide(new Set(left.map(({ unit }) => unit.key)), 'rejected');
    return left;
  }

  /** Returns the next undecided unit behind a unit, and wraps around; without a unit, the first undecided unit. */
  nextOpen(behind?: string): Located | undefined {
    const units = this.units;
    const start = units.findIndex(({ unit }) => unit.key === behind) + 1;
    return [...units.slice(start), ...units.slice(0, start)].find(({ unit }) => !unit.decision);
  }

  /** Returns the unit at the cursor of a side's editor, or the last unit before the cursor. */
  at(editor: vscode.TextEditor): Located | undefined {
    const index = this.indexOf(editor.document.uri);
    const reviewedFile = this.files[index];
    const line = editor.selection.active.line;
    if (!reviewedFile) {
      return undefined;
    }
    if (editor.document.uri.scheme === BASE) {
      const behind = reviewedFile.units.findLast(({ oldStart }) => oldStart <= line) ?? reviewedFile.units[0];
      return behind && { unit: behind, index };
    }
    const at = unitAt(reviewedFile, line);
    return at && { unit: at.unit, index };
  }

  /** Returns the tabs of every kind that show the review. */
  tabs(): vscode.Tab[] {
    return allTabs().filter((tab) => this.isShownBy(tab));
  }

  isShownBy(tab: vscode.Tab): boolean {
    return this.isComparedBy(tab) || this.indexOf(textOf(tab) ?? NOWHERE) >= 0;
  }

  /** Returns true if the tab compares the old text with the new text, or lists such comparisons. */
  isComparedBy(tab: vscode.Tab): boolean {
    if (tab.input instanceof vscode.TabInputTextDiff) {
      return this.indexOf(tab.input.modified) >= 0;
    }
    return listedBy(tab).some(({ modified }) => this.indexOf(modified) >= 0);
  }
}

/** Returns true if the document belongs to any review. */
export function isSide(uri: vscode.Uri): boolean {
  return uri.scheme === BASE || uri.scheme === PROPOSAL;
}
