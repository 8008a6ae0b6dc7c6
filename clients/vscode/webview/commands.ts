/** What the view itself can do with a session, by `/name` in the prompt and from its menu. */
import type { PageCommand } from '../src/chat/messages';

export interface Command {
  name: PageCommand | 'redo' | 'delete';
  description: string;
}

export const COMMANDS: readonly Command[] = [
  { name: 'new', description: 'Begin a new session' },
  { name: 'sessions', description: 'Open another session' },
  { name: 'compact', description: 'Sum up the conversation for the model, to make room' },
  { name: 'undo', description: 'Take back what the last turn did to files' },
  { name: 'redo', description: 'Take back the last undo' },
  { name: 'agents', description: 'Choose who answers' },
  { name: 'models', description: 'Choose the model' },
  { name: 'rename', description: 'Give the session a title' },
  { name: 'fork', description: 'Go on in a copy of this session' },
  { name: 'export', description: 'Save the session as Markdown' },
  { name: 'delete', description: 'Delete the session' },
  { name: 'stop', description: 'Stop the running turn' },
];
