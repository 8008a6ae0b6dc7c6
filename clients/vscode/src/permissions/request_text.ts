/** A permission request in words, and the ways to answer it. */

import { plain, shortened, shownLines, spelledOut } from '../ui/plain_text';
import type { AlwaysOffer, Permission, RequestPermission } from '../wire';
import type { PendingRequest } from './pending_requests';

export interface Choice {
  label: string;
  detail?: string;
  /** What choosing it does: answer at once, or ask for more first. */
  does: { answer: Permission } | { next: 'feedback' | 'hunks' | 'show' };
}

const SCOPES: Record<AlwaysOffer['scope'], string> = {
  session: 'for this session',
  project: 'in this project',
  user: 'in all projects',
};
const ACTIONS = { allow: 'allowed', ask: 'asked', deny: 'denied' };

/** Every way to answer, the most careful first. */
export function choicesOf(request: RequestPermission): Choice[] {
  const hunks = request.change?.files.flatMap((file) => file.hunks) ?? [];
  const choices: Choice[] = [{ label: 'Allow once', does: { answer: { outcome: 'once' } } }];
  if (hunks.length > 1) {
    choices.push({ label: 'Choose hunks…', detail: `${hunks.length} hunks`, does: { next: 'hunks' } });
  }
  if (request.change) {
    choices.push({ label: 'Show the change', does: { next: 'show' } });
  }
  for (const offer of request.always) {
    choices.push({
      label: `Always ${SCOPES[offer.scope]}`,
      detail: offer.patterns.join(', '),
      does: { answer: { outcome: 'always', scope: offer.scope } },
    });
  }
  choices.push({ label: 'Reject', does: { answer: { outcome: 'reject' } } });
  choices.push({ label: 'Reject with a reason…', does: { next: 'feedback' } });
  return choices;
}

const LEAD_CHARACTERS = 120;
const QUESTION_CHARACTERS = 300;
const COLUMNS = 100;

/** What would happen, on one short line that leads: the command itself; and whether that is all of what is asked. */
export function leadOf(request: RequestPermission): { text: string; isWhole: boolean } {
  const { command, title, permission } = request;
  if (request.change || (command === undefined && request.url === undefined)) {
    return { text: plain(title), isWhole: !request.arguments };
  }
  const asked = spelledOut((command ?? request.url ?? '').trim());
  const lead = shortened(asked, LEAD_CHARACTERS);
  const about = command === undefined || permission === 'bash' ? '' : ` · ${plain(title)}`;
  return { text: `${lead}${about}`, isWhole: lead === asked && !asked.includes('\\n') };
}

/** What a notification says of the ask, and whether that is all of it, so that it can be answered there. */
export function noticeOf(ask: PendingRequest): { text: string; isWhole: boolean } {
  if (ask.kind === 'permission') {
    return leadOf(ask.request);
  }
  const [first] = ask.request.questions;
  const text = plain(`${first?.header ?? ''} ${first?.question ?? ''}`.trim());
  const lead = shortened(text, QUESTION_CHARACTERS);
  return { text: lead, isWhole: lead === text };
}

/** All that is asked, as a text to be read: what would happen first, and what others say of it marked as theirs. */
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
    ...(cwd === undefined ? [] : [`in ${spelledOut(cwd)}`]),
    ...(parts.length > 1 ? parts.map((part) => `${ACTIONS[part.action]}: ${spelledOut(part.pattern)}`) : []),
    ...(note === undefined ? [] : [plain(note)]),
    ...(rule ? [`asked by: ${plain(rule)}`] : []),
    ...request.origin.slice(-1).map((agent) => `asked for the subagent ${plain(agent)}`),
    ...(description === undefined ? [] : ['', plain(description)]),
  ];
  return `${lines.flatMap(wrapped).join('\n')}\n`;
}

/** No part of a line lies beyond the edge of a window; it is broken behind a blank if there is one. */
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

/** By which rule it is asked, and with what; one line. */
export function detailOf(request: RequestPermission): string {
  const told = [...request.origin.slice(-1).map((agent) => `subagent ${agent}`)];
  if (request.parts.length > 1) {
    told.push(request.parts.map((part) => `${ACTIONS[part.action]}: ${part.pattern}`).join('; '));
  }
  if (request.rule) {
    told.push(`asked by: ${request.rule}`);
  }
  if (request.description) {
    told.push(request.description);
  }
  return told.join(' · ');
}

export interface HunkChoice {
  uri: string;
  id: number;
  label: string;
  description: string;
  detail: string;
}

/** The hunks of all files, in order; `nameOf` makes a short name of a URI. */
export function hunkChoicesOf(request: RequestPermission, nameOf: (uri: string) => string): HunkChoice[] {
  return (request.change?.files ?? []).flatMap((file) =>
    file.hunks.map((hunk) => ({
      uri: file.uri,
      id: hunk.id,
      label: `${nameOf(file.uri)}:${hunk.newStart + 1}`,
      description: `+${hunk.newLines.length} −${hunk.oldLines.length}`,
      detail: firstLine(hunk.newLines) ?? firstLine(hunk.oldLines) ?? '',
    })),
  );
}

/** All chosen is a plain yes, none a no; else the chosen ones by file. */
export function answerOfHunks(request: RequestPermission, chosen: readonly { uri: string; id: number }[]): Permission {
  const files = request.change?.files ?? [];
  if (chosen.length === 0) {
    return { outcome: 'reject' };
  }
  if (chosen.length === files.reduce((sum, file) => sum + file.hunks.length, 0)) {
    return { outcome: 'once' };
  }
  const hunks: Record<string, number[]> = {};
  for (const file of files) {
    const ids = chosen.filter((hunk) => hunk.uri === file.uri).map((hunk) => hunk.id);
    // A file without hunks (an empty one that is created) goes with the rest.
    if (ids.length > 0 || file.hunks.length === 0) {
      hunks[file.uri] = ids;
    }
  }
  return { outcome: 'once', hunks };
}

function firstLine(lines: readonly string[]): string | undefined {
  return lines.map((line) => line.trim()).find((line) => line !== '');
}
