/** What the user does in a review: decides, goes from hunk to hunk, comments, sends. By click, key or command. */
import * as vscode from 'vscode';
import { inform } from '../ui/window';
import type { Decision } from './change';
import { rangeOf } from './decorations';
import type { Located, Review } from './review';
import type { Reviews } from './reviews';
import { goTo } from './surface';

/** What a command is about: a unit, a file, or the review as a whole. Without it, what the user is looking at. */
export interface Target {
  reviewId?: string;
  key?: string;
  uri?: string;
}

interface Meant {
  review: Review;
  located?: Located | undefined;
}

export class ReviewActions {
  constructor(private readonly reviews: Reviews) {}

  /** `placet.review`: the one asked for, or the one that is looked at, or the one that waits longest. */
  open(id?: string): Promise<void> {
    return this.reviews.open(id ?? this.meant()?.review.id);
  }

  /** Decide one hunk, or the one at the cursor, and go on to the next; the answer goes when it was the last. */
  decide(decision: Decision | undefined, target?: Target): Promise<void> {
    return this.reviews.inTurn(async () => {
      const meant = this.meant(target);
      if (!meant?.located) {
        void inform(vscode.l10n.t('There is no hunk at the cursor.'));
        return;
      }
      const { review, located } = meant;
      review.decide(new Set([located.unit.key]), decision);
      await this.goOn(review, decision && located.unit.key);
    });
  }

  /** Decide all of a file, or of the whole change, whatever was decided before. */
  decideAll(decision: Decision, of: 'file' | 'change', target?: Target): Promise<void> {
    return this.reviews.inTurn(async () => {
      const meant = this.meant(target);
      const { uri } = target ?? {};
      const index = uri ? meant?.review.files.findIndex(({ file }) => file.uri === uri) : meant?.located?.index;
      if (!meant || (of === 'file' && index === undefined)) {
        return;
      }
      const { review } = meant;
      const units = review.units.filter((unit) => of === 'change' || unit.index === index);
      review.decide(new Set(units.map(({ unit }) => unit.key)), decision);
      if (of === 'change') {
        this.reviews.send(review);
      } else {
        await this.goOn(review, units.at(-1)?.unit.key);
      }
    });
  }

  /** The next hunk or the one before, round the ends. */
  step(by: 1 | -1): Promise<void> {
    return this.reviews.inTurn(async () => {
      const { review, located } = this.meant() ?? {};
      const units = review?.units ?? [];
      const at = units.findIndex(({ unit }) => unit.key === located?.unit.key);
      const next = units[(at + by + units.length) % units.length];
      if (review && next) {
        await goTo(review, next);
        this.reviews.draw();
      }
    });
  }

  /** Go to a hunk that is named. */
  show(target: Target): Promise<void> {
    return this.reviews.inTurn(async () => {
      const { review, located } = this.meant(target) ?? {};
      if (review && located) {
        await goTo(review, located);
        this.reviews.draw();
      }
    });
  }

  /** Begin a comment on a hunk, or on the one at the cursor. */
  comment(target?: Target): void {
    const meant = this.meant(target);
    const side = meant?.located && meant.review.sides[meant.located.index];
    if (side && meant.located) {
      const editor = vscode.window.visibleTextEditors.find(
        ({ document }) => document.uri.toString() === side.proposal.toString(),
      );
      const document = editor?.document ?? vscode.window.activeTextEditor?.document;
      this.reviews.comments.begin(
        side.proposal,
        document ? rangeOf({ document }, meant.located.unit) : new vscode.Range(0, 0, 0, 0),
      );
    }
  }

  /** Send what is decided; says what is not, if anything, and goes there. */
  async sendDecided(target?: Target): Promise<void> {
    const review = this.meant(target)?.review;
    const next = review?.nextOpen();
    if (review && next) {
      void inform(vscode.l10n.t('Not everything is decided yet.'));
      await this.reviews.inTurn(() => goTo(review, next));
    } else if (review) {
      this.reviews.send(review);
    }
  }

  /** Put it off: nothing is answered, and what was decided and typed is kept. */
  async later(target?: Target): Promise<void> {
    const review = this.meant(target)?.review;
    if (review) {
      await this.reviews.inTurn(() => this.reviews.hide(review));
    }
  }

  /** The review that the user is looking at, or the only one there is. */
  idOf(target?: Target): string | undefined {
    return this.meant(target)?.review.id;
  }

  private async goOn(review: Review, behind: string | undefined): Promise<void> {
    this.reviews.changed();
    const next = review.nextOpen(behind);
    const isAutomatic = vscode.workspace.getConfiguration('placet').get('review.autoSend', true);
    if (!next && behind && isAutomatic) {
      this.reviews.send(review);
    } else if (next && behind && review.place.kind !== 'none') {
      await goTo(review, next);
      this.reviews.draw();
    }
  }

  private meant(target?: Target): Meant | undefined {
    if (target?.reviewId) {
      const review = this.reviews.get(target.reviewId);
      return review && { review, located: review.find(target.key) };
    }
    const editor = vscode.window.activeTextEditor;
    const here = editor && this.reviews.of(editor.document.uri);
    if (here) {
      // In a list the cursor may still be in another file than the one that was gone to.
      const known = here.place.kind === 'list' ? here.find(here.current) : undefined;
      return { review: here, located: known ?? here.at(editor) };
    }
    const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
    const shown =
      this.reviews.waiting.find((review) => tab && review.isShownBy(tab)) ??
      (this.reviews.waiting.length === 1 ? this.reviews.waiting[0] : undefined);
    return shown && { review: shown, located: shown.find(shown.current) ?? shown.nextOpen() ?? shown.units[0] };
  }
}
