/** What stands between the conversation and the prompt: problems, things to do, waiting prompts, and asks. */
import { useState } from 'preact/hooks';
import type { PlanEntry } from '../src/wire';
import { AskCard } from './asks';
import { Icon } from './icons';
import type { Store } from './store';

export function Dock({ store }: { store: Store }) {
  const { status, problem, queued, conversation } = store;
  const trouble = status.state === 'failed' ? (status.problem ?? 'Placet is not running.') : problem;
  return (
    <div class="dock">
      {trouble !== '' && (
        <div class="note error" role="alert">
          <Icon name="warning" />
          <p>{trouble}</p>
          <button
            type="button"
            class="quiet"
            aria-label="Dismiss"
            onClick={() => {
              store.problem = '';
              store.changed();
            }}
          >
            <Icon name="close" />
          </button>
        </div>
      )}
      {conversation && conversation.plan.length > 0 && <Todo entries={conversation.plan} />}
      {queued.length > 0 && (
        <ul class="queued" aria-label="Waiting prompts">
          {queued.map((text, index) => (
            <li key={index}>
              <span class="hint">Next:</span> {text}
            </li>
          ))}
        </ul>
      )}
      {store.ownAsks.map((ask) => (
        <AskCard key={ask.id} ask={ask} />
      ))}
    </div>
  );
}

const STATES = { pending: 'to do', in_progress: 'in progress', completed: 'done', cancelled: 'dropped' } as const;

function Todo({ entries }: { entries: readonly PlanEntry[] }) {
  const [isOpen, setOpen] = useState(false);
  const done = entries.filter((one) => one.status === 'completed' || one.status === 'cancelled').length;
  const current = entries.find((one) => one.status === 'in_progress');
  return (
    <section class="todo" aria-label="Things to do">
      <button type="button" class="tool-head" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <span class={isOpen ? 'twisty open' : 'twisty'}>
          <Icon name="chevron" />
        </span>
        <Icon name="list" />
        <span class="tool-name">
          {done} of {entries.length} done
        </span>
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
