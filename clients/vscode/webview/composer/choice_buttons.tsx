/** Buttons of the composer's choices, each with the present choice in a word. */
import * as l10n from '@vscode/l10n';
import { cautionChoices } from '../../src/sessions/caution_choices';
import { effortWord, hasEffort } from '../../src/sessions/effort_choices';
import { reviewModeChoices } from '../../src/sessions/review_mode_choices';
import { Icon, type IconName } from '../controls/icons';
import { type Choosable, type Current, modelInfo } from '../state/choosing';
import type { Store } from '../state/store';

interface Props {
  store: Store;
  current: Current;
  onPicker: (kind: Choosable) => void;
}

export function ChoiceButtons({ store, current, onPicker }: Props) {
  const { agent, model, effort, review, caution } = current;
  const mode = reviewModeChoices().find((choice) => choice.mode === review);
  const careful = cautionChoices().find((choice) => choice.caution === caution);
  const button = (kind: Choosable, name: string, word: string, title: string, icon?: IconName, isQuiet = false) => (
    <button
      type="button"
      class={`chip-button ${kind}`}
      aria-haspopup="listbox"
      title={`${name} ${title}`}
      onClick={() => onPicker(kind)}
    >
      {icon && <Icon name={icon} />}
      <span class="unseen">{name} </span>
      <span class={isQuiet ? 'unseen' : 'word'}>{word}</span>
    </button>
  );
  return (
    <>
      {button('agent', l10n.t('Agent:'), agent ?? l10n.t('agent'), agent ?? '')}
      {button('model', l10n.t('Model:'), shortName(model) ?? l10n.t('model'), model ?? '')}
      {model !== undefined &&
        hasEffort(modelInfo(store, model)) &&
        button('effort', l10n.t('Effort:'), effortWord(effort), effortWord(effort), 'thought', effort === undefined)}
      {mode && button('review', l10n.t('Review mode:'), mode.word, mode.label, 'check')}
      {careful &&
        button('caution', l10n.t('How careful:'), careful.word, careful.label, 'shield', caution === 'default')}
    </>
  );
}

/** Returns the name of a model without the provider. */
function shortName(model: string | undefined): string | undefined {
  return model?.split('/').at(-1) || model;
}
