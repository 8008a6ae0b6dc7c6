/** What sessions have cost and how full their context is, as far as it was told in this window. Pure. */
import type { SessionEvent, SessionInfo } from '../wire';

export interface Spending {
  /** US dollars. */
  cost: number;
  /** Tokens that the model was last given, and how many it can be given. */
  contextUsed?: number;
  contextSize?: number | undefined;
}

interface Tally {
  before: number;
  /** By message: one that is told of again is not counted again. */
  costs: Map<string, number>;
  contextUsed?: number;
  contextSize?: number | undefined;
}

export class SessionCosts {
  private readonly tallies = new Map<string, Tally>();

  take({ sessionId, update }: SessionEvent): void {
    if (update.kind === 'usage_update') {
      const tally = this.tally(sessionId);
      tally.costs.set(update.messageId, update.cost);
      tally.contextUsed = update.contextUsed;
      tally.contextSize = update.contextSize;
    }
  }

  /** What the session had cost when it was opened; only if nothing was told of it before. */
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
    const { before, costs, contextUsed, contextSize } = tally;
    const cost = [...costs.values()].reduce((sum, cost) => sum + cost, before);
    return contextUsed === undefined ? { cost } : { cost, contextUsed, contextSize };
  }

  private tally(sessionId: string): Tally {
    const known = this.tallies.get(sessionId) ?? { before: 0, costs: new Map() };
    this.tallies.set(sessionId, known);
    return known;
  }
}
