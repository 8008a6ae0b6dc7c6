/** The levels of effort, in plain words. Pure. */
import * as l10n from '@vscode/l10n';
import type { ModelInfo, SessionInfo } from '../wire';

export type Effort = NonNullable<SessionInfo['effort']>;
export type Level = Exclude<Effort, number>;

export interface EffortChoice {
  /** Absent for no choice: the agent's effort counts, or the effort of the settings. */
  effort: Effort | undefined;
  /** Name for lists, commands and links. */
  id: string;
  label: string;
  detail: string;
}

const LEVELS: readonly Level[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];
const DEFAULT = 'default';

/**
 * Returns the choices for a model, with the present effort also where the model does not list the effort. A model of
 * unknown levels has every level.
 */
export function effortChoices(model: Pick<ModelInfo, 'efforts'> | undefined, current?: Effort): EffortChoice[] {
  const levels = model?.efforts ?? LEVELS;
  const foreign = current !== undefined && !levels.some((level) => level === current);
  return [
    {
      effort: undefined,
      id: DEFAULT,
      label: l10n.t('Default'),
      detail: l10n.t('As the agent or your settings say, otherwise as the model does'),
    },
    ...LEVELS.filter((level) => levels.includes(level)).map(choiceOf),
    ...(foreign ? [{ ...choiceOf(current), detail: l10n.t('The model does not list this effort.') }] : []),
  ];
}

/** Returns true unless the model is known to have no levels of effort. */
export function hasEffort(model: Pick<ModelInfo, 'efforts'> | undefined): boolean {
  return model?.efforts === undefined || model.efforts.length > 0;
}

/** Returns the effort in a word. */
export function effortWord(effort: Effort | undefined): string {
  switch (effort) {
    case undefined:
      return l10n.t('Default');
    case 'none':
      return l10n.t('No thinking');
    case 'minimal':
      return l10n.t('Minimal');
    case 'low':
      return l10n.t('Low');
    case 'medium':
      return l10n.t('Medium');
    case 'high':
      return l10n.t('High');
    case 'xhigh':
      return l10n.t('Extra high');
    case 'max':
      return l10n.t('Maximal');
    default:
      return l10n.t('{0} tokens', effort);
  }
}

/** Returns the effort of a written name; undefined for any other text. */
export function effortOf(name: string): Effort | undefined {
  const tokens = /^\d+$/.test(name) ? Number(name) : undefined;
  return tokens ?? LEVELS.find((level) => level === name);
}

function choiceOf(effort: Effort): EffortChoice {
  return { effort, id: String(effort), label: effortWord(effort), detail: '' };
}
