/** Todo list of the agent: the progress, and on demand the whole list. */
import * as l10n from '@vscode/l10n';
import { useState } from 'preact/hooks';
import type { PlanEntry } from '../../src/wire';
import { Icon } from '../controls/icons';

const STATES = {
  pending: l10n.t('to do'),
  in_progress: l10n.t('in progress'),
  completed: l10n.t('done'),
  cancelled: l10n.t('cancelled'),
} as const;

export function Todo({ entries }: { entries: readonly PlanEntry[] }) {
  const [isOpen, setOpen] = useState(false);
  const done = entries.filter((entry) => entry.status === 'completed' || entry.status === 'cancelled').length;
  const current = entries.find((entry) => entry.status === 'in_progress');
  return (
    <section class="todo" aria-label={l10n.t('Todo list')}>
      <button type="button" class="tool-head" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <span class={isOpen ? 'twisty open' : 'twisty'}>
          <Icon name="chevron" />
        </span>
        <Icon name="list" />
        <span class="tool-name">{l10n.t('{0} of {1} done', done, entries.length)}</span>
        {!isOpen && current && <span class="tool-title">{current.content}</span>}
      </button>
      {isOpen && (
        <ul>
          {entries.map((entry, index) => (
            <li key={index} class={entry.status}>
              <span class="box" aria-hidden="true">
                {entry.status === 'completed' && <Icon name="check" />}
                {entry.status === 'cancelled' && <Icon name="close" />}
                {entry.status === 'in_progress' && <span class="dot" />}
              </span>
              <span>
                {entry.content} <span class="unseen">({STATES[entry.status]})</span>
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
