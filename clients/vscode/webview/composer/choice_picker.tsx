/** Picker of a choice of the composer: agent, model, effort, review mode, or how careful the session is. */
import * as l10n from '@vscode/l10n';
import { cautionChoices } from '../../src/sessions/caution_choices';
import { effortChoices } from '../../src/sessions/effort_choices';
import { reviewModeChoices } from '../../src/sessions/review_mode_choices';
import { type Choice, Picker } from '../controls/picker';
import { type Choosable, type Current, modelInfo } from '../state/choosing';
import type { Store } from '../state/store';
import { agents, models, ownModel } from './agent_or_model';

interface Props {
  store: Store;
  kind: Choosable;
  current: Current;
  onPick: (id: string) => void;
  onClose: () => void;
}

export function ChoicePicker({ store, kind, current, onPick, onClose }: Props) {
  return (
    <Picker
      key={kind}
      label={LABELS[kind]}
      choices={choicesOf(store, kind, current)}
      empty={l10n.t('No matches')}
      own={kind === 'model' ? ownModel : undefined}
      isExplained={kind === 'effort' || kind === 'review' || kind === 'caution'}
      side="above"
      onClose={onClose}
      onPick={(choice) => {
        onClose();
        onPick(choice.id);
      }}
    />
  );
}

const LABELS: Record<Choosable, string> = {
  agent: l10n.t('Select Agent'),
  model: l10n.t('Select Model'),
  effort: l10n.t('Select Effort'),
  review: l10n.t('Select Review Mode'),
  caution: l10n.t('Select How Careful'),
};

function choicesOf(store: Store, kind: Choosable, current: Current): Choice[] {
  switch (kind) {
    case 'agent':
      return agents(store, current.agent);
    case 'model':
      return models(store, current.model);
    case 'effort':
      return effortChoices(modelInfo(store, current.model), current.effort).map((choice) => ({
        ...choice,
        isCurrent: choice.effort === current.effort,
      }));
    case 'review':
      return reviewModeChoices().map(({ mode, label, detail }) => ({
        id: mode,
        label,
        detail,
        isCurrent: mode === current.review,
      }));
    case 'caution':
      return cautionChoices().map(({ caution, label, detail }) => ({
        id: caution,
        label,
        detail,
        isCurrent: caution === current.caution,
      }));
  }
}
