/** Commands of the view on a session, by `/name` in the prompt and from the menu. */
import * as l10n from '@vscode/l10n';
import type { PageCommand } from '../../src/chat/messages';

export interface Command {
  name: PageCommand;
  description: string;
  /** True if the command needs no session. */
  isAlways?: boolean;
}

export const COMMANDS: readonly Command[] = [
  { name: 'new', description: l10n.t('Start a new session'), isAlways: true },
  { name: 'sessions', description: l10n.t('Open another session'), isAlways: true },
  { name: 'attach', description: l10n.t('Attach files or images'), isAlways: true },
  { name: 'agents', description: l10n.t('Select the agent'), isAlways: true },
  { name: 'models', description: l10n.t('Select the model'), isAlways: true },
  { name: 'effort', description: l10n.t('Select how much the model thinks'), isAlways: true },
  { name: 'review-mode', description: l10n.t('Select the review mode'), isAlways: true },
  { name: 'caution', description: l10n.t('Select how careful the session is'), isAlways: true },
  { name: 'compact', description: l10n.t('Compact the conversation to free context') },
  { name: 'undo', description: l10n.t("Undo the last turn's changes to files") },
  { name: 'redo', description: l10n.t('Redo the undone changes') },
  { name: 'back', description: l10n.t('Go back to an earlier prompt, in talk and files') },
  { name: 'rename', description: l10n.t('Rename the session') },
  { name: 'fork', description: l10n.t('Continue in a copy of the session') },
  { name: 'transcript', description: l10n.t('Show the conversation as a document') },
  { name: 'export', description: l10n.t('Save the session as Markdown') },
  { name: 'delete', description: l10n.t('Delete the session') },
  { name: 'stop', description: l10n.t('Stop the running turn') },
];
