/** Head of a card: the title, and the way to the other pending requests. */
import * as l10n from '@vscode/l10n';
import { Icon } from '../controls/icons';

/** Position of the shown request among the pending requests of the session. */
export interface Pager {
  /** Index, 0-based. */
  index: number;
  count: number;
  show: (index: number) => void;
}

export function CardHead({ title, pager: { index, count, show } }: { title: string; pager: Pager }) {
  return (
    <div class="ask-head">
      <h2>{title}</h2>
      {count > 1 && (
        <span class="pager">
          <button
            type="button"
            class="quiet"
            aria-label={l10n.t('Previous Request')}
            disabled={index === 0}
            onClick={() => show(index - 1)}
          >
            <Icon name="chevron" />
          </button>
          <span>{l10n.t('{0} of {1}', index + 1, count)}</span>
          <button
            type="button"
            class="quiet"
            aria-label={l10n.t('Next Request')}
            disabled={index === count - 1}
            onClick={() => show(index + 1)}
          >
            <Icon name="chevron" />
          </button>
        </span>
      )}
    </div>
  );
}
