/** A conversation as rows of a list, one for each thing that can be drawn by itself. An unchanged row is the same object. */
import type { ChangeState, Conversation } from '../src/chat/conversation';
import type {
  AssistantMessage,
  CompactionPart,
  Message,
  Part,
  ReasoningPart,
  ToolPart,
  UserMessage,
} from '../src/wire';
import { type Block, BlockReader } from './blocks';

export type Row =
  | { kind: 'user'; key: string; message: UserMessage }
  | { kind: 'block'; key: string; block: Block }
  | { kind: 'thought'; key: string; part: ReasoningPart; isOpen: boolean }
  | { kind: 'tool'; key: string; part: ToolPart; change: ChangeState | undefined }
  | { kind: 'note'; key: string; tone: 'info' | 'warning' | 'error'; text: string; hint: string }
  | { kind: 'compaction'; key: string; part: CompactionPart }
  | { kind: 'changes'; key: string; turnId: string; changes: ChangeState[]; isOver: boolean }
  | { kind: 'busy'; key: string; text: string };

interface Known {
  version: number;
  isRunning: boolean;
  rows: Row[];
}

/** Makes the rows of one conversation, and remembers them. */
export class RowMaker {
  readonly #readers = new Map<string, BlockReader>();
  readonly #byMessage = new WeakMap<Message, Known>();
  readonly #byPart = new WeakMap<Part, { change: ChangeState | undefined; isOpen: boolean; rows: Row[] }>();
  readonly #byBlock = new WeakMap<Block, Row>();
  readonly #endings = new Map<string, { sign: string; rows: Row[] }>();

  rows(conversation: Conversation): Row[] {
    const rows: Row[] = [];
    let turn: UserMessage | undefined;
    const byCall = changesByCall(conversation);
    const { messages } = conversation.transcript;
    for (const message of messages) {
      if (message.role === 'user' && message.steers === undefined) {
        rows.push(...this.#ending(conversation, turn));
        turn = message;
      }
      rows.push(...this.#messageRows(conversation, message, byCall));
    }
    rows.push(...this.#ending(conversation, turn));
    if (conversation.turnId !== undefined) {
      rows.push({ kind: 'busy', key: 'busy', text: doing(messages.at(-1)) });
    }
    return rows;
  }

  #messageRows(conversation: Conversation, message: Message, byCall: Map<string, ChangeState>): Row[] {
    const known = this.#byMessage.get(message);
    const isRunning =
      conversation.turnId !== undefined && message.role === 'assistant' && message.completed === undefined;
    if (known?.version === conversation.changesVersion && known.isRunning === isRunning) {
      return known.rows;
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

  #answerRows(message: AssistantMessage, isRunning: boolean, byCall: Map<string, ChangeState>): Row[] {
    return message.parts.flatMap((part, index) => {
      if (message.summary && part.type !== 'compaction' && part.type !== 'retry') {
        return [];
      }
      const isOpen = isRunning && index === message.parts.length - 1;
      const change = part.type === 'tool' ? byCall.get(`${message.id}/${part.callId}`) : undefined;
      const known = this.#byPart.get(part);
      if (known && known.change === change && known.isOpen === isOpen) {
        return known.rows;
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
        const text = `${sentence(part.error.message)} Attempt ${part.attempt} failed; again after ${seconds} s.`;
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

  /** What stands behind a turn: its notices, how it ended, and what it changed. */
  #ending(conversation: Conversation, turn: UserMessage | undefined): Row[] {
    if (!turn) {
      return [];
    }
    const isOver = conversation.turnId !== turn.id;
    const sign = `${conversation.changesVersion} ${isOver} ${turn.stopReason} ${turn.error?.message}`;
    const known = this.#endings.get(turn.id);
    if (known?.sign === sign) {
      return known.rows;
    }
    const rows: Row[] = (conversation.notices.get(turn.id) ?? []).map((notice) => ({
      kind: 'note',
      key: `notice:${turn.id}:${notice.code}`,
      tone: 'info',
      text: notice.message,
      hint: notice.hint,
    }));
    rows.push(...endNote(turn));
    const changes = changesOfTurn(conversation, turn.id);
    if (changes.length > 0) {
      rows.push({ kind: 'changes', key: `changes:${turn.id}`, turnId: turn.id, changes, isOver });
    }
    this.#endings.set(turn.id, { sign, rows });
    return rows;
  }
}

function changesByCall(conversation: Conversation): Map<string, ChangeState> {
  const changes = [...conversation.changes.values()].filter((change) => change.callId !== undefined);
  return new Map(changes.map((change) => [`${change.messageId}/${change.callId}`, change]));
}

/** Those that reached the files, also if they were taken back since. */
function changesOfTurn(conversation: Conversation, turnId: string): ChangeState[] {
  return [...conversation.changes.values()].filter((change) => {
    if (change.state === 'proposed') {
      return false;
    }
    const message = conversation.transcript.message(change.messageId);
    return (message?.role === 'assistant' ? message.parentId : change.turnId) === turnId;
  });
}

const END_TEXTS = {
  cancelled: 'Stopped.',
  max_steps: 'Stopped at the limit of steps for one turn. Say "go on" to continue.',
  refused: 'The model refused to answer.',
  rejected: 'Stopped, as you rejected what it wanted to do.',
  error: 'The turn failed.',
} as const;

function endNote(turn: UserMessage): Row[] {
  const { stopReason, error } = turn;
  if (stopReason === undefined || stopReason === 'end_turn') {
    return [];
  }
  const tone =
    stopReason === 'error' ? 'error' : stopReason === 'refused' || stopReason === 'max_steps' ? 'warning' : 'info';
  const text = error?.message ?? END_TEXTS[stopReason];
  return [{ kind: 'note', key: `end:${turn.id}`, tone, text, hint: error?.hint ?? '' }];
}

function doing(message: Message | undefined): string {
  const part = message?.role === 'assistant' ? message.parts.at(-1) : undefined;
  switch (part?.type) {
    case 'text':
      return 'Writing';
    case 'reasoning':
      return 'Thinking';
    case 'retry':
      return 'Waiting to try again';
    case 'tool':
      return part.state.status === 'running' ? `Running ${part.tool}` : 'Working';
    default:
      return 'Waiting for the model';
  }
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
