/** Text of a session's events for the editor's own chat. Pure. */
import * as l10n from '@vscode/l10n';
import { fileCount } from '../ui/counts';
import type { Update } from '../wire';

export type UpdateText = { kind: 'text' | 'progress'; text: string };

/**
 * Returns the text of an event, or undefined for a hidden event; thinking and the output of tools stay in Placet's own
 * view.
 */
export function updateText(update: Update): UpdateText | undefined {
  switch (update.kind) {
    case 'agent_message_chunk':
      return { kind: 'text', text: update.text };
    case 'tool_call_update': {
      const { state, tool } = update.part;
      return state.status === 'running' ? { kind: 'progress', text: state.title || tool } : undefined;
    }
    case 'change_proposed':
      return { kind: 'progress', text: l10n.t('Waiting for your review of {0}', fileCount(update.files.length)) };
    case 'retry':
      return { kind: 'progress', text: update.error.message };
    default:
      return undefined;
  }
}
