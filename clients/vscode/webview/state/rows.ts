/**
 * Turns a conversation into rows of a list, a row for each part that can be drawn alone. An unchanged row is the same
 * object.
 */
import * as l10n from '@vscode/l10n';
import type { ChangeState } from '../../src/chat/changes';
import type { Conversation } from '../../src/chat/conversation';
import type {
  AssistantMessage,
  CompactionPart,
  Message,
  Part,
  ReasoningPart,
  ToolPart,
  UserMessage,
} from '../../src/wire';
import { type Block, BlockReader } from './blocks';
import { textOf } from './names';
import { LOOKS } from './tools';

export interface ToolRow {
  kind: 'tool';
  key: string;
  part: ToolPart;
  change: ChangeState | undefined;
}

export type Row =
  | { kind: 'user'; key: string; message: UserMessage }
  | { kind: 'block'; key: string; block: Block }
  | { kind: 'thought'; key: string; part: ReasoningPart; isOpen: boolean }
  | ToolRow
  /** Finished calls of one kind in a row, folded to one line. */
  | { kind: 'calls'; key: string; tool: string; rows: readonly ToolRow[] }
  | {
      kind: 'note';
      key: string;
      tone: 'info' | 'warning' | 'error';
      text: string;
      hint: string;
      next?: NextStep | undefined;
      /** Kind of the error, for the remedies. */
      code?: string | undefined;
    }
  | { kind: 'compaction'; key: string; part: CompactionPart }
  | { kind: 'changes'; key: string; turnId: string; changes: readonly ChangeState[]; isOver: boolean }
  | { kind: 'busy'; key: string; text: string };

/** Next step after the end of a turn that the user can start: send the prompt again, or continue the work. */
export interface NextStep {
  label: string;
  text: string;
}

/** Changes of a conversation, indexed by tool call and by turn. */
interface Changes {
  version: number;
  byCall: ReadonlyMap<string, ChangeState>;
  byTurn: ReadonlyMap<string, readonly ChangeState[]>;
}

interface CachedRows {
  version: number;
  isRunning: boolean;
  rows: Row[];
}

/** Rows behind a turn, and the inputs of these rows. */
interface Ending {
  turn: UserMessage;
  version: number;
  isOver: boolean;
  isLast: boolean;
  rows: Row[];
}

/** Makes the rows of one conversation, and caches the rows. */
export class RowMaker {
  readonly #readers = new Map<string, BlockReader>();
  readonly #byMessage = new WeakMap<Message, CachedRows>();
  readonly #byPart = new WeakMap<Part, { change: ChangeState | undefined; isOpen: boolean; rows: Row[] }>();
  readonly #byBlock = new WeakMap<Block, Row>();
  readonly #endings = new Map<string, Ending>();
  readonly #calls = new Map<string, Extract<Row, { kind: 'calls' }>>();
  #changes: Changes = { version: -1, byCall: new Map(), byTurn: new Map() };

  rows(conversation: Conversation): Row[] {
    return this.rowsBefore(Number.POSITIVE_INFINITY, conversation) ?? [];
  }

  /**
   * Returns all rows; undefined when `deadline` passes before the rows are complete. The next call continues the work.
   */
  rowsBefore(deadline: number, conversation: Conversation): Row[] | undefined {
    const rows: Row[] = [];
    let turn: UserMessage | undefined;
    if (this.#changes.version !== conversation.changesVersion) {
      this.#changes = indexedChanges(conversation);
    }
    const { messages } = conversation.transcript;
    for (const message of messages) {
      if (message.role === 'user' && message.steers === undefined) {
        rows.push(...this.#ending(conversation, turn, false));
        turn = message;
      }
      if (!this.#byMessage.has(message) && performance.now() > deadline) {
        return undefined;
      }
      rows.push(...this.#messageRows(conversation, message, this.#changes.byCall));
    }
    rows.push(...this.#ending(conversation, turn, true));
    if (conversation.turnId !== undefined) {
      rows.push({ kind: 'busy', key: 'busy', text: doing(messages.at(-1)) });
    }
    return this.#folded(rows);
  }

  /** Folds finished calls of one kind that follow each other, also over several messages of the model. */
  #folded(rows: readonly Row[]): Row[] {
    const folded: Row[] = [];
    for (let start = 0; start < rows.length; ) {
      const first = rows[start];
      let end = start + 1;
      if (first && isFoldable(first)) {
        for (let next = rows[end]; next && isFoldable(next) && next.part.tool === first.part.tool; next = rows[end]) {
          end++;
        }
      }
      if (first && end - start >= FEWEST_FOLDED) {
        folded.push(this.#callsRow(rows.slice(start, end) as ToolRow[]));
      } else {
        folded.push(...rows.slice(start, end));
      }
      start = end;
    }
    return folded;
  }

  /** Returns the same row as before while the calls are the same. */
  #callsRow(rows: readonly ToolRow[]): Row {
    const [first] = rows;
    const key = `calls:${first?.key}`;
    const cached = this.#calls.get(key);
    if (cached && cached.rows.length === rows.length && cached.rows.every((row, index) => row === rows[index])) {
      return cached;
    }
    const row = { kind: 'calls' as const, key, tool: first?.part.tool ?? '', rows };
    this.#calls.set(key, row);
    return row;
  }

  #messageRows(conversation: Conversation, message: Message, byCall: Changes['byCall']): Row[] {
    const cached = this.#byMessage.get(message);
    const isRunning =
      conversation.turnId !== undefined && message.role === 'assistant' && message.completed === undefined;
    if (cached && cached.isRunning === isRunning) {
      const isAsBefore = cached.version === conversation.changesVersion || !message.parts.some(isTool);
      if (isAsBefore) {
        cached.version = conversation.changesVersion;
        return cached.rows;
      }
    }
    const rows: Row[] =
      message.role === 'user' ? this.#userRows(message) : this.#answerRows(message, isRunning, byCall);
    this.#byMessage.set(message, { version: conversation.changesVersion, isRunning, rows });
    return rows;
  }

  #userRows(message: UserMessage): Row[] {
    const isOwn = message.parts.some((part) => part.type !== 'text' || !part.synthetic);
    return isOwn ? [{ kind: 'user', key: message.id, message }] : [];
  }

  #answerRows(message: AssistantMessage, isRunning: boolean, byCall: Changes['byCall']): Row[] {
    return message.parts.flatMap((part, index) => {
      if (message.summary && part.type !== 'compaction' && part.type !== 'retry') {
        return [];
      }
      const isOpen = isRunning && index === message.parts.length - 1;
      const change = part.type === 'tool' ? byCall.get(`${message.id}/${part.callId}`) : undefined;
      const cached = this.#byPart.get(part);
      if (cached && cached.change === change && cached.isOpen === isOpen) {
        return cached.rows;
      }
      const rows = this.#partRows(part, isOpen, change);
      this.#byPart.set(part, { change, isOpen, rows });
      return rows;
    });
  }

  #partRows(part: Part, isOpen: boolean, change: ChangeState | undefined): Row[] {
    switch (part.type) {
      case 'text':
        return part.synthetic ? [] : this.#blockRows(part.id, part.text);
      case 'reasoning':
        return part.text.trim() === '' && !isOpen ? [] : [{ kind: 'thought', key: part.id, part, isOpen }];
      case 'tool':
        return [{ kind: 'tool', key: part.id, part, change }];
      case 'retry': {
        const seconds = Math.round(part.waitSeconds);
        const again = l10n.t('Attempt {0} failed. Next attempt in {1} s.', part.attempt, seconds);
        const text = `${sentence(part.error.message)} ${again}`;
        return [{ kind: 'note', key: part.id, tone: 'warning', text, hint: part.error.hint }];
      }
      case 'compaction':
        return [{ kind: 'compaction', key: part.id, part }];
      default:
        return [];
    }
  }

  #blockRows(partId: string, text: string): Row[] {
    const reader = this.#readers.get(partId) ?? new BlockReader();
    this.#readers.set(partId, reader);
    return reader.read(text).map((block, index) => {
      const row = this.#byBlock.get(block) ?? { kind: 'block', key: `${partId}:${index}`, block };
      this.#byBlock.set(block, row);
      return row;
    });
  }

  /** Returns the rows behind a turn: notices, the reason of the end, and changes. */
  #ending(conversation: Conversation, turn: UserMessage | undefined, isLast: boolean): Row[] {
    if (!turn) {
      return [];
    }
    const isOver = conversation.turnId !== turn.id;
    const version = conversation.changesVersion;
    const cached = this.#endings.get(turn.id);
    if (cached?.turn === turn && cached.version === version && cached.isOver === isOver && cached.isLast === isLast) {
      return cached.rows;
    }
    const rows: Row[] = (conversation.notices.get(turn.id) ?? []).map((notice) => ({
      kind: 'note',
      key: `notice:${turn.id}:${notice.code}`,
      tone: 'info',
      text: notice.message,
      hint: notice.hint,
    }));
    rows.push(...endNote(turn, conversation.isBrokenOff(turn), isLast));
    const changes = this.#changes.byTurn.get(turn.id);
    if (changes) {
      rows.push({ kind: 'changes', key: `changes:${turn.id}`, turnId: turn.id, changes, isOver });
    }
    this.#endings.set(turn.id, { turn, version, isOver, isLast, rows });
    return rows;
  }
}

const FEWEST_FOLDED = 3;

function isFoldable(row: Row): row is ToolRow {
  return row.kind === 'tool' && row.part.state.status === 'completed' && LOOKS.has(row.part.tool);
}

function isTool(part: Part): boolean {
  return part.type === 'tool';
}

/** Indexes the changes. The changes of a turn are the changes that reached the files, also if reverted since. */
function indexedChanges(conversation: Conversation): Changes {
  const byCall = new Map<string, ChangeState>();
  const byTurn = new Map<string, ChangeState[]>();
  for (const change of conversation.changes.values()) {
    if (change.callId !== undefined) {
      byCall.set(`${change.messageId}/${change.callId}`, change);
    }
    const message = conversation.transcript.message(change.messageId);
    const turnId = message?.role === 'assistant' ? message.parentId : change.turnId;
    if (change.state !== 'proposed' && turnId !== undefined) {
      byTurn.set(turnId, [...(byTurn.get(turnId) ?? []), change]);
    }
  }
  return { version: conversation.changesVersion, byCall, byTurn };
}

const INTERRUPTED = l10n.t('Interrupted: Placet stopped during this turn. Completed changes remain.');
const END_TEXTS = {
  cancelled: l10n.t('Stopped.'),
  max_steps: l10n.t('Stopped at the step limit of a turn.'),
  refused: l10n.t('The model declined.'),
  rejected: l10n.t('Stopped, because you rejected a request.'),
  error: l10n.t('The turn failed.'),
} as const;
const CONTINUE: NextStep = { label: l10n.t('Continue'), text: l10n.t('Go on.') };

function endNote(turn: UserMessage, isBrokenOff: boolean, isLast: boolean): Row[] {
  const { stopReason, error } = turn;
  const key = `end:${turn.id}`;
  if (isBrokenOff) {
    return [{ kind: 'note', key, tone: 'warning', text: INTERRUPTED, hint: '', next: isLast ? CONTINUE : undefined }];
  }
  if (stopReason === undefined || stopReason === 'end_turn') {
    return [];
  }
  const tone =
    stopReason === 'error' ? 'error' : stopReason === 'refused' || stopReason === 'max_steps' ? 'warning' : 'info';
  const text = error?.message ?? END_TEXTS[stopReason];
  const next = isLast ? nextAfter(turn) : undefined;
  return [{ kind: 'note', key, tone, text, hint: error?.hint ?? '', next, code: error?.code }];
}

function nextAfter(turn: UserMessage): NextStep | undefined {
  switch (turn.stopReason) {
    case 'max_steps':
      return CONTINUE;
    case 'error': {
      const text = textOf(turn.parts);
      return text === '' || turn.error?.code === 'interrupted' ? CONTINUE : { label: l10n.t('Try Again'), text };
    }
    default:
      return undefined;
  }
}

function doing(message: Message | undefined): string {
  const part = message?.role === 'assistant' ? message.parts.at(-1) : undefined;
  switch (part?.type) {
    case 'text':
      return l10n.t('Writing');
    case 'reasoning':
      return l10n.t('Thinking');
    case 'retry':
      return l10n.t('Waiting to retry');
    case 'tool':
      return part.state.status === 'running' ? l10n.t('Running {0}', part.tool) : l10n.t('Working');
    default:
      return l10n.t('Waiting for the model');
  }
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
