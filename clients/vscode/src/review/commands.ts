/** Commands of a review. */
import * as vscode from 'vscode';
import type { SetActions } from '../change_set/actions';
import type { Outcome, SetTarget } from '../change_set/files';
import type { Prompter } from '../permissions/prompter';
import type { StagedFile } from '../wire';
import { ReviewActions, type Target } from './actions';
import type { Reviews } from './reviews';

type Commands = Record<string, (...parameters: never[]) => unknown>;

/**
 * Returns the commands by command id. A command on a hunk or a file applies to an asked change, or to the change set:
 * as the target says, else as the active editor shows, else to the asked change.
 */
export function reviewCommands(reviews: Reviews, prompter: Prompter, set: SetActions): Commands {
  const actions = new ReviewActions(reviews);
  const isOfSet = () => set.isHere || (reviews.waiting.length === 0 && !set.isEmpty);
  const { decide, decideFile, decideAll } = decisionCommands(actions, set, isOfSet);
  const step = (by: 1 | -1) => () => (isOfSet() ? set.step(by) : actions.step(by));
  return {
    'placet.review': (id?: string) => {
      const isSet = typeof id !== 'string' && reviews.waiting.length === 0 && !set.isEmpty;
      return isSet ? set.open() : actions.open(typeof id === 'string' ? id : undefined);
    },
    'placet.review.accept': decide('accept'),
    'placet.review.reject': decide('reject'),
    'placet.review.undecide': (target?: Target) => actions.decide(undefined, targetOf(target)),
    'placet.review.show': (target?: Target) => actions.show(targetOf(target) ?? {}),
    'placet.review.next': step(1),
    'placet.review.previous': step(-1),
    'placet.review.comment': (target?: unknown) => {
      const inSet = setTargetOf(target);
      return inSet || (!targetOf(target) && isOfSet()) ? set.comment(inSet) : actions.comment(targetOf(target));
    },
    'placet.review.acceptFile': decideFile('accept'),
    'placet.review.rejectFile': decideFile('reject'),
    'placet.review.acceptAll': decideAll('accept', 'staged'),
    'placet.review.rejectAll': decideAll('reject', 'staged'),
    'placet.review.send': (target?: Target) => actions.sendDecided(targetOf(target)),
    'placet.review.later': (target?: Target) => actions.later(targetOf(target)),
    'placet.review.more': (target?: Target) => prompter.openChoices(actions.idOf(targetOf(target))),
    'placet.comment.add': (reply: vscode.CommentReply) => reviews.comments.add(reply),
    'placet.comment.remove': (comment: vscode.Comment) => reviews.comments.remove(comment),
    // The same acts on unreviewed changes, under the names that fit: menus show the names.
    'placet.changeSet.keepFile': decideFile('accept'),
    'placet.changeSet.undoFile': decideFile('reject'),
    'placet.changeSet.keepAll': decideAll('accept', 'unreviewed'),
    'placet.changeSet.undoAll': decideAll('reject', 'unreviewed'),
    'placet.changeSet.compare': (target?: unknown) => set.compare(setTargetOf(target)),
    'placet.changeSet.commentFile': (target?: unknown) => set.commentFile(setTargetOf(target)),
    'placet.changeSet.settle': (target?: unknown) => set.settle(setTargetOf(target)),
    'placet.changeSet.discardText': (target?: unknown) => set.discardText(setTargetOf(target)),
  };
}

/** Returns the commands that accept or reject; `isOfSet` tells whether a command without a target is for the set. */
function decisionCommands(actions: ReviewActions, set: SetActions, isOfSet: () => boolean) {
  const decide = (outcome: Outcome) => (target?: unknown) => {
    const inSet = setTargetOf(target);
    return inSet || (!targetOf(target) && isOfSet())
      ? set.decide(outcome, inSet)
      : actions.decide(DECISIONS[outcome], targetOf(target));
  };
  const decideFile =
    (outcome: Outcome) =>
    async (...of: unknown[]) => {
      const lines = linesOf(of);
      const inSet = lines.flatMap((line) => setTargetOf(line) ?? []);
      const isAsked = lines.some(targetOf);
      if (inSet.length === 0 && !isAsked && isOfSet()) {
        return set.decideFile(outcome);
      }
      for (const target of inSet) {
        await set.decideFile(outcome, target);
      }
      if (inSet.length === 0 || isAsked) {
        await each(of, (target) => actions.decideAll(DECISIONS[outcome], 'file', target));
      }
    };
  const decideAll =
    (outcome: Outcome, state: StagedFile['state']) =>
    async (...of: unknown[]) => {
      const states = statesOf(of);
      const isAsked = linesOf(of).some(targetOf);
      if (states.length === 0 && !isAsked && isOfSet()) {
        return set.decideAll(outcome, state);
      }
      for (const group of states) {
        await set.decideAll(outcome, group);
      }
      if (states.length === 0 || isAsked) {
        await each(of, (target) => actions.decideAll(DECISIONS[outcome], 'change', target));
      }
    };
  return { decide, decideFile, decideAll };
}

const DECISIONS = { accept: 'accepted', reject: 'rejected' } as const;

/** Returns the target in the change set, if the target is of the change set. */
function setTargetOf(target: unknown): SetTarget | undefined {
  return isLine(target) && 'setUri' in target ? (target as unknown as SetTarget) : undefined;
}

/** Returns the states of the change set whose groups of Source Control are among the targets. */
function statesOf(of: readonly unknown[]): StagedFile['state'][] {
  const ofSet = of.filter(isGroup).filter(({ resourceStates }) => resourceStates.some((line) => setTargetOf(line)));
  return ofSet.map(({ id }) => (id === 'unreviewed' ? 'unreviewed' : 'staged'));
}

/** Menus of editors pass the editor's URI, which the cursor already determines. */
function targetOf(target: unknown): Target | undefined {
  return isLine(target) && 'reviewId' in target ? (target as Target) : undefined;
}

function isLine(target: unknown): target is object {
  return typeof target === 'object' && target !== null && !(target instanceof vscode.Uri);
}

function linesOf(of: readonly unknown[]): readonly unknown[] {
  return of.flatMap((line) => (isGroup(line) ? line.resourceStates : [line]));
}

/** Runs the work on each target. Source Control passes all selected lines, or a group of lines. */
async function each(of: readonly unknown[], work: (target?: Target) => Promise<void>): Promise<void> {
  const lines = linesOf(of).flatMap((line) => targetOf(line) ?? []);
  const isOfGroup = of.some(isGroup);
  const targets = isOfGroup ? [...new Set(lines.map(({ reviewId }) => reviewId))].map(ofReview) : lines;
  for (const target of targets.length > 0 ? targets : [undefined]) {
    await work(target);
  }
}

function ofReview(reviewId: string | undefined): Target {
  return reviewId === undefined ? {} : { reviewId };
}

function isGroup(line: unknown): line is vscode.SourceControlResourceGroup {
  return typeof line === 'object' && line !== null && 'resourceStates' in line;
}
