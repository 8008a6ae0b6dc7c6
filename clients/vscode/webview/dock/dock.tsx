/** Dock between the conversation and the prompt: problems, todo list, waiting prompts, and pending requests. */
import * as l10n from '@vscode/l10n';
import { toReviewIn } from '../../src/ui/counts';
import { Icon } from '../controls/icons';
import { post } from '../state/host';
import { textOf } from '../state/names';
import type { Store } from '../state/store';
import { Problem } from './problem';
import { RequestCards } from './request_card';
import { Todo } from './todo';
import { WayBackCard, WayForward } from './way_back';

export function Dock({ store }: { store: Store }) {
  const { conversation, asks } = store;
  return (
    <div class="dock">
      <div class="dock-rest">
        <Problem store={store} />
        {conversation && conversation.plan.length > 0 && <Todo entries={conversation.plan} />}
        <Queued store={store} />
        <ToReview store={store} />
        <ToReviewElsewhere store={store} />
        {asks.others.length > 0 && <Elsewhere store={store} />}
        <WayForward store={store} />
        <WayBackCard store={store} />
        {conversation?.info.parentId !== undefined && (
          <div class="note info">
            <p>{l10n.t('Session of the subagent {0}.', conversation.info.agent)}</p>
            <button type="button" class="secondary" onClick={() => store.open(conversation.info.parentId ?? '')}>
              {l10n.t('Back to Session')}
            </button>
          </div>
        )}
      </div>
      <RequestCards asks={asks.own} roots={conversation?.info.roots ?? []} />
    </div>
  );
}

/** Shows how many changes wait for the user's decision, with the way to the changes. */
function ToReview({ store }: { store: Store }) {
  const { conversation, toReview: text } = store;
  if (!text || !conversation || conversation.info.parentId !== undefined) {
    return null;
  }
  return (
    <div class="note info" role="status">
      <p>{text}</p>
      <button type="button" class="secondary" onClick={() => post({ type: 'remedy', name: 'review' })}>
        {l10n.t('Review')}
      </button>
    </div>
  );
}

/** Shows that another session has undecided changes, with the way to the session. */
function ToReviewElsewhere({ store }: { store: Store }) {
  const others = (store.review?.others ?? []).filter(({ sessionId }) => sessionId !== store.conversation?.info.id);
  const [first] = others;
  if (!first) {
    return null;
  }
  return (
    <div class="note info" role="status">
      <p>
        {toReviewIn(first.files, first.title)}
        {others.length === 2 && ` ${l10n.t('1 more session with changes to review.')}`}
        {others.length > 2 && ` ${l10n.t('{0} more sessions with changes to review.', others.length - 1)}`}
      </p>
      <button type="button" class="secondary" onClick={() => store.open(first.sessionId)}>
        {l10n.t('Open Session')}
      </button>
    </div>
  );
}

function Queued({ store }: { store: Store }) {
  const { queued, queuedElsewhere } = store;
  if (queued.length + queuedElsewhere.length === 0) {
    return null;
  }
  return (
    <ul class="queued" aria-label={l10n.t('Queued prompts')}>
      {queued.map((waiting) => {
        const text = textOf(waiting.params.parts) || l10n.t('Attached files');
        return (
          <li key={waiting.id}>
            <span class="queued-text">
              <span class="hint">{l10n.t('Next:')}</span> {text}
            </span>
            <button
              type="button"
              class="quiet"
              title={l10n.t('Add to the running turn')}
              aria-label={l10n.t('Steer with: {0}', text)}
              onClick={() => store.withdraw(waiting, 'steer')}
            >
              <Icon name="send" />
            </button>
            <button
              type="button"
              class="quiet"
              title={l10n.t('Edit Prompt')}
              aria-label={l10n.t('Edit: {0}', text)}
              onClick={() => store.withdraw(waiting, 'edit')}
            >
              <Icon name="edit" />
            </button>
            <button
              type="button"
              class="quiet"
              title={l10n.t('Remove from Queue')}
              aria-label={l10n.t('Remove: {0}', text)}
              onClick={() => store.withdraw(waiting, 'drop')}
            >
              <Icon name="close" />
            </button>
          </li>
        );
      })}
      {queuedElsewhere.map(({ id, text }) => (
        <li key={id}>
          <span class="queued-text">
            <span class="hint">{l10n.t('Next, sent elsewhere:')}</span> {text || l10n.t('Attached files')}
          </span>
        </li>
      ))}
    </ul>
  );
}

/** Shows a link to another session that waits for the user. */
function Elsewhere({ store }: { store: Store }) {
  const { others } = store.asks;
  const [first] = others;
  const session = store.lists.sessions.find((session) => session.id === first?.request.sessionId);
  return (
    <div class="note info">
      <Icon name="warning" />
      <p>
        {session
          ? l10n.t('“{0}” is waiting for your answer.', session.title)
          : l10n.t('Another session is waiting for your answer.')}
        {others.length > 1 && ` ${l10n.t('{0} more pending.', others.length - 1)}`}
      </p>
      {first && (
        <button type="button" class="secondary" onClick={() => store.open(first.request.sessionId)}>
          {l10n.t('Open Session')}
        </button>
      )}
    </div>
  );
}
