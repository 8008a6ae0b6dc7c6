/** Pending requests as cards: the request, the reason, and the possible answers. */
import * as l10n from '@vscode/l10n';
import { useState } from 'preact/hooks';
import type { PendingRequest } from '../../src/permissions/pending_requests';
import { plain, shortened, shownLines, spelledOut } from '../../src/ui/plain_text';
import type { AlwaysOffer, Question as AskedQuestion, FileOfChange, Permission } from '../../src/wire';
import { Counts } from '../conversation/tool';
import { Icon } from '../icons';
import { post } from '../state/host';
import { lastName } from '../state/names';

export function RequestCard({ ask }: { ask: PendingRequest }) {
  return ask.kind === 'permission' ? <PermissionCard ask={ask} /> : <QuestionCard ask={ask} />;
}

const SCOPES: Record<AlwaysOffer['scope'], string> = {
  session: l10n.t('Always in this session'),
  project: l10n.t('Always in this project'),
  user: l10n.t('Always in all projects'),
};
const ACTIONS = { allow: l10n.t('allowed'), ask: l10n.t('asked'), deny: l10n.t('denied') } as const;
const KINDS: Record<FileOfChange['kind'], string> = {
  create: l10n.t('new file'),
  modify: '',
  delete: l10n.t('deleted file'),
  rename: l10n.t('renamed file'),
};

/** Longest text of the patterns in a button; the tooltip shows all of a longer text. */
const PATTERN_CHARACTERS = 40;

function PermissionCard({ ask }: { ask: Extract<PendingRequest, { kind: 'permission' }> }) {
  const { request } = ask;
  const [isRejecting, setRejecting] = useState(false);
  const [reason, setReason] = useState('');
  const answer = (given: Permission) => post({ type: 'answer', id: ask.id, answer: given });
  const reject = () => answer({ outcome: 'reject', ...(reason.trim() !== '' && { feedback: reason.trim() }) });
  const files = request.change?.files ?? [];
  return (
    <section class="ask" aria-label={l10n.t('Permission request: {0}', plain(request.title))}>
      {request.origin.length > 0 && <p class="origin">{plain(request.origin.join(' › '))}</p>}
      {request.command !== undefined && (
        <pre class="command">
          {shownLines(request.command).map((line, index) => (
            <code key={index}>{line}</code>
          ))}
        </pre>
      )}
      {(request.command === undefined || request.permission !== 'bash') && <h2>{plain(request.title)}</h2>}
      {request.url !== undefined && <p class="url">{spelledOut(request.url)}</p>}
      {request.arguments !== undefined && (
        <pre class="arguments" tabIndex={0}>
          {request.arguments.split('\n').map(spelledOut).join('\n')}
        </pre>
      )}
      {request.note !== undefined && <p>{plain(request.note)}</p>}
      {request.parts.length > 1 && (
        <ul class="parts">
          {request.parts.map((part, index) => (
            <li key={index}>
              <span class={`verdict ${part.action}`}>{ACTIONS[part.action]}</span>{' '}
              <code>{spelledOut(part.pattern)}</code>{' '}
              <span class="hint">
                <Words text={plain(part.by)} />
              </span>
            </li>
          ))}
        </ul>
      )}
      {files.length > 0 && (
        <ul class="files">
          {files.map((file) => (
            <li key={file.uri}>
              {lastName(file.newUri ?? file.uri)} <span class="hint">{KINDS[file.kind]}</span>
              <Counts files={[{ ...file, ...lineCounts(file) }]} />
            </li>
          ))}
        </ul>
      )}
      <p class="hint">
        <Words text={l10n.t('Rule: {0}', plain(request.rule))} />
      </p>
      {request.description !== undefined && <p class="quote">{plain(request.description)}</p>}
      {isRejecting ? (
        <form
          class="reason"
          onSubmit={(event) => {
            event.preventDefault();
            reject();
          }}
        >
          <input
            type="text"
            aria-label={l10n.t('Reason for the rejection')}
            placeholder={l10n.t('What to do instead')}
            value={reason}
            ref={(element) => element?.focus()}
            onInput={(event) => setReason(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === 'Escape') {
                event.stopPropagation();
                setRejecting(false);
              }
            }}
          />
          <button type="submit">{l10n.t('Reject')}</button>
        </form>
      ) : (
        <div class="answers">
          {files.length > 0 && (
            <button type="button" onClick={() => post({ type: 'review', id: ask.id })}>
              {l10n.t('Review')}
            </button>
          )}
          <button type="button" class={files.length > 0 ? 'secondary' : ''} onClick={() => answer({ outcome: 'once' })}>
            {files.length > 0 ? l10n.t('Accept all') : l10n.t('Allow once')}
          </button>
          {request.always.map((offer) => (
            <button
              type="button"
              key={offer.scope}
              class="secondary"
              title={l10n.t('Allows {0}', offer.patterns.map(spelledOut).join(', '))}
              onClick={() => answer({ outcome: 'always', scope: offer.scope })}
            >
              {SCOPES[offer.scope]}: {shortened(offer.patterns.map(spelledOut).join(', '), PATTERN_CHARACTERS)}
            </button>
          ))}
          <button type="button" class="secondary" onClick={reject}>
            {l10n.t('Reject')}
          </button>
          <button type="button" class="secondary" onClick={() => setRejecting(true)}>
            {l10n.t('Reject because…')}
          </button>
        </div>
      )}
    </section>
  );
}

/** Shows text in backticks as code. */
function Words({ text }: { text: string }) {
  return <>{text.split('`').map((piece, index) => (index % 2 === 1 ? <code key={index}>{piece}</code> : piece))}</>;
}

function lineCounts(file: FileOfChange): { additions: number; deletions: number } {
  return {
    additions: file.hunks.reduce((sum, hunk) => sum + hunk.newLines.length, 0),
    deletions: file.hunks.reduce((sum, hunk) => sum + hunk.oldLines.length, 0),
  };
}

function QuestionCard({ ask }: { ask: Extract<PendingRequest, { kind: 'question' }> }) {
  const { questions } = ask.request;
  const [answers, setAnswers] = useState<readonly (readonly string[])[]>(questions.map(() => []));
  const set = (index: number, labels: readonly string[]) =>
    setAnswers(answers.map((old, place) => (place === index ? labels : old)));
  const isComplete = answers.every((labels) => labels.some((label) => label.trim() !== ''));
  const send = (event: Event) => {
    event.preventDefault();
    const given = answers.map((labels) => labels.filter((label) => label.trim() !== ''));
    post({ type: 'answer', id: ask.id, answer: { answers: given } });
  };
  return (
    <section class="ask" aria-label={l10n.t('Question: {0}', plain(questions[0]?.question ?? ''))}>
      <form onSubmit={send}>
        {questions.map((question, index) => (
          <Question
            key={index}
            name={`${ask.id}-${index}`}
            question={question}
            chosen={answers[index] ?? []}
            onChoose={(labels) => set(index, labels)}
          />
        ))}
        <div class="answers">
          <button type="submit" disabled={!isComplete}>
            <Icon name="check" /> {l10n.t('Answer')}
          </button>
          <button
            type="button"
            class="secondary"
            onClick={() => post({ type: 'answer', id: ask.id, answer: { answers: null } })}
          >
            {l10n.t('Decline')}
          </button>
        </div>
      </form>
    </section>
  );
}

interface QuestionProps {
  name: string;
  question: AskedQuestion;
  chosen: readonly string[];
  onChoose: (labels: readonly string[]) => void;
}

function Question({ name, question, chosen, onChoose }: QuestionProps) {
  const labels = question.options.map((option) => option.label);
  const own = chosen.find((label) => !labels.includes(label)) ?? '';
  const kept = chosen.filter((label) => labels.includes(label));
  const toggle = (label: string) => {
    if (!question.multiple) {
      onChoose([label]);
    } else {
      onChoose(chosen.includes(label) ? chosen.filter((choice) => choice !== label) : [...chosen, label]);
    }
  };
  return (
    <fieldset>
      <legend>{shownLines(question.question).join('\n')}</legend>
      {question.options.map((option) => (
        <label key={option.label}>
          <input
            type={question.multiple ? 'checkbox' : 'radio'}
            name={name}
            checked={chosen.includes(option.label)}
            onChange={() => toggle(option.label)}
          />
          <span>
            {plain(option.label)} {option.description !== '' && <span class="hint">{plain(option.description)}</span>}
          </span>
        </label>
      ))}
      {question.custom && (
        <input
          type="text"
          aria-label={l10n.t('Your own answer')}
          placeholder={l10n.t('Or type your own answer')}
          value={own}
          onInput={(event) => {
            const text = event.currentTarget.value;
            onChoose([...(question.multiple ? kept : []), ...(text === '' ? [] : [text])]);
          }}
        />
      )}
    </fieldset>
  );
}
