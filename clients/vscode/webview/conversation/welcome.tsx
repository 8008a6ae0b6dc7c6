/** Welcome text of an empty session. */
import * as l10n from '@vscode/l10n';
import type { Store } from '../state/store';
import { missingModel, NoModel } from './no_model';

export function Welcome({ store, model }: { store: Store; model: string | undefined }) {
  const { isLoading } = store;
  const missing = missingModel(store, model);
  if (isLoading) {
    return (
      <div class="welcome">
        <p>
          <span class="spinner" /> {l10n.t('Opening session…')}
        </p>
      </div>
    );
  }
  return (
    <div class="welcome">
      <p class="motto">{l10n.t('No changes without your approval.')}</p>
      {missing && model !== undefined && <NoModel store={store} model={model} missing={missing} isCompact={false} />}
      <ul>
        {KEYS.map(([keys, meaning]) => (
          <li key={meaning}>
            {keys.map((key, index) => (
              <>
                {index > 0 && '+'}
                <kbd>{key}</kbd>
              </>
            ))}{' '}
            {meaning}
          </li>
        ))}
      </ul>
    </div>
  );
}

const KEYS: readonly [readonly string[], string][] = [
  [['@'], l10n.t('mention files, symbols and agents')],
  [['/'], l10n.t('run a command')],
  [[l10n.t('Shift'), l10n.t('Enter')], l10n.t('insert a line break')],
  [[l10n.t('Escape')], l10n.t('stop the running turn')],
  [['Alt', '↑'], l10n.t('previous prompt')],
];
