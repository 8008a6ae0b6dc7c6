/**
 * Shows reviews in VS Code's diff editors, one review at a time. A review that opens by itself hides nothing and takes
 * no focus.
 */
import * as vscode from 'vscode';
import { closeTabs, type Quietly, quietly } from '../ui/tabs';
import { type Located, NOWHERE, type Review } from './review';

/** Time limit for the appearance of an editor that was just opened. */
const APPEAR_MILLISECONDS = 3000;
const LOOK_MILLISECONDS = 20;

/** Shows a review without a request of the user: the first file, behind the active editor. */
export async function offer(review: Review): Promise<void> {
  await showFile(review, 0, quietly());
}

/**
 * Shows a review at the user's request: several files in one list, a single file in a diff editor; then goes to the
 * first undecided unit.
 */
export async function open(review: Review, target = review.nextOpen() ?? review.units[0]): Promise<void> {
  const index = target?.index ?? 0;
  if (review.files.length === 1) {
    await showFile(review, index, { preview: false }, target);
  } else {
    await showList(review, target);
    if (target) {
      await putCursor(review, target);
    }
  }
}

/** Goes to a unit in the editor that shows the review, where the user works. */
export async function goTo(review: Review, target: Located): Promise<void> {
  const isThere = review.place.kind === 'file' && review.place.index === target.index;
  if (review.place.kind === 'none') {
    return open(review, target);
  }
  if (review.place.kind === 'file' && !isThere) {
    await showFile(review, target.index, { preview: false }, target);
    return;
  }
  if (review.place.kind === 'list') {
    await showList(review, target);
  }
  await putCursor(review, target);
}

/** Closes the editors of the review. */
export async function close(review: Review): Promise<void> {
  review.place = { kind: 'none' };
  await closeTabs(review.tabs());
}

async function showFile(
  review: Review,
  index: number,
  options: vscode.TextDocumentShowOptions & Partial<Quietly>,
  target?: Located,
): Promise<void> {
  const sides = review.sides[index];
  if (!sides) {
    return;
  }
  const before = review.tabs();
  review.place = { kind: 'file', index };
  review.current = target?.unit.key ?? review.current;
  const line = target?.unit.newStart ?? 0;
  // The selection is passed here, as the user may already type when the editor appears.
  const how = target ? { ...options, selection: new vscode.Range(line, 0, line, 0) } : options;
  await vscode.commands.executeCommand('vscode.diff', sides.base, sides.proposal, review.titleOf(index), how);
  await closeTabs(before.filter(({ input }) => !isDiffOf(input, sides.proposal)));
}

async function showList(review: Review, target: Located | undefined): Promise<void> {
  const before = review.place.kind === 'list' ? [] : review.tabs();
  review.place = { kind: 'list' };
  const { title, sides } = review;
  const side = target && sides[target.index];
  const line = (target?.unit.newStart ?? 0) + 1;
  const range = { startLineNumber: line, startColumn: 1, endLineNumber: line, endColumn: 1 };
  try {
    // VS Code's Git extension works the same way: the same list again is the same tab, and VS Code reveals the named
    // file.
    await vscode.commands.executeCommand('_workbench.openMultiDiffEditor', {
      multiDiffSourceUri: vscode.Uri.from({ scheme: 'placet-change', path: `/${review.id}` }),
      title,
      resources: sides.map(({ base, proposal }) => ({ originalUri: base, modifiedUri: proposal })),
      ...(side ? { reveal: { modifiedUri: side.proposal, range } } : {}),
    });
  } catch {
    if (review.tabs().length === before.length) {
      const resources = sides.map(({ file, base, proposal }) => [file, base, proposal]);
      await vscode.commands.executeCommand('vscode.changes', title, resources);
    }
  }
  await closeTabs(before);
  // Without this command, the next opened file would replace the tab.
  await vscode.commands.executeCommand('workbench.action.keepEditor');
  if (target) {
    await stepInto(review, target.index);
  }
}

/** Moves the focus into a file of the list. Only the list's own steps from change to change can move the focus. */
async function stepInto(review: Review, index: number): Promise<void> {
  const at = () => review.indexOf(vscode.window.activeTextEditor?.document.uri ?? NOWHERE);
  for (let steps = review.units.length + review.files.length; steps > 0 && at() !== index; steps--) {
    const way = at() > index ? 'Previous' : 'Next';
    const moved = nextMove();
    try {
      await vscode.commands.executeCommand(`multiDiffEditor.goTo${way}Change`);
    } catch {
      return;
    }
    await moved;
  }
}

const MOVE_MILLISECONDS = 200;

/** Resolves when the cursor or the focus has moved, or soon after if neither moves. */
function nextMove(): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(late);
      vscode.Disposable.from(...listening).dispose();
      resolve();
    };
    const late = setTimeout(done, MOVE_MILLISECONDS);
    const listening = [
      vscode.window.onDidChangeActiveTextEditor(done),
      vscode.window.onDidChangeTextEditorSelection(done),
    ];
  });
}

/** Puts the cursor on the unit, once an editor of the file exists. */
async function putCursor(review: Review, { unit, index }: Located): Promise<void> {
  review.current = unit.key;
  const spelling = review.sides[index]?.proposal.toString();
  const deadline = Date.now() + APPEAR_MILLISECONDS;
  const find = () => vscode.window.visibleTextEditors.find(({ document }) => document.uri.toString() === spelling);
  while (!find() && Date.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MILLISECONDS));
  }
  const editor = find();
  if (editor) {
    const at = new vscode.Position(Math.min(unit.newStart, editor.document.lineCount - 1), 0);
    editor.selection = new vscode.Selection(at, at);
    editor.revealRange(new vscode.Range(at, at), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  }
}

function isDiffOf(input: unknown, proposal: vscode.Uri): boolean {
  return input instanceof vscode.TabInputTextDiff && input.modified.toString() === proposal.toString();
}
