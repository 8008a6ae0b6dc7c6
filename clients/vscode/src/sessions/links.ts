/** Sessions named elsewhere: in a link to VS Code, and in what a terminal shows. Pure. */

const SESSION = /\bses_[0-9A-Za-z]{8,}\b/g;

export type Linked = { kind: 'session'; id: string } | { kind: 'answer' } | { kind: 'chat' };

/** What `vscode://placet.placet/…` asks for: `/session/ses_…`, `/answer`, `/chat`; undefined for anything else. */
export function linked(path: string): Linked | undefined {
  const [, name, id] = path.split('/');
  if (name === 'session' && id && new RegExp(`^${SESSION.source}$`).test(id)) {
    return { kind: 'session', id };
  }
  return name === 'answer' || name === 'chat' ? { kind: name } : undefined;
}

/** Where a line of a terminal names sessions. */
export function sessionsIn(line: string): { id: string; startIndex: number; length: number }[] {
  return [...line.matchAll(SESSION)].map((match) => ({
    id: match[0],
    startIndex: match.index,
    length: match[0].length,
  }));
}

/** `placet run --session ses_…`, or `--continue` for the last one of the folder. */
export function commandLine(command: readonly string[], sessionId: string | undefined): string {
  const program = command.filter((word) => word !== '--stdio').map(quoted);
  return [...program, 'run', ...(sessionId ? ['--session', sessionId] : ['--continue'])].join(' ');
}

function quoted(word: string): string {
  return /^[\w@%+=:,./\\-]+$/.test(word) ? word : `"${word.replace(/(["$`])/g, '\\$1')}"`;
}
