/** Text of a permission request. Pure. */
import * as l10n from '@vscode/l10n';
import { plain, shortened, shownLines, spelledOut } from '../ui/plain_text';
import type { AskedPart, RequestPermission } from '../wire';
import type { PendingRequest } from './pending_requests';

const LEAD_CHARACTERS = 120;
const QUESTION_CHARACTERS = 300;
const COLUMNS = 100;

/**
 * Returns the planned action on a short line that begins with the command, and whether the line shows the whole
 * request.
 */
export function leadOf(request: RequestPermission): { text: string; isWhole: boolean } {
  const { command, title, permission } = request;
  if (command === undefined && request.url === undefined) {
    return { text: plain(title), isWhole: !request.arguments };
  }
  const action = spelledOut((command ?? request.url ?? '').trim());
  const lead = shortened(action, LEAD_CHARACTERS);
  const about = command === undefined || permission === 'bash' ? '' : ` · ${plain(title)}`;
  return { text: `${lead}${about}`, isWhole: lead === action && !action.includes('\\n') };
}

/** Mark of the daemon in front of a pattern for an effect that the analysis of a command could not prove. */
const UNPROVED = 'unproved: ';

/**
 * Returns true if a notification may offer to allow the request with one click: the notification shows the whole
 * request, and the request has one part with a proven effect and nothing that the user should read first.
 */
export function isAllowedAtAGlance(request: RequestPermission): boolean {
  const isEdit = request.change !== undefined || request.changeId !== undefined;
  const isPlain = !isEdit && request.parts.length <= 1 && request.note === undefined;
  return isPlain && leadOf(request).isWhole && !request.patterns.some((pattern) => pattern.startsWith(UNPROVED));
}

/**
 * Returns the text of a notification for a request, and whether the text is complete, so that the user can answer in
 * the notification.
 */
export function noticeOf(ask: PendingRequest): { text: string; isWhole: boolean } {
  if (ask.kind === 'permission') {
    return leadOf(ask.request);
  }
  const [first] = ask.request.questions;
  const text = plain(`${first?.header ?? ''} ${first?.question ?? ''}`.trim());
  const lead = shortened(text, QUESTION_CHARACTERS);
  return { text: lead, isWhole: lead === text };
}

/**
 * Returns the whole request as a text to read: the planned action first, then foreign descriptions, each marked with
 * the source.
 */
export function wholeOf(ask: PendingRequest): string {
  if (ask.kind === 'question') {
    const texts = ask.request.questions.map(({ question }) => shownLines(question).flatMap(wrapped).join('\n'));
    return `${texts.join('\n\n')}\n`;
  }
  const { request } = ask;
  const { command, permission, title, cwd, url, note, description, rule, parts } = request;
  const lines = [
    ...(command === undefined ? [] : shownLines(command).map((line, index) => `${index === 0 ? '$' : '>'} ${line}`)),
    ...(command !== undefined && permission === 'bash' ? [] : [plain(title)]),
    ...(url === undefined ? [] : [spelledOut(url)]),
    ...(request.arguments ?? '')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => `| ${spelledOut(line)}`),
    '',
    ...(cwd === undefined ? [] : [l10n.t('in {0}', spelledOut(cwd))]),
    ...(parts.length > 1 ? parts.map((part) => `${actionWord(part.action)}: ${spelledOut(part.pattern)}`) : []),
    ...(note === undefined ? [] : [plain(note)]),
    ...(rule ? [l10n.t('Rule: {0}', withoutTicks(plain(rule)))] : []),
    ...request.origin.slice(-1).map((agent) => l10n.t('Subagent: {0}', plain(agent))),
    ...(description === undefined ? [] : ['', plain(description)]),
  ];
  return `${lines.flatMap(wrapped).join('\n')}\n`;
}

/** Wraps a line so that no part lies beyond the edge of a window, behind a blank if possible. */
function wrapped(line: string): string[] {
  const pieces: string[] = [];
  let rest = [...line];
  while (rest.length > COLUMNS) {
    const blank = rest.lastIndexOf(' ', COLUMNS - 1);
    const end = blank > COLUMNS / 2 ? blank + 1 : COLUMNS;
    pieces.push(rest.slice(0, end).join(''));
    rest = rest.slice(end);
  }
  return [...pieces, rest.join('')].map((piece, index) => (index === 0 ? piece : `    ${piece}`));
}

/** Returns Placet's note, the parts of the command, the model's description and the rule, on one line. */
export function detailOf(request: RequestPermission): string {
  const details = [...request.origin.slice(-1).map((agent) => l10n.t('Subagent: {0}', plain(agent)))];
  if (request.note) {
    details.push(plain(request.note));
  }
  if (request.parts.length > 1) {
    details.push(request.parts.map((part) => `${actionWord(part.action)}: ${part.pattern}`).join('; '));
  }
  // An input box cuts the end of a long line off, and the reason of the model matters more than the rule.
  if (request.description) {
    details.push(plain(request.description));
  }
  if (request.rule) {
    details.push(l10n.t('Rule: {0}', withoutTicks(plain(request.rule))));
  }
  return details.join(' · ');
}

/** Returns the state of a part of a request in words. */
export function actionWord(action: AskedPart['action']): string {
  switch (action) {
    case 'allow':
      return l10n.t('allowed');
    case 'ask':
      return l10n.t('asked');
    case 'deny':
      return l10n.t('denied');
  }
}

/** Returns the text without the backticks of Markdown, for windows that show no Markdown. */
function withoutTicks(text: string): string {
  return text.replaceAll('`', '');
}
