/** What a session is: its transcript, and beside it what is only told as it happens. Pure; the page draws it. */
import type {
  ListedChange,
  Notice,
  PlanEntry,
  SessionEvent,
  SessionInfo,
  Tokens,
  UsageUpdate,
  UserMessage,
} from '../wire';
import { type ChangeState, filesOf, readChange } from './changes';
import { Transcript } from './transcript';

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
  readonly #costs = new Map<string, number>();
  /** The event that told of each prompt. */
  readonly #begun = new Map<string, number>();
  #idleUntil = 0;

  constructor(info: SessionInfo) {
    this.info = info;
  }

  /** US dollars, with those of its subagents up to when the daemon last said it. */
  get cost(): number {
    return (this.info.usage?.cost ?? 0) + this.spentSince;
  }

  /** US dollars since the daemon last said what the session has cost. */
  get spentSince(): number {
    return [...this.#costs.values()].reduce((sum, cost) => sum + cost, 0);
  }

  /** Take in what the daemon says of the session; of what it has cost, nothing was left out. */
  describe(info: SessionInfo): void {
    this.info = { ...this.info, ...info };
    if (info.usage) {
      this.forgetCosts();
    }
  }

  /** They are told of elsewhere. */
  forgetCosts(): void {
    this.#costs.clear();
  }

  /** The turn has no end and will get none: the daemon died in it. */
  isBrokenOff(turn: UserMessage): boolean {
    const begun = this.#begun.get(turn.id) ?? 0;
    return turn.stopReason === undefined && turn.id !== this.turnId && begun <= this.#idleUntil;
  }

  /** Take in one event of this session. One that is known already does no harm. */
  apply(event: SessionEvent): void {
    const update = event.update;
    this.seq = Math.max(this.seq, event.seq);
    this.transcript.apply(update);
    switch (update.kind) {
      case 'user_message':
        this.#begun.set(update.message.id, event.seq);
        break;
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
          files: filesOf(update),
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
    this.#idleUntil = Math.max(seq, this.#idleUntil);
    if (this.turnId !== undefined && (this.#begun.get(this.turnId) ?? 0) <= seq) {
      this.turnId = undefined;
    }
    this.changesVersion++;
  }

  /** What `agent/changes` says, which a replay does not tell. Counts that are known stay. */
  setChanges(listed: readonly ListedChange[]): void {
    for (const listedChange of listed) {
      const change = readChange(listedChange);
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
    const others = this.notices.get(notice.turnId)?.filter((other) => other.code !== notice.code) ?? [];
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
