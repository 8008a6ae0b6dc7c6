/** Numbers of things in words, in the singular or the plural. Pure. */
import * as l10n from '@vscode/l10n';

export function hunkCount(count: number): string {
  return count === 1 ? l10n.t('1 hunk') : l10n.t('{0} hunks', count);
}

export function fileCount(count: number): string {
  return count === 1 ? l10n.t('1 file') : l10n.t('{0} files', count);
}

export function lineCount(count: number): string {
  return count === 1 ? l10n.t('1 line') : l10n.t('{0} lines', count);
}

/** Returns the number of hunks and files that wait for the user's decision. */
export function toReview(hunks: number, files: number): string {
  return l10n.t('{0} in {1} to review', hunkCount(hunks), fileCount(files));
}

export function toReviewIn(files: number, session: string): string {
  return l10n.t('{0} to review in “{1}”', fileCount(files), session);
}

export function pendingCount(count: number): string {
  return count === 1 ? l10n.t('1 pending request') : l10n.t('{0} pending requests', count);
}

export function toolCount(count: number): string {
  return count === 1 ? l10n.t('1 tool') : l10n.t('{0} tools', count);
}

export function promptCount(count: number): string {
  return count === 1 ? l10n.t('1 prompt') : l10n.t('{0} prompts', count);
}

export function resourceCount(count: number): string {
  return count === 1 ? l10n.t('1 resource') : l10n.t('{0} resources', count);
}
