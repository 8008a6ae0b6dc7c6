/** Card of questions of the agent: the questions with their options, and the answer always in view. */
import * as l10n from '@vscode/l10n';
import { useState } from 'preact/hooks';
import type { PendingRequest } from '../../src/permissions/pending_requests';
import { plain, shownLines } from '../../src/ui/plain_text';
import type { Question as AskedQuestion } from '../../src/wire';
import { Icon } from '../controls/icons';
import { post } from '../state/host';
import { CardHead, type Pager } from './card_head';

export function QuestionCard({ ask, pager }: { ask: Extract<PendingRequest, { kind: 'question' }>; pager: Pager }) {
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
      <CardHead title={plain(questions[0]?.header ?? '')} pager={pager} />
      <form class="ask-form" onSubmit={send}>
        <div class="ask-body" tabIndex={0} role="group" aria-label={l10n.t('Question')}>
          {questions.map((question, index) => (
            <Question
              key={index}
              name={`${ask.id}-${index}`}
              question={question}
              chosen={answers[index] ?? []}
              onChoose={(labels) => set(index, labels)}
            />
          ))}
        </div>
        <div class="answers">
          <button type="submit" class="primary" disabled={!isComplete}>
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
  const isAlone = labels.length === 0;
  const typed = {
    autocomplete: 'off',
    'aria-label': isAlone ? l10n.t('Your answer') : l10n.t('Your own answer'),
    placeholder: isAlone ? l10n.t('Type your answer') : l10n.t('Or type your own answer'),
    value: own,
    onInput: (event: { currentTarget: HTMLInputElement }) => {
      const text = event.currentTarget.value;
      onChoose([...(question.multiple ? kept : []), ...(text === '' ? [] : [text])]);
    },
  } as const;
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
      {question.custom && (question.secret ? <input type="password" {...typed} /> : <input type="text" {...typed} />)}
    </fieldset>
  );
}
