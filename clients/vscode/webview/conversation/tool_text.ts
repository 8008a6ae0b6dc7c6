/** Texts of a tool call on the screen. Pure. */
import * as l10n from '@vscode/l10n';
import type { ToolFailed, ToolPart } from '../../src/wire';
import { OWN_VIEWS } from '../state/tools';

export interface Shown {
  title: string;
  /** Complete text of a shell command. */
  command: string;
  /** Output; only the end of a long output. */
  output: string;
  /** Complete output, if `output` is shortened. */
  more: string;
  /** First line of the error, in words for the user. */
  error: string;
  /** True for an error that is no news for the user. */
  isRecovered: boolean;
  /** Place of a shell command: in the sandbox or outside; empty without a sandbox. */
  sandbox: string;
  /** Exit code of a failed shell command in words; empty otherwise. */
  exit: string;
}

/** Comment of the user in an answer, on a file or on the first line of a place in a file. */
export interface Word {
  text: string;
  uri?: string | undefined;
  /** Line number, 1-based. */
  line?: number | undefined;
}

const LONGEST = 6_000;
/** Kinds of failures that the agent itself corrects or goes around. */
const RECOVERED: readonly unknown[] = ['mistake', 'conflict', 'missing'];
const SUBJECTS = ['filePath', 'command', 'pattern', 'query', 'url', 'path', 'description', 'name'];

export function shownTool(part: ToolPart): Shown {
  const { state, tool } = part;
  const input = state.status === 'pending' ? {} : state.input;
  const title = state.status === 'pending' ? '' : state.title;
  const live = state.status === 'pending' ? undefined : state.metadata.output;
  const final = state.status === 'completed' ? state.output : '';
  const output = OWN_VIEWS.has(tool) ? '' : typeof live === 'string' ? live : final;
  return {
    title: firstLine(title || subject(input)),
    command: tool === 'bash' && typeof input.command === 'string' ? input.command : '',
    output: output.length > LONGEST ? `…${output.slice(-LONGEST)}` : output,
    more: output.length > LONGEST ? output : '',
    error: state.status === 'error' ? firstLine(errorText(part, state)) : '',
    isRecovered: state.status === 'error' && RECOVERED.includes(state.metadata.failure),
    exit: exitText(state.status === 'pending' ? undefined : state.metadata.exit),
    sandbox: sandboxText(state.status === 'pending' ? undefined : state.metadata.sandbox),
  };
}

/** The error itself is written for the model. */
function errorText(part: ToolPart, state: ToolFailed): string {
  const failure = saidOf(part).length > 0 ? 'rejected' : state.metadata.failure;
  switch (failure) {
    case 'rejected':
      return l10n.t('You rejected this call.');
    case 'conflict':
      return l10n.t('The same lines were changed meanwhile, so nothing was changed. The agent is told the lines.');
    case 'mistake':
      return l10n.t('The call did not fit, so nothing was done. The agent is told why.');
    default:
      return state.error;
  }
}

function exitText(exit: unknown): string {
  return typeof exit === 'number' && exit !== 0 ? l10n.t('exit {0}', exit) : '';
}

function sandboxText(sandbox: unknown): string {
  switch (sandbox) {
    case 'inside':
      return l10n.t('sandboxed');
    case 'outside':
      return l10n.t('outside the sandbox');
    default:
      return '';
  }
}

/** Returns the URIs of the files that were left out of an accepted change, because the user changed the same lines. */
export function conflictsOf({ state }: ToolPart): readonly string[] {
  const files = state.status === 'pending' ? undefined : state.metadata.files;
  return Array.isArray(files) ? files.flatMap(conflict) : [];
}

function conflict(raw: unknown): string[] {
  const { uri, status } = (raw ?? {}) as { uri?: unknown; status?: unknown };
  return status === 'conflict' && typeof uri === 'string' ? [uri] : [];
}

/** Returns the user's comments in the call's metadata; other values are left out. */
export function saidOf({ state }: ToolPart): readonly Word[] {
  const comments = state.status === 'pending' ? undefined : state.metadata.said;
  return Array.isArray(comments) ? comments.flatMap(word) : [];
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
