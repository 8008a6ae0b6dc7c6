/** Answers to a permission request, with one name for each act in the chat, in notifications and in pickers. Pure. */
import * as l10n from '@vscode/l10n';
import { isTooLarge } from '../diff/large';
import { hunkCount } from '../ui/counts';
import { spelledOut } from '../ui/plain_text';
import type { AlwaysOffer, Permission, RequestPermission } from '../wire';

export interface Choice {
  label: string;
  /** Patterns or count behind the choice. */
  detail?: string;
  /** Effect of the choice: answers at once, or asks the user for more first. */
  does: { answer: Permission } | { next: 'feedback' | 'hunks' | 'show' };
}

/** Returns the name of the answer "yes": the acts on a change are named as in the menus of the review. */
export function allowLabel(request: RequestPermission): string {
  return isChange(request) ? l10n.t('Accept All') : l10n.t('Allow');
}

/** Returns the name of the answer "no". */
export function rejectLabel(request: RequestPermission): string {
  return isChange(request) ? l10n.t('Reject All') : l10n.t('Reject');
}

export function feedbackLabel(): string {
  return l10n.t('Reject with Feedback…');
}

export function reviewLabel(): string {
  return l10n.t('Review');
}

/** Returns the offers that allow the call now and similar calls later. */
export function alwaysChoices(request: RequestPermission): Choice[] {
  return request.always.map((offer) => ({
    label: alwaysLabel(offer.scope),
    detail: offer.patterns.map(spelledOut).join(', '),
    does: { answer: { outcome: 'always', scope: offer.scope } },
  }));
}

/** Returns every possible answer, the most careful "yes" first. */
export function choicesOf(request: RequestPermission): Choice[] {
  const hunks = request.change?.files.flatMap((file) => file.hunks) ?? [];
  const choices: Choice[] = [{ label: allowLabel(request), does: { answer: { outcome: 'once' } } }];
  if (hunks.length > 1 && !request.change?.files.some(isTooLarge)) {
    choices.push({
      label: l10n.t('Choose Hunks…'),
      detail: hunkCount(hunks.length),
      does: { next: 'hunks' },
    });
  }
  if (isChange(request)) {
    choices.push({ label: reviewLabel(), does: { next: 'show' } });
  }
  return [
    ...choices,
    ...alwaysChoices(request),
    { label: rejectLabel(request), does: { answer: { outcome: 'reject' } } },
    { label: feedbackLabel(), does: { next: 'feedback' } },
  ];
}

export function isChange(request: RequestPermission): boolean {
  return (request.change?.files.length ?? 0) > 0;
}

function alwaysLabel(scope: AlwaysOffer['scope']): string {
  switch (scope) {
    case 'session':
      return l10n.t('Allow in This Session');
    case 'project':
      return l10n.t('Allow in This Project');
    case 'user':
      return l10n.t('Allow Everywhere');
  }
}
