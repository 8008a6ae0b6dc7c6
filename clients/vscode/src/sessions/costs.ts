/** Costs of sessions and sizes of their contexts, as far as this window received events. Pure. */
import type { SessionEvent, SessionInfo } from '../wire';

export interface Spending {
  /** Cost in US dollars. */
  cost: number;
  /** Tokens of the model's last input, and the limit of the input. */
  contextUsed?: number;
  contextSize?: number | undefined;
  /** True if a subscription covered the last answer, which then has no price. */
  isCovered?: boolean;
}

interface Tally {
  before: number;
  /** Costs by message, so that a repeated event is not counted again. */
  costs: Map<string, number>;
  contextUsed?: number;
  contextSize?: number | undefined;
  isCovered?: boolean;
}

export class SessionCosts {
  private readonly tallies = new Map<string, Tally>();

  take({ sessionId, update }: SessionEvent): void {
    if (update.kind === 'usage_update') {
      const tally = this.tally(sessionId);
      tally.costs.set(update.messageId, update.cost);
      tally.contextUsed = update.contextUsed;
      tally.contextSize = update.contextSize;
      tally.isCovered = update.subscription === true;
    }
  }

  /** Sets the cost of a session at opening, unless an event came before. */
  opened(info: SessionInfo): void {
    if (!this.tallies.has(info.id)) {
      this.tally(info.id).before = info.usage?.cost ?? 0;
    }
  }

  of(sessionId: string): Spending | undefined {
    const tally = this.tallies.get(sessionId);
    if (!tally) {
      return undefined;
    }
    const { before, costs, contextUsed, contextSize, isCovered } = tally;
    const cost = [...costs.values()].reduce((sum, cost) => sum + cost, before);
    return contextUsed === undefined ? { cost } : { cost, contextUsed, contextSize, ...(isCovered && { isCovered }) };
  }

  private tally(sessionId: string): Tally {
    const tally = this.tallies.get(sessionId) ?? { before: 0, costs: new Map() };
    this.tallies.set(sessionId, tally);
    return tally;
  }
}
