/** Hunks of a file that the user rejected, still visible as a diff. */
import * as l10n from '@vscode/l10n';
import { type ChangedFileState, rejectedHunks } from '../../src/chat/changes';
import { Diff } from './diff';

export function RejectedHunks({ file }: { file: ChangedFileState }) {
  const hunks = rejectedHunks(file);
  if (hunks.length === 0) {
    return null;
  }
  const text = hunks
    .map(({ oldStart, oldLines, newStart, newLines }) => {
      const head = `@@ -${oldStart + 1},${oldLines.length} +${newStart + 1},${newLines.length} @@`;
      return [head, ...oldLines.map((line) => `-${bare(line)}`), ...newLines.map((line) => `+${bare(line)}`)].join(
        '\n',
      );
    })
    .join('\n');
  return (
    <div class="refused">
      <p class="hint">
        {hunks.length === 1 ? l10n.t('You rejected this hunk:') : l10n.t('You rejected these {0} hunks:', hunks.length)}
      </p>
      <Diff text={text} label={l10n.t('Rejected')} />
    </div>
  );
}

function bare(line: string): string {
  return line.replace(/\r?\n$/, '');
}
