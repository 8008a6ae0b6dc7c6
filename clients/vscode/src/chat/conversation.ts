/** State of a session: the transcript, and the state that only live events carry. Pure; the page draws the state. */

import { Transcript } from '../sessions/transcript';
import type {
  AssistantMessage,
  CautionUpdate,
  ChangeApplied,
  ChangeProposed,
  CurrentModeUpdate,
  EffortUpdate,
  ListedChange,
  Notice,
  PlanEntry,
  ProfileUpdate,
  QueuedPrompt,
  ReviewModeUpdate,
  SessionEvent,
  SessionInfo,
  SessionInfoUpdate,
  Tokens,
  UsageUpdate,
  UserMessage,
} from '../wire';
import { type ChangeState, filesOf, readChange } from './changes';

/** Number of used tokens in the model's context. */
export interface ContextUse {
  used: number;
  size?: number | undefined;
}

/** State of one session, as known so far. Only `open`, `apply` and `setChanges` change the state. */
export class Conversation {
  readonly transcript = new Transcript();
  readonly changes = new Map<string, ChangeState>();
  readonly notices = new Map<string, Notice[]>();
  plan: readonly PlanEntry[] = [];
  /** Prompts of all clients that wait for the end of the running turn. */
  queued: readonly QueuedPrompt[] = [];
  info: SessionInfo;
  /** Number of the last applied event; 0 before the first event. */
  seq = 0;
  /** Id of the user message that started the running turn. */
  turnId: string | undefined;
  context: ContextUse | undefined;
  /** True if a subscription covered the last answer, which then has no price. */
  isCovered = false;
  /** Version that grows with every change, outside a message, of how the message is drawn. */
  changesVersion = 0;
  readonly #costs = new Map<string, number>();
  /** Event number of each prompt. */
  readonly #begun = new Map<string, number>();
  #idleUntil = 0;

  constructor(info: SessionInfo) {
    this.info = info;
  }

  /** Cost in US dollars, including subagents up to the daemon's last report. */
  get cost(): number {
    return (this.info.usage?.cost ?? 0) + this.spentSince;
  }

  /** US dollars spent since the daemon last reported the cost of the session. */
  get spentSince(): number {
    return [...this.#costs.values()].reduce((sum, cost) => sum + cost, 0);
  }

  /** Applies the daemon's description of the session; a reported cost is complete. */
  describe(info: SessionInfo): void {
    this.info = { ...this.info, ...info };
    if (info.usage) {
      this.forgetCosts();
    }
  }

  /** Forgets the costs of single messages, since another report counts these costs. */
  forgetCosts(): void {
    this.#costs.clear();
  }

  /** Returns true if the turn will never end, because the daemon died during the turn. */
  isBrokenOff(turn: UserMessage): boolean {
    const begun = this.#begun.get(turn.id) ?? 0;
    return turn.stopReason === undefined && turn.id !== this.turnId && begun <= this.#idleUntil;
  }

  /** Applies one event of this session. Applying a known event again is harmless. */
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
      case 'session_back':
        this.info = { ...this.info, backTo: update.messageId, filesBack: update.filesBack };
        this.changesVersion++;
        break;
      case 'plan':
        this.plan = update.entries;
        break;
      case 'session_info_update':
      case 'current_mode_update':
      case 'review_mode_update':
      case 'caution_update':
      case 'effort_update':
      case 'profile_update':
        this.info = changedInfo(this.info, update);
        break;
      case 'queue_update':
        this.queued = update.prompts;
        break;
      case 'usage_update':
        this.#spend(update);
        break;
      case 'notice':
        this.#notice(update);
        break;
      case 'agent_message':
        this.#estimate(update.message);
        break;
      case 'change_proposed':
      case 'change_applied':
        this.#make(update);
        break;
      case 'change_reverted':
        this.#amend(update.changeId, { state: 'reverted' });
        break;
      case 'diagnostics_delta':
        this.#amend(update.changeId, { delta: update });
        break;
      default:
        break;
    }
  }

  /** Ends every turn that began up to an event. Some turns have no end of their own, because the daemon died. */
  endTurnsUntil(seq: number): void {
    this.#idleUntil = Math.max(seq, this.#idleUntil);
    if (this.turnId !== undefined && (this.#begun.get(this.turnId) ?? 0) <= seq) {
      this.turnId = undefined;
    }
    this.changesVersion++;
  }

  /** Applies the result of `agent/changes`, which a replay does not contain. Known counts stay. */
  setChanges(listed: readonly ListedChange[]): void {
    for (const listedChange of listed) {
      const change = readChange(listedChange);
      if (change) {
        const previous = this.changes.get(change.id);
        const files = change.files.map((file) => ({
          ...previous?.files.find((other) => other.uri === file.uri),
          ...file,
        }));
        this.#change({ ...previous, ...change, files });
      }
    }
  }

  #spend(update: UsageUpdate): void {
    this.#costs.set(update.messageId, update.cost);
    this.context = { used: update.contextUsed, size: update.contextSize };
    this.isCovered = update.subscription === true;
  }

  #notice(notice: Notice): void {
    const others = this.notices.get(notice.turnId)?.filter((other) => other.code !== notice.code) ?? [];
    this.notices.set(notice.turnId, [...others, notice]);
    this.changesVersion++;
  }

  /** Shows the tokens of an answer as the context, until the daemon reports the context. */
  #estimate(message: AssistantMessage): void {
    if (!this.context && !message.summary && total(message.tokens) > 0) {
      this.context = { used: total(message.tokens) };
    }
  }

  #make(made: ChangeProposed | ChangeApplied): void {
    this.#change({
      id: made.changeId,
      messageId: made.messageId,
      callId: made.callId,
      turnId: this.turnId,
      state: made.kind === 'change_proposed' ? 'proposed' : 'applied',
      files: filesOf(made),
    });
  }

  #amend(changeId: string, fields: Partial<ChangeState>): void {
    const change = this.changes.get(changeId);
    if (change) {
      this.#change({ ...change, ...fields });
    }
  }

  #change(change: ChangeState): void {
    this.changes.set(change.id, change);
    this.changesVersion++;
  }
}

type InfoUpdate =
  | SessionInfoUpdate
  | CurrentModeUpdate
  | ReviewModeUpdate
  | CautionUpdate
  | EffortUpdate
  | ProfileUpdate;

/** Returns the description of the session after the user, or the agent, has changed a field. */
function changedInfo(info: SessionInfo, update: InfoUpdate): SessionInfo {
  switch (update.kind) {
    case 'session_info_update':
      return { ...info, title: update.title };
    case 'current_mode_update':
      return { ...info, agent: update.agent, model: update.model ?? info.model };
    case 'review_mode_update':
      return { ...info, review: update.review };
    case 'caution_update':
      return { ...info, caution: update.caution };
    case 'effort_update':
      return { ...info, effort: update.effort };
    case 'profile_update':
      return { ...info, profile: update.profile };
  }
}

function total(tokens: Tokens): number {
  return tokens.input + tokens.output + tokens.cacheRead + tokens.cacheWrite;
}
