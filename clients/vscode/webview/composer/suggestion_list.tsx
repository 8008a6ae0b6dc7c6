/** List of the suggestions above the prompt. The prompt has the focus and handles the keys of the list. */
import * as l10n from '@vscode/l10n';
import type { Completion } from './completion';

export function SuggestionList({ completion }: { completion: Completion }) {
  if (!completion.isOpen) {
    return null;
  }
  return (
    <ul class="picker above" id="suggestions" role="listbox" aria-label={l10n.t('Suggestions')}>
      {completion.suggestions.map((suggestion, index) => (
        <li
          key={suggestion.text}
          id={`suggestion-${index}`}
          role="option"
          aria-selected={index === completion.place}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => completion.accept(suggestion)}
        >
          <span class="choice-label">{suggestion.label}</span>
          <span class="choice-detail">{suggestion.detail}</span>
        </li>
      ))}
    </ul>
  );
}
