/** Card and note for a user without a model: the ways to a model, with a button each. */
import * as l10n from '@vscode/l10n';
import { runningServers } from '../../src/auth/providers';
import type { Remedy } from '../../src/chat/messages';
import type { LocalModelOffer } from '../../src/wire';
import { post } from '../state/host';
import type { Store } from '../state/store';

const BUILT_IN = 'builtin/';

/** Returns what is missing for the model: a model at all, or the key for the model; undefined if nothing is missing. */
export function missingModel(store: Store, model: string | undefined): 'model' | 'key' | undefined {
  const { login } = store.lists;
  if (model === undefined || login === undefined) {
    return undefined;
  }
  if (model.startsWith(BUILT_IN)) {
    return 'model';
  }
  return login.id === model && login.key === 'missing' ? 'key' : undefined;
}

interface Props {
  store: Store;
  model: string;
  missing: 'model' | 'key';
  isCompact: boolean;
}

export function NoModel({ store, model, missing, isCompact }: Props) {
  const { localModel } = store.lists;
  const [server] = runningServers(store.lists.models);
  const text =
    missing === 'key'
      ? l10n.t('The key for {0} is missing.', model)
      : l10n.t('No language model is selected. Without one, Placet renames, finds, replaces and runs tests.');
  const button = (label: string, name: Remedy, isMain: boolean) => (
    <button type="button" class={isMain ? 'primary' : 'secondary'} onClick={() => post({ type: 'remedy', name })}>
      {label}
    </button>
  );
  return (
    <section class={isCompact ? 'no-model compact' : 'no-model'} aria-label={l10n.t('Select Model')}>
      {!isCompact && <h2>{l10n.t('Select Model')}</h2>}
      <p>{text}</p>
      {server && <p class="hint">{l10n.t('Found: {0}', server.title)}</p>}
      <div class="no-model-buttons">
        {button(l10n.t('Sign In to Provider…'), 'signIn', server === undefined)}
        {server && button(l10n.t('Use Local Model…'), 'chooseModel', true)}
        {button(l10n.t('Select Model…'), 'chooseModel', false)}
      </div>
      {!server && !isCompact && (
        <p class="hint">{l10n.t('A running Ollama or LM Studio is found by itself, and needs no key.')}</p>
      )}
      {localModel && !isCompact && <LocalModel offer={localModel} />}
    </section>
  );
}

function LocalModel({ offer }: { offer: LocalModelOffer }) {
  const size = (offer.bytes / 1e9).toFixed(1);
  return (
    <p class="hint">
      {l10n.t('Without an account, Placet can run a small model on this computer. In a terminal:')}{' '}
      <code>{offer.command}</code> {l10n.t('({0} GB, {1}).', size, offer.license)}{' '}
      {l10n.t(
        'It answers questions about code and makes small changes in short files. It often fails at work over several files.',
      )}
    </p>
  );
}
