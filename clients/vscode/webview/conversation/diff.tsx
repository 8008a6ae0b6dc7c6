/** Coloured unified diff; a long diff is cut, as the editor is better for long diffs. */
import * as l10n from '@vscode/l10n';
import { lineCount } from '../../src/ui/counts';

const MOST_LINES = 200;

export function Diff({ text, label = l10n.t('Diff') }: { text: string; label?: string }) {
  const lines = text
    .trimEnd()
    .split('\n')
    .filter((line) => !/^(?:---|\+\+\+|diff |index )/.test(line));
  const shown = lines.slice(0, MOST_LINES);
  return (
    <pre class="diff" tabIndex={0} role="group" aria-label={label}>
      {shown.map((line, index) => (
        <span key={index} class={KINDS[line[0] ?? ''] ?? 'same'}>
          {line.slice(0, 1000)}
          {'\n'}
        </span>
      ))}
      {lines.length > shown.length && (
        <span class="same">{l10n.t('… and {0} more', lineCount(lines.length - shown.length))}</span>
      )}
    </pre>
  );
}

const KINDS: Record<string, string> = { '+': 'added', '-': 'deleted', '@': 'place' };
