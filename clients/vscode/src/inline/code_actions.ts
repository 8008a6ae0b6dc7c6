/** Lightbulb: the daemon's code actions in the user's language, and an action of our own for a selection. */
import * as vscode from 'vscode';

type Actions = (vscode.Command | vscode.CodeAction)[];

/** Beginnings of the daemon's titles, and the translations for VS Code's user. */
const TITLES: readonly [string, (about: string) => string][] = [
  ['Fix with Placet: ', (about) => vscode.l10n.t('Fix with Placet: {0}', about)],
  ['Explain with Placet: ', (about) => vscode.l10n.t('Explain with Placet: {0}', about)],
  ['Explain with Placet', () => vscode.l10n.t('Explain with Placet')],
];

/** Purpose of a prompt: for an answer, the chat is shown. */
export type Aim = 'change' | 'answer';

/** Returns the actions of the lightbulb, made from the daemon's actions. */
export function codeActions(
  given: Actions | null | undefined,
  document: vscode.TextDocument,
  range: vscode.Range,
  only: vscode.CodeActionKind | undefined,
): Actions {
  const actions = (given ?? []).map(shown);
  const kind = vscode.CodeActionKind.Refactor;
  if (!range.isEmpty && (!only || only.contains(kind))) {
    const title = vscode.l10n.t('Ask Placet about this…');
    const action = new vscode.CodeAction(title, kind);
    action.command = { title, command: 'placet.askHere', arguments: [document.uri, range] };
    actions.push(action);
  }
  return actions;
}

function shown(action: vscode.Command | vscode.CodeAction): vscode.Command | vscode.CodeAction {
  const [start, title] = TITLES.find(([beginning]) => action.title.startsWith(beginning)) ?? [];
  if (start === undefined || title === undefined || typeof action.command !== 'object') {
    return action;
  }
  const aim: Aim = start.startsWith('Explain') ? 'answer' : 'change';
  action.title = title(action.title.slice(start.length));
  action.command = { ...action.command, arguments: [...(action.command.arguments ?? []), aim] };
  return action;
}
