/** How full the model's context is, and what the session has cost. */
import type { Store } from './store';

export function Meter({ store }: { store: Store }) {
  const { conversation } = store;
  const used = conversation?.context?.used ?? 0;
  const model = store.lists.models.find((one) => one.id === conversation?.info.model);
  const size = conversation?.context?.size ?? model?.contextSize;
  const cost = (conversation?.cost ?? 0) + store.subagents.cost;
  if (used === 0) {
    return null;
  }
  const share = size === undefined ? 0 : Math.min(1, used / size);
  const text = `${short(used)}${size === undefined ? '' : ` of ${short(size)}`} tokens`;
  const money = cost > 0 ? `$${cost < 0.1 ? cost.toFixed(3) : cost.toFixed(2)}` : '';
  return (
    <span class="meter" title={`Context: ${text}. Cost: ${money || 'not known'}.`}>
      {size !== undefined && (
        <span
          class={share > 0.8 ? 'bar full' : 'bar'}
          role="meter"
          aria-label="Context used"
          aria-valuemin={0}
          aria-valuemax={size}
          aria-valuenow={used}
          aria-valuetext={text}
        >
          <span style={{ width: `${Math.round(share * 100)}%` }} />
        </span>
      )}
      <span>{size === undefined ? short(used) : `${Math.round(share * 100)} %`}</span>
      {money !== '' && <span>{money}</span>}
    </span>
  );
}

function short(count: number): string {
  return count >= 1_000_000
    ? `${(count / 1_000_000).toFixed(1)}M`
    : count >= 1000
      ? `${Math.round(count / 1000)}k`
      : String(count);
}
