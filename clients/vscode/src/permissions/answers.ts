/** Answers to a permission request, with one name for each act in the chat, in notifications and in pickers. Pure. */
import * as l10n from '@vscode/l10n';
import { spelledOut } from '../ui/plain_text';
import type { AlwaysOffer, Permission, RequestPermission } from '../wire';

export interface Choice {
  label: string;
  /** Patterns or count behind the choice. */
  detail?: string;
  /** Effect of the choice: answers at once, or asks the user for more first. */
  does: { answer: Permission } | { next: 'feedback' | 'review' };
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
  return [
    { label: allowLabel(request), does: { answer: { outcome: 'once' } } },
    ...(isChange(request) ? [{ label: reviewLabel(), does: { next: 'review' as const } }] : []),
    ...alwaysChoices(request),
    { label: rejectLabel(request), does: { answer: { outcome: 'reject' } } },
    { label: feedbackLabel(), does: { next: 'feedback' } },
  ];
}

/** Returns true if the request is about a change whose files are in the change set; a daemon of before has no such. */
export function isChange(request: RequestPermission): boolean {
  return request.changeId !== undefined;
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
