/** What the view itself can do with a session, by `/name` in the prompt and from its menu. */
import type { PageCommand } from '../src/chat/messages';

export interface Command {
  name: PageCommand;
  description: string;
  /** It needs no session. */
  isAlways?: boolean;
}

export const COMMANDS: readonly Command[] = [
  { name: 'new', description: 'Begin a new session', isAlways: true },
  { name: 'sessions', description: 'Open another session', isAlways: true },
  { name: 'attach', description: 'Attach files or images', isAlways: true },
  { name: 'agents', description: 'Choose who answers', isAlways: true },
  { name: 'models', description: 'Choose the model', isAlways: true },
  { name: 'compact', description: 'Sum up the conversation for the model, to make room' },
  { name: 'undo', description: 'Take back what the last turn did to files' },
  { name: 'redo', description: 'Take back the last undo' },
  { name: 'rename', description: 'Give the session a title' },
  { name: 'fork', description: 'Go on in a copy of this session' },
  { name: 'transcript', description: 'Show the conversation as a document' },
  { name: 'export', description: 'Save the session as Markdown' },
  { name: 'delete', description: 'Delete the session' },
  { name: 'stop', description: 'Stop the running turn' },
];
