/** Way back in the dock: the effect of going back to a prompt, with the choices, and the line with the way forward. */
import * as l10n from '@vscode/l10n';
import { spelledOut } from '../../src/ui/plain_text';
import type { BackFile, BackPreview } from '../../src/wire';
import { Icon } from '../controls/icons';
import { Counts } from '../conversation/tool';
import { post } from '../state/host';
import { firstLine, lastName, nameIn, textOf } from '../state/names';
import type { Store } from '../state/store';
import type { Offer, What } from '../state/way_back';

export function WayBackCard({ store }: { store: Store }) {
  const offer = store.wayBack.offer(store.conversation?.info.id);
  return offer ? <Card key={offer.wish} store={store} offer={offer} /> : null;
}

/** Tells that later prompts are hidden, or that the files alone went back, with the way forward. */
export function WayForward({ store }: { store: Store }) {
  const info = store.conversation?.info;
  if (!info || (info.backTo === undefined && !info.filesBack)) {
    return null;
  }
  return (
    <div class="note info way-forward" role="status">
      <Icon name="undo" />
      <p>
        {info.backTo === undefined
          ? l10n.t('The files went back; the talk stayed.')
          : l10n.t('You went back. Your next prompt deletes the hidden messages for good.')}
      </p>
      <button
        type="button"
        class="secondary"
        title={
          info.filesBack
            ? l10n.t('Take back the last act of going back, in the files alone')
            : l10n.t('Take back the last act of going back, in talk and files')
        }
        onClick={() => void store.wayBack.redo(info.id)}
      >
        {l10n.t('Redo')}
      </button>
    </div>
  );
}

function Card({ store, offer }: { store: Store; offer: Offer }) {
  const message = store.conversation?.transcript.message(offer.messageId);
  const text = message ? spelledOut(firstLine(textOf(message.parts).trim())) : '';
  return (
    <section class="ask way-back" aria-label={l10n.t('Go Back to Here')} tabIndex={-1} ref={focusOnce}>
      <h2>{l10n.t('Go Back to Here')}</h2>
      {text !== '' && <p class="quote">{text}</p>}
      {store.isBusy ? <Busy store={store} /> : <Idle store={store} preview={offer.preview} />}
    </section>
  );
}

/** Says why nothing can go back during a turn, with the remedy. */
function Busy({ store }: { store: Store }) {
  return (
    <>
      <p>{l10n.t('The agent is at work. Stop the turn first, then go back.')}</p>
      <div class="answers">
        <button
          type="button"
          onClick={(event) => {
            // The button goes with the turn; the focus stays in the card for the choices to come.
            event.currentTarget.closest<HTMLElement>('.way-back')?.focus();
            store.stop();
          }}
        >
          {l10n.t('Stop Turn')}
        </button>
        <Cancel store={store} />
      </div>
    </>
  );
}

function Idle({ store, preview }: { store: Store; preview: BackPreview | undefined }) {
  if (!preview) {
    return (
      <p class="busy" role="status">
        <span class="spinner" /> {l10n.t('Looking at the changes since…')}
      </p>
    );
  }
  const hasFiles = preview.files.length + preview.staged.length > 0;
  const choices: readonly [What, string][] = hasFiles
    ? [
        ['all', l10n.t('Talk and Files')],
        ['talk', l10n.t('Talk Alone')],
        ['files', l10n.t('Files Alone')],
      ]
    : [['talk', l10n.t('Talk Alone')]];
  return (
    <>
      <Effect store={store} preview={preview} />
      <div class="answers">
        {choices.map(([what, label], index) => (
          <button
            type="button"
            key={what}
            class={index === 0 ? '' : 'secondary'}
            ref={index === 0 ? focusInCard : undefined}
            onClick={() => void store.wayBack.go(what)}
          >
            {label}
          </button>
        ))}
        <Cancel store={store} />
      </div>
    </>
  );
}

function Cancel({ store }: { store: Store }) {
  return (
    <button type="button" class="secondary" onClick={() => store.wayBack.cancel()}>
      {l10n.t('Cancel')}
    </button>
  );
}

function Effect({ store, preview }: { store: Store; preview: BackPreview }) {
  const roots = store.conversation?.info.roots ?? [];
  const { prompts, effects } = preview;
  const files = preview.files.toSorted((one, other) => RANKS[one.status] - RANKS[other.status]);
  const staged = preview.staged.filter((uri) => !files.some((file) => file.uri === uri));
  return (
    <div class="way-back-effect" tabIndex={0} role="group" aria-label={l10n.t('Effect of going back')}>
      <p>
        {prompts === 1
          ? l10n.t('Talk: hides this prompt with its answer.')
          : l10n.t('Talk: hides {0} prompts with the answers.', prompts)}
      </p>
      <p>{files.length === 0 ? l10n.t('Files: nothing to restore.') : l10n.t('Files before this prompt:')}</p>
      {files.length > 0 && (
        <ul class="files">
          {files.map((file) => (
            <li key={file.uri}>
              <FileEffect file={file} roots={roots} />
            </li>
          ))}
        </ul>
      )}
      {staged.length > 0 && (
        <>
          <p>{l10n.t('Not written yet, and leaves the changes to review:')}</p>
          <ul class="files">
            {staged.map((uri) => (
              <li key={uri}>{spelledOut(nameIn(uri, roots))}</li>
            ))}
          </ul>
        </>
      )}
      {effects.length > 0 && (
        <>
          <p>{l10n.t('Stays, as Placet cannot undo it:')}</p>
          <ul class="files">
            {effects.map(({ text }, index) => (
              <li key={index}>{spelledOut(text)}</li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

/** Order of the files in the list: files that stay come first. */
const RANKS: Record<BackFile['status'], number> = { conflict: 0, restored: 1, unchanged: 2 };

function FileEffect({ file, roots }: { file: BackFile; roots: readonly string[] }) {
  const { uri, status, reason, additions, deletions } = file;
  const name = spelledOut(nameIn(uri, roots));
  return (
    <>
      <button type="button" class="link" title={name} onClick={() => post({ type: 'openFile', path: uri })}>
        {spelledOut(lastName(uri))}
      </button>
      {status === 'restored' && <Counts files={[{ uri, kind: 'modify', additions, deletions }]} />}
      {status === 'conflict' && (
        <span class="conflict" title={reason}>
          {l10n.t('stays: {0}', spelledOut(firstLine(reason ?? l10n.t('you changed the same lines'))))}
        </span>
      )}
      {status === 'unchanged' && <span class="hint">{l10n.t('already as before')}</span>}
    </>
  );
}

/** Moves the focus to the card when the card appears. */
function focusOnce(card: HTMLElement | null): void {
  if (card && !card.dataset.seen) {
    card.dataset.seen = 'true';
    // The choice within may have the focus already: it is there before the card when both appear at once.
    if (!card.contains(document.activeElement)) {
      card.focus();
    }
    card.scrollIntoView({ block: 'nearest' });
  }
}

/** Shows the whole card, and moves the focus from the card to the first choice, unless the user has left the card. */
function focusInCard(choice: HTMLElement | null): void {
  const card = choice?.closest<HTMLElement>('.way-back');
  if (choice && card && (card === document.activeElement || !card.dataset.seen)) {
    choice.focus();
  }
  card?.scrollIntoView({ block: 'nearest' });
}
