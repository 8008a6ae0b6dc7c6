/** Shows what an inline prompt does: in the status bar, and at the lines of the prompt. */
import * as vscode from 'vscode';
import type { Asks, PendingRequest } from '../permissions/pending_requests';
import { showBusy, showWaiting } from '../ui/window';
import { mark } from './prompt_mark';

export interface PromptPlace {
  uri: vscode.Uri;
  range: vscode.Range;
}

/**
 * Shows until disposal that Placet works; while a request of the prompt's own waits for the user, shows that instead,
 * without a spinner.
 */
export function showProgress(
  asks: Asks,
  isOwn: (ask: PendingRequest) => boolean,
  place: PromptPlace | undefined,
): vscode.Disposable {
  let wasWaiting: boolean | undefined;
  let shown: vscode.Disposable | undefined;
  const show = () => {
    const isWaiting = asks.waiting.some(isOwn);
    if (isWaiting !== wasWaiting) {
      wasWaiting = isWaiting;
      shown?.dispose();
      const words = isWaiting ? vscode.l10n.t('Placet is waiting for your answer') : vscode.l10n.t('Placet is working');
      shown = vscode.Disposable.from(
        isWaiting ? showWaiting(words) : showBusy(words),
        ...(place ? [mark(place.uri, place.range, isWaiting ? words : `${words}…`)] : []),
      );
    }
  };
  show();
  const listening = asks.onChange(show);
  return new vscode.Disposable(() => {
    listening.dispose();
    shown?.dispose();
  });
}
