/** Serves `editor/question`: asks the agent's questions in sequence, by QuickPick and InputBox. */
import * as vscode from 'vscode';
import { input, pick, pickSeveral, pickWithCopy } from '../ui/window';
import type { Question } from '../wire';

type Answers = string[][] | null;

/** Returns the answers; null when the user declined, `later` when the user only closed a picker. */
export async function askQuestions(
  questions: readonly Question[],
  token: vscode.CancellationToken,
): Promise<Answers | 'later'> {
  const answers: string[][] = [];
  for (const question of questions) {
    const answer = await ask(question, token);
    if (answer === 'later' || answer === 'decline') {
      return answer === 'later' ? 'later' : null;
    }
    answers.push(answer);
  }
  return answers;
}

/**
 * Returns the answers to questions of an action that the user is doing right now; null as soon as the user closes a
 * picker.
 */
export async function askAtOnce(questions: readonly Question[], token: vscode.CancellationToken): Promise<Answers> {
  const answers: string[][] = [];
  for (const question of questions) {
    const options = { title: question.header, placeHolder: question.question, ignoreFocusOut: true };
    const items = question.options.map(({ label, description }) => ({ label, detail: description, does: 'choose' }));
    const all = question.custom ? [...items, own(question)] : items;
    const chosen =
      items.length > 0 ? await pickWithCopy(all, { ...options, copyable: question.copyable }, token) : own(question);
    const answer = chosen?.does === 'type' ? await type(question, token) : chosen?.label;
    if (!answer) {
      return null;
    }
    answers.push([answer]);
  }
  return answers;
}

async function ask(question: Question, token: vscode.CancellationToken): Promise<string[] | 'later' | 'decline'> {
  const options = { title: question.header, placeHolder: question.question, ignoreFocusOut: true };
  const items = question.options.map(({ label, description }) => ({ label, detail: description, does: 'choose' }));
  const decline = { label: vscode.l10n.t('Decline'), icon: 'close', detail: '', does: 'decline' };
  if (question.multiple && items.length > 0) {
    const all = question.custom ? [...items, own(question)] : items;
    const chosen = await pickSeveral(all, options, token);
    if (!chosen) {
      return 'later';
    }
    const labels = chosen.filter((entry) => entry.does === 'choose').map((entry) => entry.label);
    if (!chosen.some((entry) => entry.does === 'type')) {
      return labels;
    }
    const text = await type(question, token);
    return text === undefined ? 'later' : [...labels, text];
  }
  const choice = await pick([...items, ...(question.custom ? [own(question)] : []), decline], options, token);
  if (!choice) {
    return 'later';
  }
  if (choice.does === 'type') {
    const text = await type(question, token);
    return text === undefined ? 'later' : [text];
  }
  return choice.does === 'decline' ? 'decline' : [choice.label];
}

/** Returns the entry for an answer in the user's own words. */
function own({ options }: Question) {
  const label = options.length > 0 ? vscode.l10n.t('Other…') : vscode.l10n.t('Enter…');
  return { label, icon: 'edit', detail: '', does: 'type' };
}

function type(question: Question, token: vscode.CancellationToken): Thenable<string | undefined> {
  const { header: title, question: prompt, secret: password } = question;
  return input({ title, prompt, password, ignoreFocusOut: true }, token);
}
