/** Commands on the change set. */
import type * as vscode from 'vscode';
import type { SetActions } from './actions';
import type { Outcome, SetFile, SetTarget } from './files';
import type { WaitingCalls } from './waiting_calls';

type Commands = Record<string, (...parameters: never[]) => unknown>;

/** Returns the commands by command id. A command without a target applies to what the active editor shows. */
export function reviewCommands(set: SetActions, calls: WaitingCalls): Commands {
  const decide = (outcome: Outcome) => (target?: unknown) => set.decide(outcome, targetOf(target));
  const decideFile =
    (outcome: Outcome) =>
    async (...of: unknown[]) => {
      const targets = linesOf(of).flatMap((line) => targetOf(line) ?? []);
      for (const target of targets.length > 0 ? targets : [undefined]) {
        await set.decideFile(outcome, target);
      }
    };
  const decideAll =
    (outcome: Outcome, state: SetFile['state']) =>
    async (...of: unknown[]) => {
      const groups = of.filter(isGroup);
      for (const { id } of groups) {
        await set.decideState(outcome, id === 'unreviewed' ? 'unreviewed' : 'staged');
      }
      if (groups.length === 0) {
        await set.decideAll(outcome, state);
      }
    };
  return {
    'placet.review': (id?: unknown) => calls.open(typeof id === 'string' ? id : undefined),
    'placet.review.accept': decide('accept'),
    'placet.review.reject': decide('reject'),
    'placet.review.next': () => set.step(1),
    'placet.review.previous': () => set.step(-1),
    'placet.review.comment': (target?: unknown) => set.comment(targetOf(target)),
    'placet.review.acceptFile': decideFile('accept'),
    'placet.review.rejectFile': decideFile('reject'),
    'placet.review.acceptAll': decideAll('accept', 'staged'),
    'placet.review.rejectAll': decideAll('reject', 'staged'),
    // The same acts on unreviewed changes, under the names that fit: menus show the names.
    'placet.changeSet.keepFile': decideFile('accept'),
    'placet.changeSet.undoFile': decideFile('reject'),
    'placet.changeSet.keepAll': decideAll('accept', 'unreviewed'),
    'placet.changeSet.undoAll': decideAll('reject', 'unreviewed'),
    'placet.changeSet.compare': (target?: unknown) => set.compare(targetOf(target)),
    'placet.changeSet.commentFile': (target?: unknown) => set.commentFile(targetOf(target)),
    'placet.changeSet.settle': (target?: unknown) => set.settle(targetOf(target)),
    'placet.changeSet.discardText': (target?: unknown) => set.discardText(targetOf(target)),
  };
}

/** Returns the target in the change set; menus of editors pass the editor's URI, which the cursor already determines. */
function targetOf(target: unknown): SetTarget | undefined {
  const isTarget = typeof target === 'object' && target !== null && 'setUri' in target;
  return isTarget ? (target as SetTarget) : undefined;
}

/** Returns the lines. Source Control passes all selected lines, or a group of lines. */
function linesOf(of: readonly unknown[]): readonly unknown[] {
  return of.flatMap((line) => (isGroup(line) ? line.resourceStates : [line]));
}

function isGroup(line: unknown): line is vscode.SourceControlResourceGroup {
  return typeof line === 'object' && line !== null && 'resourceStates' in line;
}
