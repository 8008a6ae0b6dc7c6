/** What a tool call says of itself on a screen. Pure. */
import * as l10n from '@vscode/l10n';
import type { ToolPart } from '../../src/wire';

export interface Shown {
  title: string;
  /** A shell command in full. */
  command: string;
  /** The end of it, if it is long. */
  output: string;
  /** All of the output, where `output` is not. */
  more: string;
  /** The first line of why it failed. */
  error: string;
}

/** What the user said with the answer, of a file or of the line of it at which a place begins. */
export interface Word {
  text: string;
  uri?: string | undefined;
  /** 1-based. */
  line?: number | undefined;
}

const LONGEST = 6_000;
const SUBJECTS = ['filePath', 'command', 'pattern', 'query', 'url', 'path', 'description', 'name'];
/** Their output is told by other means: a diff, the subagent's card, the list of things to do. */
const SAID_OTHERWISE = new Set(['edit', 'multiedit', 'write', 'apply_patch', 'task', 'todowrite', 'todoread']);

export function shownTool(part: ToolPart): Shown {
  const { state, tool } = part;
  const input = state.status === 'pending' ? {} : state.input;
  const title = state.status === 'pending' ? '' : state.title;
  const live = state.status === 'pending' ? undefined : state.metadata.output;
  const told = state.status === 'completed' ? state.output : '';
  const output = SAID_OTHERWISE.has(tool) ? '' : typeof live === 'string' ? live : told;
  const failed = state.status === 'error' ? state.error : '';
  const error = failed !== '' && saidOf(part).length > 0 ? l10n.t('You rejected this.') : failed;
  return {
    title: firstLine(title || subject(input)),
    command: tool === 'bash' && typeof input.command === 'string' ? input.command : '',
    output: output.length > LONGEST ? `…${output.slice(-LONGEST)}` : output,
    more: output.length > LONGEST ? output : '',
    error: firstLine(error),
  };
}

/** The words of the user in the call's metadata; what is none is left out. */
export function saidOf({ state }: ToolPart): readonly Word[] {
  const said = state.status === 'pending' ? undefined : state.metadata.said;
  return Array.isArray(said) ? said.flatMap(word) : [];
}

function word(raw: unknown): Word[] {
  const { text, uri, hunk } = (raw ?? {}) as { text?: unknown; uri?: unknown; hunk?: { newStart?: unknown } };
  const start = hunk?.newStart;
  return typeof text !== 'string'
    ? []
    : [
        {
          text,
          uri: typeof uri === 'string' ? uri : undefined,
          line: typeof start === 'number' ? start + 1 : undefined,
        },
      ];
}

function subject(input: Record<string, unknown>): string {
  const name = SUBJECTS.find((name) => typeof input[name] === 'string');
  return name === undefined ? '' : String(input[name]);
}

function firstLine(text: string): string {
  const line = text.trimStart().split(/[\r\n]/, 1)[0] ?? '';
  return line.length > 300 ? `${line.slice(0, 299)}…` : line;
}
