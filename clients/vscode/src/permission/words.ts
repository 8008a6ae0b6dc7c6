/** A permission request in words, and the ways to answer it. */
import type { Offer, Permission, RequestPermission } from '../wire';

export interface Choice {
  label: string;
  detail?: string;
  /** What choosing it does: answer at once, or ask for more first. */
  does: { answer: Permission } | { next: 'feedback' | 'hunks' | 'show' };
}

const SCOPES: Record<Offer['scope'], string> = {
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

/** What is asked, by which rule, and with what; one line. */
export function detailOf(request: RequestPermission): string {
  const told = [...request.origin.slice(-1).map((agent) => `subagent ${agent}`)];
  if (request.command) {
    told.push(request.command);
  }
  if (request.url) {
    told.push(request.url);
  }
  if (request.parts.length > 1) {
    told.push(request.parts.map((part) => `${ACTIONS[part.action]}: ${part.pattern}`).join('; '));
  }
  if (request.rule) {
    told.push(`asked by: ${request.rule}`);
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
    const ids = chosen.filter((one) => one.uri === file.uri).map((one) => one.id);
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
