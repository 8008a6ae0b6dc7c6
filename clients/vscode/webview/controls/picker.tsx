/** List of choices with a filter: for sessions, agents, models and commands. */
import * as l10n from '@vscode/l10n';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { best } from './matches';

export interface Choice {
  id: string;
  label: string;
  detail?: string | undefined;
  isCurrent?: boolean;
}

interface Props {
  label: string;
  choices: readonly Choice[];
  /** Text that is shown without any choice. */
  empty: string;
  onPick: (choice: Choice) => void;
  onClose: () => void;
  /** Searches outside the list as well, such as for sessions by message text. */
  onQuery?: (query: string) => void;
  /** Returns a choice made of the typed text. */
  own?: ((query: string) => Choice | undefined) | undefined;
  /** True if the details are sentences, below the labels. */
  isExplained?: boolean;
  side: 'above' | 'below';
}

export function Picker({ label, choices, empty, onPick, onClose, onQuery, own, isExplained, side }: Props) {
  const [query, setQuery] = useState('');
  const [place, setPlace] = useState(() => Math.max(0, choices.findIndex(isCurrent)));
  const input = useRef<HTMLInputElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const matches = onQuery ? choices.slice(0, 100) : best(choices, query, nameOf, 100);
  const typed = matches.some((choice) => choice.id === query.trim()) ? undefined : own?.(query);
  const shown = typed ? [...matches, typed] : matches;
  const current = Math.min(place, Math.max(0, shown.length - 1));
  // Before the next key: an effect after the drawing of a slow page would leave the first letters to the button.
  useLayoutEffect(() => input.current?.focus(), []);
  useEffect(
    () => box.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' }),
    [current, query],
  );
  const pressed = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const choice = shown[current];
    if (step !== undefined && shown.length > 0) {
      setPlace((current + step + shown.length) % shown.length);
    } else if (event.key === 'Enter' && choice) {
      onPick(choice);
    } else if (event.key === 'Escape' || event.key === 'Tab') {
      onClose();
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <>
      <div class="backdrop" onMouseDown={onClose} />
      <div class={`picker ${side} ${isExplained ? 'explained' : ''}`} ref={box}>
        <input
          ref={input}
          type="text"
          role="combobox"
          aria-label={label}
          aria-expanded="true"
          aria-controls="choices"
          aria-autocomplete="list"
          aria-activedescendant={shown.length > 0 ? `choice-${current}` : undefined}
          placeholder={label}
          value={query}
          onInput={(event) => {
            setQuery(event.currentTarget.value);
            setPlace(0);
            onQuery?.(event.currentTarget.value);
          }}
          onKeyDown={pressed}
        />
        <Options label={label} choices={shown} current={current} empty={empty} onPick={onPick} />
      </div>
    </>
  );
}

interface OptionsProps extends Pick<Props, 'label' | 'choices' | 'empty' | 'onPick'> {
  /** Index of the selected choice. */
  current: number;
}

function Options({ label, choices, current, empty, onPick }: OptionsProps) {
  return (
    <ul id="choices" role="listbox" aria-label={label}>
      {choices.map((choice, index) => (
        <li
          key={choice.id}
          id={`choice-${index}`}
          role="option"
          aria-selected={index === current}
          onClick={() => onPick(choice)}
        >
          <span class="choice-label">{choice.label}</span>
          {choice.isCurrent && <span class="hint">{l10n.t('current')}</span>}
          {choice.detail !== undefined && <span class="choice-detail">{choice.detail}</span>}
        </li>
      ))}
      {choices.length === 0 && (
        <li role="option" aria-selected="false" aria-disabled="true" class="hint">
          {empty}
        </li>
      )}
    </ul>
  );
}

function isCurrent(choice: Choice): boolean {
  return choice.isCurrent === true;
}

function nameOf(choice: Choice): string {
  return choice.label;
}
