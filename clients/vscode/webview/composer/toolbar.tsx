/** Toolbar below the prompt: the choices, the size of the context, and the buttons to send. */
import * as l10n from '@vscode/l10n';
import { Icon } from '../controls/icons';
import type { Choosable, Current } from '../state/choosing';
import type { Command } from '../state/commands';
import type { Store } from '../state/store';
import { ChoiceButtons } from './choice_buttons';
import { Meter } from './meter';

interface Props {
  store: Store;
  current: Current;
  isEmpty: boolean;
  onPicker: (kind: Choosable) => void;
  onSend: (queue: 'steer' | 'after') => void;
  run: (command: Command['name']) => void;
}

export function Toolbar({ store, current, isEmpty, onPicker, onSend, run }: Props) {
  return (
    <div class={store.isBusy && !isEmpty ? 'toolbar steering' : 'toolbar'}>
      <div class="choices">
        <ChoiceButtons store={store} current={current} onPicker={onPicker} />
        <Meter store={store} run={run} />
      </div>
      <div class="sending">
        {store.isBusy && !isEmpty && (
          <>
            <button
              type="button"
              class="secondary"
              title={l10n.t('Add to Running Turn (Ctrl+Enter)')}
              onClick={() => onSend('steer')}
            >
              {l10n.t('Steer')}
            </button>
            <button
              type="button"
              class="secondary"
              title={l10n.t('Send After Running Turn (Enter)')}
              onClick={() => onSend('after')}
            >
              {l10n.t('Queue')}
            </button>
          </>
        )}
        {store.isBusy ? (
          <button
            type="button"
            class="round"
            title={l10n.t('Stop (Escape)')}
            aria-label={l10n.t('Stop')}
            onClick={() => store.stop()}
          >
            <Icon name="stop" />
          </button>
        ) : (
          <button
            type="button"
            class="round"
            title={l10n.t('Send (Enter)')}
            aria-label={l10n.t('Send')}
            disabled={isEmpty}
            onClick={() => onSend('after')}
          >
            <Icon name="send" />
          </button>
        )}
      </div>
    </div>
  );
}
