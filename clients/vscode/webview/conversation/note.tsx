/** Note in the conversation, with the buttons that help: the next step of the work, or the remedy of an error. */
import * as l10n from '@vscode/l10n';
import { useEffect, useState } from 'preact/hooks';
import { Icon } from '../controls/icons';
import { post } from '../state/host';
import type { Row } from '../state/rows';
import type { Store } from '../state/store';

type NoteRow = Extract<Row, { kind: 'note' }>;

const WAIT_SECONDS = 30;

export function Note({ store, row }: { store: Store; row: NoteRow }) {
  const { tone, text, hint, next, code } = row;
  const canWait = code === 'rate_limit' || code === 'overloaded';
  return (
    <div class={`note ${tone}`}>
      <Icon name="warning" />
      <p>
        {tone === 'error' && <strong>{l10n.t('Error:')} </strong>}
        {text} {hint !== '' && <span class="hint">{hint}</span>}
      </p>
      <Remedies store={store} row={row} />
      {next && canWait && <WaitAndRetry store={store} text={next.text} />}
      {next && (
        <button type="button" class="secondary" onClick={() => store.send(next.text, 'after')}>
          {next.label}
        </button>
      )}
    </div>
  );
}

/** Buttons for the kind of an error at the end of the last turn. */
function Remedies({ store, row: { code, next } }: { store: Store; row: NoteRow }) {
  if (!next) {
    return null;
  }
  const provider = store.conversation?.info.model.split('/', 1)[0];
  const button = (label: string, act: () => void) => (
    <button type="button" class="secondary" onClick={act}>
      {label}
    </button>
  );
  const selectModel = button(l10n.t('Select Model…'), () => post({ type: 'remedy', name: 'chooseModel' }));
  switch (code) {
    case 'authentication':
      return (
        <>
          {button(l10n.t('Enter Another Key…'), () => post({ type: 'remedy', name: 'signIn', argument: provider }))}
          {selectModel}
        </>
      );
    case 'no_model':
    case 'not_found':
      return selectModel;
    case 'context_overflow':
      return button(l10n.t('Compact Conversation'), () => store.onWish({ type: 'command', name: 'compact' }));
    case 'host_died':
      return button(l10n.t('Show Log'), () => post({ type: 'remedy', name: 'showLog' }));
    default:
      return null;
  }
}

/** Sends the prompt again after a wait, which the user sees and can end. */
function WaitAndRetry({ store, text }: { store: Store; text: string }) {
  const [left, setLeft] = useState<number | undefined>(undefined);
  useEffect(() => {
    if (left === 0) {
      setLeft(undefined);
      void store.send(text, 'after');
    }
    const timer = left !== undefined && left > 0 ? setTimeout(() => setLeft(left - 1), 1000) : undefined;
    return () => clearTimeout(timer);
  }, [left]);
  return (
    <button type="button" class="secondary" onClick={() => setLeft(left === undefined ? WAIT_SECONDS : undefined)}>
      {left === undefined ? l10n.t('Wait and Retry') : l10n.t('Retrying in {0} s. Cancel', left)}
    </button>
  );
}
