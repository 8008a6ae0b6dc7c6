/** Problem of the daemon or of the last action, with the possible remedies. */
import * as l10n from '@vscode/l10n';
import type { Remedy } from '../../src/chat/messages';
import { Icon } from '../icons';
import { post } from '../state/host';
import type { Store } from '../state/store';

export function Problem({ store }: { store: Store }) {
  const { status, problem } = store;
  if (status.state === 'failed') {
    return (
      <div class="note error" role="alert">
        <Icon name="warning" />
        <p>{status.problem ?? l10n.t('Placet is not running.')}</p>
        {REMEDIES.map(([label, name]) => (
          <button type="button" class="secondary" key={name} onClick={() => post({ type: 'remedy', name })}>
            {label}
          </button>
        ))}
      </div>
    );
  }
  return (
    <>
      {status.state === 'starting' && store.conversation && (
        <p class="busy" role="status">
          <span class="spinner" /> {l10n.t('Placet is restarting…')}
        </p>
      )}
      {problem !== '' && (
        <div class="note error" role="alert">
          <Icon name="warning" />
          <p>{problem}</p>
          <button type="button" class="quiet" aria-label={l10n.t('Dismiss')} onClick={() => store.dismiss()}>
            <Icon name="close" />
          </button>
        </div>
      )}
    </>
  );
}

const REMEDIES: readonly [string, Remedy][] = [
  [l10n.t('Try again'), 'restart'],
  [l10n.t('Doctor'), 'doctor'],
  [l10n.t('Log'), 'showLog'],
];
