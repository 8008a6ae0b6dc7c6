/** The three ways of reviewing changes, in plain words. Pure. */
import * as l10n from '@vscode/l10n';
import type { SetValues } from '../daemon/listed_settings';
import type { SetReview } from '../wire';

export type Mode = SetReview['review'];

export interface ReviewModeChoice {
  mode: Mode;
  label: string;
  /** Word for a button. */
  word: string;
  detail: string;
  icon: string;
}

export function reviewModeChoices(): ReviewModeChoice[] {
  return [
    {
      mode: 'ask',
      label: l10n.t('Ask before each change'),
      word: l10n.t('Ask'),
      detail: l10n.t('The agent waits, unless your rules or earlier answers allow the edit.'),
      icon: 'comment-unresolved',
    },
    {
      mode: 'stage',
      label: l10n.t('Collect changes for review'),
      word: l10n.t('Collect'),
      detail: l10n.t('You accept edits. What rules or commands write at once is listed as unreviewed.'),
      icon: 'checklist',
    },
    {
      mode: 'apply',
      label: l10n.t('Apply changes, review afterwards'),
      word: l10n.t('Apply'),
      detail: l10n.t('Edits are written at once, protected files excepted. You keep or undo each hunk later.'),
      icon: 'pass',
    },
  ];
}

/** Returns the mode of a setting's value, if the value names a mode. */
export function modeOf(value: unknown): Mode | undefined {
  return value === 'ask' || value === 'stage' || value === 'apply' ? value : undefined;
}

/**
 * Returns the mode by the values of `placet.reviewMode` and of `placet.settings`, whose `review` outweighs the default;
 * undefined if Placet's settings files decide.
 *
 * A workspace only chooses modes that write nothing before the user accepts: its values stand in the project's files.
 */
export function modeOfSettings(reviewMode: SetValues, settings: SetValues, byDefault: unknown): Mode | undefined {
  return modeOf(
    unlessWriting(reviewMode.workspaceValue) ??
      reviewMode.globalValue ??
      unlessWriting(reviewOf(settings.workspaceValue)) ??
      reviewOf(settings.globalValue) ??
      byDefault,
  );
}

function unlessWriting(value: unknown): Mode | undefined {
  return value === 'ask' || value === 'stage' ? value : undefined;
}

function reviewOf(settings: unknown): unknown {
  return (settings as { review?: unknown } | undefined)?.review;
}
