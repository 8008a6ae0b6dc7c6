/**
 * Actions of the user in a review: decide, go from hunk to hunk, comment, send. A click, a key or a command starts an
 * action.
 */
import * as vscode from 'vscode';
import { beginComment } from '../change_set/comments';
import { inform } from '../ui/window';
import type { Decision } from './change';
import { rangeOf } from './decorations';
import type { Located, Review } from './review';
import type { Reviews } from './reviews';
import { goTo } from './surface';

/**
 * Target of a command: a unit, a file, or the whole review. Without a target, the command applies to the visible unit.
 */
export interface Target {
  reviewId?: string;
  key?: string;
  uri?: string;
}

interface ResolvedTarget {
  review: Review;
  located?: Located | undefined;
}

export class ReviewActions {
  constructor(private readonly reviews: Reviews) {}

  /** Implements `placet.review`: opens the requested review, or the visible review, or the oldest pending review. */
  open(id?: string): Promise<void> {
    return this.reviews.open(id ?? this.resolve()?.review.id);
  }

  /** Decides one hunk, or the hunk at the cursor, and goes to the next hunk; the last decision sends the answer. */
  decide(decision: Decision | undefined, target?: Target): Promise<void> {
    return this.reviews.inTurn(async () => {
      const resolved = this.resolve(target);
      if (!resolved?.located) {
        void inform(vscode.l10n.t('No hunk at the cursor.'));
        return;
      }
      const { review, located } = resolved;
      review.decide(new Set([located.unit.key]), decision);
      await this.goOn(review, decision && located.unit.key);
    });
  }

  /**
   * Decides all units of a file, or of the whole change. To accept the whole change leaves rejected hunks rejected, as
   * the same answer in the chat and in a notification does; any other act replaces earlier decisions.
   */
  decideAll(decision: Decision, of: 'file' | 'change', target?: Target): Promise<void> {
    return this.reviews.inTurn(async () => {
      const resolved = this.resolve(target);
      const { uri } = target ?? {};
      const index = uri ? resolved?.review.files.findIndex(({ file }) => file.uri === uri) : resolved?.located?.index;
      if (!resolved || (of === 'file' && index === undefined)) {
        return;
      }
      const { review } = resolved;
      const isRest = of === 'change' && decision === 'accepted';
      const units = review.units.filter((unit) =>
        isRest ? !unit.unit.decision : of === 'change' || unit.index === index,
      );
      review.decide(new Set(units.map(({ unit }) => unit.key)), decision);
      if (of === 'change') {
        this.reviews.send(review);
      } else {
        await this.goOn(review, units.at(-1)?.unit.key);
      }
    });
  }

  /** Goes to the next hunk or the previous hunk, and wraps around at the ends. */
  step(by: 1 | -1): Promise<void> {
    return this.reviews.inTurn(async () => {
      const { review, located } = this.resolve() ?? {};
      const units = review?.units ?? [];
      const at = units.findIndex(({ unit }) => unit.key === located?.unit.key);
      const next = units[(at + by + units.length) % units.length];
      if (review && next) {
        await goTo(review, next);
        this.reviews.draw();
      }
    });
  }

  /** Goes to a named hunk. */
  show(target: Target): Promise<void> {
    return this.reviews.inTurn(async () => {
      const { review, located } = this.resolve(target) ?? {};
      if (review && located) {
        await goTo(review, located);
        this.reviews.draw();
      }
    });
  }

  /** Starts a comment on a named hunk, or on the hunk at the cursor; goes to a hunk in another editor. */
  async comment(target?: Target): Promise<void> {
    const { review, located } = this.resolve(target) ?? {};
    if (!review || !located) {
      return;
    }
    const shown = () => {
      const document = vscode.window.activeTextEditor?.document;
      return document && review.indexOf(document.uri) === located.index ? document : undefined;
    };
    if (!shown()) {
      await this.reviews.inTurn(() => goTo(review, located));
    }
    const document = shown();
    if (document) {
      await beginComment(rangeOf({ document }, located.unit));
    }
  }

  /** Sends the decisions; if a hunk is undecided, informs the user and goes to the hunk. */
  async sendDecided(target?: Target): Promise<void> {
    const review = this.resolve(target)?.review;
    const next = review?.nextOpen();
    if (review && next) {
      void inform(vscode.l10n.t('Some hunks are undecided.'));
      await this.reviews.inTurn(() => goTo(review, next));
    } else if (review) {
      this.reviews.send(review);
    }
  }

  /** Postpones a review: sends no answer, and keeps decisions and typed texts. */
  async later(target?: Target): Promise<void> {
    const review = this.resolve(target)?.review;
    if (review) {
      await this.reviews.inTurn(() => this.reviews.hide(review));
    }
  }

  /** Returns the review that the user sees, or the only pending review. */
  idOf(target?: Target): string | undefined {
    return this.resolve(target)?.review.id;
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

  private resolve(target?: Target): ResolvedTarget | undefined {
    if (target?.reviewId) {
      const review = this.reviews.get(target.reviewId);
      return review && { review, located: review.find(target.key) };
    }
    const editor = vscode.window.activeTextEditor;
    const here = editor && this.reviews.of(editor.document.uri);
    if (here) {
      // In a list the cursor may still be in another file than the current unit.
      const current = here.place.kind === 'list' ? here.find(here.current) : undefined;
      return { review: here, located: current ?? here.at(editor) };
    }
    const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
    const shown =
      this.reviews.waiting.find((review) => tab && review.isShownBy(tab)) ??
      (this.reviews.waiting.length === 1 ? this.reviews.waiting[0] : undefined);
    return shown && { review: shown, located: shown.find(shown.current) ?? shown.nextOpen() ?? shown.units[0] };
  }
}
