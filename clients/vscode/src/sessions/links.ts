/** Sessions named outside the extension: in a link to VS Code, and in a terminal. Pure. */

const SESSION = /\bses_[0-9A-Za-z]{8,}\b/g;

export type Linked = { kind: 'session'; id: string } | { kind: 'answer' } | { kind: 'chat' };

/**
 * Returns the target of `vscode://placet.placet/…`: `/session/ses_…`, `/answer`, `/chat`; undefined for other paths.
 */
export function linked(path: string): Linked | undefined {
  const [, name, id] = path.split('/');
  if (name === 'session' && id && new RegExp(`^${SESSION.source}$`).test(id)) {
    return { kind: 'session', id };
  }
  return name === 'answer' || name === 'chat' ? { kind: name } : undefined;
}

/** Returns the places of session names in a line of a terminal. */
export function sessionsIn(line: string): { id: string; startIndex: number; length: number }[] {
  return [...line.matchAll(SESSION)].map((match) => ({
    id: match[0],
    startIndex: match.index,
    length: match[0].length,
  }));
}

/** Returns the command line of Placet with these words. */
export function placetCommand(command: readonly string[], words: readonly string[]): string {
  const program = command.filter((word) => word !== '--stdio').map(quoted);
  return [...program, ...words].join(' ');
}

/** Returns `placet run --session ses_…`, or `--continue` for the last session of the folder. */
export function commandLine(command: readonly string[], sessionId: string | undefined): string {
  return placetCommand(command, ['run', ...(sessionId ? ['--session', sessionId] : ['--continue'])]);
}

function quoted(word: string): string {
  return /^[\w@%+=:,./\\-]+$/.test(word) ? word : `"${word.replace(/(["$`])/g, '\\$1')}"`;
}
