/** Problem of the daemon or of the last action, with the possible remedies. */
import * as l10n from '@vscode/l10n';
import type { Remedy } from '../../src/chat/messages';
import type { Status } from '../../src/daemon/agent';
import { Icon } from '../controls/icons';
import { post } from '../state/host';
import type { Store } from '../state/store';

export function Problem({ store }: { store: Store }) {
  const { status, problem } = store;
  if (status.state === 'failed') {
    return (
      <div class="note error" role="alert">
        <Icon name="warning" />
        <p>{status.problem ?? l10n.t('Placet is not running.')}</p>
        {remedies(status.remedy).map(([label, name], index) => (
          <button
            type="button"
            class={index === 0 ? 'primary' : 'secondary'}
            key={name}
            onClick={() => post({ type: 'remedy', name })}
          >
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

/** Returns the remedies of the state, the most helpful first. */
function remedies(remedy: Status['remedy']): readonly [string, Remedy][] {
  const again: [string, Remedy] = [l10n.t('Try Again'), 'restart'];
  const doctor: [string, Remedy] = [l10n.t('Doctor'), 'doctor'];
  const log: [string, Remedy] = [l10n.t('Show Log'), 'showLog'];
  switch (remedy) {
    case 'install':
      return [[l10n.t('Install…'), 'install'], again, doctor];
    case 'trust':
      return [[l10n.t('Manage Trust'), 'manageTrust'], doctor];
    case 'doctor':
      return [doctor, again, log];
    default:
      return [again, doctor, log];
  }
}
