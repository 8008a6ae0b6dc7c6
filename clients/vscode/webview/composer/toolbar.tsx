/** Toolbar below the prompt: agent and model, the size of the context, and the buttons to send. */
import * as l10n from '@vscode/l10n';
import { reviewModeChoices } from '../../src/permissions/review_mode_choices';
import { Icon } from '../icons';
import type { Command } from '../state/commands';
import { post } from '../state/host';
import type { Store } from '../state/store';
import type { AgentOrModel, Chosen } from './agent_or_model';
import { Meter } from './meter';

interface Props {
  store: Store;
  chosen: Chosen;
  isEmpty: boolean;
  onPicker: (who: AgentOrModel) => void;
  onSend: (queue: 'steer' | 'after') => void;
  run: (command: Command['name']) => void;
}

export function Toolbar({ store, chosen, isEmpty, onPicker, onSend, run }: Props) {
  const info = store.conversation?.info;
  const mode = reviewModeChoices().find((choice) => choice.mode === store.review?.mode);
  return (
    <div class={store.isBusy ? 'toolbar busy' : 'toolbar'}>
      <button type="button" class="chip-button" aria-haspopup="listbox" onClick={() => onPicker('agent')}>
        <span class="unseen">{l10n.t('Agent:')} </span>
        {info?.agent ?? chosen.agent ?? store.lists.defaultAgent ?? l10n.t('agent')}
      </button>
      <button type="button" class="chip-button model" aria-haspopup="listbox" onClick={() => onPicker('model')}>
        <span class="unseen">{l10n.t('Model:')} </span>
        {info?.model ?? chosen.model ?? store.lists.models.find((model) => model.default)?.id ?? l10n.t('model')}
      </button>
      {mode && (
        <button
          type="button"
          class="chip-button review"
          aria-haspopup="listbox"
          title={mode.label}
          onClick={() => post({ type: 'remedy', name: 'chooseReview' })}
        >
          <span class="unseen">{l10n.t('Review mode:')} </span>
          {mode.word}
        </button>
      )}
      <Meter store={store} run={run} />
      <span class="spring" />
      {store.isBusy && !isEmpty && (
        <>
          <button
            type="button"
            class="secondary"
            title={l10n.t('Add to the running turn (Ctrl+Enter)')}
            onClick={() => onSend('steer')}
          >
            {l10n.t('Steer')}
          </button>
          <button
            type="button"
            class="secondary"
            title={l10n.t('Send after the running turn (Enter)')}
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
  );
}
