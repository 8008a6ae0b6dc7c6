/** Commands of a review. */
import * as vscode from 'vscode';
import type { Prompter } from '../permissions/prompter';
import { ReviewActions, type Target } from './actions';
import type { Reviews } from './reviews';

type Commands = Record<string, (...parameters: never[]) => unknown>;

/** Returns the commands by command id. */
export function reviewCommands(reviews: Reviews, prompter: Prompter): Commands {
  const actions = new ReviewActions(reviews);
  return {
    'placet.review': (id?: string) => actions.open(typeof id === 'string' ? id : undefined),
    'placet.review.accept': (target?: Target) => actions.decide('accepted', targetOf(target)),
    'placet.review.reject': (target?: Target) => actions.decide('rejected', targetOf(target)),
    'placet.review.undecide': (target?: Target) => actions.decide(undefined, targetOf(target)),
    'placet.review.show': (target?: Target) => actions.show(targetOf(target) ?? {}),
    'placet.review.next': () => actions.step(1),
    'placet.review.previous': () => actions.step(-1),
    'placet.review.comment': (target?: Target) => actions.comment(targetOf(target)),
    'placet.review.acceptFile': (...of: unknown[]) =>
      each(of, (target) => actions.decideAll('accepted', 'file', target)),
    'placet.review.rejectFile': (...of: unknown[]) =>
      each(of, (target) => actions.decideAll('rejected', 'file', target)),
    'placet.review.acceptAll': (...of: unknown[]) =>
      each(of, (target) => actions.decideAll('accepted', 'change', target)),
    'placet.review.rejectAll': (...of: unknown[]) =>
      each(of, (target) => actions.decideAll('rejected', 'change', target)),
    'placet.review.send': (target?: Target) => actions.sendDecided(targetOf(target)),
    'placet.review.later': (target?: Target) => actions.later(targetOf(target)),
    'placet.review.more': (target?: Target) => prompter.openChoices(actions.idOf(targetOf(target))),
    'placet.comment.add': (reply: vscode.CommentReply) => reviews.comments.add(reply),
    'placet.comment.remove': (comment: vscode.Comment) => reviews.comments.remove(comment),
  };
}

/** Menus of editors pass the editor's URI, which the cursor already determines. */
function targetOf(target: unknown): Target | undefined {
  const isOurs = typeof target === 'object' && target !== null && !(target instanceof vscode.Uri);
  return isOurs && 'reviewId' in target ? (target as Target) : undefined;
}

/** Runs the work on each target. Source Control passes all selected lines, or a group of lines. */
async function each(of: readonly unknown[], work: (target?: Target) => Promise<void>): Promise<void> {
  const lines = of
    .flatMap((line) => (isGroup(line) ? line.resourceStates : [line]))
    .flatMap((line) => targetOf(line) ?? []);
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
