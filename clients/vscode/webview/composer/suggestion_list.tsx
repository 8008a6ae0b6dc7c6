/** The suggestions above the prompt. The keys for them go to the prompt, which has the focus. */
import * as l10n from '@vscode/l10n';
import type { Completion } from './completion';

export function SuggestionList({ completion }: { completion: Completion }) {
  if (!completion.isOpen) {
    return null;
  }
  return (
    <ul class="picker above" id="suggestions" role="listbox" aria-label={l10n.t('Suggestions')}>
      {completion.found.map((one, index) => (
        <li
          key={one.text}
          id={`suggestion-${index}`}
          role="option"
          aria-selected={index === completion.place}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => completion.accept(one)}
        >
          <span class="choice-label">{one.label}</span>
          <span class="choice-detail">{one.detail}</span>
        </li>
      ))}
    </ul>
  );
}
