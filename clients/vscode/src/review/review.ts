/** One proposed change under review: its files, what is decided of them, and the editor that shows it. */
import * as vscode from 'vscode';
import type { RequestPermission } from '../wire';
import { type Decision, decided, filesOf, type ReviewedFile, type Unit, unitAt, withText } from './change';
import { BASE, PROPOSAL, type Sides, sidesOf } from './sides';
import { allTabs, listedBy, textOf } from './tabs';

/** How it is on the screen: all files in one list, one file in a diff editor, or not at all. */
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
  /** The user has put it off; it is opened again when they ask. */
  isPutOff = false;
  /** The unit that keys mean, where no cursor says it. */
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

  /** All units in order, over all files. */
  get units(): readonly Located[] {
    return this.files.flatMap((file, index) => file.units.map((unit) => ({ unit, index })));
  }

  find(key: string | undefined): Located | undefined {
    return this.units.find(({ unit }) => unit.key === key);
  }

  /** The file that a document is a side of. */
  indexOf(uri: vscode.Uri): number {
    const spelling = uri.toString();
    return this.sides.findIndex(({ base, proposal }) => [base, proposal].some((side) => side.toString() === spelling));
  }

  decide(keys: ReadonlySet<string>, decision: Decision | undefined): void {
    this.files = this.files.map((file) => decided(file, keys, decision));
  }

  type(index: number, text: string): void {
    this.files = this.files.map((file, place) => (place === index ? withText(file, text) : file));
  }

  /** The next undecided unit behind one, round the end; of all when none is given. */
  nextOpen(behind?: string): Located | undefined {
    const units = this.units;
    const start = units.findIndex(({ unit }) => unit.key === behind) + 1;
    return [...units.slice(start), ...units.slice(0, start)].find(({ unit }) => !unit.decision);
  }

  /** The unit at the cursor of an editor of one of its sides, or the last one before it. */
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

  /** The tabs that show it, of whatever kind. */
  tabs(): vscode.Tab[] {
    return allTabs().filter((tab) => this.isShownBy(tab));
  }

  isShownBy(tab: vscode.Tab): boolean {
    return this.isComparedBy(tab) || this.indexOf(textOf(tab) ?? NOWHERE) >= 0;
  }

  /** The old text beside the new one, or a list of such. */
  isComparedBy(tab: vscode.Tab): boolean {
    if (tab.input instanceof vscode.TabInputTextDiff) {
      return this.indexOf(tab.input.modified) >= 0;
    }
    return listedBy(tab).some(({ modified }) => this.indexOf(modified) >= 0);
  }
}

/** Whether the document belongs to a review at all. */
export function isSide(uri: vscode.Uri): boolean {
  return uri.scheme === BASE || uri.scheme === PROPOSAL;
}
