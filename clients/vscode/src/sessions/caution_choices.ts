/** How careful a session is, in plain words. Pure. */
import * as l10n from '@vscode/l10n';
import type { SetCaution } from '../wire';

export type Caution = SetCaution['caution'];

export interface CautionChoice {
  caution: Caution;
  label: string;
  /** Word for a button. */
  word: string;
  detail: string;
}

export function cautionChoices(): CautionChoice[] {
  return [
    {
      caution: 'more',
      label: l10n.t('Ask before every act'),
      word: l10n.t('Careful'),
      detail: l10n.t('Also what a rule, an earlier answer or the sandbox would allow.'),
    },
    {
      caution: 'default',
      label: l10n.t('Ask where it matters'),
      word: l10n.t('Standard'),
      detail: l10n.t('Your rules and earlier answers decide, and the sandbox where there is one.'),
    },
    {
      caution: 'less',
      label: l10n.t('Ask less'),
      word: l10n.t('Relaxed'),
      detail: l10n.t('Web pages and searches are not asked; an address can carry text away.'),
    },
  ];
}

/** Returns the caution of a written name; undefined for any other text. */
export function cautionOf(name: unknown): Caution | undefined {
  return name === 'more' || name === 'default' || name === 'less' ? name : undefined;
}
