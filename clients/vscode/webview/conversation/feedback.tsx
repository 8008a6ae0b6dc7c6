/** Comments of the user in the answer to a call: on the whole call, on a file, or on a place in a file. */
import * as l10n from '@vscode/l10n';
import { lastName } from '../state/names';
import type { Word } from './tool_text';

export function Feedback({ words }: { words: readonly Word[] }) {
  return (
    <ul class="said" aria-label={l10n.t('Your comments')}>
      {words.map((word, index) => (
        <li key={index}>
          <span class="hint">{about(word)}</span> <span class="said-text">{word.text}</span>
        </li>
      ))}
    </ul>
  );
}

function about({ uri, line }: Word): string {
  if (uri === undefined) {
    return l10n.t('Your comment:');
  }
  return line === undefined
    ? l10n.t('Your comment on {0}:', lastName(uri))
    : l10n.t('Your comment on {0}, line {1}:', lastName(uri), line);
}
