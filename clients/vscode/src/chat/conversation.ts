/** What a session is: its transcript, and beside it what is only told as it happens. Pure; the page draws it. */
import type {
  ChangedFile,
  DiagnosticsDelta,
  Notice,
  PlanEntry,
  SessionEvent,
  SessionInfo,
  Tokens,
  UsageUpdate,
} from '../wire';
import { Transcript } from './transcript';

/** A change to files; what is not known of it is absent. */
export interface ChangeState {
  id: string;
  messageId: string;
  callId?: string | undefined;
  turnId?: string | undefined;
  state: 'proposed' | 'applied' | 'reverted';
  files: ChangedFileState[];
  delta?: DiagnosticsDelta;
}

export interface ChangedFileState {
  uri: string;
  kind: ChangedFile['kind'];
  newUri?: string | undefined;
  additions?: number | undefined;
  deletions?: number | undefined;
  diff?: string | undefined;
  reverted?: boolean;
}

/** How full the model's context is. */
export interface ContextUse {
  used: number;
  size?: number | undefined;
}

/** One session as far as it is known. Changed only by `open`, `apply` and `setChanges`. */
export class Conversation {
  readonly transcript = new Transcript();
  readonly changes = new Map<string, ChangeState>();
  readonly notices = new Map<string, Notice[]>();
  plan: readonly PlanEntry[] = [];
  info: SessionInfo;
  /** The last event that was taken in; 0 before the first. */
  seq = 0;
  /** The user message that opened the turn that runs. */
  turnId: string | undefined;
  context: ContextUse | undefined;
  /** Counts up with everything that can change how a message is drawn besides the message itself. */
  changesVersion = 0;
  readonly #spentBefore: number;
  readonly #costs = new Map<string, number>();
  #idleUntil = 0;

  constructor(info: SessionInfo) {
    this.info = info;
    this.#spentBefore = info.usage?.cost ?? 0;
  }

  /** US dollars: what was spent when the session was opened, and since. */
  get cost(): number {
    return this.#spentBefore + [...this.#costs.values()].reduce((sum, cost) => sum + cost, 0);
  }

  /** Take in one event of this session. One that is known already does no harm. */
  apply(event: SessionEvent): void {
    const update = event.update;
    this.seq = Math.max(this.seq, event.seq);
    this.transcript.apply(update);
    switch (update.kind) {
      case 'turn_started':
        if (event.seq > this.#idleUntil) {
          this.turnId = update.turnId;
        }
        break;
      case 'turn_ended':
        if (this.turnId === update.turnId) {
          this.turnId = undefined;
        }
        break;
      case 'plan':
        this.plan = update.entries;
        break;
      case 'session_info_update':
        this.info = { ...this.info, title: update.title };
        break;
      case 'current_mode_update':
        this.info = { ...this.info, agent: update.agent, model: update.model ?? this.info.model };
        break;
      case 'usage_update':
        this.#spend(update);
        break;
      case 'notice':
        this.#notice(update);
        break;
      case 'agent_message':
        if (!this.context && !update.message.summary && total(update.message.tokens) > 0) {
          this.context = { used: total(update.message.tokens) };
        }
        break;
      case 'change_proposed':
      case 'change_applied':
        this.#change({
          id: update.changeId,
          messageId: update.messageId,
          callId: update.callId,
          turnId: this.turnId,
          state: update.kind === 'change_proposed' ? 'proposed' : 'applied',
          files: update.files,
        });
        break;
      case 'change_reverted': {
        const known = this.changes.get(update.changeId);
        if (known) {
          this.#change({ ...known, state: 'reverted' });
        }
        break;
      }
      case 'diagnostics_delta': {
        const known = this.changes.get(update.changeId);
        if (known) {
          this.#change({ ...known, delta: update });
        }
        break;
      }
      default:
        break;
    }
  }

  /** No turn that began up to then runs any more, though some may have no end: the daemon died in them. */
  endTurnsUntil(seq: number): void {
    this.#idleUntil = seq;
    if (this.seq <= seq) {
      this.turnId = undefined;
    }
  }

  /** What `agent/changes` says, which a replay does not tell. Counts that are known stay. */
  setChanges(described: readonly Record<string, unknown>[]): void {
    for (const one of described) {
      const change = readChange(one);
      if (change) {
        const known = this.changes.get(change.id);
        const files = change.files.map((file) => ({
          ...known?.files.find((other) => other.uri === file.uri),
          ...file,
        }));
        this.#change({ ...known, ...change, files });
      }
    }
  }

  #spend(update: UsageUpdate): void {
    this.#costs.set(update.messageId, update.cost);
    this.context = { used: update.contextUsed, size: update.contextSize };
  }

  #notice(notice: Notice): void {
    const others = this.notices.get(notice.turnId)?.filter((one) => one.code !== notice.code) ?? [];
    this.notices.set(notice.turnId, [...others, notice]);
    this.changesVersion++;
  }

  #change(change: ChangeState): void {
    this.changes.set(change.id, change);
    this.changesVersion++;
  }
}

function total(tokens: Tokens): number {
  return tokens.input + tokens.output + tokens.cacheRead + tokens.cacheWrite;
}

/** One of `agent/changes`; undefined for an undo, a failure, and what cannot be read. */
export function readChange(described: Record<string, unknown>): ChangeState | undefined {
  const { id, messageId, callId, turnId, state, kind, files } = described;
  if (typeof id !== 'string' || !Array.isArray(files) || kind === 'undo' || state === 'failed') {
    return undefined;
  }
  const read = files.filter((file): file is ChangedFileState => typeof file?.uri === 'string');
  const isReverted = state === 'reverted' || (read.length > 0 && read.every((file) => file.reverted));
  return {
    id,
    messageId: typeof messageId === 'string' ? messageId : '',
    callId: typeof callId === 'string' ? callId : undefined,
    turnId: typeof turnId === 'string' ? turnId : undefined,
    state: isReverted ? 'reverted' : state === 'planned' ? 'proposed' : 'applied',
    files: read,
  };
}
