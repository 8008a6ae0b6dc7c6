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
  { name: 'new', description: l10n.t('Begin a new session'), isAlways: true },
  { name: 'sessions', description: l10n.t('Open another session'), isAlways: true },
  { name: 'attach', description: l10n.t('Attach files or images'), isAlways: true },
  { name: 'agents', description: l10n.t('Choose who answers'), isAlways: true },
  { name: 'models', description: l10n.t('Choose the model'), isAlways: true },
  { name: 'compact', description: l10n.t('Sum up the conversation for the model, to make room') },
  { name: 'undo', description: l10n.t('Take back what the last turn did to files') },
  { name: 'redo', description: l10n.t('Take back the last undo') },
  { name: 'rename', description: l10n.t('Give the session a title') },
  { name: 'fork', description: l10n.t('Go on in a copy of this session') },
  { name: 'transcript', description: l10n.t('Show the conversation as a document') },
  { name: 'export', description: l10n.t('Save the session as Markdown') },
  { name: 'delete', description: l10n.t('Delete the session') },
  { name: 'stop', description: l10n.t('Stop the running turn') },
];
