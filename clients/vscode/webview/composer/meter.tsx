/** Meter of the context's size and the session's cost; on demand with details and actions. */
import * as l10n from '@vscode/l10n';
import { useState } from 'preact/hooks';
import type { Command } from '../state/commands';
import type { Store } from '../state/store';

export function Meter({ store, run }: { store: Store; run: (command: Command['name']) => void }) {
  const [isOpen, setOpen] = useState(false);
  const { conversation } = store;
  const used = conversation?.context?.used ?? 0;
  const model = store.lists.models.find((model) => model.id === conversation?.info.model);
  const size = conversation?.context?.size ?? model?.contextSize;
  const cost = (conversation?.cost ?? 0) + store.subagents.spentSince;
  if (used === 0 && cost === 0) {
    return null;
  }
  const share = size === undefined ? 0 : Math.min(1, used / size);
  const text =
    size === undefined ? l10n.t('{0} tokens', short(used)) : l10n.t('{0} of {1} tokens', short(used), short(size));
  return (
    <span
      onKeyDown={(event) => {
        if (isOpen && event.key === 'Escape') {
          event.preventDefault();
          event.stopPropagation();
          setOpen(false);
        }
      }}
    >
      <button
        type="button"
        class="meter"
        aria-expanded={isOpen}
        title={l10n.t('Context: {0}. Cost: {1}.', text, costText(store, cost))}
        onClick={() => setOpen(!isOpen)}
      >
        {size !== undefined && (
          <span class={share > 0.8 ? 'bar full' : 'bar'} aria-hidden="true">
            <span style={{ width: `${Math.round(share * 100)}%` }} />
          </span>
        )}
        <span class="unseen">{l10n.t('Context used:')} </span>
        <span>{size === undefined ? short(used) : `${Math.round(share * 100)} %`}</span>
        {cost > 0 && <span>{money(cost)}</span>}
      </button>
      {isOpen && (
        <div class="picker above details" role="group" aria-label={l10n.t('Context and cost')}>
          <Details store={store} context={text} cost={cost} />
          <button type="button" class="secondary" onClick={() => run('compact')}>
            {l10n.t('Compact Conversation')}
          </button>
          <button type="button" class="secondary" onClick={() => setOpen(false)}>
            {l10n.t('Close')}
          </button>
        </div>
      )}
    </span>
  );
}

function Details({ store, context, cost }: { store: Store; context: string; cost: number }) {
  const usage = store.conversation?.info.usage;
  const { input = 0, output = 0, cacheRead = 0 } = usage?.tokens ?? {};
  const rows: [string, string][] = [
    [l10n.t('Context'), context],
    [l10n.t('Cost'), costText(store, cost)],
  ];
  if (usage?.subagents) {
    rows.push([l10n.t('of which subagents'), money(usage.subagents.cost) || '$0']);
  }
  if (usage) {
    rows.push([l10n.t('Input tokens'), short(input + cacheRead)], [l10n.t('of which cached'), short(cacheRead)]);
    rows.push([l10n.t('Output tokens'), short(output)]);
  }
  return (
    <dl>
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function costText({ conversation }: Store, cost: number): string {
  return money(cost) || (conversation?.isCovered ? l10n.t('covered by the subscription') : l10n.t('unknown'));
}

function money(cost: number): string {
  return cost > 0 ? `$${cost < 0.1 ? cost.toFixed(3) : cost.toFixed(2)}` : '';
}

function short(count: number): string {
  return count >= 1_000_000
    ? `${(count / 1_000_000).toFixed(1)}M`
    : count >= 1000
      ? `${Math.round(count / 1000)}k`
      : String(count);
}
