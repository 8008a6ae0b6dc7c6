/** Texts of the language-model tools for other models. The texts are for models, so in English; pure. */
import { readChange } from '../chat/changes';
import type { TurnReport } from '../sessions/turn';
import type { DiagnosticsResult, ListedChange } from '../wire';

type NameOf = (uri: string) => string;

const SEVERITIES = ['', 'error', 'warning', 'information', 'hint'];

interface Reported {
  message: string;
  severity: number;
  source?: string;
  code?: string | number;
  range: { start: { line: number; character: number } };
}

/** Returns the diagnostics of each file, with the reliability of the diagnostics. */
export function diagnosticsText(answer: DiagnosticsResult, nameOf: NameOf): string {
  if (answer.items.length === 0) {
    return 'No file has errors or warnings, as far as the language servers have told.';
  }
  const files = answer.items.map((item) => {
    const judge = item.providers?.length === 0 ? 'nobody checks this file' : item.fresh ? 'fresh' : 'may be outdated';
    const problems = item.diagnostics.map((diagnostic) => `  ${line(diagnostic as unknown as Reported)}`);
    return [
      `${nameOf(item.uri)} (${judge}): ${problems.length === 1 ? '1 problem' : `${problems.length || 'no'} problems`}`,
      ...problems,
    ].join('\n');
  });
  return [...files, ...(answer.truncated ? ['There are more; ask for single files.'] : [])].join('\n');
}

function line({ message, severity, source, code, range: { start } }: Reported): string {
  const whose = [source, code].filter((part) => part !== undefined).join(' ');
  const place = `${start.line + 1}:${start.character + 1}`;
  return `${place} ${SEVERITIES[severity] ?? ''}: ${message}${whose ? ` (${whose})` : ''}`;
}

/** Returns the result of a requested change. */
export function proposalText({ result, text, changed, proposed }: TurnReport, nameOf: NameOf): string {
  const files = changed.length > 0 ? `Changed: ${changed.map(nameOf).join(', ')}.` : 'No file was changed.';
  const ends: Record<string, string> = {
    cancelled: 'The user stopped it.',
    rejected: 'The user refused the change.',
    refused: 'The model declined.',
    max_steps: 'It stopped at the limit of its steps.',
    error: `It failed: ${result.error?.message ?? ''} ${result.error?.hint ?? ''}`.trim(),
  };
  const refused = proposed > changed.length ? 'Not all that was proposed was allowed.' : '';
  return [files, refused, ends[result.stopReason] ?? '', text].filter((line) => line !== '').join('\n');
}

/** Returns the changes of a session from `agent/changes`, and the pending requests. */
export function reviewText(changes: readonly ListedChange[], waiting: readonly string[], nameOf: NameOf): string {
  const lines = changes.flatMap((described) => {
    const change = readChange(described);
    return (change?.files ?? []).map(
      (file) => `${file.reverted ? 'reverted' : change?.state}: ${nameOf(file.newUri ?? file.uri)} (${file.kind})`,
    );
  });
  const asks = waiting.map((title) => `waits for the user's answer: ${title}`);
  const all = [...lines, ...asks];
  return all.length > 0 ? all.join('\n') : 'Placet has proposed nothing in this window.';
}
